"""Show campaigns with all that belongs to them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...console.invocation import Invocation
from ...errors import UnavailableError

if TYPE_CHECKING:
    from ...api.endpoint import Request
    from ...client.response import Response
    from .tree_view import Node


IDS_PER_REQUEST = 200
REQUESTS_AT_ONCE = 4
PAGE_SIZE = 1000


def tree(
    ctx: typer.Context,
    campaign: Annotated[
        str | None, typer.Argument(metavar="CAMPAIGN", help="The id of a campaign (default: all)")
    ] = None,
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
    from ...api.campaigns import GetCampaign, ListCampaigns
    from ...api.line_items import ListLineItems
    from ...api.names import to_neutral
    from .tree_view import Node

    account = call.account
    if campaign is None:
        sent = _every(call, [ListCampaigns(account_id=account, with_draft=True, count=PAGE_SIZE)], "id")
    else:
        sent = _records(call.client.call(GetCampaign(account_id=account, campaign_id=campaign)), "id")
    fields = to_neutral(sent)
    ids = [one["id"] for one in fields]
    items = _every(
        call,
        [
            ListLineItems(account_id=account, campaign_ids=some, with_draft=True, count=PAGE_SIZE)
            for some in _parts(ids)
        ],
        *("id", "campaign_id"),
    )
    below = _below_line_items(call, to_neutral(items))
    line_items: dict[str, list[Node]] = {id: [] for id in ids}
    for one in items:
        neutral = to_neutral(one)
        node = Node("line item", one, neutral, below.get(neutral["id"], ()))
        line_items.setdefault(neutral["campaign_id"], []).append(node)
    return [
        Node("campaign", one, neutral, line_items[neutral["id"]])
        for one, neutral in zip(sent, fields, strict=True)
    ]


def _below_line_items(call: Invocation, line_items: list[dict[str, Any]]) -> "dict[str, list[Node]]":
    """Fetch what line items target and show, by line item."""
    from ...api.names import to_neutral
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
        requests = [
            request(account_id=call.account, line_item_ids=some, count=PAGE_SIZE) for some in _parts(ids)
        ]
        for record in _every(call, requests, "line_item_id"):
            neutral = to_neutral(record)
            below.setdefault(neutral["line_item_id"], []).append(Node(kind, record, neutral))
    return below


def _every(call: Invocation, requests: "Sequence[Request]", *ids: str) -> list[Any]:
    """Fetch all pages of some lists, whose records have `ids`."""
    from ...parallel.ordered_map import map_ordered

    def records(request: "Request") -> list[Any]:
        return [record for page in call.client.pages(request) for record in _records(page, *ids)]

    found = map_ordered(records, requests, REQUESTS_AT_ONCE, max(len(requests), 1))
    return [record for of_one in found for record in of_one]


def _records(response: "Response", *ids: str) -> list[Any]:
    """Return the records of a response as they were sent; raise UnavailableError where one lacks an id."""
    for record in response.records:
        if missing := [name for name in ids if not isinstance(record.get(name), str)]:
            raise UnavailableError(
                f"a record of the response has no {missing[0]}", http_status=response.status
            )
    return response.data if isinstance(response.data, list) else [response.data]


def _parts(ids: list[str]) -> Iterator[list[str]]:
    """Cut ids into as many as a list takes."""
    yield from (ids[start : start + IDS_PER_REQUEST] for start in range(0, len(ids), IDS_PER_REQUEST))


SCHEME = "card://"


def fetch(
    ctx: typer.Context,
    cards: Annotated[list[str], typer.Argument(metavar="CARD...", help="Addresses, as card://ID, or one id")],
    with_deleted: Annotated[bool, typer.Option("--with-deleted", help="Show deleted cards too")] = False,
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
