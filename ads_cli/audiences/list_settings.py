"""What options say about the upload of people, whatever file they are in."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..api.problems import Problem
from ..feeds.source import Feed
from ..feeds.transforms import RowTransform
from ..output.text import counted
from ..uploads.job_file import JobOptions, UploadTarget
from ..validation.report import ValidationReport
from .consent import CellAnswers, describe_consent
from .identifiers import IDENTIFIERS
from .list_columns import ListColumns
from .list_packer import ListPart
from .operations import OPERATION_TYPES, PARAMS_FIELDS, ParamsResolver
from .packing import PackingOptions
from .upload import UserUpload


@dataclass
class ListReport(ValidationReport):
    """A validation report that also counts identifiers, and answers in columns of consent."""

    raw: Counter[str] = field(default_factory=Counter)
    hashed: Counter[str] = field(default_factory=Counter)
    placeholders: Counter[str] = field(default_factory=Counter)
    answers: dict[str, Counter[str]] = field(default_factory=dict)  # by column

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
            self.answers[column] = self.answers.get(column, Counter()) + answers
        self.rows = part.records[-1] if part.records else self.rows

    def merge_list(self, other: "ListReport", records: int) -> None:
        """Add the report of a further list, whose rows follow `records` others."""
        self.merge(other, records)
        self.raw += other.raw
        self.hashed += other.hashed
        self.placeholders += other.placeholders
        for column, answers in other.answers.items():
            self.answers[column] = self.answers.get(column, Counter()) + answers

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

    def new_report(self) -> ListReport:
        """Return the report of nothing yet."""
        return ListReport(
            can_leave_out=bool(self.columns.options.conditions),
            partial=0 if self.packing.keep_partial else None,
        )

    def describe(self, report: ListReport, columns: Sequence[str], notes: Sequence[str]) -> None:
        """Put into a report what is to be said about columns and their values."""
        report.notes = [*notes, *self.columns.notes(columns), *report.describe_values()]
        report.warnings = [
            *self.columns.notices,
            *(
                describe_consent(column, kind, report.answers[column], wants_refusals=self._wants_refusals)
                for column, kind in self.columns.consents(columns).items()
                if column in report.answers
            ),
        ]

    def new_answers(self) -> dict[str, CellAnswers]:
        """Return what is known, before a list is read, of the columns that are asked for yes or no."""
        return {where.column: CellAnswers() for where in self.columns.asking}

    @property
    def _wants_refusals(self) -> bool:
        """Tell whether those who refused are the ones to be sent."""
        removes = self.resolver.default.operation_type == OPERATION_TYPES["delete"]
        return self.upload.is_exclusion != removes

    def has_params(self, columns: Sequence[str]) -> bool:
        """Tell whether rows carry parameters of their own."""
        return bool({*PARAMS_FIELDS} & {*self.columns.fields(columns).values()})

    def depends_on_time(self, columns: Sequence[str]) -> bool:
        """Tell whether people may expire."""
        return self.has_params(columns) or bool(self.resolver.default.expires_at)

    def place(self, service: str) -> UploadTarget:
        """Return the place that is changed."""
        return UploadTarget(service, self.upload.kind, self.upload.target)

    def job_options(self, feed: Feed, columns: Sequence[str], *, skip_invalid: bool) -> JobOptions:
        """Return what decides the requests beside the content of the file and the place."""
        conditions = self.columns.options.conditions
        return JobOptions(
            skip_invalid=skip_invalid,
            format=feed.format_name,
            encoding=feed.encoding,
            mapping=self.columns.fields(columns),
            conversion=RowTransform(conditions).digest if conditions else "",
            reading=feed.options.of_content,
            upload={
                "account": getattr(self.upload.request, "account_id", ""),
                **{name: str(value) for name, value in self.resolver.default._asdict().items()},
                "region": self.packing.region,
                "region_column": self.columns.country(columns),
                "keep_partial": self.packing.keep_partial,
                "users_per_operation": self.packing.users_per_operation,
                "allow_clear_text": self.packing.allow_clear_text,
            },
        )
