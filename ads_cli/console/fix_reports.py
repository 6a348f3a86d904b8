"""What fixes changed: a line for each fix with examples, and every change."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..api.reasons import quoted
from ..feeds.rows import Row, Rows
from ..output.text import counted, safe
from ..validation.fixed import Example
from ..validation.report import ValidationReport

CHANGE_COLUMNS = ("line", "record", "id", "fix", "field", "before", "after")
REMOVED, ADDED = "31", "32"  # SGR parameters


def fixed_counts(report: ValidationReport) -> str:
    """Say how many rows each fix changed; empty where none did."""
    counts = [f"{fixed.rows:,} by {name}" for name, fixed in report.fixed.items()]
    return f"fixed: {', '.join(counts)}" if counts else ""


def fixed_lines(rows: Rows, report: ValidationReport) -> list[str]:
    """Describe what each fix changed, by its first changes."""
    lines = []
    for name, fixed in report.fixed.items():
        lines.append(f"{rows.source.label}: fixed by {name}: {counted(fixed.rows, 'row')}")
        lines += [
            f"    {rows.position(each.line, each.record)}: {_in_short(each)}" for each in fixed.examples
        ]
    return lines


def fixes(report: ValidationReport) -> list[dict[str, Any]]:
    """Return what each fix changed, for programs."""
    return [
        {"fix": name, "rows": fixed.rows, "examples": msgspec.to_builtins(fixed.examples)}
        for name, fixed in report.fixed.items()
    ]


def change_records(row: Row) -> Iterator[dict[str, Any]]:
    """Return a record for each change of a row."""
    row_id = row.values.get("id")
    for fix, field, before, after in row.changes:
        values = (row.line, row.record, row_id, fix, field, before, after)
        yield dict(zip(CHANGE_COLUMNS, values, strict=True))


def diff_lines(rows: Rows, row: Row, *, color: bool) -> Iterator[str]:
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


def _in_short(example: Example) -> str:
    before, after = (
        "nothing" if value is None else quoted(value) for value in (example.before, example.after)
    )
    return f"{example.field}: {before} → {after}"
