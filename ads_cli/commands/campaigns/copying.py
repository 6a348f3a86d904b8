"""Copy campaigns, within an account or to another one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from ...api.spending import ACTIVE, STATUS
from ...campaigns.kinds import TARGETING
from ...console.invocation import Invocation
from ...console.parameters import argument, flag, option
from ...console.shown import shows
from ...errors import UsageError
from ...output.text import counted, listed
from ...spelling import as_stored
from .shown import CHANGES

if TYPE_CHECKING:
    from ...campaigns.campaign_file import CampaignFile
    from ...campaigns.copying import CopySetting
    from ...campaigns.plan import CampaignPlan
    from .applying import ApplyRun


@shows(CHANGES)
def copy(
    ctx: typer.Context,
    ids: Annotated[list[str], argument("CAMPAIGN...", "The ids or names of campaigns")],
    to_account: Annotated[str | None, option("ID", "The account that gets the copies")] = None,
    to_profile: Annotated[str | None, option("NAME", "The profile of that account")] = None,
    name: Annotated[str | None, option("TEXT", "Their names; {name} stands for that of the original")] = None,
    set_: Annotated[
        list[str] | None,
        option("FIELD=VALUE", "As in daily_budget=+10% or line_items.end_time=TIME", "--set"),
    ] = None,
    map_: Annotated[
        list[str] | None, option("ID=ID", "What the other account has in place of what is named", "--map")
    ] = None,
    active: Annotated[bool, flag("Activate what is active; it asks first")] = False,
    resume: Annotated[bool, flag("Go on after a run that was stopped")] = False,
) -> None:
    """Copy campaigns with their line items, targeting, ads and tracking tags.

    The copies are paused, unless --active is given. What cannot be as it was, such as an end that has passed
    or an audience that another account does not have, is reported before anything is created. A copy that was
    stopped is resumed by the same command. Once it has ended, the same command creates nothing more, and
    another --set is refused. -o ids prints the ids of the copies.

    For example: adsctl campaigns copy 8wku4 --name 'Next {name}' --set daily_budget=+10% --dry-run
    """
    from ...campaigns.account import AccountReader
    from ...campaigns.copying import Copy, note_missing, parse_map, parse_settings
    from ...campaigns.loops import PLACEHOLDER
    from .applying import ApplyRun
    from .plan_view import print_plan, report_result, show_plan

    call = Invocation.of(ctx)
    settings, mapped = parse_settings(set_ or (), active=active), parse_map(map_ or ())
    target = call
    if to_account or to_profile:
        named = {"profile": to_profile} if to_profile else {}
        target = call.with_flags({"account": to_account, **named})
    is_elsewhere = (target.service, target.account) != (call.service, call.account)
    template = name or ("{name}" if is_elsewhere else "Copy of {name}")
    for word in PLACEHOLDER.findall(template):
        if word != "name":
            raise UsageError(
                f"--name: {{{word}}} stands for nothing", hint="{name} stands for the name of the original"
            )
    if "{name}" not in template and len({*ids}) > 1:
        raise UsageError(
            "--name: several campaigns need a name with {name}", hint="as in --name 'Next {name}'"
        )
    call.client.open()
    reader = AccountReader(call.client, call.account)
    originals = reader.to_copy([*dict.fromkeys(call.records.ids_of("campaign_id", ids))])
    copied = Copy(originals, call.account, name=template, settings=settings, mapped=mapped, active=active)
    copy_file = copied.file()
    for what, whose in copied.left_out.items():
        call.messages.note(f"{what} is not copied, since only the service sets it ({listed(whose)})")
    if is_elsewhere:
        called = target.records.label("account_id", target.account)
        note_missing(target.client, target.account, called, copy_file, call.records.names)
    run = ApplyRun(target, prune=False, replace=False, resume=resume)
    if resume:
        call.messages.detail("what was created is found, and not created again")
    with run.locked():
        plan = run.compare_parsed(copy_file, is_copy=True)
        copied.note_other_currencies(copy_file, plan)
        _require_new_names(run, copy_file, plan)
        _require_set(settings, copy_file, plan)
        # What its owner has changed since of a copy that is there stays: it is only activated.
        plan.changes = [
            change
            for change in plan.changes
            if change.action == "create" or change.values.get(STATUS) == ACTIVE
        ]
        for difference in plan.changes:
            if difference.action == "update":
                difference.values = {STATUS: ACTIVE}
        _require_set_targeting(settings, copy_file, plan)
        _report_copied_before(target, copy_file, plan)
        show_plan(target, plan, is_result=target.dry_run and target.printer.is_for_people)
        run.approve(plan)
        if target.dry_run:
            if not target.printer.is_for_people and target.printer.format != "ids":  # nothing has one yet
                print_plan(target, plan)
            return
        result = run.carry_out(plan)
    if target.printer.format == "ids":
        copies = dict(zip((original.id for original in originals), copy_file.campaigns, strict=True))
        made = (result.ids.get(copies[id]) or plan.matched[copies[id]].id for id in dict.fromkeys(ids))
        target.printer.show([{"id": id} for id in made], ("id",), "id")
    else:
        print_plan(target, plan, result)
    report_result(target, result)


def _require_new_names(run: "ApplyRun", copy_file: "CampaignFile", plan: "CampaignPlan") -> None:
    """Refuse names that other campaigns have."""
    ids_by_name = {as_stored(campaign.name): campaign.id for campaign in run.listed if campaign.name}
    for entry in copy_file.campaigns:
        if entry not in plan.matched and (other := ids_by_name.get(as_stored(entry.name or ""))):
            copy_file.note(entry, f"{entry.name!r} is the name of campaign {other}: add --name", "name")
    copy_file.require_valid()


def _require_set(settings: Iterable["CopySetting"], copy_file: "CampaignFile", plan: "CampaignPlan") -> None:
    """Refuse values of --set that a copy which is there does not have."""
    for change in plan.changes:
        if change.action != "update" or change.entry is None:
            continue
        before, after = change.before or {}, change.after or {}
        keys = {setting.field.name: setting.field.key for setting in settings if setting.kind is change.kind}
        for name, key in keys.items():
            if name in change.values and (name, change.values[name]) != (STATUS, ACTIVE):
                copy_file.note(
                    change.entry,
                    f"{change.name!r} was copied before, with {before[key]} and not {after[key]}: "
                    f"change the {change.kind.noun} {change.id}, or add --name for another copy",
                    name,
                )
    copy_file.require_valid()


def _require_set_targeting(
    settings: Iterable["CopySetting"], copy_file: "CampaignFile", plan: "CampaignPlan"
) -> None:
    """Refuse criteria of --set where a copy that is there has others of the type."""
    from ...campaigns.plan_tree import Titles

    titles = Titles(plan, {})
    set_types = {setting.criterion for setting in settings if setting.criterion}
    entries = {stored: entry for entry, stored in plan.matched.items()}
    for stored in plan.staying:
        if stored.kind is TARGETING and stored.parent in entries and titles.criterion(stored) in set_types:
            text = (
                f"was copied before, with {titles.of(stored)}: "
                f"change the line item {stored.parent.id}, or add --name for another copy"
            )
            copy_file.note(entries[stored.parent], text, "targeting")
    copy_file.require_valid()


def _report_copied_before(call: Invocation, copy_file: "CampaignFile", plan: "CampaignPlan") -> None:
    """Name the campaigns that were copied before, where nothing is left to do."""
    copies = [
        f"{stored.name} ({stored.id})" for entry in copy_file.campaigns if (stored := plan.matched.get(entry))
    ]
    if copies and not plan.changes:
        call.messages.note(
            f"{counted(len(copies), 'campaign')} copied before: {', '.join(copies)}; --name makes another"
        )
