"""The sum of what may be spent in a day, and what bounds nothing."""

from datetime import UTC, datetime
from typing import Any

import pytest

from ads_cli.api.daily_bound import CampaignSpending, daily_bound
from ads_cli.api.spending import DAILY_BUDGET

NOW = datetime(2031, 5, 1, tzinfo=UTC)
ACTIVE = {"entity_status": "ACTIVE", "currency": "EUR"}
PAUSED = {**ACTIVE, "entity_status": "PAUSED"}


def euros(amount: int) -> dict[str, Any]:
    """Return a daily budget."""
    return {DAILY_BUDGET: amount * 1_000_000}


def bound_of(fields: dict[str, Any], *line_items: dict[str, Any]) -> str:
    """Return what one campaign may spend in a day, in words."""
    return str(daily_bound([CampaignSpending("c1", fields, line_items)], NOW))


@pytest.mark.parametrize(
    ("fields", "line_items", "words"),
    [
        ({**ACTIVE, **euros(35)}, [], "35.00 EUR"),
        ({**PAUSED, **euros(35)}, [], "0"),
        ({**ACTIVE, **euros(35), "end_time": "2031-04-30T00:00:00Z"}, [], "0"),
        ({**ACTIVE, **euros(35)}, [{**ACTIVE, **euros(5)}], "35.00 EUR"),
        ({**ACTIVE, DAILY_BUDGET: None}, [{**ACTIVE, **euros(5)}, {**ACTIVE, **euros(7)}], "12.00 EUR"),
        ({**ACTIVE, DAILY_BUDGET: None}, [{**ACTIVE, **euros(5)}, {**PAUSED, **euros(7)}], "5.00 EUR"),
        ({**ACTIVE, DAILY_BUDGET: None}, [PAUSED], "0"),
    ],
)
def test_a_campaign_counts_by_its_daily_budget_or_those_of_its_line_items(
    fields: dict[str, Any], line_items: list[dict[str, Any]], words: str
) -> None:
    assert bound_of(fields, *line_items) == words


@pytest.mark.parametrize("budget", [{}, {DAILY_BUDGET: None}, {DAILY_BUDGET: "a lot"}, euros(-1)])
def test_what_has_no_daily_budget_that_can_be_read_is_unlimited(budget: dict[str, Any]) -> None:
    assert bound_of({**ACTIVE, **budget}) == "unlimited (1 campaign without a daily budget)"
    assert bound_of({**ACTIVE, **budget}, {**ACTIVE, **budget}) == bound_of({**ACTIVE, **budget})
    assert bound_of({**ACTIVE, **budget}, {**ACTIVE, **euros(5)}, {**ACTIVE, **budget}).startswith(
        "unlimited"
    )


def test_a_total_budget_bounds_no_day() -> None:
    fields = {**ACTIVE, DAILY_BUDGET: None, "total_budget_amount_local_micro": 1_800_000_000}
    assert bound_of(fields).startswith("unlimited")


def test_currencies_are_never_added() -> None:
    campaigns = [
        CampaignSpending("c1", {**ACTIVE, **euros(80)}, None),
        CampaignSpending("c2", {**ACTIVE, **euros(5000), "currency": "JPY"}, None),
        CampaignSpending("new", {"entity_status": "ACTIVE", **euros(1)}, (), "EUR"),
        CampaignSpending("c3", ACTIVE, None),
        CampaignSpending("c4", ACTIVE, ()),
    ]
    words = "81.00 EUR and 5,000 JPY and unlimited (2 campaigns without a daily budget)"
    assert str(daily_bound(campaigns, NOW)) == words
