"""Find the rows that differ from the last acknowledged state."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress, count
from typing import Any

import msgspec

from ..api.problems import Problem
from ..api.products import BATCH_SIZE
from ..api.validation import broken_rules
from ..feeds.row import Row
from ..feeds.rows import Rows
from ..runs.job import Acknowledgement
from ..runs.journal import Journal
from ..validation import CheckedRow, ValidationResult
from .digest_index import (
    DIGEST,
    DIGEST_BYTES,
    KEY_BYTES,
    NO_KEY,
    PRODUCT,
    DigestIndex,
    ProductHashes,
    item_digest,
)
from .listing import DIFFERING, MISSING, SAME, ListingComparison
from .sync_state import SyncState, UnknownError

# State of a row: acknowledged as it is, to be sent, not to be sent, left out by a row transform.
SKIPPED, DUE, INVALID, LEFT_OUT = range(4)
IS_DUE = bytes(state == DUE for state in range(256))  # translation table of states
IS_DUE_OR_INVALID = bytes(state in (DUE, INVALID) for state in range(256))


class SelectedRows(msgspec.Struct):
    """What ChangeSelector notes of a run of rows."""

    states: bytearray = bytearray()  # of every row
    digests: bytearray = bytearray()  # of due rows
    same: bytearray = bytearray()  # packed, of rows that only the listing tells to be the same


class ChangeSelector:
    """Select rows that are not in the index; no rule is applied to the others again.

    A validator calls `broken_rules` for each row that was read, and `select` takes the row right after that.
    """

    def __init__(self, index: DigestIndex) -> None:
        self.index = index
        self.is_due = False
        self.trusts_index = True  # else what it says may have been changed since, and only the listing counts
        # With the catalog, which must have an acknowledged item; see `ChangedRows.compare_with`.
        self.comparison: ListingComparison | None = None
        self._digest = b""  # of the item that was looked up last
        self._compared = ""  # its result of the comparison
        self._is_acknowledged = False

    def __getstate__(self) -> dict[str, Any]:
        """Leave the comparison out, which is made in this process."""
        return {**vars(self), "comparison": None}

    def broken_rules(self, item: Any) -> list[Problem]:
        """Look the item up, and apply the rules unless it is acknowledged as it is."""
        self._digest = item_digest(item)
        self._compared = self.comparison.compare(item) if self.comparison else ""
        if self.trusts_index:
            changed = self._compared in (DIFFERING, MISSING)
            self._is_acknowledged = not changed and self.index.contains(self._digest)
        else:
            self._is_acknowledged = self._compared == SAME
        return [] if self._is_acknowledged else broken_rules(item)

    def select(self, rows: Iterable[CheckedRow], result: ValidationResult) -> Iterator[CheckedRow]:
        """Yield the rows as they are, and note the state of each in `result.selection`."""
        selected = result.selection = SelectedRows()
        for checked in rows:
            if checked.row.left_out:
                state = LEFT_OUT
            elif checked.item is None:
                state = INVALID
                if self.comparison:
                    self.comparison.count_invalid(checked.row.values.get("id"))
            else:
                state = SKIPPED if self._is_acknowledged else DUE
                if self.comparison:
                    self.comparison.count(self._compared)
            selected.states.append(state)
            self.is_due = state == DUE
            if self.is_due:
                selected.digests += self._digest
            elif state == SKIPPED and not self.trusts_index and self.comparison:
                selected.same += self._digest + self.comparison.key.to_bytes(KEY_BYTES)
            yield checked


class ChangedRows:
    """The rows of a file that are to be sent: all, or with an index those that have changed."""

    def __init__(self, index: DigestIndex | None = None, expected_epoch: str | None = None) -> None:
        self.selector = ChangeSelector(DigestIndex() if index is None else index)
        self.expected_epoch = expected_epoch  # write epoch of the catalog in which the index is right
        self.only_changed = index is not None  # else all rows are sent
        self.selects_few = len(self.selector.index) > 0
        self.clear()

    def clear(self) -> None:
        """Forget everything: the file is validated again."""
        self.digests = bytearray()  # of due rows, in their order
        self._same = bytearray()
        self._states = bytearray()

    def add(self, selected: SelectedRows) -> None:
        """Append what the selector noted of a run of rows."""
        self._states += selected.states
        self.digests += selected.digests
        self._same += selected.same

    def compare_with(self, comparison: ListingComparison, *, trusts_index: bool) -> None:
        """Compare rows with the catalog too, or with it alone, once they are validated again."""
        self.selector.comparison = comparison
        self.selector.trusts_index = trusts_index

    def same(self) -> Iterator[ProductHashes] | None:
        """Yield the products that the listing has as their rows; None where the index is trusted."""
        return None if self.selector.trusts_index else PRODUCT.iter_unpack(self._same)

    @property
    def due(self) -> int:
        """Count the rows to be sent."""
        return len(self.digests) // DIGEST_BYTES

    @property
    def skipped(self) -> int:
        """Count the rows that are left out, since they are acknowledged as they are."""
        return self._states.count(SKIPPED)

    def count_missing(self, index: DigestIndex) -> int:
        """Count the rows to be sent that are not in an index."""
        digests = bytes(self.digests)
        starts = range(0, len(digests), DIGEST_BYTES)
        return sum(not index.contains(digests[at : at + DIGEST_BYTES]) for at in starts)

    @property
    def digest(self) -> str:
        """Return the digest of the rows to be sent, where only changed ones are."""
        if not self.only_changed:
            return ""
        return blake2b(self.digests, digest_size=DIGEST_BYTES).hexdigest()

    def totals(self) -> dict[str, int]:
        """Return the counts for the summary."""
        comparison = self.selector.comparison
        counts = comparison.counts if comparison else {}
        return {"skipped": self.skipped} | counts if self.only_changed else {}

    def rows_to_send(self, rows: Rows) -> Iterable[Row]:
        """Return the due and the invalid rows."""
        return compress(rows, self._states.translate(IS_DUE_OR_INVALID))

    def release_index(self) -> None:
        """Free the memory of the index, which is not needed once the file is validated."""
        self.selector.index = DigestIndex()

    def acknowledged(self, acknowledgements: Iterable[Acknowledgement]) -> Iterator[ProductHashes]:
        """Yield the product of each row that acknowledgements accept."""
        due_records = array("Q", compress(count(1), self._states.translate(IS_DUE)))
        for ack in acknowledgements:
            first = ack.batch * BATCH_SIZE
            records = due_records[first : first + BATCH_SIZE]
            if not records:  # of a batch that this version does not cut
                continue
            digests = self.digests[first * DIGEST_BYTES : (first + BATCH_SIZE) * DIGEST_BYTES]
            failed = {record for record, _ in ack.failed}
            keys = ack.keys or [NO_KEY] * len(records)
            for record, digest, key in zip(records, DIGEST.iter_unpack(digests), keys, strict=True):
                if record not in failed:
                    yield *digest, key


def read_index(
    sync_state: SyncState, warn: Callable[[str], None] = lambda text: None
) -> tuple[DigestIndex, str | None]:
    """Return the index of acknowledged products, and its write epoch.

    Where it is unknown, say why and return an empty one, which is right in every write epoch.
    """
    try:
        epoch, index = sync_state.read()
    except UnknownError as reason:
        warn(f"{reason}: every row is sent")
        return DigestIndex(), None
    return index, epoch if len(index) else None


NOT_COMMITTED = (
    "something else was sent to this catalog meanwhile, so the rows of this push are not recorded as sent: "
    "the next push --changed sends them again"
)


@dataclass
class CommitAtEnd:
    """Invalidate the rows of a push in the sync state before they are sent; commit what is acknowledged."""

    sync_state: SyncState
    rows: ChangedRows

    def begin(self, journal: Journal) -> None:
        """Invalidate the rows to be sent."""
        self.rows.release_index()
        if (same := self.rows.same()) is not None:  # nothing else that is stored is known to be the latest
            self.sync_state.commit(journal.job.epoch, same)
            return
        ids = (hashed_id for hashed_id, _ in DIGEST.iter_unpack(self.rows.digests))
        self.sync_state.invalidate(journal.previous_epoch, journal.job.epoch, ids)

    def finish(self, journal: Journal) -> str:
        """Commit what was acknowledged."""
        acknowledged = self.rows.acknowledged(journal.acknowledgements())
        return "" if self.sync_state.commit(journal.job.epoch, acknowledged) else NOT_COMMITTED
