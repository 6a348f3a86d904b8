"""The plan of an upload of people."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..api.problems import Problem
from ..feeds.row import RowTransform
from ..feeds.rows import Rows
from ..feeds.source import Feed
from ..output.text import counted
from ..runs.job import JobKey, JobOptions
from ..runs.plan import Plan, this_second
from ..runs.upload import Batch, Batches
from ..store.epochs import UploadTarget
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from ..validation.validator import OnProgress
from .consent import describe_consent
from .identifiers import IDENTIFIERS
from .list_columns import ListColumns
from .list_packer import ListPacker, ListPart
from .operations import OPERATION_TYPES, PARAMS_FIELDS, Operations, ParamsResolver, split_requests
from .packing import PackingOptions
from .sealing import Sealer, load_key
from .upload import ListMemory, ListUpload, UserUpload

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
    state_dir: Path  # whose key seals what jobs say of files

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
    """Send the people of a list: one reading validates and counts, another packs and sends.

    Several files are one list. No message contains a value of a person.
    """

    noun = "users"
    max_waiting = 1  # each batch has up to 5 MB
    upload: ListUpload
    memory: ListMemory
    _report: ListReport

    def __init__(self, rows: Rows, settings: ListSettings) -> None:
        self.file = self
        self.rows: Rows = rows
        self.memory = ListMemory()
        self.upload = ListUpload(settings.upload, self.memory)
        self.started = this_second()
        self._settings = settings
        self._packer = ListPacker(rows, settings.columns, settings.resolver)
        self._batch_count = 0

    @property
    def report(self) -> ListReport:
        """Return the report of the last validation."""
        return self._report

    def validate(self, on_progress: OnProgress) -> ListReport:
        """Read the whole list and count the requests of its valid rows."""
        return self._read(on_progress, None)

    def _read(self, on_progress: OnProgress, comparison: "ListComparison | None") -> ListReport:
        """Validate the whole list; a `comparison` takes the rows too."""
        packer, settings = self._packer, self._settings
        packer.decide_conditions()
        packer.resolver = settings.resolver.at(self.started)
        report = self._report = ListReport(
            can_leave_out=bool(settings.columns.options.conditions),
            partial=0 if settings.packing.keep_partial else None,
        )
        options = settings.packing._replace(sends=False, key=comparison.key if comparison else None)

        def operations() -> Iterator[Operations]:
            for part in packer.parts(options):
                report.add_part(part)
                if comparison:
                    comparison.add(part)
                on_progress(report.rows)
                yield from part.operations

        self._batch_count = sum(1 for _ in split_requests(operations()))
        self.depends_on_time = self.has_params_columns or bool(settings.resolver.default.expires_at)
        self._describe(report)
        return report

    def _describe(self, report: ListReport) -> None:
        """Put into a report what is to be said about files, columns, and values."""
        settings, columns = self._settings, self._settings.columns
        files = [({*file.columns}, taken) for file, taken in self._packer.taken]
        for column, answers in report.answers.items():  # records may be far from any that has the column
            answers[""] += sum(taken for names, taken in files if column in names) - answers.total()
        in_all_files = set.intersection(*(names for names, _ in files))
        consents = columns.consents(self.rows.columns, report.answers)
        removes = settings.resolver.default.operation_type == OPERATION_TYPES["delete"]
        remarks = describe_consent(
            consents,
            report.answers,
            columns.uses(self.rows.columns).fields.values(),
            of_some={*self.rows.columns} - in_all_files,
            # Those who refused are added to a list of people not to reach, or removed from others.
            wants_refusals=settings.upload.is_exclusion != removes,
        )
        notes = columns.notes(self.rows.columns, consents)
        report.notes = [*self.rows.notes, *notes, *report.describe_values()]
        report.warnings = [*self.rows.warnings, *columns.notices, *remarks]

    @property
    def due(self) -> int:
        """Count the people to be sent."""
        return self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return self._batch_count

    @property
    def has_params_columns(self) -> bool:
        """Tell whether rows carry parameters of their own."""
        return bool({*PARAMS_FIELDS} & {*self._settings.columns.uses(self.rows.columns).fields.values()})

    def batches(self) -> Batches:
        """Read the list again and pack its valid rows into requests."""
        parts = self._packer.parts(self._settings.packing)
        operations = chain.from_iterable(part.operations for part in parts)
        for number, request in enumerate(split_requests(operations)):
            yield Batch(number, request)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the list again and yield each row with its problems."""
        return self._packer.checked_rows(self._settings.packing)

    def target(self, service: str) -> UploadTarget:
        """Return the list."""
        upload = self._settings.upload
        return UploadTarget(service, upload.kind, upload.target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job.

        Only a key tells of its content and its conditions, which may be of one person.
        """
        feed, state_dir = self.rows.source, self._settings.state_dir
        sealed = Sealer(load_key(state_dir)).sealed
        options = self._settings.job_options(feed, self.rows.columns, skip_invalid=skip_invalid)
        if options.conversion:  # a condition may name somebody
            options = msgspec.structs.replace(options, conversion=sealed(options.conversion))
        return JobKey(self.target(service), "push", sealed(feed.digest), options)

    def totals(self) -> dict[str, int]:
        """Count the users to be sent."""
        return {"users": self.report.valid}
