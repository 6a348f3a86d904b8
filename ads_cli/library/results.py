"""What commands give a program: records, the result of a push, a plan of campaigns."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import AdsctlError
from ..output import Progress
from ..output.text import cell, safe

if TYPE_CHECKING:
    from ..runs.push import PushResult as PushOutcome
    from ..validation.report import ValidationReport

__all__ = ["Finding", "Plan", "Progress", "PushResult", "Record", "RejectedRow", "Rows"]

Record = dict[str, Any]
MOST_ROWS_SHOWN = 100  # in a notebook


class Rows(list[Record]):
    """The records that a command gave; a notebook shows them as a table.

    `columns` are those of a table, in their order; records may have more fields. `text` is what a command
    prints that gives no records. `warnings` say where a result is incomplete, or not what was asked for.
    """

    def __init__(
        self,
        records: Iterable[Record] = (),
        columns: Sequence[str] = (),
        *,
        text: str = "",
        warnings: Sequence[str] = (),
        exit_code: int = 0,
    ) -> None:
        super().__init__(records)
        self.columns = tuple(columns) or tuple(dict.fromkeys(name for record in self for name in record))
        self.text = text
        self.warnings = tuple(warnings)
        self.exit_code = exit_code  # 10 where a comparison has found differences

    def _repr_html_(self) -> str:
        """Return a table, for a notebook."""
        return _html_table(self, self.columns)


class RejectedRow(NamedTuple):
    """A row of a file that the service rejected."""

    line: int
    reason: str
    values: Mapping[str, Any]


class Finding(NamedTuple):
    """A kind of mistake in a file, and the first lines that have it."""

    field: str
    problem: str
    severity: str  # "error" or "warning"
    rows: int
    lines: tuple[int, ...]


class PushResult(NamedTuple):
    """What became of the rows of a file."""

    job: str | None  # its id for `adsctl jobs`; None where nothing was sent
    counts: Mapping[str, int]  # rows by what the service did with them
    rejected: Sequence[RejectedRow]  # the first 1,000 of them
    not_deleted: Mapping[str, Sequence[str]]  # by reason, the names of what the service did not delete
    findings: Sequence[Finding]  # about the rows of the file
    summary: Mapping[str, Any]  # as the command prints it
    error: AdsctlError | None  # what the command ends with where some rows were not taken

    @property
    def is_complete(self) -> bool:
        """Whether every row was taken."""
        return self.error is None

    def raise_for_rejected(self) -> None:
        """Raise IncompleteError where some rows were not taken."""
        if self.error:
            raise self.error

    def _repr_html_(self) -> str:
        """Return the counts and the rejected rows, for a notebook."""
        counts = [{"status": status, "rows": count} for status, count in self.counts.items()]
        shown = _html_table(counts, ("status", "rows"))
        if self.rejected:
            shown += _html_table([row._asdict() for row in self.rejected], ("line", "reason"))
        return shown


def push_result(outcome: "PushOutcome", error: AdsctlError | None) -> PushResult:
    """Return what a program sees of a push; `error` is what it ended with."""
    summary = outcome.summary
    return PushResult(
        summary.job,
        dict(summary.counts),
        [RejectedRow(row.line, str(reason), dict(row.values)) for row, reason in outcome.rejected_rows],
        outcome.not_deleted,
        _findings(summary.report),
        summary.as_dict(),
        error,
    )


def unsent_result(report: "ValidationReport", error: AdsctlError) -> PushResult:
    """Return what a program sees of a file of which nothing was sent."""
    return PushResult(None, {}, (), {}, _findings(report), report.counts, error)


def _findings(report: "ValidationReport") -> Sequence[Finding]:
    return [
        Finding(kind.field, str(kind.problem), kind.severity, kind.rows, tuple(kind.lines))
        for kind in report.findings
    ]


class Plan:
    """What differs between a file of campaigns and the account, for `Connection.apply`.

    It is true while it has a change. It is refused where what it touches has changed since.
    """

    def __init__(self, file: str, changes: Rows, content: bytes) -> None:
        self.file = file  # that it was made of
        self.changes = changes
        self.content = content  # of a file of `campaigns plan --out`

    def __len__(self) -> int:
        return len(self.changes)

    def __repr__(self) -> str:
        return f"<Plan of {self.file}: {len(self)} changes>"

    def _repr_html_(self) -> str:
        return self.changes._repr_html_()


def _html_table(records: Sequence[Record], columns: Sequence[str]) -> str:
    """Return a table whose cells are text, whatever they hold."""
    head = "".join(f"<th>{_html(name)}</th>" for name in columns)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_html(record.get(name))}</td>' for name in columns)}</tr>"
        for record in records[:MOST_ROWS_SHOWN]
    )
    more = len(records) - MOST_ROWS_SHOWN
    note = f"<p>and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"


def _html(value: Any) -> str:
    return escape(safe(cell(value)))
