"""Campaigns with their line items, whom they target and what they show: as records, and drawn as a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...api.names import to_neutral
from ...console.invocation import Invocation
from ...console.parameters import argument
from ...console.table_view import shown, state_style
from ...output.drawings import Branch, draw_tree
from ...output.text import first_of

if TYPE_CHECKING:
    from ...campaigns.account import AccountReader

TARGETING = "targeting"
# By kind: the field that names a record for people.
CREATIVES = {
    "post": "post_id",
    "scheduled post": "scheduled_post_id",
    "account": "user_id",
    "media": "account_media_id",
    "call to action": "call_to_action",
}
NAMES = {**dict.fromkeys(("campaign", "line item", TARGETING), "name"), **CREATIVES}
COLUMNS = ("kind", "id", "parent_id", "name", "status")
MAX_VALUES = 12  # of one type of targeting, on a terminal
UNKNOWN = "UNKNOWN"  # the effective status of a draft
# What a drawing says of fields.
BUDGET = {
    "daily_budget_amount_local_micro": "{} a day",
    "total_budget_amount_local_micro": "{} in total",
}
DATES = {"start_time": "from {}", "end_time": "until {}"}


class Node(NamedTuple):
    """A record of the service, with those that belong to it."""

    kind: str
    sent: Mapping[str, Any]  # as the service sent it
    fields: Mapping[str, Any]  # by neutral names
    below: Sequence["Node"] = ()

    @property
    def name(self) -> str:
        """What a person calls it."""
        return str(self.fields.get(NAMES[self.kind]) or self.fields.get("targeting_value") or "")

    @property
    def status(self) -> str:
        """Its status; of a campaign, what follows from its state, where the service knows that."""
        effective = self.fields.get("effective_status")
        known = None if effective == UNKNOWN else effective
        return str(known or self.fields.get("entity_status") or "")


def tree(
    ctx: typer.Context,
    campaign: Annotated[str | None, argument("CAMPAIGN", "The id of a campaign (default: all)")] = None,
) -> None:
    """Draw campaigns with their line items, whom they target and what they show.

    Other formats than table have one record for each, with the service's own in its field record.

    For example: adsctl campaigns tree 8wku2
    """
    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    nodes = _campaigns(call, campaign)
    if not nodes:
        call.messages.say("the account has no campaigns")
    if call.printer.is_for_people:
        draw_tree(call.printer.stream, [branch_of(node) for node in nodes], color=call.printer.color)
    else:
        call.printer.show(list(records_of(nodes)), COLUMNS, "id", ("record",))


def _campaigns(call: Invocation, campaign: str | None) -> list[Node]:
    """Fetch one campaign or all, and what belongs to them."""
    from ...api.campaigns import GetCampaign
    from ...campaigns.account import AccountReader, records_in

    reader = AccountReader(call.client, call.account)
    if campaign is None:
        sent = reader.campaigns()
    else:
        sent = records_in(call.client.call(GetCampaign(account_id=call.account, campaign_id=campaign)), "id")
    fields = to_neutral(sent)
    ids = [one["id"] for one in fields]
    items = reader.line_items(ids)
    below = _below_line_items(reader, to_neutral(items))
    line_items: dict[str, list[Node]] = {id: [] for id in ids}
    for one in items:
        neutral = to_neutral(one)
        node = Node("line item", one, neutral, below.get(neutral["id"], ()))
        line_items.setdefault(neutral["campaign_id"], []).append(node)
    return [
        Node("campaign", one, neutral, line_items[neutral["id"]])
        for one, neutral in zip(sent, fields, strict=True)
    ]


def _below_line_items(reader: "AccountReader", line_items: list[dict[str, Any]]) -> dict[str, list[Node]]:
    """Fetch what line items target and show, by line item."""
    from ...api.promoted import (
        ListCallToActions,
        ListMediaCreatives,
        ListPromotedAccounts,
        ListPromotedPosts,
        ListScheduledPromotedPosts,
    )
    from ...api.targeting import ListCriteria

    lists: dict[str, Any] = {
        TARGETING: ListCriteria,
        "post": ListPromotedPosts,
        "scheduled post": ListScheduledPromotedPosts,
        "account": ListPromotedAccounts,
        "media": ListMediaCreatives,
        "call to action": ListCallToActions,
    }
    below: dict[str, list[Node]] = {}
    for kind, request in lists.items():
        # The service refuses the others where it lists promoted accounts.
        promoting = [one for one in line_items if one.get("product_type") == "PROMOTED_ACCOUNT"]
        ids = [one["id"] for one in (promoting if kind == "account" else line_items)]
        for record in reader.below(request, ids):
            neutral = to_neutral(record)
            below.setdefault(neutral["line_item_id"], []).append(Node(kind, record, neutral))
    return below


def records_of(nodes: Iterable[Node], parent: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield a record for each node, parents first, with the service's own beside it."""
    for node in nodes:
        id = node.fields.get("id")
        yield {
            "kind": node.kind,
            "id": id,
            "parent_id": parent,
            "name": node.name,
            "status": node.status,
            "record": node.sent,
        }
        yield from records_of(node.below, id)


def branch_of(node: Node) -> Branch:
    """Draw a campaign or a line item, and what belongs to it."""
    criteria = [one for one in node.below if one.kind == TARGETING]
    creatives = [one for one in node.below if one.kind in CREATIVES]
    nested = [one for one in node.below if one.kind not in (TARGETING, *CREATIVES)]
    about = [Branch("budget", _texts(node, BUDGET)), Branch("dates", _texts(node, DATES))]
    return Branch(
        node.name or "(no name)",
        [node.status, str(node.fields.get("objective") or "")],
        [
            *(one for one in about if one.details),
            *map(branch_of, nested),
            *_targeting(criteria),
            *(
                Branch(f"{one.kind} {one.name}", [one.status], styles=[state_style(one.status)])
                for one in creatives
            ),
        ],
        before=str(node.fields.get("id")),
        styles=[state_style(node.status)],
    )


def _texts(node: Node, formats: Mapping[str, str]) -> list[str]:
    fields = node.fields
    return [
        text.format(shown(name, fields)) for name, text in formats.items() if fields.get(name) is not None
    ]


def _targeting(criteria: Sequence[Node]) -> Iterator[Branch]:
    """Draw a line for each type of targeting, with all values that are included or excluded."""
    groups: dict[tuple[str, str], list[str]] = {}
    for node in criteria:
        excludes = "not " if node.fields.get("operator_type") == "NE" else ""
        groups.setdefault((excludes, str(node.fields.get("targeting_type"))), []).append(node.name)
    for (excludes, kind), names in groups.items():
        yield Branch(f"{excludes}{kind}", [first_of(names, MAX_VALUES)])
