"""What a plan of campaigns changes about spending: the most in a day, and each record that may spend more."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..api.daily_bound import CampaignSpending, DailyBound, daily_bound
from ..api.spending import (
    PAUSED,
    REASONS,
    STATUS,
    after_change,
    is_on,
    limit_values,
    limit_words,
    may_serve,
    parent_of_ad,
    raised_limits,
)
from .model import CAMPAIGN, LINE_ITEM, Entry, Stored
from .plan import PLACEHOLDER_ID, CampaignPlan, Change

MOST_NAMED = 20  # records that may spend more are named: those that rise most
Key = Stored | Entry  # of a record: an entry where it is new
Fields = Mapping[str, Any]  # by neutral names


class PlannedSpending(NamedTuple):
    """What the campaigns of a file may spend, before and after a plan."""

    before: DailyBound
    after: DailyBound
    rises: Sequence[str]  # a sentence for each limit that rises, and for each record that begins to serve

    @property
    def is_more(self) -> bool:
        """Whether more may be spent after the plan."""
        return bool(self.rises) or self.after.exceeds(self.before)

    @property
    def budgets(self) -> str:
        """Say what may be spent in a day, before and after."""
        return f"daily budgets of what may serve: {self.before} -> {self.after}"

    @property
    def words(self) -> str:
        """Say what rises, and what may be spent in a day."""
        rest = len(self.rises) - MOST_NAMED
        more = [f"and {rest:,} more"] if rest > 0 else []
        return "; ".join([*self.rises[:MOST_NAMED], *more, self.budgets])


@dataclass(eq=False)
class _Record:
    """A campaign or a line item, before and after a plan."""

    label: str
    before: Fields  # `deleted` of one that is new
    after: Fields
    change: Change | None
    campaign: "_Record | None" = None
    line_items: list["_Record"] = field(default_factory=list)

    def served(self, now: datetime) -> bool:
        """Whether it and its campaign may spend before the plan."""
        return may_serve(self.before, now) and (self.campaign is None or is_on(self.campaign.before))

    def serves(self, now: datetime) -> bool:
        """Whether it and its campaign may spend after the plan."""
        return may_serve(self.after, now) and (self.campaign is None or is_on(self.campaign.after))

    def spending(self) -> tuple[CampaignSpending, CampaignSpending]:
        """Return what a campaign bounds, before and after."""
        items, currency = self.line_items, self.change.currency if self.change else ""
        return (
            CampaignSpending(self.label, self.before, [item.before for item in items], currency),
            CampaignSpending(self.label, self.after, [item.after for item in items], currency),
        )


def planned_spending(plan: CampaignPlan) -> PlannedSpending:
    """Find what a plan changes about spending, of the campaigns that its file is about."""
    now, records = datetime.now(UTC), _records(plan)
    for record in records.values():
        if record.campaign and may_serve(record.after, now) and not may_serve(record.before, now):
            # Its campaign has not ended then, whatever the service has said before.
            record.campaign.after = {**record.campaign.after, REASONS: None}
    both = [record.spending() for record in records.values() if record.campaign is None]
    serving = {key: record for key, record in records.items() if record.serves(now)}
    return PlannedSpending(
        daily_bound((before for before, _ in both), now),
        daily_bound((after for _, after in both), now),
        [
            *_raises(serving.values()),
            *_beginnings(record for record in serving.values() if not record.served(now)),
            *_ads(plan, serving),
        ],
    )


def _records(plan: CampaignPlan) -> dict[Key, _Record]:
    """Return the campaigns whose line items were read, and these, with those that are new."""
    changes = {change.stored: change for change in plan.changes if change.stored}
    records: dict[Key, _Record] = {}
    covered = {*plan.matched.values(), *changes}  # of others, no line items were read
    for campaign in plan.campaigns:
        for record in (campaign, *campaign.below.get("line_items", ())) if campaign in covered else ():
            change = changes.get(record)
            records[record] = _Record(record.id, record.fields, _after(record, change), change)
            if record.parent:
                _place(records[record], records[record.parent])
    for change in plan.changes:
        if change.action == "create" and change.kind in (CAMPAIGN, LINE_ITEM) and change.entry:
            new = {STATUS: PAUSED, **change.values}
            records[change.entry] = _Record(change.path, {"deleted": True}, new, change)
            if above := _parent(plan, change):
                _place(records[change.entry], records[above])
    return records


def _place(item: _Record, campaign: _Record) -> None:
    item.campaign = campaign
    campaign.line_items.append(item)


def _after(stored: Stored, change: Change | None) -> Fields:
    if change and change.action == "delete":
        return {**stored.fields, "deleted": True}
    update = change.kind.update if change else None
    return after_change(update, stored.fields, change.values) if change and update else stored.fields


def _parent(plan: CampaignPlan, change: Change) -> Key | None:
    """Return what a new record lies in; None of a campaign."""
    if change.parent is None or change.parent_id == PLACEHOLDER_ID:
        return change.parent
    return plan.matched[change.parent]


def _raises(records: Iterable[_Record]) -> list[str]:
    """Name each limit that rises, those first that rise most."""
    raises = []
    for record in records:
        change = record.change
        if change and change.action == "update" and change.kind.update:
            for limit in raised_limits(change.kind.update, record.before, record.after):
                before, after = limit.words(change.currency)
                if isinstance(limit.after, int):  # it has the currency of both
                    before = before.removesuffix(f" {change.currency}")
                raises.append((limit.factor, f"{limit.limit} of {_label(change)} {before} -> {after}"))
    return [words for _, words in sorted(raises, key=lambda item: item[0], reverse=True)]


def _beginnings(records: Iterable[_Record]) -> Iterator[str]:
    """Name each changed record that begins to serve, with its limits."""
    for change, after in ((record.change, record.after) for record in records):
        if change and change.kind.update:
            limits = limit_values(change.kind.update, after).items()
            words = ", ".join(f"{limit} {limit_words(value, change.currency)}" for limit, value in limits)
            new = "new " if change.action == "create" else ""
            yield f"{new}{_label(change)} begins to serve: {words or 'without a limit of its own'}"


def _ads(plan: CampaignPlan, serving: Mapping[Key, _Record]) -> Iterator[str]:
    """Count the new ads of each line item that is there and serves."""
    ads = (
        change for change in plan.changes if change.action == "create" and parent_of_ad(change.kind.create)
    )
    for key, count in Counter(_parent(plan, ad) for ad in ads).items():
        if key in serving and isinstance(key, Stored):
            yield f"{f'{count:,} new ads' if count > 1 else 'a new ad'} of line item {key.name!r}"


def _label(change: Change) -> str:
    return f"{change.kind.noun} {change.name or change.key!r}"
