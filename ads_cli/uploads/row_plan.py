"""A plan for rows that are converted, encoded and acknowledged one by one."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from ..validation.report import ValidationReport
from ..validation.rows import CheckedRow, EncodedRows
from ..validation.validator import OnProgress, Validator
from .batch import Batch, Batches
from .job_file import JobKey, UploadTarget, options_of_rows
from .plan import Plan, this_second
from .upload import Upload

if TYPE_CHECKING:
    from ..feeds.rows import Rows
    from .journal import Journal


class Bookkeeper(Protocol):
    """Keeps something true beside the journal, such as the sync state of a catalog."""

    def begin(self, journal: "Journal") -> None:
        """Prepare for the first request of a run."""

    def finish(self, journal: "Journal") -> str:
        """Record that everything is acknowledged; return a warning, or nothing."""


@dataclass
class RowPlan(Plan):
    """Send the due rows of a validated file, `batch_size` in a request."""

    rows: "Rows" = field(init=False, repr=False)
    noun: str
    validator: Validator
    upload: Upload
    kind: str  # of the place
    target: str  # its id
    operation: str  # "push", "delete" or "delete by id"
    batch_size: int
    bookkeeper: Bookkeeper | None = None
    started: datetime = field(default_factory=this_second)

    def __post_init__(self) -> None:
        self.rows = self.validator.rows
        if self.validator.selection:
            self.expected_epoch = self.validator.selection.expected_epoch

    @property
    def report(self) -> ValidationReport:
        """Return the report of the last validation."""
        return self.validator.report

    def validate(self, on_progress: OnProgress) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        return self.validator.run(on_progress)

    @property
    def due(self) -> int:
        """Count the rows to be sent."""
        selection = self.validator.selection
        return selection.due if selection else self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the batches."""
        return -(-self.due // self.batch_size)

    def batches(self) -> Batches:
        """Read the file again and cut the rows to be sent into batches."""
        number, rest, size = 0, EncodedRows(), self.batch_size
        for encoded in self.validator.encoded_rows():
            rest.extend(encoded)
            whole = len(rest) - len(rest) % size
            for begin in range(0, whole, size):
                part = rest.slice(begin, begin + size)
                yield Batch(number, part, part.places)
                number += 1
            rest = rest.slice(whole, len(rest))
        if rest.ids:
            yield Batch(number, rest, rest.places)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems, but for rows that are skipped."""
        return self.validator.checked_rows()

    def place(self, service: str) -> UploadTarget:
        """Return the place that is changed."""
        return UploadTarget(service, self.kind, self.target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        selection = self.validator.selection
        options = replace(
            options_of_rows(self.rows, skip_invalid=skip_invalid),
            selection=selection.digest if selection else "",
            upload={"strict": True} if skip_invalid and self.validator.strict else {},
        )
        return JobKey(self.place(service), self.operation, self.rows.source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Prepare for the first request of a run."""
        if self.bookkeeper:
            self.bookkeeper.begin(journal)

    def finish(self, journal: "Journal") -> str:
        """Record that everything is acknowledged."""
        return self.bookkeeper.finish(journal) if self.bookkeeper else ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return how many rows the selection skips, where there is one."""
        selection = self.validator.selection
        return selection.totals() if selection else {}
