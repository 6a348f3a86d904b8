"""Validation reports and summaries: text for people, records for programs."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..feeds.rows import Row, Rows
from ..output.printer import Printer
from ..output.text import counted, safe, safe_lines
from ..uploads.summary import Summary
from ..validation.report import Finding, ValidationReport
from .fix_reports import CHANGE_COLUMNS, change_records, diff_lines, fixed_counts, fixes


def show_report(
    printer: Printer, rows: Rows, report: ValidationReport, changed: Iterable[Row] | None = None
) -> None:
    """Print a validation report, and each change of the rows that fixes `changed`."""
    name = rows.source.label
    changes = (record for row in changed or () for record in change_records(row))
    if printer.is_for_people:
        for line in (line for row in changed or () for line in diff_lines(rows, row, color=printer.color)):
            print(line)
        for line in [*error_lines(rows, report), *warning_lines(rows, report, "warning: ")]:
            print(safe_lines(line))
        print(f"{safe(name)}: {_rows_read(report)}, {report.valid:,} valid, {_invalid_and_warned(report)}")
        return
    findings = [_record(rows, finding) for finding in report.findings]
    if printer.format in ("json", "yaml"):
        warnings = [*report.notes, *report.warnings]
        found: dict[str, Any] = {"findings": findings, "omitted": report.omitted, "warnings": warnings}
        found |= {"fixes": fixes(report)} if report.can_fix else {}
        found |= {"changes": list(changes)} if changed is not None else {}
        printer.show({"file": name} | report.counts | found, (), "")
    elif changed is not None:
        printer.show_records(changes, CHANGE_COLUMNS, "id")
    else:
        columns = ("field", "rows", "problem", "lines", "records", "more_rows", "severity", "fix")
        printer.show(findings, (*columns, "places") if rows.name_place else columns, "field")


def _record(rows: Rows, finding: Finding) -> dict[str, object]:
    """Return a finding as programs read it; of several files, with the place of each row."""
    record = vars(finding) | {"more_rows": finding.more_rows}
    if rows.name_place:
        record["places"] = list(map(rows.place, finding.lines, finding.records))
    return record


def error_lines(rows: Rows, report: ValidationReport) -> list[str]:
    """Describe each kind of error once, with its first rows."""
    lines = [_describe(rows, finding) for finding in report.findings if finding.severity == "error"]
    if report.omitted:
        lines.append(f"and {counted(report.omitted, 'mistake')} of other kinds")
    return lines


def warning_lines(rows: Rows, report: ValidationReport, label: str = "") -> list[str]:
    """Describe each kind of warning once, with its first rows, and a label between place and text."""
    return [_describe(rows, finding, label) for finding in report.findings if finding.severity == "warning"]


def show_summary(printer: Printer, summary: Summary, name: str) -> None:
    """Print the summary of a push; `name` is that of its file."""
    if printer.is_for_people:
        print(safe_lines(_summary_text(summary, name)), flush=True)
    else:
        document = summary.as_dict()
        printer.show(document, tuple(document), "job")


def hint_of_kind(rows: Rows, report: ValidationReport) -> str:
    """Say what gives the fields that are wrong, where the kind of the feed is known to lack them."""
    wrong = dict.fromkeys(finding.field for finding in report.findings if finding.severity == "error")
    return "; ".join(f"{field}: {rows.hints[field]}" for field in wrong if field in rows.hints)


def _describe(rows: Rows, finding: Finding, label: str = "") -> str:
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
    return f"{place}: {what}\n    {counted(finding.rows, 'row')}: {listed}"


def _summary_text(summary: Summary, name: str) -> str:
    counts = dict(summary.counts)
    for rows in ("skipped", "unseen", "not_kept"):
        if rows in summary.extra and (summary.extra[rows] or rows == "skipped"):
            counts[rows.replace("_", " ")] = summary.extra[rows]
    if unsent := summary.due - summary.acknowledged:
        counts["not sent"] = unsent
    in_this_run = summary.acknowledged - summary.earlier
    speed = f", {in_this_run / summary.seconds:,.0f} rows/s" if in_this_run and summary.seconds else ""
    comparison = [f"  {_comparison(summary.extra)}"] if "only_in_catalog" in summary.extra else []
    requests = f"{counted(summary.requests, 'request')}, {summary.retries:,} of them retries"
    return "\n".join(
        [
            f"{name}: {_rows_read(summary.report)}, {_invalid_and_warned(summary.report)}",
            *(f"  {status:<10} {count:>10,}" for status, count in counts.items()),
            *comparison,
            f"  {requests}, {summary.seconds:,.1f} s{speed}",
        ]
    )


def _rows_read(report: ValidationReport) -> str:
    left_out = f", {report.left_out:,} left out" if "left_out" in report.counts else ""
    return counted(report.rows, "row") + left_out


def _invalid_and_warned(report: ValidationReport) -> str:
    partial = "" if report.partial is None else f"{report.partial:,} partial"
    warned = f"{report.warned:,} with warnings" if report.warned else ""
    parts = (f"{report.invalid:,} invalid", partial, warned, fixed_counts(report))
    return ", ".join(filter(None, parts))


def _comparison(counts: Mapping[str, int]) -> str:
    from ..products.comparison import describe

    return describe(counts)
