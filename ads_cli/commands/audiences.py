"""Customer lists: push them to audiences, check them, hash them."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from ..console.bulk_options import FeedOptions, File, PushOptions, RejectedOptions, with_options
from ..console.invocation import Invocation
from ..errors import ContentError, IncompleteError, UsageError

if TYPE_CHECKING:
    from ..audiences.packing import PackingOptions
    from ..audiences.plan import UserPlan
    from ..audiences.upload import UserUpload

NOT_HASHED = "partner_user_id"  # the service takes it as it is


class Operation(StrEnum):
    """Whether people are added or removed."""

    update = "update"
    delete = "delete"


Region = Annotated[
    str | None, typer.Option(metavar="REGION", help="Country of national phone numbers, as in DE")
]
AllowClearText = Annotated[
    bool,
    typer.Option("--allow-clear-text", help="Allow e-mail addresses and phone numbers as partner_user_id"),
]
EffectiveAt = Annotated[str | None, typer.Option(metavar="TIME", help="From when on (default: now)")]


class OperationOptions(msgspec.Struct, frozen=True):
    """What is done with the people of a list, and how they are packed."""

    operation: Annotated[Operation, typer.Option("--operation", help="Add people, or remove them")] = (
        Operation.update
    )
    expires_at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when (default: 13 months)")
    ] = None
    region: Region = None
    users_per_operation: Annotated[
        int | None,
        typer.Option("--users-per-operation", metavar="N", min=1, help="At most (default: as many as fit)"),
    ] = None


@with_options(operation=OperationOptions, feed=FeedOptions, options=PushOptions, default_concurrency=3)
def push(
    ctx: typer.Context,
    file: File,
    audience: Annotated[str, typer.Option(metavar="ID", help="The custom audience")],
    operation: OperationOptions,
    effective_at: EffectiveAt = None,
    allow_clear_text: AllowClearText = False,
    *,
    feed: FeedOptions,
    options: PushOptions,
) -> None:
    """Send a list of people to a custom audience, hashed on this machine.

    For example: adsctl audiences push customers.csv --audience 1nmth
    """
    from ..audiences.upload import audience_upload

    call = Invocation.of(ctx)
    upload = audience_upload(call.account, audience)
    plan = _plan(call, file, feed, upload, operation, effective_at, allow_clear_text=allow_clear_text)
    _push(call, plan, options)


@with_options(operation=OperationOptions, feed=FeedOptions, options=PushOptions, default_concurrency=3)
def push_do_not_reach(
    ctx: typer.Context,
    file: File,
    list_: Annotated[str, typer.Option("--list", metavar="ID", help="The do-not-reach list")],
    operation: OperationOptions,
    feed: FeedOptions,
    options: PushOptions,
) -> None:
    """Send a list of people who must not be reached: e-mail addresses and phone numbers, hashed here.

    For example: adsctl audiences do-not-reach push unsubscribed.csv --list 3k1a7
    """
    from ..audiences.upload import do_not_reach_upload

    call = Invocation.of(ctx)
    upload = do_not_reach_upload(call.account, list_)
    _push(call, _plan(call, file, feed, upload, operation), options)


@with_options(feed=FeedOptions, rejected=RejectedOptions)
def check(
    ctx: typer.Context,
    file: File,
    region: Region = None,
    allow_clear_text: AllowClearText = False,
    *,
    feed: FeedOptions,
    rejected: RejectedOptions,
) -> None:
    """Check a list of people, offline: what is wrong, and how many identifiers of each kind it has.

    For example: adsctl audiences check customers.csv
    """
    from ..console.reports import show_report
    from ..uploads.rejected_rows import check_failed_out
    from .validate import say_estimate, validate_with_progress, write_invalid_rows

    call = Invocation.of(ctx)
    plan = _offline_plan(call, file, feed, region, allow_clear_text=allow_clear_text)
    check_failed_out(rejected.failed_out_file, plan.rows)
    report = validate_with_progress(call, plan)
    for name, count in plan.counts.items():
        hashing = f"{count['raw']:,} to be hashed, {count['hashed']:,} hashed already"
        as_is = f"{count['raw']:,} sent as they are"
        call.messages.say(f"{name}: {as_is if name == NOT_HASHED else hashing}")
    say_estimate(call, plan)
    show_report(call.printer, plan.rows, report)
    write_invalid_rows(rejected.failed_out_file, plan, report)
    if report.invalid:
        raise ContentError(report.summary)


@with_options(feed=FeedOptions, rejected=RejectedOptions)
def hash_file(
    ctx: typer.Context,
    file: File,
    output_file: Annotated[
        str, typer.Argument(metavar="[OUT]", help="Where to write, CSV; standard output without it")
    ] = "-",
    region: Region = None,
    allow_clear_text: AllowClearText = False,
    *,
    feed: FeedOptions,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Write the valid rows, and end with 9")
    ] = False,
    rejected: RejectedOptions,
) -> None:
    """Write a list of people with every identifier hashed, so that no other machine sees them raw.

    Only partner_user_id, an id of your own, stays as it is: the service takes it unhashed.

    For example: adsctl audiences hash customers.csv hashed.csv
    """
    from ..audiences.hash_export import write_hashed
    from ..console.output_file import OutputFile
    from ..uploads.rejected_rows import check_failed_out
    from .validate import require_valid, write_invalid_rows

    call = Invocation.of(ctx)
    plan = _offline_plan(call, file, feed, region, allow_clear_text=allow_clear_text)
    check_failed_out(rejected.failed_out_file, plan.rows)
    out = None if output_file == "-" else OutputFile(output_file)
    if out:
        out.check_differs(plan.rows.source.location, rejected.failed_out)
        out.confirm(call, force=rejected.force)
    hint = "nothing was written; correct the file, or write the valid rows with --skip-invalid"
    report = require_valid(
        call, plan, skip_invalid=skip_invalid, failed_out=rejected.failed_out_file, hint=hint
    )
    if out is None:
        write_hashed(plan, sys.stdout)
    else:
        with out.open() as stream:
            write_hashed(plan, stream)
        but = f" but {NOT_HASHED}, which the service takes as it is" if NOT_HASHED in plan.counts else ""
        call.messages.say(f"{output_file}: {report.valid:,} people, every identifier hashed{but}")
    write_invalid_rows(rejected.failed_out_file, plan, report)
    if report.invalid:
        raise IncompleteError(f"{report.summary} and not written")


def _push(call: Invocation, plan: "UserPlan", options: PushOptions) -> None:
    from .push import PushCommand

    try:
        PushCommand(call, plan, options).run()
    finally:
        if options.failed_out and Path(options.failed_out).is_file():
            warning = "contains people as you gave them; only you can read it (mode 0600)"
            call.messages.say(f"{options.failed_out} {warning}")


def _offline_plan(
    call: Invocation, file: str, feed: FeedOptions, region: str | None, *, allow_clear_text: bool
) -> "UserPlan":
    from ..audiences.upload import audience_upload

    upload, operation = audience_upload("-", "-"), OperationOptions(region=region)
    return _plan(call, file, feed, upload, operation, allow_clear_text=allow_clear_text)


def _plan(
    call: Invocation,
    file: str,
    feed: FeedOptions,
    upload: "UserUpload",
    operation: OperationOptions,
    effective_at: str | None = None,
    *,
    allow_clear_text: bool = False,
) -> "UserPlan":
    """Open a list of people and plan its upload; raise UsageError."""
    from ..audiences.operation_params import ParamsResolver
    from ..audiences.plan import UserPlan
    from ..audiences.rows import HeaderMapping

    resolver = ParamsResolver.of_options(
        {
            "operation_type": operation.operation.value,
            "effective_at": effective_at,
            "expires_at": operation.expires_at,
        },
        takes_effective_at="effective_at" in upload.known,
    )
    mapping = HeaderMapping(feed.mapping(upload.known))
    known = (*upload.known, "params", "users")  # the service's own documents are read too
    rows = feed.open_rows(call, file, ("users", "operations"), known, mapping)
    packing = _packing_options(operation, allow_clear_text=allow_clear_text)
    return UserPlan(rows, upload, resolver, packing, dry_run=call.dry_run)


def _packing_options(operation: OperationOptions, *, allow_clear_text: bool) -> "PackingOptions":
    from ..audiences.packing import PackingOptions

    region = operation.region
    if region:
        from phonenumbers import SUPPORTED_REGIONS

        region = region.upper()
        if region not in SUPPORTED_REGIONS:
            raise UsageError(f"--region: {region} is not a country code", hint="two letters, as in DE")
    return PackingOptions(region, operation.users_per_operation, allow_clear_text)
