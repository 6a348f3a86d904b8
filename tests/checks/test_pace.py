"""The pace of a budget: a table of edge cases, and what holds for all."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.checks.pace import pace

DAY = timedelta(days=1)
FIRST, LAST = date(2026, 11, 1), date(2026, 11, 30)


def spent(first, amounts):
    return {first + at * DAY: Decimal(amount) for at, amount in enumerate(amounts)}


@pytest.mark.parametrize(
    ("about", "today", "days", "budget", "expected"),
    [
        ("the first day", FIRST, [], 300, None),
        ("the second day", FIRST + DAY, [10], 300, (10, 10, 300)),
        ("exactly on plan", FIRST + 15 * DAY, [10] * 15, 300, (150, 150, 300)),
        ("over", FIRST + 15 * DAY, [20] * 15, 300, (300, 150, 600)),
        ("paused from its first day on", FIRST + 15 * DAY, [0] * 15, 300, (0, 150, 0)),
        ("the last day is counted", LAST, [10] * 29, 300, (290, 290, 300)),
        ("ended", LAST + 5 * DAY, [10] * 30, 300, (300, 300, 300)),
        ("without a budget", FIRST + 15 * DAY, [10] * 15, None, (150, None, 300)),
    ],
)
def test_the_pace_of_a_month(about, today, days, budget, expected):
    own = pace(spent(FIRST, days), FIRST, LAST, today, None if budget is None else Decimal(budget))
    rounded = own and tuple(None if value is None else round(value) for value in own[:3])
    assert rounded == expected, about


def test_a_weekday_has_its_own_share():
    """Weekends cost five times as much: after a week of days of work less is expected than a quarter."""
    history = {
        FIRST - at * DAY: Decimal(50 if (FIRST - at * DAY).weekday() >= 5 else 10) for at in range(1, 36)
    }
    today = date(2026, 11, 7)  # a Saturday; 1 November is a Sunday
    month = {FIRST + at * DAY: Decimal(50 if at == 0 else 10) for at in range(6)}
    own = pace(history | month, FIRST, LAST, today, Decimal(660))
    assert own.spent == 100 and round(own.expected) == 100 and round(own.forecast) == 660


@given(
    st.lists(st.decimals(0, 10_000, places=2), max_size=40),
    st.integers(0, 45),
    st.integers(0, 40),
    st.none() | st.decimals(1, 100_000, places=2),
)
def test_the_forecast_is_in_its_range_and_not_below_what_was_spent(amounts, passed, length, budget):
    today = FIRST + passed * DAY
    known = {today - at * DAY: amount for at, amount in enumerate(amounts, 1)}
    own = pace(known, FIRST, FIRST + length * DAY, today, budget)
    if own is None:
        assert passed == 0
        return
    assert own.spent <= own.low <= own.high and own.low <= own.forecast + Decimal("0.01")
    assert own.forecast <= own.high + Decimal("0.01")
    assert own.expected is None or 0 <= own.expected <= budget + Decimal("0.01")
