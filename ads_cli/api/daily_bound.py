"""What may be spent in a day: the one sum that questions, plans, pages, assistants and the guard state."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from .spending import DAILY_BUDGET, UNLIMITED, limit_words, may_serve
from .types import MAX_MICROS

Record = Mapping[str, Any]  # by neutral names


class CampaignSpending(NamedTuple):
    """A campaign as far as it bounds what may be spent in a day."""

    label: str  # its id, or what names a new one
    fields: Record
    line_items: Sequence[Record] | None  # None where they were not read
    currency: str = ""  # that of a new campaign, whose fields do not tell it


class DailyBound(NamedTuple):
    """The most that may be spent in a day."""

    amounts: Counter[str]  # millionths by currency; by "" where the currency is not known
    unbounded: frozenset[str]  # labels of the campaigns that nothing bounds

    @property
    def bounded(self) -> str:
        """Write the amounts, as in `35.00 EUR and 5,000 JPY`, or "" if there are none."""
        return " and ".join(
            limit_words(micros, currency) for currency, micros in sorted(self.amounts.items())
        )

    def __str__(self) -> str:
        """Write it as in `35.00 EUR and 5,000 JPY`; `unlimited` where a campaign has no bound."""
        if not self.unbounded:
            return self.bounded or "0"
        return " and ".join(filter(None, (self.bounded, self.unlimited)))

    @property
    def unlimited(self) -> str:
        """Count the campaigns that nothing bounds."""
        count = len(self.unbounded)
        return f"{UNLIMITED} ({f'{count:,} campaigns' if count > 1 else '1 campaign'} without a daily budget)"

    def exceeds(self, other: "DailyBound") -> bool:
        """Whether more may be spent than by another one: in any currency, or without a bound."""
        return bool(self.amounts - other.amounts or self.unbounded - other.unbounded)


def daily_bound(campaigns: Iterable[CampaignSpending], now: datetime) -> DailyBound:
    """Sum up what campaigns may spend in a day.

    A campaign that may serve counts by its daily budget. One without counts by those of its line items that
    may serve. What a record does not tell bounds nothing, and neither does a total budget.
    """
    amounts, unbounded = Counter[str](), set[str]()
    for campaign in campaigns:
        if not may_serve(campaign.fields, now):
            continue
        micros = _bound(campaign, now)
        if micros is None:
            unbounded.add(campaign.label)
        else:
            amounts[currency_of(campaign)] += micros
    return DailyBound(+amounts, frozenset(unbounded))


def daily_budget(record: Record) -> int | None:
    """Return the daily budget of a record in millionths; None where it has none that can be read."""
    value = record.get(DAILY_BUDGET)
    if isinstance(value, str) and value.isascii() and value.isdigit():  # of a raw request
        value = int(value)
    is_amount = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_MICROS
    return value if is_amount else None


def _bound(campaign: CampaignSpending, now: datetime) -> int | None:
    if (own := daily_budget(campaign.fields)) is not None:
        return own
    if not campaign.line_items:  # without any, the next one could spend without a bound
        return None
    budgets = [daily_budget(item) for item in campaign.line_items if may_serve(item, now)]
    bounded = [micros for micros in budgets if micros is not None]
    return sum(bounded) if len(bounded) == len(budgets) else None


def currency_of(campaign: CampaignSpending) -> str:
    """Return the currency of a campaign; empty where it is not known."""
    currency = campaign.fields.get("currency") or campaign.currency
    return currency if isinstance(currency, str) else ""
