"""Show campaigns with all that belongs to them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...api.names import to_neutral
from ...console.invocation import Invocation
from ...console.parameters import argument, flag

if TYPE_CHECKING:
    from ...campaigns.account import AccountReader
    from .tree_view import Node


def tree(
    ctx: typer.Context,
    campaign: Annotated[str | None, argument("CAMPAIGN", "The id of a campaign (default: all)")] = None,
) -> None:
    """Draw campaigns with their line items, whom they target and what they show.

    Other formats than table have one record for each, with the service's own in its field record.

    For example: adsctl campaigns tree 8wku2
    """
    from ...output.drawings import draw_tree
    from .tree_view import COLUMNS, branch_of, records_of

    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    nodes = _campaigns(call, campaign)
    if not nodes:
        call.messages.say("the account has no campaigns")
    if call.printer.is_for_people:
        draw_tree(call.printer.stream, [branch_of(node) for node in nodes], color=call.printer.color)
    else:
        call.printer.show(list(records_of(nodes)), COLUMNS, "id", ("record",))


def _campaigns(call: Invocation, campaign: str | None) -> "list[Node]":
    """Fetch one campaign or all, and what belongs to them."""
    from ...api.campaigns import GetCampaign
    from ...campaigns.account import AccountReader, records_in
    from .tree_view import Node

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


def _below_line_items(reader: "AccountReader", line_items: list[dict[str, Any]]) -> "dict[str, list[Node]]":
    """Fetch what line items target and show, by line item."""
    from ...api.promoted import (
        ListCallToActions,
        ListMediaCreatives,
        ListPromotedAccounts,
        ListPromotedPosts,
        ListScheduledPromotedPosts,
    )
    from ...api.targeting import ListCriteria
    from .tree_view import TARGETING, Node

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


SCHEME = "card://"


def fetch(
    ctx: typer.Context,
    cards: Annotated[list[str], argument("CARD...", "Addresses, as card://ID, or one id")],
    with_deleted: Annotated[bool, flag("Show deleted cards too")] = False,
) -> None:
    """Show cards of any kind, by the addresses that posts have of them.

    Each is one flat record, whose fields depend on the type of the card.

    For example: adsctl cards fetch card://7cqs1 card://7cqt1
    """
    from ...api.cards import FetchCard, FetchCards
    from ...api.endpoint import Request
    from ...console.request_input import request_from_input
    from ...console.results import show

    call = Invocation.of(ctx, mutates=False)
    values = {"account_id": call.account, "with_deleted": with_deleted or None}
    is_id = len(cards) == 1 and not cards[0].startswith(SCHEME)
    kind: type[Request] = FetchCard if is_id else FetchCards
    request = request_from_input(kind, values | ({"card_id": cards[0]} if is_id else {"card_uris": cards}))
    show(call, request, call.client.call(request).data)
