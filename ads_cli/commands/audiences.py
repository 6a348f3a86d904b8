"""Lists of people: push them to audiences, check them, hash them."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console.invocation import Invocation
from ..errors import ContentError, IncompleteError, UsageError
from .products import (
    Concurrency,
    Encoding,
    FailedOut,
    File,
    Format,
    Job,
    Map,
    MaxErrors,
    Resume,
    SkipInvalid,
    renames,
)

if TYPE_CHECKING:
    from ..audiences.operation_params import Heads
    from ..audiences.packing import Packing
    from ..audiences.upload import UserUpload
    from ..audiences.validator import UserValidator


UNHASHED = "partner_user_id"  # which the service takes as it is


class Operation(StrEnum):
    """Whether people come or go."""

    update = "update"
    delete = "delete"


Going = Annotated[Operation, typer.Option("--operation", help="Add people, or take them away")]
EffectiveAt = Annotated[str | None, typer.Option(metavar="TIME", help="From when on (default: now)")]
ExpiresAt = Annotated[str | None, typer.Option(metavar="TIME", help="Until when (default: 13 months)")]
Region = Annotated[
    str | None, typer.Option(metavar="REGION", help="Country of national phone numbers, as in DE")
]
PerOperation = Annotated[
    int | None, typer.Option("--users-per-operation", metavar="N", min=1, help="At most (default: as fit)")
]


def push(
    ctx: typer.Context,
    file: File,
    audience: Annotated[str, typer.Option(metavar="ID", help="The custom audience")],
    operation: Going = Operation.update,
    effective_at: EffectiveAt = None,
    expires_at: ExpiresAt = None,
    region: Region = None,
    users_per_operation: PerOperation = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    concurrency: Concurrency = 3,
    skip_invalid: SkipInvalid = False,
    failed_out: FailedOut = None,
    max_errors: MaxErrors = None,
    resume: Resume = False,
    job: Job = None,
) -> None:
    """Send a list of people to a custom audience, hashed here.

    For example: adsctl audiences push customers.csv --audience 1nmth
    """
    from ..audiences.upload import AudienceUpload
    from ..uploads.push import Options

    times = {"operation_type": operation.value, "effective_at": effective_at, "expires_at": expires_at}
    call = Invocation.of(ctx)
    upload = AudienceUpload(call.account, audience, *packing(times, region, users_per_operation))
    options = Options(concurrency, skip_invalid, failed_out, max_errors, resume, job)
    _push(call, checker(file, format, encoding, map, upload, rehearsal=call.dry_run), upload, options)


def push_do_not_reach(
    ctx: typer.Context,
    file: File,
    list_: Annotated[str, typer.Option("--list", metavar="ID", help="The do-not-reach list")],
    operation: Going = Operation.update,
    expires_at: ExpiresAt = None,
    region: Region = None,
    users_per_operation: PerOperation = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    concurrency: Concurrency = 3,
    skip_invalid: SkipInvalid = False,
    failed_out: FailedOut = None,
    max_errors: MaxErrors = None,
    resume: Resume = False,
    job: Job = None,
) -> None:
    """Send a list of people who are not to be reached, by e-mail and phone number, hashed here.

    For example: adsctl audiences do-not-reach push unsubscribed.csv --list 3k1a7
    """
    from ..audiences.upload import DoNotReachUpload
    from ..uploads.push import Options

    times = {"operation_type": operation.value, "expires_at": expires_at}
    call = Invocation.of(ctx)
    upload = DoNotReachUpload(
        call.account, list_, *packing(times, region, users_per_operation, takes_effective=False)
    )
    options = Options(concurrency, skip_invalid, failed_out, max_errors, resume, job)
    _push(call, checker(file, format, encoding, map, upload, rehearsal=call.dry_run), upload, options)


def check(
    ctx: typer.Context,
    file: File,
    region: Region = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    failed_out: FailedOut = None,
) -> None:
    """Check a list of people, offline: what is wrong, and how many identifiers there are of each kind.

    For example: adsctl audiences check customers.csv
    """
    from ..uploads.report import check_file, show_findings, write_invalid

    call = Invocation.of(ctx)
    checked = checker(file, format, encoding, map, _offline(region))
    findings = check_file(checked, call.messages)
    for key, came in checked.counts.items():
        hashing = f"{came['raw']:,} to be hashed, {came['hashed']:,} hashed already"
        call.messages.say(f"{key}: " + (f"{came['raw']:,} sent as they are" if key == UNHASHED else hashing))
    show_findings(call.printer, checked.rows, findings)
    if findings.invalid:
        write_invalid(failed_out, checked)
        raise ContentError(findings.verdict)


def hash_file(
    ctx: typer.Context,
    file: File,
    output_file: Annotated[
        str, typer.Argument(metavar="[OUT]", help="Where to write, CSV; standard output without it")
    ] = "-",
    region: Region = None,
    format: Format = None,
    encoding: Encoding = "utf-8",
    map: Map = None,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Write the valid rows, and end with 9")
    ] = False,
    failed_out: FailedOut = None,
) -> None:
    """Write a list of people with every identifier hashed, so that no other machine sees them raw.

    Only partner_user_id, an id of your own, stays as it is: the service takes it unhashed.

    For example: adsctl audiences hash customers.csv hashed.csv
    """
    from ..audiences.hash_export import write_hashed
    from ..config.atomic_files import atomic
    from ..feeds.location import parse_location
    from ..uploads.report import check_failed_out_path, sound, write_invalid

    call = Invocation.of(ctx)
    if output_file != "-" and parse_location(file).is_same_file(output_file):
        raise UsageError(f"{output_file} is the input file", hint="name another")
    checked = checker(file, format, encoding, map, _offline(region))
    check_failed_out_path(failed_out, checked.rows)
    hint = "nothing was written; correct the file, or write the others with --skip-invalid"
    findings = sound(checked, call.messages, skip_invalid=skip_invalid, failed_out=failed_out, hint=hint)
    if output_file == "-":
        write_hashed(checked, sys.stdout)
    else:
        with atomic(Path(output_file)) as stream:
            write_hashed(checked, stream)
        but = f", but {UNHASHED}, which the service takes as it is" if UNHASHED in checked.counts else ""
        call.messages.say(f"{output_file}: {findings.valid:,} people, every identifier hashed{but}")
    if findings.invalid:
        write_invalid(failed_out, checked)
        raise IncompleteError(f"{findings.verdict}, and left out")


def packing(
    times: dict[str, str | None], region: str | None, most: int | None, *, takes_effective: bool = True
) -> "tuple[Heads, Packing]":
    """Make of options what decides how people are packed."""
    from ..audiences.operation_params import Heads
    from ..audiences.packing import Packing

    if region:
        from phonenumbers import SUPPORTED_REGIONS

        region = region.upper()
        if region not in SUPPORTED_REGIONS:
            raise UsageError(f"--region: {region} is no country", hint="two letters, as in DE")
    return Heads.given(times, takes_effective=takes_effective), Packing(region, most)


def checker(
    file: str,
    format: str | None,
    encoding: str,
    map: list[str] | None,
    upload: "UserUpload",
    *,
    rehearsal: bool = False,
) -> "UserValidator":
    """Open a list of people."""
    from ..audiences.rows import Renames
    from ..audiences.validator import UserValidator
    from ..feeds.reader import open_source, read_rows

    known = (*upload.known, "params", "users")
    rename = Renames(renames(map or [], upload.known))
    source = open_source(file, format, encoding)
    return UserValidator(
        read_rows(source, roots=("users", "operations"), known=known, rename=rename),
        upload,
        rehearsal=rehearsal,
    )


def _offline(region: str | None) -> "UserUpload":
    from ..audiences.upload import AudienceUpload

    return AudienceUpload("", "", *packing({}, region, None))


def _push(call: Invocation, checked: "UserValidator", upload: "UserUpload", options: Any) -> None:
    from ..uploads.push import Push

    try:
        Push(call, upload, checked, options).run()
    finally:
        if options.failed_out and Path(options.failed_out).is_file():
            holds = "holds people as you gave them; only you can read it (mode 0600)"
            call.messages.say(f"{options.failed_out} {holds}")
