"""Say why campaigns do not deliver, and what to do."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

import typer

from ...api.delivery import CAMPAIGN
from ...console.drawing import console_of, next_command
from ...console.invocation import Invocation
from ...console.parameters import argument
from ...console.shown import Result, shows
from ...output.text import counted, listed, safe
from .tree import Node, campaign_nodes

if TYPE_CHECKING:
    from ...campaigns.delivery import Finding


class WhyRecord(TypedDict):
    """Why a campaign, or what belongs to it, does not deliver."""

    campaign: str
    kind: str
    name: str
    reason: str
    why: str
    command: str | None
    campaign_id: str
    id: str


REASONS = Result(WhyRecord)
# What keeps from delivering, and is no reason that the service states.
RULES = ("D102", "D103", "D104", "D109", "D110", "D111", "D113", "B106", "B107")
Campaigns = Annotated[
    list[str] | None, argument("CAMPAIGN...", "The ids or names of campaigns (default: all)")
]


@shows(REASONS)
def why(ctx: typer.Context, campaigns: Campaigns = None) -> None:
    """Say why campaigns do not deliver, and what to do.

    Of each campaign it names the reasons that the service states, then the line items that do not deliver. Of
    those that are named it adds what the rules of 'accounts check' find that keeps them from delivering.

    For example: adsctl campaigns why 8wkt5
    """
    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    records = list[WhyRecord]()
    for campaign in campaign_nodes(call, campaigns or []):
        findings = [*campaign.why, *(found for item in campaign.below for found in item.why)]
        records += _records(call, campaign.fields, findings)
        rules = [*_of_rules(call, campaign)] if campaigns else []
        records += rules
        if not (findings or rules) and campaigns:
            name = f"{campaign.name} ({campaign.fields['id']})"
            call.messages.say(f"{name} is {campaign.status}: nothing is in the way of its delivery")
    if not (records or campaigns):
        call.messages.say("nothing is in the way of the delivery of any campaign")
    if call.printer.is_for_people:
        _draw(call, records)
    else:
        call.printer.show(records, REASONS.columns, REASONS.key)


def _records(call: Invocation, campaign: Any, findings: "list[Finding]") -> Iterator[WhyRecord]:
    for found in findings:
        yield {
            "campaign": campaign.get("name"),
            "kind": found.kind,
            "name": found.name,
            "reason": found.code,
            "why": found.words,
            "command": next_command(call, found.command),
            "campaign_id": campaign["id"],
            "id": found.record["id"],
        }


def _of_rules(call: Invocation, campaign: Node) -> Iterator[WhyRecord]:
    """Yield what rules find of a campaign, its line items and its ads, beside the reasons of the service."""
    from ...checks.outcome import Finding, Unknown
    from ...checks.registry import selected
    from ...checks.run import apply_rules
    from ..checking import facts_of, required

    facts = facts_of(call, "7d")
    with required():
        items = {str(item["id"]) for item in facts.items_of[str(campaign.fields["id"])]}
        own = {str(campaign.fields["id"]), str(campaign.fields.get("funding_instrument_id")), *items}
        own |= {str(ad["id"]) for item in items for ad in facts.ads_of.get(item, ())}
    outcomes = [*apply_rules(selected(RULES, ()), facts)]
    if unknown := [f"{rule.code}: {one.message}" for rule, one in outcomes if isinstance(one, Unknown)]:
        call.messages.note(f"{counted(len(unknown), 'check')} unknown: {listed(unknown)}")
    for rule, outcome in outcomes:
        if isinstance(outcome, Finding) and outcome.id in own:
            yield {
                "campaign": str(campaign.fields.get("name")),
                "kind": outcome.kind,
                "name": outcome.name,
                "reason": rule.code,
                "why": outcome.message,
                "command": next_command(call, outcome.command),
                "campaign_id": campaign.fields["id"],
                "id": outcome.id,
            }


def _draw(call: Invocation, records: list[WhyRecord]) -> None:
    """Print each campaign, and below it what is in the way with the next command, which is not wrapped."""
    from rich.padding import Padding
    from rich.text import Text

    console, campaign = console_of(call), None
    for record in records:
        if record["campaign_id"] != campaign:
            if campaign:
                console.print()
            campaign = record["campaign_id"]
            console.print(Text.assemble((safe(str(record["campaign"])), "bold"), f"  {safe(campaign)}"))
        whose = (
            "" if record["kind"] == CAMPAIGN else f"the {record['kind']} {record['name']} ({record['id']}) "
        )
        console.print(Padding(Text(safe(f"{whose}{record['why']}")), (0, 0, 0, 2), expand=False))
        console.print(Text(f"    {record['command']}"), soft_wrap=True)
