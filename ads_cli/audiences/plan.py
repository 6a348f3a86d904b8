"""The plan of an upload of people."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator

from ..errors import ContentError
from ..feeds.rows import FileRows, RowNames, Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_file import JobKey, UploadTarget
from ..uploads.journal import Journal
from ..uploads.plan import Plan, this_second
from ..validation.report import ValidationReport
from ..validation.rows import CheckedRow
from .consent import CellAnswers
from .list_packer import ListPacker
from .list_settings import ListReport, ListSettings
from .operations import Operations, split_requests
from .packing import Purpose
from .upload import RecordedUpload


class ListPlan(Plan):
    """Send the people of a list, in one file or in several; no message contains a value of them."""

    noun = "users"
    upload: RecordedUpload
    _report: ListReport

    def __init__(self, rows: RowNames, settings: ListSettings) -> None:
        self.rows = rows
        self.upload = RecordedUpload(settings.upload)
        self.started = this_second()
        self._settings = settings
        self._report = settings.new_report()
        self._batch_count = 0

    @property
    def report(self) -> ListReport:
        """Return the report of the last validation."""
        return self._report

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return self._batch_count

    @abstractmethod
    def add_answers(self, found: dict[str, CellAnswers]) -> None:
        """Read what the columns say that conditions ask for yes or no."""

    def _decide_conditions(self) -> None:
        """Read in every file, before any is sent, the columns that conditions ask for yes or no."""
        columns = self._settings.columns
        if columns.asking:
            found = self._settings.new_answers()
            self.add_answers(found)
            columns.decide(found, self.rows.source.label)

    @property
    def has_params_columns(self) -> bool:
        """Tell whether rows carry parameters of their own."""
        return self._settings.has_params(self.rows.columns)

    @property
    def depends_on_time(self) -> bool:
        """Tell whether people may expire."""
        return self._settings.depends_on_time(self.rows.columns)

    def max_pending(self, threads: int) -> int:
        """Allow one batch more than there are threads, since each has up to 5 MB."""
        return threads + 1

    def sample_batches(self) -> Iterable[Batch]:
        """Return one batch without people: validating a dry run has packed all others already."""
        return [Batch(0, [])][: self.batch_count]

    def place(self, service: str) -> UploadTarget:
        """Return the list."""
        return self._settings.place(service)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job: of several files their names, and not their content."""
        feed = self.rows.source
        options = self._settings.job_options(feed, self.rows.columns, skip_invalid=skip_invalid)
        return JobKey(self.place(service), "push", feed.digest, options)

    def begin(self, journal: Journal) -> None:
        """Begin to note in the ledger of the list who is sent."""
        self.upload.begin(journal)

    def finish(self, journal: Journal) -> str:
        """Store in the ledger who was acknowledged."""
        return self.upload.finish()

    def close(self) -> None:
        """Close the files that are open."""


class AudiencePlan(ListPlan):
    """Send the people of a file: one reading validates and counts, another packs and sends."""

    rows: Rows

    def __init__(self, rows: FileRows, settings: ListSettings) -> None:
        self._packer = ListPacker(rows, settings.columns, settings.resolver)
        self._options = settings.packing
        super().__init__(self._packer.rows, settings)

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole list, and count the requests that its valid rows need."""
        self._decide_conditions()
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
    def due(self) -> int:
        """Count the people to be sent."""
        return self.report.valid

    def batches(self) -> Batches:
        """Read the list again and pack its valid rows into requests."""
        parts = self._packer.parts(self._options)
        operations = (operations for part in parts for operations in part.operations)
        for number, request in enumerate(split_requests(operations)):
            yield Batch(number, request)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        return self._packer.checked_rows(self._options)

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}

    def close(self) -> None:
        """End the worker processes, and close the file: nothing can be read from then on."""
        self._packer.close()
