"""Changes by an assistant: what they say of several records, and arguments that must count."""

import json

import pytest

from tests.commands.mcp.client import LOCAL, called, session, with_guard

WRITES = (*LOCAL, "mcp", "--allow-writes")
IDS = ["8wku2", "8wku3"]
FIELD = "daily_budget_amount_local_micro"


@pytest.fixture
def guarded(adsctl):
    return with_guard(adsctl, "max_account_daily_budget: 50000 EUR")


def planned(adsctl, command: str, *, fails: bool = False, **arguments):
    async def use(client):
        return await called(client, "plan_change", fails=fails, command=command, arguments=arguments)

    return session(adsctl, use, *WRITES)


def campaigns(adsctl) -> dict[str, dict]:
    found = json.loads(adsctl.local("-q", "-o", "json", "campaigns", "get", *IDS).stdout)
    return {campaign["id"]: campaign for campaign in found}


def spent(campaign: dict) -> int:
    return campaign[FIELD] if campaign["entity_status"] == "ACTIVE" else 0


def test_a_plan_for_several_records_says_each_field_and_what_all_may_spend(guarded):
    before = campaigns(guarded)
    # named out of order, and one of them twice
    plan = planned(guarded, "campaigns update", campaign_id=[*reversed(IDS), IDS[0]], daily_budget="999")
    assert plan["data"]["changes"] == [
        {"id": id, "field": FIELD, "before": before[id][FIELD], "after": 999_000_000} for id in reversed(IDS)
    ]
    assert plan["questions"][0].startswith("Raise 2 campaigns")
    spend = plan["data"]["spend"]
    each = {record["id"]: record for record in spend["records"]}
    active = [id for id in IDS if before[id]["entity_status"] == "ACTIVE"]
    assert active
    for id in IDS:
        assert each[id]["daily_before_micro"] == spent(before[id])
        assert each[id]["daily_after_micro"] == (999_000_000 if id in active else 0)
    assert spend["currency"] == "EUR"
    assert spend["daily_before_micro"] == sum(map(spent, before.values()))
    assert spend["daily_after_micro"] == 999_000_000 * len(active)


def test_a_plan_that_deletes_several_records_says_what_they_spend_no_more(guarded):
    before = campaigns(guarded)
    plan = planned(guarded, "campaigns delete", campaign_id=IDS)
    assert plan["destroys"] and plan["data"]["changes"] == []
    assert plan["data"]["spend"]["daily_before_micro"] == sum(map(spent, before.values())) > 0
    assert plan["data"]["spend"]["daily_after_micro"] == 0


def test_a_change_that_would_be_left_out_is_refused(guarded):
    error = planned(guarded, "campaigns update", fails=True, campaign_id=IDS[0], active=False)["error"]
    assert error["exit_code"] == 2 and error["hint"] == "give entity_status: PAUSED"
    error = planned(guarded, "campaigns update", fails=True, campaign_id=IDS[0], daily_budget=None)["error"]
    assert error["exit_code"] == 2 and "null" in error["message"]
    twice = {"name": "One", "Name": "Two"}
    error = planned(guarded, "campaigns update", fails=True, campaign_id=IDS[0], **twice)["error"]
    assert error["exit_code"] == 2 and "name is given twice" in error["message"]


def test_what_is_not_text_in_a_nested_value_is_a_usage_error(guarded):
    error = planned(guarded, "cards create", fails=True, name="x", components="\0")["error"]
    assert error["exit_code"] == 2 and error["message"] == "components: is not text"


def test_an_element_of_a_list_stays_one(guarded):
    line_item = {"line_item_id": "abc", "post_ids": ["1,2"]}
    error = planned(guarded, "promoted posts create", fails=True, **line_item)["error"]
    assert error["exit_code"] == 2 and "comma" in error["message"]
