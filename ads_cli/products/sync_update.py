"""Keep the sync state of a catalog true while a push or a delete runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ..uploads.journal import Journal
from .digest_index import DIGEST_BYTES, key_hash, split
from .selection import ChangedRows
from .sync_state import SyncState

NOT_COMMITTED = (
    "something else was sent to this catalog meanwhile, so the rows of this push were not remembered: "
    "the next push --changed sends them again"
)


@dataclass
class CommitAtEnd:
    """Forget the rows of a push before they are sent, and remember them once all are acknowledged."""

    sync_state: SyncState
    rows: ChangedRows
    batch_size: int

    def begin(self, journal: Journal) -> None:
        """Invalidate the rows to be sent."""
        self.rows.release_index()
        if (same := self.rows.same()) is not None:  # nothing else that is stored is known to be the latest
            self.sync_state.commit(journal.job.generation, same)
            return
        digests = split(self.rows.digests, DIGEST_BYTES)
        self.sync_state.invalidate(journal.previous_generation, journal.job.generation, digests)

    def finish(self, journal: Journal) -> str:
        """Commit what was acknowledged."""
        acknowledged = self.rows.acknowledged(journal.acknowledgements(), self.batch_size)
        return "" if self.sync_state.commit(journal.job.generation, acknowledged) else NOT_COMMITTED


@dataclass
class ForgetKeys:
    """Forget the products that are about to be deleted."""

    sync_state: SyncState
    keys: Callable[[], Iterable[str]]  # of the products

    def begin(self, journal: Journal) -> None:
        """Invalidate the keys."""
        if self.sync_state.exists():
            keys = {key_hash(key) for key in self.keys()}
            self.sync_state.invalidate_keys(journal.previous_generation, journal.job.generation, keys)

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""
