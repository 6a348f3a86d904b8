"""A plan of campaigns, and its result, in the words of messages: what changes, what may be spent."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import IO

from ...campaigns.ad_names import ad_names
from ...campaigns.apply import Applied
from ...campaigns.model import Entry
from ...campaigns.plan import CampaignPlan
from ...campaigns.plan_tree import PlanNode, Titles, plan_tree
from ...campaigns.spending import planned_spending
from ...client.spending_limits import SUM
from ...console.account_zone import account_zone, zone_for
from ...console.invocation import Invocation
from ...errors import AdsctlError, IncompleteError
from ...numbers import DeletionLimit, Deletions
from ...output.diff_view import DiffView, with_currency
from ...output.table_view import local_times
from ...output.text import Lines, counted, listed, safe
from .shown import CHANGES

MOST_STAYING = 5  # records that stay are named, of each list
STAYS = "in the account and not in the file"


def plan_words(plan: CampaignPlan) -> str:
    """Say what a plan comes to: its changes, what rises, and what may be spent in a day."""
    return f"{plan.words}; {planned_spending(plan).words}"


def pruned(plan: CampaignPlan, limit: DeletionLimit) -> Deletions:
    """Return what a plan deletes, since the file does not have it."""
    sentence = f"{plan.pruned:,} of {counted(plan.listed, 'record')} would be deleted"
    return Deletions(plan.pruned, plan.listed, sentence, limit)


def show_plan(call: Invocation, plan: CampaignPlan, *, is_result: bool = True) -> None:
    """Print a plan, and say what it comes to."""
    if is_result:
        print_plan(call, plan)
    elif plan.changes and not call.presentation.quiet:
        call.messages.draw(_drawn(call, plan, sys.stderr, color=call.messages.color))
    lines = [plan.words, *money_lines(call, plan)]
    if sys.stderr.isatty():
        lines = [local_times(line, lambda: zone_for(call)) for line in lines]
    call.messages.say(Lines(lines))
    if count := len(plan.staying):
        # What lies in a campaign is named where that is drawn.
        names = [
            safe(f"campaign {stored.name} ({stored.id})") for stored in plan.staying if not stored.parent
        ]
        campaigns = f", of these {listed(names, MOST_STAYING)}" if names else ""
        call.messages.say(f"{counted(count, 'record')} {STAYS} {_stay(count)}{campaigns}")


def money_lines(call: Invocation, plan: CampaignPlan) -> list[str]:
    """Say what a plan changes about spending, and what the guard lets the account spend at most."""
    lines = planned_spending(plan).lines
    with suppress(AdsctlError):  # a guard that cannot be read stops what changes something, and no plan
        bound = call.writes.guard.guard.bound_of_day()
        if bound and bound.key == SUM and plan.changes:
            lines.append(f"the account's limit bounds it: {bound.text} a day ({bound.key}, {bound.source})")
    return lines


def print_plan(call: Invocation, plan: CampaignPlan, result: Applied | None = None) -> None:
    """Print the changes as records, or drawn for people. Created records are shown with their ids."""
    records = []
    for change in plan.changes:
        record = change.record()
        if result and change.action == "create" and change.entry:
            record["id"] = result.ids.get(change.entry)
        records.append(record)
    if call.printer.is_for_people:
        if result is None and plan.changes:
            stream = call.printer.stream
            for line in _drawn(call, plan, stream, color=call.printer.color):
                stream.write(f"{line}\n")
        return
    call.printer.show(records, CHANGES.columns, CHANGES.key)


def _drawn(call: Invocation, plan: CampaignPlan, stream: IO[str], *, color: bool) -> Iterator[str]:
    """Draw a plan: a line for each record below what it lies in, and one for each field that changes."""
    titles = titles_of(call, plan)
    yield from _lines(plan_tree(plan), titles, DiffView.on(stream, color=color), "")


def titles_of(call: Invocation, plan: CampaignPlan, ids: Mapping[Entry, str] | None = None) -> Titles:
    """Return what names the records of a plan; what pays and the time zone are asked for where they occur."""

    def funding(id: str) -> str:
        return call.records.label("funding_instrument_id", id)

    names = ad_names(call.client, call.account, plan)
    return Titles(plan, names, ids, funding=funding, zone=cache(lambda: account_zone(call).info))


def _lines(nodes: Iterable[PlanNode], titles: Titles, view: DiffView, indent: str) -> Iterator[str]:
    for node in nodes:
        title = safe(titles.of(node.record))
        if node.replaced:
            start = safe(f"{indent}{titles.criterion(node.record)}: ")
            yield from view.replacement(start, titles.target(node.replaced), titles.target(node.record))
        elif node.action:
            yield view.record(node.action, indent + title)
        else:
            yield f"  {indent}{title}"
        for key, before, after, currency in titles.edits(node):
            if node.action == "update":
                yield from view.field(key, *with_currency(before, after, currency), f"{indent}      ")
            else:
                yield view.text(safe(f"{indent}      {key}: {after} {currency}".rstrip()))
        yield from _lines(node.below, titles, view, f"{indent}  ")
        if count := len(node.staying):
            names = listed([titles.of(stored) for stored in node.staying], MOST_STAYING)
            yield view.text(safe(f"    {indent}{count:,} {STAYS} {_stay(count)}: {names}"))


def _stay(count: int) -> str:
    return "stays; --prune deletes it" if count == 1 else "stay; --prune deletes them"


def report_result(
    call: Invocation,
    result: Applied,
    hint: str = "correct the file and apply it again: what was applied is not sent again",
) -> None:
    """Say what was done; raise IncompleteError where some of it was refused."""
    counts = ", ".join(f"{count:,} {what}" for what, count in result.counts.items() if count)
    if counts or not result.failed:
        call.messages.say(counts or "nothing to change")
    if result.failed:
        reasons = [f"{path}: {reason}" for path, reason in result.failed]
        raise IncompleteError(
            Lines([f"{counted(len(result.failed), 'record')} refused by the service", *reasons]), hint=hint
        )
