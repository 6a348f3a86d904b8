"""Make an ad of a file, a text and an address: a file of campaigns with that one ad, which is applied."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args
from urllib.parse import urlsplit

import typer

from ...api.line_items import Objective
from ...api.spending import ACTIVE, STATUS
from ...api.time import Time
from ...console.drawing import next_command
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.shown import shows
from ...errors import ContentError, UsageError
from ...output.text import Lines, listed, safe
from ...spelling import as_option
from .shown import CHANGES

if TYPE_CHECKING:
    from ...campaigns.campaign_file import CampaignFile
    from ...campaigns.plan import CampaignPlan, Change
    from .applying import ApplyRun

OBJECTIVES: tuple[str, ...] = get_args(Objective)
POSTS = "PROMOTED_POSTS"
MAX_NAME = 80  # letters of a text that names a line item
USER_ID = re.compile(r"\(([0-9]+)\)\Z")  # at the end of what a profile says of who is signed in
MAY_POST = "FULL"  # the type of a user whose new posts an account may promote
OF_LINE_ITEM = ("name", "objective", "daily_budget")  # keys of the file that are options too
# What gives the value of other keys of the file.
OPTIONS = {
    "media": "FILE",
    "card": "--url",
    "as_user_id": "--as-user",
    "product_type": "--campaign",
    "targeting_type": "--target",
    "targeting_value": "--target",
}


@shows(CHANGES)
def create(
    ctx: typer.Context,
    media: Annotated[list[str], argument("FILE...", "An image or a video; up to 4 images without --url")],
    text: Annotated[str, option("TEXT", "What the post says")],
    url: Annotated[str | None, option("URL", "Where a click leads, by a card below the text")] = None,
    title: Annotated[
        str | None, option("TEXT", "The title of the card (default: the host of the address)")
    ] = None,
    line_item: Annotated[
        str | None, option("ID", "An existing line item, which gets the ad", "--line-item-id", "--line-item")
    ] = None,
    campaign: Annotated[
        str | None, option("ID", "The campaign of a new line item", "--campaign-id", "--campaign")
    ] = None,
    name: Annotated[
        str | None, option("TEXT", "The name of the line item in it, new or not (default: the text)")
    ] = None,
    objective: Annotated[
        str, option("NAME", f"Of a new line item: {', '.join(OBJECTIVES)}", offers=OBJECTIVES)
    ] = "WEBSITE_CLICKS",
    daily_budget: Annotated[str | None, option("AMOUNT", "Of a new line item, as in 5 or 2.50")] = None,
    target: Annotated[
        list[str] | None,
        option("TYPE=VALUE", "Who sees a new line item, as in LOCATION=Germany; may be repeated"),
    ] = None,
    as_user: Annotated[
        str | None,
        option("ID", "The author of the post (default: who is signed in)", "--as-user-id", "--as-user"),
    ] = None,
    active: Annotated[bool, flag("Let a new line item serve; it asks first")] = False,
    resume: Annotated[bool, flag("Go on after a run that was stopped; nothing is made twice")] = False,
) -> None:
    """Make an ad of an image or a video, a text and an address.

    Uploads the file, makes the card and the post, and promotes it in an existing line item or in a new one,
    which is paused unless --active is given. It asks before an ad is added to a line item that serves. The
    same command again makes nothing twice. After a run that was stopped, run it again with --resume.

    For example: adsctl ads create hero.png --text 'Mugs are back' --url https://shop.example --campaign 8wku2
    """
    if bool(line_item) == bool(campaign):
        raise UsageError("give --line-item of an existing one, or --campaign of a new one")
    of_new = {"--name": name, "--daily-budget": daily_budget, "--target": target, "--active": active or None}
    if line_item and (given := [option for option, value in of_new.items() if value is not None]):
        raise UsageError(f"{', '.join(given)}: for a new line item only", hint="give --campaign")
    call = Invocation.of(ctx)
    call.client.open()
    ad: dict[str, Any] = {"text": text, "media": media, "as_user_id": as_user or _author(call)}
    if url:
        ad["card"] = {"website": url, "title": title or urlsplit(url).hostname or url}
    elif title:
        raise UsageError("--title: is that of the card", hint="give --url too")
    line_item = call.records.id_of("line_item_id", line_item) if line_item else None
    campaign = call.records.id_of("campaign_id", campaign) if campaign else None
    if line_item:
        campaign = _campaign_of(call, line_item)
        item: dict[str, Any] = {"id": line_item, "ads": [ad]}
    else:
        call.stored.record("campaign_id", str(campaign))  # raises NotFoundError
        item = {
            "name": name or text[:MAX_NAME],
            "objective": objective,
            "product_type": POSTS,
            "placements": ["ALL_ON_PLATFORM"],
            "bid_strategy": "AUTO",
            "start_time": Time.of(datetime.now(UTC)),
            **({"daily_budget": daily_budget} if daily_budget else {}),
            **({STATUS: ACTIVE} if active else {}),
            **({"targeting": [*map(_criterion, target)]} if target else {}),
            "ads": [ad],
        }
    _apply(call, {"campaigns": [{"id": campaign, "line_items": [item]}]}, resume=resume)


def _apply(call: Invocation, document: Mapping[str, Any], *, resume: bool) -> None:
    """Create what of a document is not there; nothing that is there is changed."""
    from ...campaigns.file import file_of
    from ...campaigns.kinds import LINE_ITEM
    from .applying import ApplyRun
    from .plan_view import plan_words, print_plan, report_result, show_plan

    parsed = file_of(dict(document), "ads create", Path())
    run = ApplyRun(call, prune=False, replace=False, resume=resume)
    (item,) = document["campaigns"][0]["line_items"]
    known = {**item, "start_time": None}  # another one each time
    run.content = sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
    with run.locked():
        plan = _compared(run, parsed)
        for change in plan.changes:
            if change.action == "update":
                _say_kept(call, change)
        plan.changes = [change for change in plan.changes if change.action == "create"]
        plan.staying = []  # nobody expects an ad to be all that there is
        is_shown = call.dry_run and call.printer.is_for_people
        if plan.changes:
            show_plan(call, plan, is_result=is_shown)
        else:
            call.messages.say("nothing is left to make: the ad is there")
        run.approve(plan)
        if call.dry_run:
            if call.is_plan:
                run.ask(plan)
                call.messages.show(plan_words(plan))
            if not is_shown:
                print_plan(call, plan)
            return
        result = run.carry_out(plan)
    print_plan(call, plan, result)
    # There is no file whose places would tell anything: `campaigns[0] (create campaign Spring)`.
    result.failed = [(path.partition(" (")[2].removesuffix(")"), why) for path, why in result.failed]
    if plan.changes:
        report_result(call, result, "run it again, with other options: what was made is not made twice")
    for change in plan.changes:
        if change.kind is LINE_ITEM and change.entry and change.values.get(STATUS) != ACTIVE:
            id = result.ids.get(change.entry, "")
            activate = next_command(call, ("line-items", "activate", id))
            call.messages.say(
                safe(f"the line item {change.name} ({id}) is paused; to let it serve: {activate}")
            )


def _say_kept(call: Invocation, change: "Change") -> None:
    """Say which options a line item that is there does not follow."""
    before, after = change.before or {}, change.after or {}
    kept = [
        f"{key} stays {before[key]} {change.currency_of(key)}".rstrip()
        for key in after
        if key != "start_time"
    ]
    if kept:
        update = next_command(call, ("line-items", "update", str(change.id)))
        words = f"the {change.kind.noun} {change.name} ({change.id}) is there: {', '.join(kept)}"
        call.messages.warn(safe(f"{words}; to change it: {update} --help"))


def _compared(run: "ApplyRun", parsed: "CampaignFile") -> "CampaignPlan":
    """Compare with the account; raise UsageError that names options in place of places in a file."""
    try:
        return run.compare_parsed(parsed)
    except ContentError:
        if not parsed.problems:
            raise
        lines = []
        for problem in dict.fromkeys(parsed.problems):
            key = problem.path.rpartition(".")[2]
            named = OPTIONS.get(key) or (as_option(key) if key in OF_LINE_ITEM else key)
            lines.append(f"{named}: {problem.text}")
        raise UsageError(Lines(dict.fromkeys(lines)), hint="nothing was sent") from None


def _campaign_of(call: Invocation, line_item: str) -> str:
    """Return the campaign of a line item; raise where there is none, or it shows no posts."""
    record = call.stored.record("line_item_id", line_item)
    if (kind := record.get("product_type")) not in (None, POSTS):
        raise UsageError(f"the line item {line_item} is of the product type {kind}, which shows no posts")
    return str(record.get("campaign_id"))


def _criterion(text: str) -> dict[str, str]:
    """Read `LOCATION=Germany`, or `EXCLUDE LOCATION=Berlin`, as a file of campaigns has it."""
    kind, equals, value = text.partition("=")
    if not (equals and kind and value):
        raise UsageError(f"--target: {text!r} is not TYPE=VALUE", hint="as in LOCATION=Germany")
    return {kind.strip(): value.strip()}


def _author(call: Invocation) -> str | None:
    """Return who is signed in, where that user may post for the account, else the only one who may.

    None where the service posts by the advertiser itself.
    """
    from ...api.accounts import ListPromotableUsers
    from ...campaigns.account import list_all

    users = list_all(call.client, ListPromotableUsers, account_id=call.account)
    may_post = [str(user["user_id"]) for user in users if user.get("promotable_user_type") == MAY_POST]
    signed_in = USER_ID.search(str(call.settings.get("user") or ""))
    if signed_in and signed_in[1] in may_post:
        return signed_in[1]
    if len(may_post) == 1:
        return may_post[0]
    if not may_post and call.settings.service == "x":
        return None
    raise UsageError(
        f"--as-user: is required: these may post for the account: {listed(may_post) or 'nobody'}",
        hint="adsctl accounts promotable-users list",
    )
