"""Customer lists: push them to audiences, check them, hash them, and forget what is remembered of them."""

from typing import IO, TYPE_CHECKING, Annotated, Literal

import msgspec
import typer

from ...console.invocation import Invocation
from ...console.parameters import argument, choice, flag, option
from ...console.shown import Result, shows
from ...console.target_names import TargetNames
from ...errors import ContentError, NotFoundError, UsageError
from ...output.text import counted
from ..runs.options import (
    FILE_HELP,
    Lists,
    PushOptions,
    RecipeDraft,
    RejectedOptions,
    ShownOptions,
    recipe_file,
    with_options,
)
from ..runs.shown import REPORT, SUMMARY
from .lists import (
    AllowClearText,
    AudienceTarget,
    DoNotReachTarget,
    ListOptions,
    Target,
    checked_region,
    clear_text_notice,
    plan_list,
    require_people,
)

if TYPE_CHECKING:
    from ...audiences.plan import ListPlan, ListSettings

NOT_HASHED = "partner_user_id"  # the service takes it as it is


EffectiveAt = Annotated[str | None, option("TIME", "From when on (default: now)")]


class OperationOptions(msgspec.Struct, frozen=True):
    """What is done with the people of a list, and how they are packed."""

    operation: Annotated[Literal["update", "delete"], choice("Add people, or remove them")] = "update"
    expires_at: Annotated[str | None, option("TIME", "Until when (default: 13 months)")] = None
    users_per_operation: Annotated[int | None, option("N", "At most (default: as many as fit)", min=1)] = None


@shows(SUMMARY)
@with_options(
    target=AudienceTarget,
    operation=OperationOptions,
    feed=ListOptions,
    options=PushOptions,
    default_concurrency=3,
)
def push(
    ctx: typer.Context,
    files: Lists,
    target: AudienceTarget,
    operation: OperationOptions,
    effective_at: EffectiveAt = None,
    *,
    feed: ListOptions,
    options: PushOptions,
) -> None:
    """Send a list of people to a custom audience, hashed on this machine.

    For example: adsctl audiences push customers.csv --audience 1nmth
    """
    call = Invocation.of(ctx)
    _push(call, files, feed, list_settings(call, feed, target, operation, effective_at), options)


@shows(SUMMARY)
@with_options(
    target=DoNotReachTarget,
    operation=OperationOptions,
    feed=ListOptions,
    options=PushOptions,
    default_concurrency=3,
)
def push_do_not_reach(
    ctx: typer.Context,
    files: Lists,
    target: DoNotReachTarget,
    operation: OperationOptions,
    feed: ListOptions,
    options: PushOptions,
) -> None:
    """Send a list of people who must not be reached: e-mail addresses and phone numbers, hashed here.

    For example: adsctl audiences do-not-reach push unsubscribed.csv --list 3k1a7
    """
    call = Invocation.of(ctx)
    _push(call, files, feed, list_settings(call, feed, target, operation), options)


@shows(REPORT)
@with_options(feed=ListOptions, rejected=RejectedOptions)
def check(
    ctx: typer.Context,
    files: Lists,
    allow_clear_text: AllowClearText = False,
    *,
    feed: ListOptions,
    rejected: RejectedOptions,
    recipe_draft: RecipeDraft = None,
) -> None:
    """Check a list of people, offline: what is wrong, and how many identifiers of each kind it has.

    --write-recipe keeps the options in a file, for --recipe: of a list with invalid rows too.

    For example: adsctl audiences check customers.csv
    """
    from ...runs.rejected_rows import check_failed_out
    from ..runs.reports import show_report
    from ..runs.validation import say_estimate, validate_with_progress, write_invalid_rows

    call = Invocation.of(ctx)
    settings = list_settings(call, feed, AudienceTarget("-", allow_clear_text), account="-")
    plan = plan_list(call, files, feed, settings)
    check_failed_out(rejected.failed_out_file, plan.rows)
    recipe = recipe_file(call, recipe_draft, plan.rows.source, force=rejected.force)
    report = validate_with_progress(call, plan)
    for name, count in plan.report.identifiers.items():
        hashing = f"{count['raw']:,} to be hashed, {count['hashed']:,} hashed already"
        as_is = f"{count['raw']:,} sent as they are"
        call.messages.say(f"{name}: {as_is if name == NOT_HASHED else hashing}")
    say_estimate(call, plan.upload.request.endpoint, plan.due, plan.batch_count)
    show_report(call.printer, plan.rows, report)
    with clear_text_notice(call, rejected):
        write_invalid_rows(rejected.failed_out_file, plan, report)
    if recipe:
        recipe.write(call, feed, files[0], unsent=settings.columns.uses(plan.rows.columns).unused)
    if report.invalid:
        raise ContentError(report.summary)
    require_people(call, plan, feed)


