"""The plan of an upload of people."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.row import RowTransform
from ..feeds.rows import FileRows, Rows
from ..feeds.several import SeveralRows
from ..feeds.source import Feed
from ..output.text import counted
from ..store.epochs import UploadTarget
from ..uploads.job import JobKey, JobOptions
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

    A new counter belongs into `add_part`.
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
    state_dir: Path | None = None  # whose key seals what jobs say of files

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
    """Send the people of a list; no message contains a value of them."""

    noun = "users"
    upload: RecordedUpload
    _report: ListReport

    def __init__(self, rows: Rows, settings: ListSettings) -> None:
        self.rows: Rows = rows
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
        """Return what identifies the job.

        Only a key tells of its content and its conditions, which may be of one person.
        """
        from .sealing import Sealer, load_key

        feed, state_dir = self.rows.source, self._settings.state_dir
        assert state_dir
        sealed = Sealer(load_key(state_dir)).sealed_content
        content = sealed(feed.digest)
        options = self._settings.job_options(feed, self.rows.columns, skip_invalid=skip_invalid)
        if options.conversion:  # a condition may name somebody
            options = msgspec.structs.replace(options, conversion=sealed(options.conversion))
        return JobKey(self.target(service), "push", content, options)

    def begin(self, journal: Journal) -> None:
        """Begin to note in the ledger of the list who is sent."""
        self.upload.begin(journal)

    def finish(self, journal: Journal) -> str:
        """Store in the ledger who was acknowledged."""
        return self.upload.finish()

    def close(self) -> None:
        """Close the files that are open."""


class AudiencePlan(ListPlan):
    """Send the people of a list: one reading validates and counts, another packs and sends.

    Several files are one list: records and requests are numbered over all of them.
    """

    def __init__(self, files: Sequence[FileRows], settings: ListSettings) -> None:
        self._packers = [ListPacker(rows, settings.columns, settings.resolver) for rows in files]
        rows = [packer.rows for packer in self._packers]
        super().__init__(rows[0] if len(rows) == 1 else SeveralRows(rows), settings)

    def validate(
        self,
        on_progress: Callable[[int], None] = lambda rows: None,
        comparison: "ListComparison | None" = None,
    ) -> ValidationReport:
        """Read the whole list and count the requests of its valid rows; a `comparison` takes the rows too."""
        self._decide_conditions()
        report = self._report = self._settings.new_report()
        for packer in self._packers:
            packer.resolve_with(packer.resolver.at(self.started))
        options = self._validation_options(comparison)
        # Columns and rows of each file, but for rows that are left out.
        row_counts: list[tuple[tuple[str, ...], int]] = []

        def take_parts() -> Iterator[Operations]:
            for packer, parts in self._files(options):
                rows, left_out = report.rows, report.left_out
                for part in parts:
                    report.add_part(part)
                    if comparison:
                        comparison.add(part)
                    on_progress(report.rows)
                    yield from part.operations
                if report.rows == rows:
                    raise ContentError(f"{packer.rows.source.label}: there is no row of people in it")
                row_counts.append((packer.rows.columns, report.rows - rows - (report.left_out - left_out)))

        self._batch_count = sum(1 for _ in split_requests(take_parts()))
        for column, answers in report.answers.items():  # records may be far from any that has the column
            answers[""] += sum(rows for columns, rows in row_counts if column in columns) - answers.total()
        self._settings.describe(report, self.rows.columns, *self._remarks, self._columns_of_some)
        return report

    def _files(self, options: PackingOptions) -> Iterator[tuple[ListPacker, Iterator[ListPart]]]:
        """Yield each file with its packed rows, whose records are numbered over all files."""
        last = 0

        def with_last(parts: Iterator[ListPart]) -> Iterator[ListPart]:
            nonlocal last
            for part in parts:
                last = part.last
                yield part

        several = self.rows if isinstance(self.rows, SeveralRows) else None
        if several:
            several.begin_reading()
        for packer in self._packers:
            yield packer, with_last(packer.parts(options, last))
            if several:
                several.end_file(packer.rows, last)
                packer.end_processes()

    def _decide_conditions(self) -> None:
        """Read in every file, before any is sent, the columns that conditions ask for yes or no."""
        columns = self._settings.columns
        if columns.undecided:
            answers = self._settings.new_answers()
            for packer in self._packers:
                packer.add_answers(answers)
            columns.decide(answers, self.rows.source.label)

    @property
    def _remarks(self) -> tuple[list[str], list[str]]:
        """Return the notes and the warnings of the readers; of several files with their names."""
        if len(self._packers) == 1:
            return self._packers[0].notes, self._packers[0].warnings
        labels = [(packer, packer.rows.source.label) for packer in self._packers]
        notes = [f"{label}: {note}" for packer, label in labels for note in packer.notes]
        return notes, [f"{label}: {warning}" for packer, label in labels for warning in packer.warnings]

    @property
    def _columns_of_some(self) -> set[str]:
        """Name the columns that not every file has."""
        columns = [{*packer.rows.columns} for packer in self._packers]
        return {*self.rows.columns} - columns[0].intersection(*columns)

    def _validation_options(self, comparison: "ListComparison | None") -> PackingOptions:
        """Return how a list is packed that is not sent yet; comparing it hashes more than a dry run needs."""
        options = self._settings.packing
        if comparison and comparison.key:
            return options._replace(purpose=Purpose.COMPARE, key=comparison.key)
        return options._replace(purpose=Purpose.DRY_RUN if self._settings.dry_run else Purpose.VALIDATE)

    @property
    def due(self) -> int:
        """Count the people to be sent."""
        return self.report.valid

    def batches(self) -> Batches:
        """Read the list again and pack its valid rows into requests."""
        files = self._files(self._settings.packing)
        operations = (own for _, parts in files for part in parts for own in part.operations)
        for number, request in enumerate(split_requests(operations)):
            yield Batch(number, request)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        before = 0
        for packer in self._packers:
            last = 0
            for checked in packer.checked_rows(self._settings.packing):
                row, last = checked.row, checked.row.record
                row.record += before
                row.raw = row.raw or (packer.rows.by_column(row.unchanged),)
                yield checked
            before += last

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": report.valid}

    def close(self) -> None:
        """End the worker processes and close the files. Nothing can be read from then on."""
        for packer in self._packers:
            packer.close()
