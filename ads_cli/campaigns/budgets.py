"""What may serve spends at most a day, before and after a plan."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..api.spending import PAUSED, STATUS, is_on, may_serve
from .model import CAMPAIGN, DAY_BUDGET, Stored

Change = Any  # a change of a plan, whose module uses this one


@dataclass
class Budgets:
    """Sums of the daily budgets of what may serve, by currency, in millionths."""

    before: Counter[str]
    after: Counter[str]


def budgets_of(campaigns: Sequence[Stored], changes: Sequence[Change]) -> Budgets:
    """Sum up the daily budgets of what may serve, before and after."""
    updated = {change.stored: change.values for change in changes if change.action == "update"}
    deleted = {change.stored for change in changes if change.action == "delete"}
    created: dict[Any, list[Change]] = {}
    for change in changes:
        if change.action == "create" and change.kind.is_named:
            created.setdefault(change.parent or None, []).append(change)
    before, after = Counter[str](), Counter[str]()
    now = datetime.now(UTC)
    below_of: dict[str, list[Change]] = {}
    for change in (each for each in changes if each.action == "create" and each.kind.name == "line_item"):
        below_of.setdefault(change.parent_id, []).append(change)
    for one in campaigns:
        items = one.below.get("line_items", ())
        before[one.currency] += _daily(one.fields, [item.fields for item in items], now)
        if one in deleted:
            continue
        kept = [{**item.fields, **updated.get(item, {})} for item in items if item not in deleted]
        new = [_as_created(change) for change in below_of.get(one.id, ())]
        after[one.currency] += _daily({**one.fields, **updated.get(one, {})}, [*kept, *new], now)
    for change in created.get(None, ()):
        if change.kind is CAMPAIGN:
            new = [_as_created(item) for item in created.get(change.entry, ())]
            after[change.currency] += _daily(_as_created(change), new, now)
    return Budgets(+before, +after)


def _as_created(change: Change) -> dict[str, Any]:
    return {STATUS: PAUSED, **change.values}


def _daily(campaign: dict[str, Any] | Any, items: Sequence[Any], now: datetime) -> int:
    """Return the most that a campaign may spend a day: its own budget, or those of its line items."""
    if not is_on(campaign):
        return 0
    serving = [item for item in items if may_serve(item, now)]
    if not serving:
        return 0
    own = campaign.get(DAY_BUDGET)
    of_items = [item.get(DAY_BUDGET) for item in serving]
    known = sum(day for day in of_items if isinstance(day, int))
    if not isinstance(own, int):
        return known
    return min(own, known) if all(isinstance(day, int) for day in of_items) else own