@with_options(feed=ListOptions, rejected=RejectedOptions)
def hash_file(
    ctx: typer.Context,
    files: Annotated[list[str], argument("FILE...", f"{FILE_HELP}; all are written to one file")],
    out: Annotated[str | None, argument("OUT", "Where to write, as CSV (default: standard output)")] = None,
    allow_clear_text: AllowClearText = False,
    *,
    feed: ListOptions,
    skip_invalid: Annotated[bool, flag("Write the valid rows, and end with 9")] = False,
    rejected: RejectedOptions,
) -> None:
    """Write a list of people with every identifier hashed, so that no other machine sees them raw.

    Only partner_user_id, an id of your own, stays as it is: the service takes it unhashed.

    For example: adsctl audiences hash customers.csv hashed.csv
    """
    from ..runs.validation import write_valid_rows

    call = Invocation.of(ctx)
    output_file = out or "-"
    settings = list_settings(call, feed, AudienceTarget("-", allow_clear_text), account="-")
    plan = plan_list(call, files, feed, settings)

    def write(stream: IO[str]) -> None:
        require_people(call, plan, feed)
        _write_hashed(plan, stream)

    def done() -> str:
        if output_file == "-":
            return ""
        is_sent_raw = NOT_HASHED in plan.report.identifiers
        but = f" but {NOT_HASHED}, which the service takes as it is" if is_sent_raw else ""
        people = counted(plan.report.valid, "person", "people")
        return f"{output_file}: {people}, every identifier hashed{but}"

    with clear_text_notice(call, rejected):
        write_valid_rows(call, plan, output_file, rejected, skip_invalid=skip_invalid, write=write, done=done)


def _write_hashed(plan: "ListPlan", stream: IO[str]) -> None:
    """Write the users of a validated list; several values of a cell are joined by semicolons."""
    from ...audiences.operations import PARAMS_FIELDS, body_pieces
    from ...output.records import csv_rows

    columns = [*plan.report.identifiers]
    params_columns = PARAMS_FIELDS if plan.has_params_columns else ()
    write = csv_rows(stream, ",")
    write([*columns, *params_columns])
    for batch in plan.batches():
        for operation in msgspec.json.decode(b"".join(body_pieces(batch.items))):
            values = {PARAMS_FIELDS[0]: operation[PARAMS_FIELDS[0]], **operation["params"]}
            params = [values.get(name, "") for name in params_columns]
            for user in values["users"]:
                write([*(";".join(user.get(name, ())) for name in columns), *params])


def _push(
    call: Invocation, files: list[str], feed: ListOptions, settings: "ListSettings", options: PushOptions
) -> None:
    from ..runs.sending import Sending

    plan = plan_list(call, files, feed, settings)
    with clear_text_notice(call, options):
        sending = Sending(call, plan, options)
        sending.read(lambda: require_people(call, plan, feed))
        if not sending.approve():
            sending.show_dry_run()
            return
        with sending.begun() as journal:
            sending.end(sending.send(journal))


