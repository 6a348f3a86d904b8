"""Only what has changed: a push that leaves out what the service has acknowledged as it stands."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.check import Problem, broken_rules
from ..invocation import Invocation
from ..output.text import counted
from .acknowledged import Acknowledged, UnknownError
from .check import Check
from .findings import Findings
from .jobs import Job, acks, journals
from .journal import Journal
from .judge import Checked, Judge, Verdict
from .locks import alone, locked
from .packed import NO_KEY, PRINT, Records, cut, key_of, print_of
from .products import ProductDelete
from .push import Push
from .read import Row, Rows
from .repeats import Repeats
from .summary import Summary
from .upload import RowUpload

if TYPE_CHECKING:
    from .verify import Comparison

HELD = 16 * 1024 * 1024  # bytes of rows that are kept from checking to sending
KNOWN, DUE, INVALID = 0, 1, 2  # what a row can be: acknowledged as it stands, to be sent, not to be sent

encoded = msgspec.msgpack.Encoder().encode


class ChangedVerdict(Verdict):
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


class ChangedJudge(Judge):
    """Tells apart which rows the service has acknowledged as they stand; no rule is tried on those again."""

    def __init__(self, upload: type[RowUpload], memory: Acknowledged | None, known: Records) -> None:
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

    def verdict(self, rows: Iterable[Row]) -> ChangedVerdict:
        """Say what rows come to."""
        found = ChangedVerdict()
        return self.summed(found, self._noted(found, self.judged(rows, self.broken)))

    def _noted(self, verdict: ChangedVerdict, rows: Iterable[Checked]) -> Iterator[Checked]:
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


class ChangedCheck(Check):
    """Checks the rows of a file, and tells apart which of them are to be sent."""

    judge: ChangedJudge

    def __init__(
        self, rows: Rows, upload: RowUpload, memory: Acknowledged | None, known: Records | None = None
    ) -> None:
        super().__init__(rows, type(upload))
        upload.notes_keys = True
        self.judge = ChangedJudge(type(upload), memory, Records() if known is None else known)
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
        due = array("Q", (number for number, state in enumerate(self._states, 1) if state == DUE))
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

    def sum_up(self, verdicts: Iterable[Verdict]) -> Repeats:
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


@dataclass
class CatalogPush(Push):
    """A push, or a delete, that keeps true what is remembered of the catalog."""

    memory: Acknowledged = field(kw_only=True)

    def _open_journal(self, findings: Findings) -> Journal:
        """Begin a job, and forget what is about to be sent."""
        journal = super()._open_journal(findings)
        try:
            if isinstance(self.check, ChangedCheck):
                self._strike_out(self.check, journal)
            elif isinstance(self.upload, ProductDelete):
                self._strike_keys()
            else:
                self.memory.drop()  # that another push has begun since this one did
        except BaseException:
            journal.close()
            raise
        return journal

    def _strike_out(self, check: ChangedCheck, journal: Journal) -> None:
        job = journal.job

        def alone_since(last: str) -> bool:
            own = not journal.resumed or last == job.job
            return own and not _others_at(journal.folder, job)

        check.forget()
        self.memory.strike_out(job.job, cut(check.prints, PRINT), alone_since=alone_since)

    def _strike_keys(self) -> None:
        if self.memory.exists():
            items: Iterator[Any] = (checked.item for checked in self.check)
            self.memory.strike_keys({key_of(item.product_key) for item in items if item})

    def _finish(self, journal: Journal) -> None:
        """Remember what was acknowledged, and note that everything was sent."""
        if isinstance(self.check, ChangedCheck):
            known = self.memory.write_down(journal.job.job, self.check.acknowledged(journal.path))
            if not known:
                self.call.messages.warn(
                    "something else was sent to this catalog meanwhile: the rows of this push "
                    "are not remembered, and the next push --changed sends them again"
                )
        super()._finish(journal)


@dataclass
class ChangedPush(CatalogPush):
    """A push of what has changed since the service last acknowledged it."""

    check: ChangedCheck
    verify: bool = field(default=False, kw_only=True)
    comparison: "Comparison | None" = None

    def _check(self) -> Findings:
        """Check the whole file, and say how many rows are left out."""
        findings = super()._check()
        if self.verify and self.check.skipped:
            from .verify import Comparison

            self.comparison = Comparison(self.call)
            self.check.compare(self.comparison.stands)
            self.call.messages.say(self.comparison.told)
        if skipped := self.check.skipped:
            self.call.messages.say(f"{counted(skipped, 'row')} left out, as the service last acknowledged")
        return findings

    def _summary(self, findings: Findings, journal: Journal | None) -> Summary:
        found = self.comparison.counts if self.comparison else {}
        return replace(super()._summary(findings, journal), skipped=self.check.skipped, extra=found)


def memory_of(call: Invocation) -> Acknowledged:
    """Find what is remembered of the catalog in use."""
    return Acknowledged(call.settings.state_dir, call.service, call.catalog)


def known_to(memory: Acknowledged, tell: Callable[[str], None] = lambda text: None) -> Records:
    """Give what is remembered; where that is nothing, tell why everything is sent."""
    try:
        return memory.read()
    except UnknownError as reason:
        tell(f"{reason}: every row is sent")
        return Records()


def _others_at(folder: Path, own: Job) -> bool:
    """Tell whether another job is at work at the same place."""
    with alone(folder):
        for _, job, ended in journals(folder):
            if not ended and job.key != own.key and job.place == own.place:
                lock = locked(folder, job.key)
                if lock is None:
                    return True
                lock.release()
    return False
