"""Validate a file, and report what is wrong with it."""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import IO

from ...api.endpoint import Endpoint
from ...console.invocation import Invocation
from ...console.output_file import OutputFile
from ...console.progress import progress
from ...errors import ContentError, IncompleteError
from ...output.text import Lines, duration
from ...runs.plan import ValidatedFile
from ...runs.rejected_rows import FailedOut, check_failed_out, write_rejected_rows
from ...validation import CheckedRow
from ...validation.report import ValidationReport
from .options import RejectedOptions
from .reports import error_lines, fixed_lines, hint_of_kind, warning_lines


def say_estimate(
    call: Invocation,
    endpoint: Endpoint,
    rows: int,
    requests: int,
    changed: Callable[[], int | None] = lambda: None,
) -> None:
    """Say how long the limits of the service make a push take, if one window does not hold it.

    `changed` counts the rows that --changed would send, where that is known.
    """
    rate = endpoint.rates[call.settings.service]
    if rate is None or not (seconds := rate.seconds_for(requests)):
        return
    text = f"about {duration(seconds)} at this service's limits"
    if (changed_rows := changed()) is not None:
        requests = -(-changed_rows * requests // rows)
        text += f"; with --changed about {duration(requests * rate.seconds / rate.requests)}"
    call.messages.say(text)


def validate_with_progress(call: Invocation, file: ValidatedFile) -> ValidationReport:
    """Validate a file; show progress and warnings."""
    name = file.rows.source.label
    with progress(call.messages, f"Checking {name}", None) as on_progress:
        report = file.validate(on_progress)
    for note in report.notes:
        call.messages.note(file.rows.labeled(note))
    for warning in report.warnings:
        call.messages.warn(file.rows.labeled(warning))
    for line in fixed_lines(file.rows, report):
        call.messages.say(line)
    return report


def require_valid(
    call: Invocation,
    file: ValidatedFile,
    *,
    skip_invalid: bool,
    failed_out: FailedOut | None,
    hint: str,
    skips: Callable[[ValidationReport], bool] = lambda report: False,
    skipped: str = "not sent",
) -> ValidationReport:
    """Validate a file; raise ContentError where rows are invalid, unless they are skipped.

    `skips` may skip them without --skip-invalid; `skipped` says what is not done with them.
    """
    call.parsed.report = report = validate_with_progress(call, file)
    call.note_summary(dict(report.counts))
    for warning in warning_lines(file.rows, report):
        call.messages.note(warning, "warning")  # about rows that are sent as they are
    if not report.invalid:
        return report
    message = Lines([*error_lines(file.rows, report), report.summary])
    if not (skip_invalid or skips(report)):
        write_invalid_rows(failed_out, file, report)
        raise ContentError(message, hint="; ".join(filter(None, (hint_of_kind(file.rows, report), hint))))
    text = message + f" and {skipped}"
    if call.dry_run:
        call.messages.warn(text)
    else:
        call.messages.note(text, "warning")  # with -q the error at the end says so
    return report


def write_invalid_rows(
    failed_out: FailedOut | None,
    file: ValidatedFile,
    report: ValidationReport,
    checked_rows: Callable[[], Iterable[CheckedRow]] | None = None,
) -> None:
    """Write the invalid rows of a validated file, where `--failed-out` asks for them.

    `checked_rows` reads the rows with all their problems, where the file does not know them.
    """
    if failed_out:
        with write_rejected_rows(failed_out, file.rows) as reject:
            for checked in (checked_rows or file.checked_rows)() if report.invalid else ():
                if errors := checked.errors:
                    reject(checked.row, errors)


def write_valid_rows(
    call: Invocation,
    file: ValidatedFile,
    output_file: str,
    rejected: RejectedOptions,
    *,
    skip_invalid: bool,
    write: Callable[[IO[str]], None],
    done: Callable[[], str],
) -> None:
    """Write what is valid in a file to another file, or for `-` to standard output, as `write` does.

    `done` says what was written. Raises ContentError where rows are invalid, or IncompleteError where they
    are skipped.
    """
    check_failed_out(rejected.failed_out_file, file.rows)
    out = None if output_file == "-" else OutputFile(output_file)
    if out:
        out.check_differs(file.rows.source)
        out.confirm(call, force=rejected.force)
    hint = "nothing was written; correct the file, or write the valid rows with --skip-invalid"
    report = require_valid(
        call,
        file,
        skip_invalid=skip_invalid,
        failed_out=rejected.failed_out_file,
        hint=hint,
        skipped="not written",
    )
    with out.open() if out else nullcontext(call.out) as stream:
        write(stream)
    if said := done():
        call.messages.say(said)
    write_invalid_rows(rejected.failed_out_file, file, report)
    if report.invalid:
        raise IncompleteError(f"{report.summary} and not written")