def list_settings(
    call: Invocation,
    feed: ListOptions,
    target: Target,
    operation: OperationOptions = OperationOptions(),  # noqa: B008 - it cannot change
    effective_at: str | None = None,
    *,
    account: str | None = None,
) -> "ListSettings":
    """Return what the options say about the upload of people; raise UsageError.

    The account is that of the command, if none is named.
    """
    from ...audiences.operations import ParamsResolver
    from ...audiences.packing import PackingOptions
    from ...audiences.plan import ListSettings

    # Without an account nothing is sent, and there is no list.
    id = target.id if account else call.records.id_of(target.field, target.id)
    upload = target.upload(account or call.account, id)
    resolver = ParamsResolver.of_options(
        {
            "operation_type": operation.operation,
            "effective_at": effective_at,
            "expires_at": operation.expires_at,
        },
        is_at_once=upload.is_exclusion,
    )
    packing = PackingOptions(
        checked_region(feed.region),
        operation.users_per_operation,
        target.allow_clear_text,
        feed.keep_partial,
    )
    columns, state_dir = feed.list_columns(upload), call.settings.state_dir
    return ListSettings(upload, columns, resolver, packing, state_dir)


HINT = "adsctl audiences remembered lists them"
LEDGERS = Result("ads_cli.audiences.ledger:StoredLedger", "target", is_open=True)  # the name beside
# On a terminal: what a person knows a list by, and whether its ledger is relied on.
LEDGERS_SHOWN = (
    *("name", "people", "uncertain", "changed", "state"),
    *("target", "kind", "identifiers", "service"),
)
Audience = Annotated[str | None, option("ID", "The custom audience, by id or name")]
DoNotReachList = Annotated[str | None, option("ID", "The do-not-reach list, by id or name", "--list")]


@shows(LEDGERS)
@with_options(shown=ShownOptions)
def remembered(
    ctx: typer.Context, audience: Audience = None, list_: DoNotReachList = None, *, shown: ShownOptions
) -> None:
    """List the ledgers of this machine: how many people were acknowledged of each list, and the last change.

    A ledger whose state is not "current" is not relied on: the next sync sends everybody and deletes nobody.

    For example: adsctl audiences remembered
    """
    from ...audiences.ledger import StoredLedger, stored_ledgers

    call = Invocation.of(ctx)
    wanted = {_named(call, "custom_audience", audience), _named(call, "do_not_reach_list", list_)}
    names, profile = TargetNames(call.settings.state_dir), call.settings.profile
    records = [
        ledger._asdict() | {"name": names.name(profile, ledger.kind, ledger.target)}
        for ledger in stored_ledgers(call.settings.state_dir)
        if not (audience or list_) or (ledger.kind, ledger.target) in wanted
    ]
    columns = LEDGERS_SHOWN if call.printer.is_for_people else (*StoredLedger._fields, "name")
    shown.show(call, records, columns, "ledgers", "target")


def _named(call: Invocation, kind: str, text: str | None) -> tuple[str, str]:
    return kind, call.records.id_of(f"{kind}_id", text) if text else ""


def forget(ctx: typer.Context, audience: Audience = None, list_: DoNotReachList = None) -> None:
    """Remove the ledger of a list: nobody whom it holds can be deleted by a sync any more.

    The list in the account stays as it is. The next sync sends everybody in its file.

    For example: adsctl audiences forget --audience 1nmth
    """
    from ...audiences.ledger import Ledger
    from ...store.epochs import UploadTarget

    call = Invocation.of(ctx)
    if bool(audience) == bool(list_):
        raise UsageError("give --audience or --list", hint=HINT)
    kind = "custom_audience" if audience else "do_not_reach_list"
    _, target = _named(call, kind, audience or list_)
    ledger = Ledger(call.settings.state_dir, UploadTarget(call.service, kind, target))
    list_words = TargetNames(call.settings.state_dir).words(call.settings.profile, kind, target)
    if not ledger.exists():
        raise NotFoundError(f"this machine has no ledger of the {list_words}", hint=HINT)
    ledger.require_idle()
    ledger.open()
    what = f"{counted(ledger.counts().people, 'person', 'people')} of the {list_words}"
    if call.dry_run:
        call.messages.say(f"dry run: would forget {what}")
        return
    call.confirm(f"Forget {what}", at_service=False)
    ledger.remove()
    call.messages.say(f"forgot {what}")
