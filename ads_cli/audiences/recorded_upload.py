"""Uploads of users that the ledger of their list records."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..uploads.batch import Acknowledgement, Batch
from ..uploads.journal import Journal
from ..uploads.plan import this_second
from ..uploads.upload import AttemptLog
from .ledger import Ledger
from .ledger_log import LogFile
from .ledger_records import HALF, month_of
from .upload import UserUpload

if TYPE_CHECKING:
    from ..api.endpoint import Request
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest

REMEMBERED_MONTHS = 12  # the service forgets people after 13


class RecordedUpload:
    """Sends users; notes before in the log of the job who they are, and then that they are acknowledged."""

    def __init__(self, upload: UserUpload) -> None:
        self.users = upload
        self._ledger: Ledger | None = None
        self._log: LogFile | None = None  # of a run
        self._until = month_of(this_second()) + REMEMBERED_MONTHS

    @property
    def request(self) -> "Request":
        """Return the request without its users."""
        return self.users.request

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a user."""
        return self.users.statuses

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        return self.users.prepare(client, batch)

    def digest(self, batch: Batch) -> str:
        """Return the digest of what a batch sends."""
        return self.users.digest(batch)

    def begin(self, journal: Journal) -> None:
        """Begin the log of a run."""
        job = journal.job
        self._ledger = Ledger(journal.folder.parent, job.key.place)
        self._log = self._ledger.log(job.job, job.key.digest, journal.previous_epoch, job.epoch)

    def finish(self, *, sent_all: bool = False) -> str:
        """Merge the log into the ledger; return a warning where that was lost, or nothing."""
        assert self._ledger and self._log
        lost = self._ledger.close_log(self._log, sent_all=sent_all)
        return f"{lost}: whom this list had before is not known any more" if lost else ""

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch; the log has it before and after."""
        assert self._log
        digests = self._log.note_sent(batch.number, batch.items, self._until)
        ack = self.users.send(client, batch, attempts)
        self._log.note_acknowledged(batch.number, _digests_of(ack, digests))
        return ack


def _digests_of(ack: Acknowledgement, digests: dict[int, list[bytes]]) -> Iterator[bytes]:
    return (found[:HALF] for record, _ in ack.failed for found in digests[record])
