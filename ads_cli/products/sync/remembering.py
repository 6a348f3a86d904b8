"""Keep the sync state of a catalog true while a sync runs."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from ...uploads.batch import Acknowledgement
from ...uploads.journal import Journal
from ..digest_index import DIGEST_BYTES, id_hash, key_hash, repeat_hash
from ..sync_state import SyncState
from ..sync_update import NOT_COMMITTED
from .differences import Differences

REJECTED = -1


@dataclass
class CommitDifferences:
    """Forget what is about to change, and at the end remember each row that the catalog has."""

    sync_state: SyncState
    differences: Differences

    def begin(self, journal: Journal) -> None:
        """Invalidate the products that are written or deleted."""
        hashes = (id_hash(change.id) for change in self.differences)
        noted = chain.from_iterable((each, repeat_hash(each)) for each in hashes)
        forgotten = (each.ljust(DIGEST_BYTES, b"\0") for each in chain(noted, self.differences.kept_again))
        self.sync_state.invalidate(journal.previous_generation, journal.job.generation, forgotten)

    def finish(self, journal: Journal) -> str:
        """Commit the rows that did not differ, and those that were acknowledged."""
        rows = chain(self.differences.equal(), self._accepted(journal.acknowledgements()))
        return "" if self.sync_state.commit(journal.job.generation, rows) else NOT_COMMITTED

    def _accepted(self, acknowledged: Iterable[Acknowledgement]) -> Iterator[tuple[bytes, int]]:
        """Yield digest and key hash of the rows that were accepted, and have differed from the listing."""
        keys = array("q")  # by record number: the key hash, or REJECTED, also where it was not sent
        for ack in acknowledged:
            rejected = {record for record, _ in ack.failed}
            for record, key in zip(ack.records, ack.keys, strict=True):
                keys.extend([REJECTED] * (record + 1 - len(keys)))
                keys[record] = REJECTED if record in rejected else key
        for change in self.differences.writes():
            key = keys[change.record] if change.record < len(keys) else REJECTED
            if key != REJECTED:
                known = key or key_hash(change.product_key or "")
                yield change.digest, known
                if change.repeat:
                    yield change.repeat, known
