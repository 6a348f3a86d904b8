"""What a push tells: progress while it runs, refused rows in a file, a summary at the end."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..config.atomic_files import atomic
from ..errors import ContentError, UsageError
from ..feeds.registry import find_failed_out
from ..feeds.rows import FIRST_LINES, Row, Rows
from ..feeds.writer import open_writer
from ..output.messages import Messages
from ..output.printer import Printer
from ..output.text import counted, safe_lines
from ..validation.report import Finding, ValidationReport
from ..validation.validator import Validator

EVERY = 30.0  # seconds between the lines that stand in for a progress bar
LINE, ERROR = "_line", "_error"
MOST_SINGLE = 20  # problems that are told one by one; more are told by kind

Tick = Callable[[int], None]
Refuse = Callable[[Row, str], None]  # hears of a row that is not sent, and why


@contextmanager
def progress(messages: Messages, doing: str, total: int | None) -> Iterator[Tick]:
    """Show how far along we are: a bar on a terminal, a line every 30 s elsewhere."""
    if messages.quiet:
        yield lambda done: None
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _bar(doing, total) as tick:
            yield tick
    else:
        last = time.monotonic()

        def tick(done: int) -> None:
            nonlocal last
            if time.monotonic() - last >= EVERY:
                last = time.monotonic()
                messages.say(
                    f"{doing}: {done:,} of {counted(total, 'row')}" if total else f"{doing}: {done:,}"
                )

        yield tick


@contextmanager
def _bar(doing: str, total: int | None) -> Iterator[Tick]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    console.width -= len("^C")  # what the terminal shows of Ctrl-C must not wrap, or the bar would stay
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=total)
        yield lambda done: bar.update(task, completed=done)


def check_failed_out_path(path: str | None, rows: Rows) -> None:
    """Refuse a place for refused rows that is none, before anything is done."""
    if path and rows.source.location.is_same_file(path):
        raise UsageError(f"--failed-out: {path} is the input file", hint="name another")
    if path and not Path(path).parent.is_dir():
        raise UsageError(f"--failed-out: there is no folder {Path(path).parent}")
    if path:
        find_failed_out(path)


@contextmanager
def failed_out(path: str | None, rows: Rows) -> Iterator[Refuse]:
    """Write refused rows in the input's own columns, with `_line` and `_error`, ready to be corrected.

    Where none was refused there is no file.
    """
    if path is None:
        yield lambda row, error: None
        return
    check_failed_out_path(path, rows)
    columns = dict(zip(rows.columns, rows.fields, strict=True))
    with atomic(Path(path)) as stream:
        writer = open_writer(stream, find_failed_out(path), [*columns, LINE, ERROR])

        def write(row: Row, error: str) -> None:
            own = {column: row.values[name] for column, name in columns.items() if name in row.values}
            writer.write(own | {LINE: rows.position(row.line, row.record), ERROR: error})

        yield write
        writer.close()
    if not writer.count and Path(path).is_file():
        Path(path).unlink()  # nothing was refused, and an earlier run's rows are not of this one


def check_file(check: Validator, messages: Messages) -> ValidationReport:
    """Check a whole file, showing how far it is, and say what is worth a warning."""
    name = check.rows.source.label
    with progress(messages, f"Checking {name}", None) as tick:
        findings = check.run(tick)
    for warning in findings.warnings:
        messages.warn(f"{name}: {warning}")
    return findings


def sound(
    check: Validator, messages: Messages, *, skip_invalid: bool, failed_out: str | None, hint: str
) -> ValidationReport:
    """Check a whole file; raise ContentError where rows are invalid, unless they are to be skipped."""
    findings = check_file(check, messages)
    if not findings.invalid:
        return findings
    told = "\n".join([*problem_lines(check.rows, findings), findings.verdict])
    if not skip_invalid:
        write_invalid(failed_out, check)
        raise ContentError(told, hint=hint)
    messages.warn(f"{told} and left out")
    return findings


def write_invalid(path: str | None, check: Validator) -> None:
    """Write the invalid rows of a file, where that is wanted."""
    if path:
        with failed_out(path, check.rows) as refuse:
            for checked in check:
                if checked.problems:
                    refuse(checked.row, checked.reasons)


def show_findings(printer: Printer, rows: Rows, findings: ValidationReport) -> None:
    """Print what a check has found: for a person in paragraphs, for a program as records."""
    name = rows.source.label
    if printer.format == "table" and not printer.query and not printer.columns:
        for line in problem_lines(rows, findings):
            print(safe_lines(line))
        print(
            f"{name}: {counted(findings.rows, 'row')}, {findings.valid:,} valid, {findings.invalid:,} invalid"
        )
        return
    groups = [vars(finding) for finding in ordered(findings)]
    if printer.format in ("json", "yaml"):
        counts = {"rows": findings.rows, "valid": findings.valid, "invalid": findings.invalid}
        printer.show({"file": name} | counts | {"findings": groups, "warnings": findings.warnings}, (), "")
    else:
        printer.show(groups, ("field", "rows", "problem", "lines", "records"), "field")


def problem_lines(rows: Rows, findings: ValidationReport) -> list[str]:
    """Tell what is wrong with a file: each kind of mistake once, with where it stands first."""
    others = [f"and {counted(findings.others, 'mistake')} of other kinds"] if findings.others else []
    return [_paragraph(rows, finding) for finding in ordered(findings)] + others


def ordered(findings: ValidationReport) -> list[Finding]:
    """Put the mistakes that most rows make first."""
    return sorted(findings.groups.values(), key=lambda finding: -finding.rows)


def _paragraph(rows: Rows, finding: Finding) -> str:
    name, first = rows.source.label, rows.position(finding.lines[0], finding.records[0])
    what = f"{finding.field}: {finding.problem}" if finding.field else finding.problem
    if finding.rows == 1:
        return f"{name}:{first}: {what}"
    where = "records" if rows.several_per_line else "lines"
    listed = ", ".join(map(str, getattr(finding, where))) + (", …" if finding.rows > FIRST_LINES else "")
    return f"{name}:{first}: {what}\n    {counted(finding.rows, 'row')}: {where} {listed}"
