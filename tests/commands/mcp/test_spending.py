"""What a plan of an assistant says may be spent in a day is what its question says."""

import pytest

from ads_cli.api.amounts import as_amount
from tests.commands.mcp.client import LOCAL, called, session, with_guard
from tests.emulator.seeded import CARD, HAMBURG, KNITTERS, PREROLLS, REACH

WRITES = (*LOCAL, "mcp", "--allow-writes")
NEW = {"name": "New", "funding_instrument_id": CARD, "daily_budget": "10", "active": True}


def planned(adsctl, command: str, **arguments) -> dict:
    async def use(client):
        return await called(client, "plan_change", command=command, arguments=arguments)

    return session(with_guard(adsctl, "max_account_daily_budget: 50000 EUR"), use, *WRITES)


@pytest.mark.parametrize(
    ("command", "arguments", "before", "after"),
    [
        ("campaigns update", {"campaign_id": KNITTERS, "active": True}, 0, 15_000_000),
        ("campaigns update", {"campaign_id": HAMBURG, "daily_budget": "2000"}, 80_000_000, 2_000_000_000),
        ("campaigns update", {"campaign_id": HAMBURG, "entity_status": "PAUSED"}, 80_000_000, 0),
        ("campaigns delete", {"campaign_id": HAMBURG}, 80_000_000, 0),
        ("campaigns create", NEW, 0, 10_000_000),
        ("line-items update", {"line_item_id": REACH, "daily_budget": "71"}, 35_000_000, 71_000_000),
    ],
)
def test_a_plan_says_in_numbers_what_its_question_says_in_words(adsctl, command, arguments, before, after):
    plan = planned(adsctl, command, **arguments)
    spend = plan["data"]["spend"]
    assert (spend["daily_before_micro"], spend["daily_after_micro"]) == (before, after)
    assert "unbounded" not in spend
    if after > before:
        assert f"{as_amount(after, 'EUR')} EUR" in plan["questions"][0]


def test_a_plan_says_that_a_record_has_no_daily_budget_of_its_own(adsctl):
    plan = planned(adsctl, "line-items update", line_item_id=PREROLLS, total_budget="260")
    nothing = {"daily_before_micro": None, "daily_after_micro": None, "unbounded": ["before", "after"]}
    assert plan["data"]["spend"] == {"currency": "EUR", **nothing}


def test_a_plan_of_several_records_says_that_one_has_no_daily_budget(adsctl):
    plan = planned(adsctl, "line-items update", line_item_id=[REACH, PREROLLS], entity_status="PAUSED")
    spend = plan["data"]["spend"]
    assert spend["unbounded"] == ["before"] and spend["daily_before_micro"] is None
    assert spend["daily_after_micro"] == 0
    assert [record.get("unbounded") for record in spend["records"]] == [None, ["before"]]
