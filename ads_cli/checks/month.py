"""The pace of an account in its month, and of campaigns to their ends."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from ..api.spending import ACTIVE, END, STATUS, TOTAL_BUDGET
from .facts import DAY, SPENT_DAYS, Facts
from .money import units
from .outcome import Record
from .pace import Pace, pace

MOST_DAYS = 182  # that numbers are asked for: a request has seven of them
MOST_AHEAD = 3653 * DAY  # ten years: nobody plans further
WHOLE_MONTH = 31


class PaceOf(NamedTuple):
    """The pace of a record, from a first to a last day; `state` says why where there is none."""

    kind: str
    record: Record
    first: date
    last: date
    budget: Decimal | None
    currency: str
    pace: Pace | None
    state: str = ""


def month_days(today: date) -> tuple[date, date]:
    """Return the first and the last day of a month."""
    first = today.replace(day=1)
    return first, (first + WHOLE_MONTH * DAY).replace(day=1) - DAY


def month_pace(facts: Facts) -> Pace | None:
    """Return the pace of all campaigns together in this month."""
    today = facts.calendar.today.date()
    first, last = month_days(today)
    spent: dict[date, Decimal] = defaultdict(Decimal)
    for days in facts.spent_by_day.values():
        for day, amount in days.items():
            spent[day] += amount
    budget = facts.wanted.monthly_budget
    return pace(spent, first, last, today, budget.value if budget else None)


def paces(facts: Facts) -> Iterator[PaceOf]:
    """Yield the pace of the month, then those of active campaigns that have a total budget and an end."""
    today = facts.calendar.today.date()
    first, last = month_days(today)
    budget = facts.wanted.monthly_budget
    currencies = {*facts.currencies, *([budget.currency] if budget else [])}
    currency = "".join(currencies) if len(currencies) == 1 else ""
    if len(currencies) > 1:
        state = f"amounts are in several currencies: {', '.join(sorted(currencies))}"
        yield PaceOf("account", facts.account, first, last, None, "", None, state)
    else:
        own = month_pace(facts)
        state = "" if own else "no day of the month has passed"
        yield PaceOf(
            "account", facts.account, first, last, budget.value if budget else None, currency, own, state
        )
    for campaign in facts.active_campaigns:
        if pace_of := campaign_pace(facts, campaign, today):
            yield pace_of


def campaign_pace(facts: Facts, campaign: Record, today: date) -> PaceOf | None:
    """Return the pace of a campaign to its end; None where it has no total budget or no end."""
    zone, budget = facts.calendar.zone, units(campaign, TOTAL_BUDGET)
    items = [item for item in facts.items_of[str(campaign["id"])] if item.get(STATUS) == ACTIVE]
    starts = [moment for item in items if (moment := facts.moment(item, "start_time"))]
    ends = [facts.moment(item, END) for item in items]
    if not budget or not starts or None in ends:
        return None
    first = min(starts).astimezone(zone).date()
    # An end at midnight is that of the day before.
    last = (max(end for end in ends if end).astimezone(zone) - timedelta(seconds=1)).date()
    currency, about = str(campaign.get("currency") or ""), ("campaign", campaign, first, last, budget)
    if last < today:
        return None
    passed = (today - first).days
    if passed < 1:
        return PaceOf(*about, currency, None, "it has no whole day yet")
    if last - today > MOST_AHEAD:
        return PaceOf(*about, currency, None, f"it ends in more than {MOST_AHEAD.days:,} days")
    if passed > MOST_DAYS:
        return PaceOf(*about, currency, None, f"it began more than {MOST_DAYS} days ago")
    id = str(campaign["id"])
    spent, before = facts.spent_by_day.get(id, {}), Decimal(0)
    if passed > SPENT_DAYS:
        before = facts.spent_since(campaign, passed) - facts.spent_since(campaign, SPENT_DAYS)
    return PaceOf(*about, currency, pace(spent, first, last, today, budget, before))
