"""What a plan of campaigns changes about spending: the most in a day, and each record that may spend more."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..api.daily_bound import CampaignSpending, DailyBound, currency_of, daily_bound, daily_budget
from ..api.spending import (
    DAILY_BUDGET,
    DRAFT,
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
from .kinds import CAMPAIGN, LINE_ITEM
from .model import Entry, Stored
from .plan import CampaignPlan, Change

MOST_NAMED = 20  # records that may spend more are named: those that rise most
Key = Stored | Entry  # of a record: an entry where it is new
Fields = Mapping[str, Any]  # by neutral names


class PlannedSpending(NamedTuple):
    """What the campaigns of a file may spend, before and after a plan."""

    before: DailyBound
    after: DailyBound
    rises: Sequence[str]  # a sentence for each limit that rises, and for each record that begins to serve
    bounds: Sequence[str]  # a sentence for each daily budget that changes and is not what counts, and why
    currency: str  # of all campaigns; empty where they have several

    @property
    def is_more(self) -> bool:
        """Whether more may be spent after the plan."""
        return bool(self.rises) or self.after.exceeds(self.before)

    @property
    def budgets(self) -> str:
        """Say what may be spent in a day, before and after."""
        bounds, nothing = (self.before, self.after), limit_words(0, self.currency)
        is_same_rest = self.before.unbounded == self.after.unbounded and any(
            bound.amounts for bound in bounds
        )
        before, after = (
            bound.bounded or nothing if is_same_rest or not bound.unbounded else str(bound)
            for bound in bounds
        )
        rest = f", and {self.after.unlimited}" if is_same_rest and self.after.unbounded else ""
        if after.endswith(f" {self.currency}"):
            before = before.removesuffix(f" {self.currency}")
        return f"daily budgets of what may serve: {before} → {after}{rest}"

    @property
    def words(self) -> str:
        """Say what rises, and what may be spent in a day."""
        return "; ".join([*_first(self.rises), self.budgets])

    @property
    def lines(self) -> list[str]:
        """Say what rises, what may be spent in a day, and which budgets do not count for it."""
        return [*_first(self.rises), self.budgets, *_first(self.bounds)]


def _first(sentences: Sequence[str]) -> list[str]:
    rest = len(sentences) - MOST_NAMED
    return [*sentences[:MOST_NAMED], *([f"and {rest:,} more"] if rest > 0 else [])]


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

    @property
    def title(self) -> str:
        """Name it for people."""
        kind, name = (LINE_ITEM if self.campaign else CAMPAIGN), self.after.get("name") or "without a name"
        return (
            f"the {kind.noun} {name} ({id})"
            if (id := self.before.get("id"))
            else f"the new {kind.noun} {name}"
        )

    def why_idle(self, now: datetime) -> str:
        """Say why it may not spend after the plan; empty where it may."""
        if self.campaign and not is_on(self.campaign.after):
            return self.campaign.why_idle(now)
        if may_serve(self.after, now):
            return ""
        status = {PAUSED: "is paused", DRAFT: "is a draft"}.get(str(self.after.get(STATUS)), "has ended")
        return f"{self.title} {'is deleted' if self.after.get('deleted') else status}"

    def bound_by_others(self, now: datetime) -> str:
        """Say what bounds its daily spend in place of its daily budget; empty where that does."""
        currency, campaign = self.change.currency if self.change else "", self.campaign or self
        if why := self.why_idle(now):
            return f"{why}: its daily budget counts once it serves"
        budgets = [daily_budget(item.after) for item in campaign.line_items if may_serve(item.after, now)]
        if not budgets:
            return f"{campaign.title} has no line item that may serve"
        own, together = daily_budget(campaign.after), sum(budget or 0 for budget in budgets)
        is_bound = None not in budgets and (own is None or together < own)
        if own is None or is_bound != (campaign is self):
            return ""
        words = "is bound by" if is_bound else "bounds"
        amount = limit_words(together if is_bound else own, currency)
        return f"{campaign.title} {words} its line items: {amount} a day together"


def planned_spending(plan: CampaignPlan) -> PlannedSpending:
    """Find what a plan changes about spending, of the campaigns that its file is about."""
    now, records = datetime.now(UTC), _records(plan)
    for record in records.values():
        if record.campaign and may_serve(record.after, now) and not may_serve(record.before, now):
            # Its campaign has not ended then, whatever the service has said before.
            record.campaign.after = {**record.campaign.after, REASONS: None}
    both = [record.spending() for record in records.values() if record.campaign is None]
    currencies = {currency_of(campaign) for pair in both for campaign in pair} - {""}
    serving = {key: record for key, record in records.items() if record.serves(now)}
    return PlannedSpending(
        daily_bound((before for before, _ in both), now),
        daily_bound((after for _, after in both), now),
        [
            *_raises(serving.values()),
            *_beginnings(record for record in serving.values() if not record.served(now)),
            *_ads(plan, serving),
        ],
        [*_bounds(records.values(), now)],
        currencies.pop() if len(currencies) == 1 else "",
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
            if above := plan.above(change):
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
                raises.append((limit.factor, f"{limit.limit} of {record.title}: {before} → {after}"))
    return [words for _, words in sorted(raises, key=lambda item: item[0], reverse=True)]


def _beginnings(records: Iterable[_Record]) -> Iterator[str]:
    """Name each changed record that begins to serve, with its limits."""
    for record in records:
        change, after = record.change, record.after
        if change and change.kind.update:
            limits = limit_values(change.kind.update, after).items()
            words = ", ".join(f"{limit} {limit_words(value, change.currency)}" for limit, value in limits)
            yield f"{record.title} begins to serve: {words or 'without a limit of its own'}"


def _ads(plan: CampaignPlan, records: Mapping[Key, _Record]) -> Iterator[str]:
    """Count the new ads of each line item that is there and serves."""
    ads = (
        change for change in plan.changes if change.action == "create" and parent_of_ad(change.kind.create)
    )
    for key, count in Counter(plan.above(ad) for ad in ads).items():
        if key in records and isinstance(key, Stored):
            yield f"{f'{count:,} new ads' if count > 1 else 'a new ad'} of {records[key].title}"


def _bounds(records: Iterable[_Record], now: datetime) -> Iterator[str]:
    """Say of each daily budget that changes what counts in its place; of what is new, that it is paused."""
    has_idle = False
    for record in records:
        change = record.change
        if change is None or DAILY_BUDGET not in change.values or change.action == "delete":
            continue
        if change.action == "create":
            has_idle = has_idle or not record.serves(now)
        elif sentence := record.bound_by_others(now):
            yield sentence
    if has_idle:
        yield "what is created paused counts once it is active"
