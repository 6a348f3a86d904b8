"""Keep the sync state of a catalog true while a push or a delete runs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..uploads.jobs import is_other_job_running
from ..uploads.journal import Journal
from ..validation.result import CheckedRow
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
        job = journal.job

        def may_commit(last_job: str) -> bool:
            is_own = not journal.resumed or last_job == job.job
            return is_own and not is_other_job_running(journal.folder, job)

        self.rows.release_index()
        self.sync_state.invalidate(job.job, split(self.rows.digests, DIGEST_BYTES), may_commit=may_commit)

    def finish(self, journal: Journal) -> str:
        """Commit what was acknowledged."""
        acknowledged = self.rows.acknowledged(journal.path, self.batch_size)
        return "" if self.sync_state.commit(journal.job.job, acknowledged) else NOT_COMMITTED


@dataclass
class ForgetCatalog:
    """Forget a catalog that another push has begun to remember since this one was planned."""

    sync_state: SyncState

    def begin(self, journal: Journal) -> None:
        """Forget everything."""
        self.sync_state.drop()

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""


@dataclass
class ForgetKeys:
    """Forget the products that are about to be deleted."""

    sync_state: SyncState
    rows: Callable[[], Iterator[CheckedRow]]  # reads the file of keys

    def begin(self, journal: Journal) -> None:
        """Invalidate the keys of the file."""
        if self.sync_state.exists():
            items = (getattr(checked.item, "product_key", None) for checked in self.rows())
            self.sync_state.invalidate_keys({key_hash(key) for key in items if key})

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""
