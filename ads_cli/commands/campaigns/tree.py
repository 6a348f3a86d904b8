"""Campaigns with their line items, whom they target and what they show: as records, and drawn as a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ...api.daily_bound import CampaignSpending, daily_bound, daily_budget
from ...api.names import to_neutral
from ...api.promoted import (
    ListCallToActions,
    ListMediaCreatives,
    ListPromotedAccounts,
    ListPromotedPosts,
    ListScheduledPromotedPosts,
)
from ...api.spending import DAILY_BUDGET, UNLIMITED, may_serve
from ...api.targeting import ListCriteria
from ...console.invocation import Invocation
from ...console.parameters import argument
from ...output.table_view import MONEY, header, shown, state_style
from ...output.text import first_of, safe

if TYPE_CHECKING:
    from rich.tree import Tree

    from ...campaigns.account import AccountReader

CAMPAIGN, LINE_ITEM, TARGETING, ACCOUNT = "campaign", "line item", "targeting", "account"
# The request that lists a kind of parts of a line item, and the field that names them for people.
BELOW_LINE_ITEMS: dict[str, tuple[Any, str]] = {
    TARGETING: (ListCriteria, "name"),
    "post": (ListPromotedPosts, "post_id"),
    "scheduled post": (ListScheduledPromotedPosts, "scheduled_post_id"),
    ACCOUNT: (ListPromotedAccounts, "user_id"),
    "media": (ListMediaCreatives, "account_media_id"),
    "call to action": (ListCallToActions, "call_to_action"),
}
COLUMNS = ("kind", "id", "parent_id", "name", "status")
MAX_VALUES = 12  # of one type of targeting, on a terminal
UNKNOWN = "UNKNOWN"  # the effective status of a draft
# What a drawing says of fields.
BUDGET = {
    DAILY_BUDGET: "{} a day",
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
        _, field = BELOW_LINE_ITEMS.get(self.kind, (None, "name"))
        return str(self.fields.get(field) or self.fields.get("targeting_value") or "")

    @property
    def status(self) -> str:
        """Its status. That of a campaign follows from its state, where the service knows that."""
        effective = self.fields.get("effective_status")
        status = None if effective == UNKNOWN else effective
        return str(status or self.fields.get("entity_status") or "")


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
    if doubts := [*_doubts(nodes)]:
        call.messages.warn(f"amounts of the service that are hard to believe: {first_of(doubts, MAX_VALUES)}")
    if call.printer.is_for_people:
        _draw(call.printer.stream, nodes, color=call.printer.color)
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
    ids = [record["id"] for record in fields]
    items = reader.line_items(ids)
    below = _below_line_items(reader, to_neutral(items))
    line_items: dict[str, list[Node]] = {id: [] for id in ids}
    for record in items:
        neutral = to_neutral(record)
        node = Node(LINE_ITEM, record, neutral, below.get(neutral["id"], ()))
        line_items.setdefault(neutral["campaign_id"], []).append(node)
    return [
        Node(CAMPAIGN, record, neutral, line_items[neutral["id"]])
        for record, neutral in zip(sent, fields, strict=True)
    ]


def _below_line_items(reader: "AccountReader", line_items: list[dict[str, Any]]) -> dict[str, list[Node]]:
    """Fetch what line items target and show, by line item."""
    below: dict[str, list[Node]] = {}
    for kind, (request, _) in BELOW_LINE_ITEMS.items():
        # The service refuses the others where it lists promoted accounts.
        promoting = [item for item in line_items if item.get("product_type") == "PROMOTED_ACCOUNT"]
        ids = [item["id"] for item in (promoting if kind == ACCOUNT else line_items)]
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


def _doubts(nodes: Iterable[Node]) -> Iterator[str]:
    """Name the amounts that cannot be: below 0, or no whole micro-units."""
    for node in nodes:
        for name, value in node.fields.items():
            is_amount = value is None or (type(value) is int and value >= 0)
            if name.endswith(MONEY) and not is_amount:
                yield f"{header(name)} {value} of {node.kind} {node.fields.get('id')}"
        yield from _doubts(node.below)


def _branch_of(node: Node) -> "Tree":
    """Draw a campaign or a line item, and what belongs to it."""
    criteria = [child for child in node.below if child.kind == TARGETING]
    line_items = [child for child in node.below if child.kind == LINE_ITEM]
    creatives = [child for child in node.below if child.kind not in (TARGETING, LINE_ITEM)]
    budget = [*_bound(node, line_items), *_texts(node, BUDGET)]
    about = {"budget": budget, "dates": _texts(node, DATES)}
    return _branch(
        node.name or "(no name)",
        [node.status, str(node.fields.get("objective") or "")],
        [
            *(_branch(title, details) for title, details in about.items() if details),
            *map(_branch_of, line_items),
            *_targeting(criteria),
            *(_branch(f"{child.kind} {child.name}", [child.status], has_status=True) for child in creatives),
        ],
        before=str(node.fields.get("id")),
        has_status=True,
    )


def _bound(node: Node, line_items: Sequence[Node]) -> Iterator[str]:
    """Yield what a campaign without a daily budget may spend in a day."""
    now = datetime.now(UTC)
    if node.kind == CAMPAIGN and daily_budget(node.fields) is None and may_serve(node.fields, now):
        items = [item.fields for item in line_items]
        bound = daily_bound([CampaignSpending("", node.fields, items)], now)
        yield f"{UNLIMITED} a day" if bound.unbounded else f"{bound} a day by its line items"


def _texts(node: Node, formats: Mapping[str, str]) -> list[str]:
    fields = node.fields
    return [
        text.format(shown(name, fields)) for name, text in formats.items() if fields.get(name) is not None
    ]


def _targeting(criteria: Sequence[Node]) -> Iterator["Tree"]:
    """Draw a line for each type of targeting, with all values that are included or excluded."""
    groups: dict[tuple[str, str], list[str]] = {}
    for node in criteria:
        excludes = "not " if node.fields.get("operator_type") == "NE" else ""
        groups.setdefault((excludes, str(node.fields.get("targeting_type"))), []).append(node.name)
    for (excludes, kind), names in groups.items():
        yield _branch(f"{excludes}{kind}", [first_of(names, MAX_VALUES)])


def _branch(
    title: str,
    details: Sequence[str],
    below: Iterable["Tree"] = (),
    *,
    before: str = "",
    has_status: bool = False,
) -> "Tree":
    """Draw a line with others below it; `has_status` says that the first of its details is one."""
    from rich.text import Text
    from rich.tree import Tree

    styles = [state_style(details[0]) if has_status else "", *[""] * (len(details) - 1)]
    line = Text()
    for text, style in ((before, ""), (title, "bold"), *zip(details, styles, strict=True)):
        if text:
            line.append("  " if line else "").append(safe(text), style)
    tree = Tree(line, guide_style="dim")
    tree.children.extend(below)
    return tree


def _draw(stream: IO[str], nodes: Iterable[Node], *, color: bool) -> None:
    """Draw a tree for each node. Lines are wrapped at the width of a terminal only."""
    from rich.console import Console

    width = None if stream.isatty() else 10_000
    console = Console(file=stream, width=width, force_terminal=color, no_color=not color, highlight=False)
    for node in nodes:
        console.print(_branch_of(node))
