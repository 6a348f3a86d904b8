"""Campaigns with their line items, whom they target and what they show: as records, and drawn as a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypedDict

import typer

from ...api.daily_bound import CampaignSpending, daily_bound, daily_budget
from ...api.delivery import CAMPAIGN, LINE_ITEM
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
from ...console.account_zone import account_zone
from ...console.drawing import console_of, next_command
from ...console.invocation import Invocation
from ...console.parameters import argument
from ...console.shown import Result, shows
from ...output.table_view import MONEY, header, shown, state_style
from ...output.text import first_of, safe
from .delivery import diagnosis_of

if TYPE_CHECKING:
    from rich.tree import Tree

    from ...campaigns.account import AccountReader
    from ...campaigns.delivery import Finding, Parts

TARGETING, ACCOUNT = "targeting", "account"
# The request that lists a kind of parts of a line item, and the field that names them for people.
BELOW_LINE_ITEMS: dict[str, tuple[Any, str]] = {
    TARGETING: (ListCriteria, "name"),
    "post": (ListPromotedPosts, "post_id"),
    "scheduled post": (ListScheduledPromotedPosts, "scheduled_post_id"),
    ACCOUNT: (ListPromotedAccounts, "user_id"),
    "media": (ListMediaCreatives, "account_media_id"),
    "call to action": (ListCallToActions, "call_to_action"),
}


class TreeRecord(TypedDict):
    """A record of a tree of campaigns."""

    kind: str
    id: str | None
    parent_id: str | None
    name: str
    status: str
    why: str
    record: Mapping[str, Any]  # as the service sends it


TREE = Result(TreeRecord, named=tuple(TreeRecord.__annotations__)[:-1])
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
    why: "Sequence[Finding]" = ()  # it does not deliver

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


@shows(TREE)
def tree(
    ctx: typer.Context,
    campaign: Annotated[str | None, argument("CAMPAIGN", "A campaign, by id or name (default: all)")] = None,
) -> None:
    """Draw campaigns with their line items, whom they target and what they show.

    Other formats than table have one record for each, with the service's own in its field record.

    For example: adsctl campaigns tree 8wku2
    """
    call = Invocation.of(ctx, mutates=False)
    call.client.open()
    nodes = campaign_nodes(call, [campaign] if campaign else [])
    if doubts := [*_doubts(nodes)]:
        call.messages.warn(f"amounts of the service that are hard to believe: {first_of(doubts, MAX_VALUES)}")
    if call.printer.is_for_people:
        _draw(call, nodes)
    else:
        call.printer.show(list(records_of(nodes)), TREE.columns, TREE.key, ("record",))


def campaign_nodes(call: Invocation, ids: Sequence[str]) -> list[Node]:
    """Fetch some campaigns or all, what belongs to them, and why they do not deliver."""
    from ...api.campaigns import GetCampaign
    from ...campaigns.account import AccountReader, records_in

    reader = AccountReader(call.client, call.account)
    ids = call.records.ids_of("campaign_id", ids)
    gets = (GetCampaign(account_id=call.account, campaign_id=id) for id in dict.fromkeys(ids))
    sent = [*chain.from_iterable(records_in(call.client.call(get), "id") for get in gets)]
    sent = sent if ids else reader.campaigns()
    if not sent:
        call.messages.say("the account has no campaigns")
        return []
    campaigns = to_neutral(sent)
    items = reader.line_items([record["id"] for record in campaigns])
    neutral_items = to_neutral(items)
    below = _below_line_items(reader, neutral_items)
    parts = {id: _parts(nodes) for id, nodes in below.items()}
    families: dict[str, list[Node]] = {campaign["id"]: [] for campaign in campaigns}
    for item, neutral in zip(items, neutral_items, strict=True):
        node = Node(LINE_ITEM, item, neutral, below[neutral["id"]])
        families.setdefault(neutral["campaign_id"], []).append(node)
    diagnosis, nodes = diagnosis_of(reader, account_zone(call).info), list[Node]()
    for record, campaign in zip(sent, campaigns, strict=True):
        family = families[campaign["id"]]
        why: dict[str, list[Finding]] = {}
        for found in diagnosis.campaign(campaign, [node.fields for node in family], parts):
            why.setdefault(found.record["id"], []).append(found)
        line_items = [node._replace(why=why.get(node.fields["id"], ())) for node in family]
        nodes.append(Node(CAMPAIGN, record, campaign, line_items, why.get(campaign["id"], ())))
    return nodes


def _parts(nodes: Sequence[Node]) -> "Parts":
    """Return what the delivery of a line item depends on, of all that belongs to it."""
    from ...campaigns.delivery import Parts

    targeting = [node.fields for node in nodes if node.kind == TARGETING]
    return Parts(targeting, ads=len(nodes) - len(targeting))


def _below_line_items(reader: "AccountReader", line_items: list[dict[str, Any]]) -> dict[str, list[Node]]:
    """Fetch what line items target and show, by line item."""
    below: dict[str, list[Node]] = {str(item["id"]): [] for item in line_items}
    for kind, (request, _) in BELOW_LINE_ITEMS.items():
        # The service refuses the others where it lists promoted accounts.
        promoting = [item for item in line_items if item.get("product_type") == "PROMOTED_ACCOUNT"]
        ids = [item["id"] for item in (promoting if kind == ACCOUNT else line_items)]
        for record in reader.below(request, ids):
            neutral = to_neutral(record)
            below.setdefault(neutral["line_item_id"], []).append(Node(kind, record, neutral))
    return below


def records_of(nodes: Iterable[Node], parent: str | None = None) -> Iterator[TreeRecord]:
    """Yield a record for each node, parents first, with the service's own beside it."""
    for node in nodes:
        id = node.fields.get("id")
        yield {
            "kind": node.kind,
            "id": id,
            "parent_id": parent,
            "name": node.name,
            "status": node.status,
            "why": ", ".join(found.reason.short for found in node.why),
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


def _ad_names(call: Invocation, nodes: Iterable[Node]) -> Mapping[str, str]:
    """Return the texts of posts and the names of media by their ids."""
    from ...campaigns.ad_names import names_of_ads
    from ...campaigns.kinds import MEDIA, POST, SCHEDULED_POST

    ads = [ad for node in nodes for item in node.below for ad in item.below]
    ids = {
        kind: [*dict.fromkeys(ad.name for ad in ads if ad.kind == noun)]
        for noun, kind in (("post", POST), ("scheduled post", SCHEDULED_POST), ("media", MEDIA))
    }
    return names_of_ads(call.client, call.account, ids)


def _branch_of(call: Invocation, node: Node, ad_names: Mapping[str, str]) -> "Tree":
    """Draw a campaign or a line item, and what belongs to it."""
    criteria = [child for child in node.below if child.kind == TARGETING]
    line_items = [child for child in node.below if child.kind == LINE_ITEM]
    creatives = [child for child in node.below if child.kind not in (TARGETING, LINE_ITEM)]
    budget = [*_bound(node, line_items), *_texts(node, BUDGET)]
    about = {"budget": budget, "dates": _texts(node, DATES, account_zone(call).info)}
    return _branch(
        node.name or "(no name)",
        [node.status, str(node.fields.get("objective") or "")],
        [
            *(_branch(title, details) for title, details in about.items() if details),
            *(_branch("why", [found.words, next_command(call, found.command)]) for found in node.why),
            *(_branch_of(call, item, ad_names) for item in line_items),
            *_targeting(criteria),
            *(_branch(_title(child, ad_names), [child.status], has_status=True) for child in creatives),
        ],
        before=str(node.fields.get("id")),
        has_status=True,
    )


def _title(ad: Node, ad_names: Mapping[str, str]) -> str:
    """Name an ad by its text or its file, then its id."""
    from ...campaigns.plan_tree import post_text

    text = post_text(ad_names.get(ad.name, ""))
    return f'{ad.kind} "{text}" ({ad.name})' if text else f"{ad.kind} {ad.name}"


def _bound(node: Node, line_items: Sequence[Node]) -> Iterator[str]:
    """Yield what a campaign without a daily budget may spend in a day."""
    now = datetime.now(UTC)
    if node.kind == CAMPAIGN and daily_budget(node.fields) is None and may_serve(node.fields, now):
        items = [item.fields for item in line_items]
        bound = daily_bound([CampaignSpending("", node.fields, items)], now)
        yield f"{UNLIMITED} a day" if bound.unbounded else f"{bound} a day by its line items"


def _texts(node: Node, formats: Mapping[str, str], zone: tzinfo | None = None) -> list[str]:
    fields = node.fields
    return [
        text.format(shown(name, fields, zone=zone))
        for name, text in formats.items()
        if fields.get(name) is not None
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


def _draw(call: Invocation, nodes: Iterable[Node]) -> None:
    """Draw a tree for each node. Lines are wrapped at the width of a terminal only."""
    console, nodes = console_of(call), [*nodes]
    ad_names = _ad_names(call, nodes)
    for node in nodes:
        console.print(_branch_of(call, node, ad_names))
