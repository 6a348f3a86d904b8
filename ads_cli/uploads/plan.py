"""What one push sends: validated rows, cut into batches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..api.endpoint import Request
from ..feeds.rows import RowNames
from ..store.epochs import UploadTarget
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from ..validation.validator import OnProgress
from .job import Acknowledgement, JobKey
from .upload import Batch, Batches, Upload

if TYPE_CHECKING:
    from .journal import Journal


OnAcknowledged = Callable[[Batch, Acknowledgement], None]  # called with what an earlier run has sent


def pending_batches(
    batches: Iterable[Batch],
    upload: Upload,
    journal: "Journal",
    on_acknowledged: OnAcknowledged,
) -> Batches:
    """Yield the batches that are not acknowledged, of a plan that cuts the same ones each time."""
    earlier = dict(journal.acknowledged)
    for batch in batches:
        ack = earlier.pop(batch.number, None)
        if ack and ack.digest == upload.digest(batch):
            on_acknowledged(batch, ack)
            continue
        if ack:  # another version of adsctl sent something else
            journal.discard([ack])
        yield batch
    journal.discard(earlier.values())


class Plan(ABC):
    """What is sent to one target: the rows of one file, or of several; as most plans do it."""

    noun: str  # "products": of the rows, in messages
    rows: RowNames
    upload: Upload  # of the batches
    started: datetime  # of the job, in whole seconds: rows are validated against it
    # The write epoch of the target in which the due rows were selected; None if all are due.
    expected_epoch: str | None = None

    _report: ValidationReport

    @property
    def report(self) -> ValidationReport:
        """Return the report of the last validation."""
        return self._report

    @abstractmethod
    def validate(self, on_progress: OnProgress) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""

    @property
    def depends_on_time(self) -> bool:
        """Tell whether rows that are valid at one time may be invalid at another."""
        return False

    @property
    @abstractmethod
    def due(self) -> int:
        """Count the rows to be sent, and those that earlier runs of the job have sent."""

    @property
    @abstractmethod
    def batch_count(self) -> int:
        """Count the batches of these rows."""

    def batches(self) -> Batches:
        """Cut the rows to be sent into batches, the same ones each time; none where each run cuts others."""
        yield from ()

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Yield the batches that are not acknowledged, phase by phase.

        The next phase is asked for once every batch of the one before is acknowledged.
        """
        return [pending_batches(self.batches(), self.upload, journal, on_acknowledged)]

    def write_requests(self) -> Iterable[Request]:
        """Return the requests that it sends, without their rows."""
        return [self.upload.request]

    def sample_batches(self) -> Iterable[Batch]:
        """Return batches for a dry run, which builds their requests and sends none."""
        return self.batches()

    def max_pending(self, threads: int) -> int:
        """Return how many batches may be in memory at once: for each thread, one in flight, one waiting."""
        return 2 * threads

    @abstractmethod
    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems, but for rows that are skipped."""

    @abstractmethod
    def target(self, service: str) -> UploadTarget:
        """Return what is changed."""

    @abstractmethod
    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job; only after the file was validated."""

    @abstractmethod
    def begin(self, journal: "Journal") -> None:
        """Prepare for the first request of a run."""

    def finish(self, journal: "Journal") -> str:
        """Record that everything is acknowledged; return a warning, or nothing."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return further counts for the summary."""
        return {}


def this_second() -> datetime:
    """Return the current time in whole seconds, as a job stores it."""
    return datetime.now(UTC).replace(microsecond=0)
