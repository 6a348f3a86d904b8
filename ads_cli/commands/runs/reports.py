"""What commands say of a file: fixes, findings, the summary of a push, and what to do next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NotRequired, Required, TypedDict

import msgspec

from ...api.problems import quoted
from ...console.progress import OnProgress
from ...errors import AdsctlError, ContentError, Interrupted, NotFoundError
from ...feeds.row import Row
from ...feeds.rows import RowNames
from ...feeds.source import Feed
from ...masking import mask_address
from ...output.messages import Messages, fitted
from ...output.printer import Printer
from ...output.text import Lines, counted, safe, shell_command
from ...people_masking import without_people
from ...runs.rejected_rows import FailedOut
from ...validation import Finding
from ...validation.report import ValidationReport
from .shown import REPORT

if TYPE_CHECKING:
    from ...runs.push import Summary

# Commands that compute what is left to do: they have no --resume, and are run again.
RUN_AGAIN = (("watch", "apply"), ("changes", "undo"))


class FixRecord(TypedDict):
    """What a fix changed in a row."""

    line: int
    record: int
    id: Any
    fix: str
    field: str
    before: Any
    after: Any


class FindingRecord(TypedDict):
    """A kind of mistake, with the first rows that have it."""

    field: str
    problem: str
    severity: str
    fix: str  # the name of the fix for it, as in `--fix`
    rule: str
    rows: int
    lines: list[int]
    records: list[int]
    more_rows: int  # that are not listed
    places: NotRequired[list[str]]  # of several files


class AppliedFix(TypedDict):
    """The rows that a fix changed, with some changes."""

    fix: str
    rows: int
    examples: list[dict[str, Any]]


class CheckReport(TypedDict, total=False):
    """What is wrong with a file."""

    file: Required[str]
    rows: Required[int]
    left_out: int
    valid: Required[int]
    invalid: Required[int]
    warned: int
    partial: int
    fixed: dict[str, int]
    findings: Required[list[FindingRecord]]
    omitted: Required[int]  # kinds of mistakes
    warnings: Required[list[str]]  # about the file
    fixes: list[AppliedFix]
    changes: list[FixRecord]
    images: dict[str, Any]


# `try` is a word of Python.
Suggested = TypedDict("Suggested", {"try": dict[str, Any]}, total=False)


class FeedReport(CheckReport, Suggested):
    """What is wrong with a file, and the options that would make its rows valid."""


CHANGE_COLUMNS = tuple(FixRecord.__annotations__)
PEOPLE = "users"  # what jobs call them
REMOVED, ADDED = "31", "32"  # SGR parameters


def fixed_lines(rows: RowNames, report: ValidationReport) -> list[str]:
    """Describe what each fix changed, by its first changes."""
    lines = []
    for name, fixed in report.fixed.items():
        lines.append(f"{rows.source.label}: fixed by {name}: {counted(fixed.rows, 'row')}")
        for example in fixed.examples:
            before, after = (
                "nothing" if value is None else quoted(value) for value in (example.before, example.after)
            )
            place = rows.position(example.line, example.record)
            lines.append(f"    {place}: {example.field}: {before} → {after}")
    return lines


def change_records(row: Row) -> Iterator[dict[str, Any]]:
    """Return a record for each change of a row."""
    row_id = row.values.get("id")
    for fix, field, before, after in row.changes:
        values = (row.line, row.record, row_id, fix, field, before, after)
        yield dict(zip(CHANGE_COLUMNS, values, strict=True))


def diff_lines(rows: RowNames, row: Row, *, color: bool) -> Iterator[str]:
    """Show each changed field of a row before and after, as a diff does."""
    yield safe(f"{rows.place(row.line, row.record)}: {row.values.get('id', '')}")
    for fix, field, before, after in row.changes:
        yield f"  {field} ({fix})"
        yield from _marked("-", before, REMOVED if color else "")
        yield from _marked("+", after, ADDED if color else "")


def _marked(mark: str, value: Any, color: str) -> Iterator[str]:
    for line in [] if value is None else str(value).split("\n"):
        text = f"  {mark} {safe(line)}"
        yield f"\x1b[{color}m{text}\x1b[0m" if color else text


MAX_WARNINGS = 5  # of the service, shown one by one


class PushMessages:
    """Shows what happens while a push runs."""

    def __init__(self, messages: Messages, on_progress: OnProgress) -> None:
        self.on_progress = on_progress
        self._messages = messages
        self._warnings = 0

    def on_rejection(self, place: str, reason: str) -> None:
        """Show a rejected row with --verbose."""
        self._messages.detail(f"{place}: rejected: {reason}")

    def on_warning(self, place: str, warning: str) -> None:
        """Show the first warnings; all with --verbose."""
        self._warnings += 1
        if self._warnings <= MAX_WARNINGS or self._messages.is_verbose:
            self._messages.warn(f"{place}: {warning}")

    def close(self) -> None:
        """Say how many warnings were not shown."""
        if self._warnings > MAX_WARNINGS and not self._messages.is_verbose:
            more = counted(self._warnings - MAX_WARNINGS, "more warning")
            self._messages.warn(f"{more} of the service; --verbose shows all")


def resume_command(command_line: Sequence[str]) -> str:
    """Return a command line as it was typed, with --resume, and without secrets of an address."""
    words = [mask_address(word) for word in command_line if word != "--resume"]
    if any(pair in RUN_AGAIN for pair in pairwise(words)):
        return shell_command(["adsctl", *words])
    return shell_command(["adsctl", *with_further_options(words, ["--resume"])])


def stored_resume_command(command_line: Sequence[str], noun: str) -> str:
    """Return the command that resumes a job, as it is remembered with that."""
    return resume_command(without_people(command_line) if noun == PEOPLE else command_line)


def with_further_options(words: Sequence[str], options: Sequence[str]) -> list[str]:
    """Add options to a command line, before a `--`: what follows that is no option."""
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *options, *words[end:]]


def how_to_resume(error: AdsctlError | Interrupted, command_line: Sequence[str]) -> str:
    """Return the hint of an error that stopped a push."""
    if isinstance(error, ContentError | NotFoundError):
        return error.hint  # the file has changed, or the place does not exist: only a new push helps
    resume = f"resume with: {resume_command(command_line)}"
    return error.hint if resume in error.hint else "; ".join(filter(None, (error.hint, resume)))


def how_to_correct(failed_out: FailedOut | None, correction: str, feed: Feed, *others: str) -> str:
    """Return the hint about rejected rows of a feed."""
    where = "--failed-out FILE writes them to a file, with the reasons"
    if failed_out:
        changed = shell_command(failed_out.changed_options(feed))
        correction = (
            correction or f"correct it and push it with the same options{', but ' * bool(changed)}{changed}"
        )
        where = f"they are in {failed_out.path}, with the reasons; {correction}"
    return "; ".join(filter(None, (where, *others)))


def show_report(
    printer: Printer,
    rows: RowNames,
    report: ValidationReport,
    changed: Iterable[Row] | None = None,
    tried: Mapping[str, Any] | None = None,
) -> None:
    """Print a validation report, and each change of the rows that fixes `changed`.

    `tried` says for programs what would make rows valid.
    """
    name = rows.source.label
    changes = (record for row in changed or () for record in change_records(row))
    if printer.is_for_people:
        for line in (line for row in changed or () for line in diff_lines(rows, row, color=printer.color)):
            print(line, file=printer.stream)
        lines = [*error_lines(rows, report), *warning_lines(rows, report, "warning: ")]
        if lines:
            print(fitted(Lines(lines), printer.stream), file=printer.stream)
        counts = f"{_rows_read(report)}, {report.valid:,} valid, {_invalid_and_warned(report)}"
        print(fitted(f"{safe(name)}: {counts}", printer.stream), file=printer.stream)
        return
    findings = [_record(rows, finding) for finding in report.findings]
    if printer.format in ("json", "yaml"):
        warnings = [*report.notes, *report.warnings]
        shown: dict[str, Any] = {"findings": findings, "omitted": report.omitted, "warnings": warnings}
        if report.can_fix:
            shown["fixes"] = [
                {"fix": name, "rows": fixed.rows, "examples": msgspec.to_builtins(fixed.examples)}
                for name, fixed in report.fixed.items()
            ]
        shown |= {"changes": list(changes)} if changed is not None else {}
        shown |= {"try": tried} if tried else {}
        printer.show({"file": name} | report.counts | shown, (), "")
    elif changed is not None:
        printer.show_records(changes, CHANGE_COLUMNS, "id")
    else:
        columns = (*REPORT.columns, "places") if rows.name_place else REPORT.columns
        printer.show(findings, columns, REPORT.key)


def _record(rows: RowNames, finding: Finding) -> dict[str, object]:
    """Return a finding as programs read it; of several files, with the place of each row."""
    record = vars(finding) | {"more_rows": finding.more_rows}
    if rows.name_place:
        record["places"] = list(map(rows.place, finding.lines, finding.records))
    return record


def error_lines(rows: RowNames, report: ValidationReport) -> list[str]:
    """Describe each kind of error once, with its first rows."""
    lines = [_describe(rows, finding) for finding in report.findings if finding.severity == "error"]
    if report.omitted:
        lines.append(f"and {counted(report.omitted, 'mistake')} of other kinds")
    return lines


def warning_lines(rows: RowNames, report: ValidationReport, label: str = "") -> list[str]:
    """Describe each kind of warning once, with its first rows, and a label between place and text."""
    return [_describe(rows, finding, label) for finding in report.findings if finding.severity == "warning"]


def show_summary(printer: Printer, summary: "Summary", name: str) -> None:
    """Print the summary of a push; `name` is that of its file."""
    if printer.is_for_people:
        text = fitted(_summary_text(summary, name), printer.stream)
        print(text, file=printer.stream, flush=True)
    else:
        document = summary.as_dict()
        printer.show(document, tuple(document), "job")


def hint_of_kind(rows: RowNames, report: ValidationReport) -> str:
    """Say what gives the fields that are wrong, where the kind of the feed is known to lack them."""
    wrong = dict.fromkeys(finding.field for finding in report.findings if finding.severity == "error")
    return "; ".join(f"{field}: {rows.hints[field]}" for field in wrong if field in rows.hints)


def _describe(rows: RowNames, finding: Finding, label: str = "") -> str:
    what = label + (f"{finding.field}: {finding.problem}" if finding.field else finding.problem)
    if finding.fix:
        what += f"{' ' if what.endswith('?') else '; '}fix it with --fix {finding.fix}"
    if not finding.lines:  # of the whole file
        return f"{rows.source.label}: {what}"
    place = rows.place(finding.lines[0], finding.records[0])
    if finding.rows == 1:
        return f"{place}: {what}"
    more = ", …" if finding.more_rows else ""
    listed = rows.places(finding.lines, finding.records) + more
    return Lines([f"{place}: {what}", f"    {counted(finding.rows, 'row')}: {listed}"])


EXTRA_COUNTS = {"skipped": "skipped", "unseen": "hidden", "not_kept": "reverted"}
HIDDEN_ROWS = "variants that the listing does not show, taken as last acknowledged"
MEANINGS = {"hidden": HIDDEN_ROWS, "reverted": "acknowledged twice, and listed with other values"}


def _summary_text(summary: "Summary", name: str) -> Lines:
    counts = dict(summary.counts)
    for key, word in EXTRA_COUNTS.items():
        if key in summary.extra and (summary.extra[key] or key == "skipped"):
            counts[word] = summary.extra[key]
    if unsent := summary.due - summary.acknowledged:
        counts["not sent"] = unsent
    in_this_run = summary.acknowledged - summary.earlier
    speed = f", {in_this_run / summary.seconds:,.0f} rows/s" if in_this_run and summary.seconds else ""
    comparison = []
    if "only_in_catalog" in summary.extra:
        from ...products.listing import describe

        comparison = [f"  {describe(summary.extra)}"]
    requests = f"{counted(summary.requests, 'request')}, {summary.retries:,} of them retries"
    return Lines(
        [
            f"{name}: {_rows_read(summary.report)}, {_invalid_and_warned(summary.report)}",
            *(
                f"  {status:<10} {count:>10,}" + (f"  {MEANINGS[status]}" if status in MEANINGS else "")
                for status, count in counts.items()
            ),
            *comparison,
            f"  {requests}, {summary.seconds:,.1f} s{speed}",
        ]
    )


def _rows_read(report: ValidationReport) -> str:
    left_out = f", {report.left_out:,} left out" if report.left_out else ""
    return counted(report.rows, "row") + left_out


def _invalid_and_warned(report: ValidationReport) -> str:
    partial = "" if report.partial is None else f"{report.partial:,} partial"
    warned = f"{report.warned:,} with warnings" if report.warned else ""
    fixed = ", ".join(f"{fixed.rows:,} by {name}" for name, fixed in report.fixed.items())
    parts = (f"{report.invalid:,} invalid", partial, warned, fixed and f"fixed: {fixed}")
    return ", ".join(filter(None, parts))
