"""What options say about the upload of people, whatever file they are in."""

from collections.abc import Sequence
from typing import NamedTuple

from ..feeds.conversion.conversion import Conversion
from ..feeds.source import Source
from ..uploads.job_key import JobOptions, Place
from .answers import CellAnswers
from .consent import describe_consent
from .list_columns import ListColumns
from .list_report import ListReport
from .operation_params import OPERATION_TYPES, PARAMS_FIELDS, ParamsResolver
from .packing import PackingOptions
from .upload import UserUpload


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

    def place(self, service: str) -> Place:
        """Return the place that is changed."""
        return Place(service, self.upload.kind, self.upload.target)

    def job_options(self, source: Source, columns: Sequence[str], *, skip_invalid: bool) -> JobOptions:
        """Return what decides the requests beside the content of the file and the place."""
        conditions = self.columns.options.conditions
        return JobOptions(
            skip_invalid=skip_invalid,
            format=source.format.name,
            encoding=source.encoding,
            mapping=self.columns.fields(columns),
            conversion=Conversion(conditions).digest if conditions else "",
            reading=source.options.of_content,
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
