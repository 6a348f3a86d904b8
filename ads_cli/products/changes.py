"""Which rows have changed, and which stand as the service has acknowledged them."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import compress, count
from pathlib import Path
from typing import Any

import msgspec

from ..api.validation import Problem, broken_rules
from ..feeds.rows import Row, Rows
from ..uploads.jobs import acks
from ..uploads.upload import RowUpload
from ..validation.duplicates import Duplicates
from ..validation.row_validator import Checked, RowValidator, ValidationResult
from ..validation.validator import Validator
from .digest_index import NO_KEY, PRINT, Records, cut, print_of
from .sync_state import SyncState, UnknownError

HELD = 16 * 1024 * 1024  # bytes of rows that are kept from checking to sending
KNOWN, DUE, INVALID = 0, 1, 2  # what a row can be: acknowledged as it stands, to be sent, not to be sent
ONLY_DUE = bytes(state == DUE for state in range(256))

encoded = msgspec.msgpack.Encoder().encode


class ChangedResult(ValidationResult):
    """What some rows come to, and which of them are to be sent."""

    states: bytearray = bytearray()  # of every row
    prints: bytearray = bytearray()  # of those to be sent
    kept: list[Row] = []  # those to be sent or to be refused, where these are few

    def moved(self, records: int) -> None:
        """Number the rows as records of the file, of which so many come before these."""
        super().moved(records)
        for row in self.kept:
            row.record += records


def _stands(item: Any) -> bool:
    return True


class ChangedRowValidator(RowValidator):
    """Tells apart which rows the service has acknowledged as they stand; no rule is tried on those again."""

    def __init__(self, upload: type[RowUpload], memory: SyncState | None, known: Records) -> None:
        super().__init__(upload)
        self.memory = memory
        self.known = known
        self.keeps = len(known) > 0
        self.stands: Callable[[Any], bool] = _stands  # what else a known row has to be

    def __getstate__(self) -> dict[str, Any]:
        """Leave what is known behind: a copy in another process reads it anew, which is faster."""
        return {**vars(self), "known": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.known = known_to(self.memory) if self.memory else Records()

    def verdict(self, rows: Iterable[Row]) -> ChangedResult:
        """Say what rows come to."""
        found = ChangedResult()
        return self.summed(found, self._noted(found, self.judged(rows, self.broken)))

    def _noted(self, verdict: ChangedResult, rows: Iterable[Checked]) -> Iterator[Checked]:
        """Note what is to become of each row."""
        for checked in rows:
            item = checked.item
            if item is None:
                state = INVALID
            else:
                if item is not self._item:  # it was judged the slow way
                    self.broken(item)
                state = KNOWN if self._is_known else DUE
            verdict.states.append(state)
            if state == DUE:
                verdict.prints += self._print
            if state != KNOWN and self.keeps:
                checked.row.record = len(verdict.states)
                verdict.kept.append(checked.row)
            yield checked

    _item: Any = None  # that was looked up last

    def broken(self, item: Any) -> list[Problem]:  # type: ignore[override]
        """Look an item up; give the rules it breaks, of which one that is known breaks none."""
        self._item, self._print = item, print_of(item.id, encoded(item))
        self._is_known = self.known.holds(self._print) and self.stands(item)
        return [] if self._is_known else broken_rules(item)


class ChangedValidator(Validator):
    """Checks the rows of a file, and tells apart which of them are to be sent."""

    judge: ChangedRowValidator

    def __init__(
        self, rows: Rows, upload: RowUpload, memory: SyncState | None, known: Records | None = None
    ) -> None:
        super().__init__(rows, type(upload))
        upload.notes_keys = True
        self.judge = ChangedRowValidator(type(upload), memory, Records() if known is None else known)
        self._changed = memory is not None  # or else every row is to be sent

    def compare(self, stands: Callable[[Any], bool]) -> None:
        """Look at every row again: of those that are known, only those for which `stands` are left out."""
        self.judge.stands = stands
        self.sum_up(self.in_turn())

    def forget(self) -> None:
        """Let go of what is known; what is to be sent is certain by now."""
        self.judge.known = Records()

    @property
    def due(self) -> int:
        """Count the rows that are to be sent."""
        return len(self.prints) // PRINT

    @property
    def skipped(self) -> int:
        """Count the rows that are left out, since they are known."""
        return self._states.count(KNOWN)

    @property
    def packing(self) -> str:  # type: ignore[override]
        """Describe which rows are sent."""
        return f" {blake2b(self.prints, digest_size=PRINT).hexdigest()}" if self._changed else ""

    def acknowledged(self, journal: Path) -> Iterator[tuple[bytes, int]]:
        """Give the prints and keys of rows that the service took, by what a journal says of their batches."""
        size = self.upload.size
        due = array("Q", compress(count(1), self._states.translate(ONLY_DUE)))
        for ack in acks(journal):
            first = ack.batch * size
            rows, prints = due[first : first + size], self.prints[first * PRINT : (first + size) * PRINT]
            failed = {number for number, _ in ack.failed}
            keys = ack.keys or [NO_KEY] * len(rows)
            for row, print_, key in zip(rows, cut(prints, PRINT), keys, strict=True):
                if row not in failed:
                    yield print_, key

    @property
    def sends_all(self) -> bool:  # type: ignore[override]
        """Tell whether no row is left out."""
        return not self.skipped

    def to_send(self) -> Iterable[Row]:
        """Give the rows that are to be sent or to be refused, out of memory where they are few."""
        return compress(self.rows, self._states) if self._held is None else self._held

    def sum_up(self, verdicts: Iterable[ValidationResult]) -> Duplicates:
        """Add verdicts up, and note what is to become of each row."""
        self._states = bytearray()
        self.prints = bytearray()  # of the rows to be sent, in their order
        self._held: list[Row] | None = [] if self.judge.keeps else None
        self._room = HELD
        return super().sum_up(verdicts)

    def note(self, verdict: Any) -> None:
        """Note what is to become of each row."""
        self._states += verdict.states
        self.prints += verdict.prints
        if self._held is not None:
            self._held += verdict.kept
            self._room -= sum(len(encoded(row.values)) for row in verdict.kept)
            if self._room < 0:  # they have become too many
                self._held = None


def known_to(memory: SyncState, tell: Callable[[str], None] = lambda text: None) -> Records:
    """Give what is remembered; where that is nothing, tell why everything is sent."""
    try:
        return memory.read()
    except UnknownError as reason:
        tell(f"{reason}: every row is sent")
        return Records()
