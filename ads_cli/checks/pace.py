"""Whether a budget will be spent: what should be by now, and what will be at the end.

Days of the week differ: each has its share, told by the last weeks. What is still to come is the mean of a
day times these shares. The range is where four of five such forecasts end.
"""

import statistics
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

DAY = timedelta(days=1)
NOTHING = Decimal(0)
WEEK = 7
RANGE_DEVIATIONS = 1.28  # of a normal distribution: four of five are within
Spent = Mapping[date, Decimal]  # by whole days; a day without numbers is missing


class Pace(NamedTuple):
    """What was spent of a budget, and what will be at the end of its days, in units of a currency."""

    spent: Decimal
    expected: Decimal | None  # by now, of the budget
    forecast: Decimal
    low: Decimal
    high: Decimal


def pace(
    spent: Spent, first: date, last: date, today: date, budget: Decimal | None, before: Decimal = NOTHING
) -> Pace | None:
    """Return the pace from a first to a last day; None where no whole day of them has passed.

    `before` is what was spent on days of them that `spent` does not have.

    `spent` may have earlier days: they tell the shares of the weekdays. Today counts as a day to come, since
    it is not whole.
    """
    began = min((day for day, amount in spent.items() if amount), default=first)
    spent = {day: amount for day, amount in spent.items() if day >= began}  # nobody paused it before
    passed = [*_days(first, min(last, today - DAY))]
    if not passed:
        return None
    shares = _shares(spent)
    so_far = sum((spent.get(day, NOTHING) for day in passed), before)
    mean, deviation = _level(spent, shares)
    coming = [*_days(max(first, today), last)]
    left = sum((mean * shares[day.weekday()] for day in coming), NOTHING)
    margin = deviation * Decimal(RANGE_DEVIATIONS * len(coming) ** 0.5)
    expected = None
    if budget is not None:
        whole = sum(shares[day.weekday()] for day in (*passed, *coming))
        expected = budget * sum(shares[day.weekday()] for day in passed) / whole if whole else None
    low = so_far + max(left - margin, NOTHING)
    return Pace(so_far, expected, so_far + left, low, so_far + left + margin)


def _days(first: date, last: date) -> Iterator[date]:
    return (first + number * DAY for number in range((last - first).days + 1))


def _shares(spent: Spent) -> list[Decimal]:
    """Return what part of a usual day is spent on each weekday, from Monday on; 1 where nothing is known."""
    by_weekday: list[list[Decimal]] = [[] for _ in range(WEEK)]
    for day, amount in spent.items():
        by_weekday[day.weekday()].append(amount)
    means = [statistics.mean(amounts) if amounts else None for amounts in by_weekday]
    known = [mean for mean in means if mean is not None]
    usual = statistics.mean(known) if len(known) == WEEK else NOTHING
    return [mean / usual if usual and mean is not None else Decimal(1) for mean in means]


def _level(spent: Spent, shares: list[Decimal]) -> tuple[Decimal, Decimal]:
    """Return the mean of the last week's days without their weekdays' shares, and how much days deviate."""
    recent = [spent[day] for day in sorted(spent)[-WEEK:]]
    weight = sum(shares[day.weekday()] for day in sorted(spent)[-WEEK:])
    mean = sum(recent, NOTHING) / weight if weight else NOTHING
    off = [amount - mean * shares[day.weekday()] for day, amount in spent.items()]
    return mean, statistics.pstdev(off, NOTHING) if len(off) > 1 else NOTHING
