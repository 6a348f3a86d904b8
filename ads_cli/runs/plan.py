"""What one run reads, and what it sends: validated rows, cut into batches."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

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


class Memory(Protocol):
    """What is remembered of an upload target, kept true while a run changes it."""

    def begin(self, journal: "Journal") -> None:
        """Forget what is about to change, before the first request."""

    def finish(self, journal: "Journal") -> str:
        """Remember what was acknowledged, once all is; return a warning, or nothing."""


class ValidatedFile(Protocol):
    """What a run reads: the rows of a file, validated whole before anything is sent."""

    @property
    def rows(self) -> RowNames:
        """Return the rows, as far as their columns and places are concerned."""

    @property
    def report(self) -> ValidationReport:
        """Return the report of the last validation."""

    def validate(self, on_progress: OnProgress) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems, but for rows that are skipped."""


class Plan(ABC):
    """What a run sends to one target, as most plans do it.

    It has the file that it reads, the batches that it sends, what identifies its job, and what it remembers.
    """

    noun: str  # "products": of the rows, in messages
    file: ValidatedFile
    upload: Upload  # of the batches
    started: datetime  # of the job, in whole seconds: rows are validated against it
    # The write epoch of the target in which the due rows were selected; None if all are due.
    expected_epoch: str | None = None
    memory: Memory | None = None
    # Batches in memory beside those in flight; None: one waits for each thread.
    max_waiting: int | None = None
    depends_on_time = False  # whether rows that are valid at one time may be invalid at another

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

    @abstractmethod
    def target(self, service: str) -> UploadTarget:
        """Return what is changed."""

    @abstractmethod
    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job; only after the file was validated."""

    def settle(self, journal: "Journal") -> None:
        """Find out what earlier runs of the job have sent."""
        return  # where each run cuts the same batches, the journal says it

    def totals(self) -> dict[str, int]:
        """Return further counts for the summary."""
        return {}


def this_second() -> datetime:
    """Return the current time in whole seconds, as a job stores it."""
    return datetime.now(UTC).replace(microsecond=0)
