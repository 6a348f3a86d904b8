"""A campaign with its line items, whom they target and what they show: as records, and drawn as a tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...console.table_view import shown, state_style
from ...output.drawings import Branch
from ...output.text import first_of

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
