"""The plan of a user upload: one reading validates and counts, another packs and sends."""

from collections.abc import Callable, Iterable, Iterator

from ..api.endpoint import Request
from ..errors import ContentError
from ..feeds.rows import Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_file import JobKey, UploadTarget
from ..uploads.journal import Journal
from ..uploads.plan import OnAcknowledged, pending_batches, this_second
from ..validation.report import ValidationReport
from ..validation.rows import CheckedRow
from .consent import CellAnswers
from .list_packer import ListPacker
from .list_settings import ListReport, ListSettings
from .operations import Operations, split_requests
from .packing import Purpose


class AudiencePlan:
    """Send the people of a list; no message contains a value of it."""

    noun = "users"
    parts = 0

    def __init__(self, rows: Rows, settings: ListSettings) -> None:
        self.upload = settings.upload
        self.started = this_second()
        self.expected_epoch = None
        self._settings = settings
        self._packer = ListPacker(rows, settings.columns, settings.resolver)
        self._options = settings.packing
        self._report = settings.new_report()
        self._batch_count = 0

    @property
    def rows(self) -> Rows:
        """Return the rows of the file."""
        return self._packer.rows

    @property
    def report(self) -> ListReport:
        """Return the report of the last validation."""
        return self._report

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole list, and count the requests that its valid rows need."""
        columns = self._settings.columns
        if columns.asking:
            found = self._settings.new_answers()
            self.add_answers(found)
            columns.decide(found, self.rows.source.label)
        report = self._report = self._settings.new_report()
        purpose = Purpose.DRY_RUN if self._settings.dry_run else Purpose.VALIDATE
        self._packer.resolve_with(self._packer.resolver.at(self.started))

        def operations() -> Iterator[Operations]:
            for part in self._packer.parts(self._options._replace(purpose=purpose)):
                report.add_part(part)
                on_progress(report.rows)
                yield from part.operations

        self._batch_count = sum(1 for _ in split_requests(operations()))
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no row of people in it")
        self._settings.describe(report, self.rows.columns, self._packer.notes)
        return report

    def add_answers(self, found: dict[str, CellAnswers]) -> None:
        """Read what the columns say that conditions ask for yes or no."""
        self._packer.add_answers(found)

    @property
    def has_params_columns(self) -> bool:
        """Tell whether rows carry parameters of their own."""
        return self._settings.has_params(self.rows.columns)

    @property
    def depends_on_time(self) -> bool:
        """Tell whether people may expire."""
        return self._settings.depends_on_time(self.rows.columns)

    @property
    def due(self) -> int:
        """Count the people to be sent."""
        return self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return self._batch_count

    def max_pending(self, threads: int) -> int:
        """Allow one batch more than there are threads, since each has up to 5 MB."""
        return threads + 1

    def write_requests(self) -> Iterable[Request]:
        """Return the requests that it sends, without their rows."""
        return [self.upload.request]

    def sample_batches(self) -> Iterable[Batch]:
        """Return one batch without people: validating a dry run has packed all others already."""
        return [Batch(0, [])][: self._batch_count]

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the requests that are not acknowledged, as the only phase."""
        return [pending_batches(self.batches(), self.upload, journal, on_acknowledged)]

    def batches(self) -> Batches:
        """Read the list again and pack its valid rows into requests."""
        parts = self._packer.parts(self._options)
        operations = (operations for part in parts for operations in part.operations)
        for number, request in enumerate(split_requests(operations)):
            yield Batch(number, request)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        return self._packer.checked_rows(self._options)

    def place(self, service: str) -> UploadTarget:
        """Return the place that is changed."""
        return self._settings.place(service)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        source = self.rows.source
        options = self._settings.job_options(source, self.rows.columns, skip_invalid=skip_invalid)
        return JobKey(self.place(service), "push", source.digest, options)

    def begin(self, journal: Journal) -> None:
        """Do nothing: nothing is remembered of an audience."""

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}

    def close(self) -> None:
        """End the worker processes, and close the file: nothing can be read from then on."""
        self._packer.close()
