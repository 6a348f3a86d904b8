"""The plan of an upload of people."""

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.row import RowTransform
from ..feeds.rows import FileRows, RowNames, Rows
from ..feeds.source import Feed
from ..output.text import counted
from ..uploads.job_file import JobKey, JobOptions, UploadTarget
from ..uploads.journal import Journal
from ..uploads.plan import Plan, this_second
from ..uploads.upload import Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from .consent import CellAnswers, describe_consent
from .identifiers import IDENTIFIERS
from .list_columns import ListColumns
from .list_packer import ListPacker, ListPart
from .operations import OPERATION_TYPES, PARAMS_FIELDS, Operations, ParamsResolver, split_requests
from .packing import PackingOptions, Purpose
from .upload import RecordedUpload, UserUpload

if TYPE_CHECKING:
    from .comparison import ListComparison


@dataclass
class ListReport(ValidationReport):
    """A validation report that also counts identifiers, and answers in columns of consent.

    A new counter belongs into `add_part` and `merge_list`, and where rows without findings have it, into
    `add_known` and `RowShape`; `SentPart` and its readers have it for files that an earlier run has sent.
    """

    raw: Counter[str] = field(default_factory=Counter)
    hashed: Counter[str] = field(default_factory=Counter)
    placeholders: Counter[str] = field(default_factory=Counter)
    answers: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # by column

    def add_part(self, part: ListPart) -> None:
        """Add some packed rows."""
        packed = part.packed
        for row, problems in sorted(packed.problems.items()):
            self.add(part.place(row), [Problem(*problem) for problem in problems])
        for row, problems in sorted([*packed.partial.items(), *packed.doubts.items()]):
            self.add(part.place(row), [Problem(*problem, severity="warning") for problem in problems])
        self.left_out += len(packed.left_out)
        if self.partial is not None:
            self.partial += len(packed.partial)
        self.raw += packed.raw
        self.hashed += packed.hashed
        self.placeholders += packed.placeholders
        for column, answers in packed.answers.items():
            self.answers[column] += answers
        self.rows = part.last

    def merge_list(self, other: "ListReport", records: int) -> None:
        """Add the report of a further list, whose rows follow `records` others."""
        self.merge(other, records)
        self.raw += other.raw
        self.hashed += other.hashed
        self.placeholders += other.placeholders
        for column, answers in other.answers.items():
            self.answers[column] += answers

    @property
    def identifiers(self) -> dict[str, dict[str, int]]:
        """Count the values of each kind of identifier: raw ones, and hashed ones."""
        return {
            name: {"raw": self.raw[name], "hashed": self.hashed[name]}
            for name in IDENTIFIERS
            if self.raw[name] or self.hashed[name]
        }

    def describe_values(self) -> Iterator[str]:
        """Say where values are absent though they are not empty, and which kinds came both raw and hashed."""
        for name, number in self.placeholders.items():
            if number:
                yield f"{name}: {counted(number, 'placeholder')} such as n/a or noreply@ not sent"
        for name, count in self.identifiers.items():
            if count["raw"] and count["hashed"]:
                yield (
                    f"{name}: {counted(count['hashed'], 'value')} came hashed and {count['raw']:,} did not;"
                    " each is treated as what it looks like"
                )


