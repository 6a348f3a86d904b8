"""The plan of a user upload: one reading validates and counts, another packs and sends."""

from collections.abc import Callable, Iterable, Iterator

from ..errors import ContentError
from ..feeds.conversion.conversion import Conversion
from ..feeds.rows import Rows
from ..uploads.batch import Batch, Batches
from ..uploads.job_key import JobKey, JobOptions, Place
from ..uploads.journal import Journal
from ..uploads.pending import OnAcknowledged, pending_batches
from ..uploads.plan import this_second
from ..validation.report import ValidationReport
from ..validation.result import CheckedRow
from .consent import describe_consent
from .list_columns import ListColumns
from .list_packer import ListPacker
from .list_report import ListReport
from .operation_params import OPERATION_TYPES, PARAMS_FIELDS, ParamsResolver
from .operations import Operations, split_requests
from .packing import PackingOptions, Purpose
from .upload import UserUpload


class UserPlan:
    """Send the people of a list; no message contains a value of it."""

    noun = "users"

    def __init__(
        self,
        rows: Rows,
        upload: UserUpload,
        columns: ListColumns,
        resolver: ParamsResolver,
        options: PackingOptions,
        *,
        dry_run: bool = False,
    ) -> None:
        self.upload = upload
        self.started = this_second()
        self.read_in = None
        self._packer = ListPacker(rows, columns, resolver)
        self._columns, self._options = columns, options
        self._purpose = Purpose.DRY_RUN if dry_run else Purpose.VALIDATE
        self._report = self._new_report()
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
        report = self._report = self._new_report()
        self._packer.resolve_with(self._packer.resolver.at(self.started))

        def operations() -> Iterator[Operations]:
            for part in self._packer.parts(self._options._replace(purpose=self._purpose)):
                report.add_part(part)
                on_progress(report.rows)
                yield from part.operations

        self._batch_count = sum(1 for _ in split_requests(operations()))
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no row of people in it")
        columns = self.rows.columns
        report.warnings = [
            *self._packer.notes,
            *self._columns.warnings(columns),
            *report.describe_values(),
        ]
        report.notices = [
            describe_consent(column, kind, report.answers[column], wants_refusals=self._wants_refusals)
            for column, kind in self._columns.consents(columns).items()
        ]
        return report

    @property
    def _wants_refusals(self) -> bool:
        """Tell whether those who refused are the ones to be sent."""
        removes = self._packer.resolver.default.operation_type == OPERATION_TYPES["delete"]
        return self.upload.is_exclusion != removes

    def _new_report(self) -> ListReport:
        return ListReport(
            can_leave_out=bool(self._columns.options.conditions),
            partial=0 if self._options.keep_partial else None,
        )

    @property
    def has_params_columns(self) -> bool:
        """Tell whether rows carry parameters of their own."""
        return bool({*PARAMS_FIELDS} & {*self._columns.fields(self.rows.columns).values()})

    @property
    def depends_on_time(self) -> bool:
        """Tell whether people may expire."""
        return self.has_params_columns or bool(self._packer.resolver.default.expires_at)

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

    def place(self, service: str) -> Place:
        """Return the place that is changed."""
        return Place(service, self.upload.kind, self.upload.target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        source, conditions = self.rows.source, self._columns.options.conditions
        options = JobOptions(
            skip_invalid=skip_invalid,
            format=source.format.name,
            encoding=source.encoding,
            mapping=self._columns.fields(self.rows.columns),
            conversion=Conversion(conditions).digest if conditions else "",
            reading=source.options.of_content,
            upload={
                "account": getattr(self.upload.request, "account_id", ""),
                **{name: str(value) for name, value in self._packer.resolver.default._asdict().items()},
                "region": self._options.region,
                "region_column": self._columns.country(self.rows.columns),
                "keep_partial": self._options.keep_partial,
                "users_per_operation": self._options.users_per_operation,
                "allow_clear_text": self._options.allow_clear_text,
            },
        )
        return JobKey(self.place(service), "push", source.digest, options)

    def begin(self, journal: Journal) -> None:
        """Do nothing: nothing is remembered of an audience."""

    def finish(self, journal: Journal) -> str:
        """Do nothing."""
        return ""

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}