class ListSettings(NamedTuple):
    """How lists are read and packed, and where their people go."""

    upload: UserUpload
    columns: ListColumns
    resolver: ParamsResolver
    packing: PackingOptions
    dry_run: bool = False
    state_dir: Path | None = None  # whose key seals what journals say of files

    def new_report(self) -> ListReport:
        """Return the report of nothing yet."""
        return ListReport(
            can_leave_out=bool(self.columns.options.conditions),
            partial=0 if self.packing.keep_partial else None,
        )

    def describe(
        self,
        report: ListReport,
        columns: Sequence[str],
        notes: Sequence[str],
        warnings: Sequence[str],
        of_some: Collection[str] = (),
    ) -> None:
        """Put into a report what is to be said about files, columns (`of_some` of the files), and values."""
        consents = self.columns.consents(columns, report.answers)
        sent = self.columns.uses(columns).fields.values()
        report.notes = [*notes, *self.columns.notes(columns, consents), *report.describe_values()]
        report.warnings = [
            *warnings,
            *self.columns.notices,
            *describe_consent(
                consents, report.answers, sent, of_some=of_some, wants_refusals=self._wants_refusals
            ),
        ]

    def sealed(self, digest: str) -> str:
        """Return what journals say of a file with a digest."""
        from .ledger_records import Sealer, load_key

        assert self.state_dir
        return Sealer(load_key(self.state_dir)).sealed_content(digest)

    def new_answers(self) -> dict[str, CellAnswers]:
        """Return what is known, before a list is read, of the columns that are asked for yes or no."""
        return {where.column: CellAnswers() for where in self.columns.undecided}

    @property
    def _wants_refusals(self) -> bool:
        """Tell whether those who refused are sent: added to those not to reach, or removed from others."""
        removes = self.resolver.default.operation_type == OPERATION_TYPES["delete"]
        return self.upload.is_exclusion != removes

    def has_params(self, columns: Sequence[str]) -> bool:
        """Tell whether rows carry parameters of their own."""
        return bool({*PARAMS_FIELDS} & {*self.columns.uses(columns).fields.values()})

    def depends_on_time(self, columns: Sequence[str]) -> bool:
        """Tell whether people may expire."""
        return self.has_params(columns) or bool(self.resolver.default.expires_at)

    def job_options(self, feed: Feed, columns: Sequence[str], *, skip_invalid: bool) -> JobOptions:
        """Return what decides the requests beside the content of the file and the list.

        It is a part of the job's key: where a name changes, no unfinished job can be resumed.
        """
        conditions, uses = self.columns.options.conditions, self.columns.uses(columns)
        return JobOptions(
            skip_invalid=skip_invalid,
            format=feed.format_name,
            encoding=feed.encoding,
            mapping=uses.fields,
            conversion=RowTransform(conditions).digest,
            reading=feed.options.of_content,
            upload={
                "account": getattr(self.upload.request, "account_id", ""),
                **{name: str(value) for name, value in self.resolver.default._asdict().items()},
                "region": self.packing.region,
                "region_column": ",".join(uses.countries) or None,
                "keep_partial": self.packing.keep_partial,
                "users_per_operation": self.packing.users_per_operation,
                "allow_clear_text": self.packing.allow_clear_text,
            },
        )


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
        if columns.undecided:
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

    def target(self, service: str) -> UploadTarget:
        """Return the list."""
        upload = self._settings.upload
        return UploadTarget(service, upload.kind, upload.target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job: of several files their names, and not their content."""
        feed = self.rows.source
        options = self._settings.job_options(feed, self.rows.columns, skip_invalid=skip_invalid)
        return JobKey(self.target(service), "push", self._settings.sealed(feed.digest), options)

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

    def validate(
        self,
        on_progress: Callable[[int], None] = lambda rows: None,
        comparison: "ListComparison | None" = None,
        *,
        records_before: int = 0,
    ) -> ValidationReport:
        """Read the whole list, and count the requests that its valid rows need.

        A `comparison` takes the rows too, as those that follow the records of other files.
        """
        self._decide_conditions()
        report = self._report = self._settings.new_report()
        self._packer.resolve_with(self._packer.resolver.at(self.started))

        def take_parts() -> Iterator[Operations]:
            for part in self._packer.parts(self._validation_options(comparison)):
                report.add_part(part)
                if comparison:
                    comparison.add(part, records_before)
                on_progress(report.rows)
                yield from part.operations

        self._batch_count = sum(1 for _ in split_requests(take_parts()))
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no row of people in it")
        for answers in report.answers.values():  # records may be far from any that has the column
            answers[""] += report.rows - report.left_out - answers.total()
        self._settings.describe(report, self.rows.columns, self._packer.notes, self._packer.warnings)
        return report

    def _validation_options(self, comparison: "ListComparison | None") -> PackingOptions:
        """Return how a list is packed that is not sent yet; comparing it hashes more than a dry run needs."""
        if comparison and comparison.view:
            return self._options._replace(purpose=Purpose.COMPARE, ledger=comparison.view)
        return self._options._replace(purpose=Purpose.DRY_RUN if self._settings.dry_run else Purpose.VALIDATE)

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

    @property
    def warnings(self) -> list[str]:
        """Return what was left out of the file."""
        return self._packer.warnings

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        return self._packer.checked_rows(self._options)

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}

    def close(self) -> None:
        """End the worker processes, and close the file: nothing can be read from then on."""
        self._packer.close()
