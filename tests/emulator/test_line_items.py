"""Line items: rules that depend on stored data, deletion, history."""

import json

import pytest

from tests.emulator.seeded import APP, CLICKS, ENDED, EURO_MICRO, FOLLOWERS, INSTALLS, PREROLLS, REACH
from tests.emulator_data import update_record

from .client import errors

BID = "bid_amount_local_micro"
DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"
FIELDS = (
    "id campaign_id name objective entity_status bid_strategy bid_amount_local_micro "
    "total_budget_amount_local_micro daily_budget_amount_local_micro goal pay_by audience_expansion "
    "frequency_cap duration_in_days start_time end_time advertiser_domain advertiser_user_id categories "
    "android_app_store_identifier ios_app_store_identifier placements currency product_type creative_source "
    "standard_delivery target_cpa_local_micro primary_web_event_tag automatic_tweet_promotion "
    "created_at updated_at deleted"
)


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture
def update(local, account):
    return lambda line_item, **fields: local.send("PUT", f"{account}/line_items/{line_item}", **fields)


def store_fields(client, line_item, **fields):
    """Store fields that no request can set."""
    update_record(client.emulator, "line_item", line_item, fields)


def test_a_line_item_has_the_fields_of_the_specification(update):
    assert set(update(CLICKS).json()["data"]) == set(FIELDS.split())


def test_an_update_changes_only_the_fields_that_are_sent(update):
    before = update(CLICKS).json()["data"]
    response = update(
        CLICKS, name="Spring & co", entity_status="PAUSED", end_time="2026-06-01T02:00:00+02:00"
    )
    after = response.json()["data"]
    changed = {name for name in after if after[name] != before[name]} - {"updated_at"}
    assert changed == {"name", "entity_status", "end_time"}
    assert (after["name"], after["end_time"]) == ("Spring & co", "2026-06-01T00:00:00Z")
    assert response.json()["request"]["params"]["name"] == "Spring & co"


@pytest.mark.parametrize(
    ("line_item", "fields", "expected"),
    [
        (CLICKS, {"bid_strategy": "MAX", BID: "1"}, []),
        (CLICKS, {"bid_strategy": "TARGET", BID: "1"}, []),
        (REACH, {"bid_strategy": "TARGET", BID: "1"}, []),
        (REACH, {"bid_strategy": "MAX", BID: "1"}, ["bid_strategy"]),
        (FOLLOWERS, {"bid_strategy": "MAX", BID: "1"}, ["bid_strategy"]),
        (FOLLOWERS, {"bid_strategy": "TARGET", BID: "1"}, ["bid_strategy"]),
        (INSTALLS, {"bid_strategy": "TARGET", BID: "1"}, ["bid_strategy"]),
        (INSTALLS, {"pay_by": "IMPRESSION"}, []),
        (CLICKS, {"pay_by": "LINK_CLICK"}, []),  # as it is
        (CLICKS, {"pay_by": "APP_CLICK"}, ["pay_by"]),
        (REACH, {"pay_by": "LINK_CLICK"}, ["pay_by"]),
        (CLICKS, {DAY: 500 * EURO_MICRO}, []),
        (CLICKS, {DAY: 501 * EURO_MICRO}, [DAY]),  # more than the stored total
        (CLICKS, {TOTAL: 19 * EURO_MICRO}, [DAY]),
        (REACH, {DAY: 9999 * EURO_MICRO}, []),  # it has no total
        (INSTALLS, {DAY: EURO_MICRO}, [DAY]),  # its campaign has budget_optimization CAMPAIGN
        (INSTALLS, {TOTAL: EURO_MICRO}, []),
        (REACH, {"frequency_cap": "5"}, []),
        (PREROLLS, {"frequency_cap": "5"}, []),
        (CLICKS, {"frequency_cap": "5"}, ["frequency_cap"]),
        (INSTALLS, {"frequency_cap": "5"}, ["frequency_cap"]),
        (PREROLLS, {"categories": "IAB8"}, []),
        (PREROLLS, {"categories": "IAB8,IAB18,IAB18-1"}, []),  # of two business categories
        (PREROLLS, {"categories": "IAB8,IAB18,IAB20"}, ["categories"]),
        (PREROLLS, {"categories": "IAB99"}, ["categories"]),
        (CLICKS, {"categories": "IAB99"}, []),
        (
            INSTALLS,
            {"bid_strategy": "TARGET", BID: "1", "frequency_cap": "5", DAY: "1"},
            ["bid_strategy", DAY, "frequency_cap"],
        ),
    ],
)
def test_rules_apply_to_the_whole_line_item(update, line_item, fields, expected):
    response = update(line_item, **fields)
    problems = errors(response) if response.status_code != 200 else []
    assert (response.status_code, problems) == (
        400 if expected else 200,
        [("INVALID_PARAMETER", parameter) for parameter in expected],
    )


@pytest.mark.parametrize(
    ("line_item", "stored", "missing"),
    [
        (PREROLLS, {"advertiser_domain": None}, ["advertiser_domain"]),
        (PREROLLS, {"categories": None}, ["categories"]),
        (CLICKS, {"placements": ["PUBLISHER_NETWORK"]}, ["advertiser_domain", "categories"]),
        (INSTALLS, {"ios_app_store_identifier": None}, []),
        (INSTALLS, {"android_app_store_identifier": None}, []),
        (
            INSTALLS,
            {"ios_app_store_identifier": None, "android_app_store_identifier": None},
            ["ios_app_store_identifier"],
        ),
        (
            REACH,
            {"objective": "APP_ENGAGEMENTS", "frequency_cap": None, "duration_in_days": None},
            ["ios_app_store_identifier"],
        ),
    ],
)
def test_fields_required_by_stored_data_must_be_sent(local, update, line_item, stored, missing):
    store_fields(local, line_item, **stored)
    response = update(line_item, name="x")
    problems = errors(response) if response.status_code != 200 else []
    assert problems == [("MISSING_PARAMETER", parameter) for parameter in missing]


def test_required_fields_can_be_sent_with_the_update(local, update):
    store_fields(local, CLICKS, placements=["PUBLISHER_NETWORK"])
    assert update(CLICKS, advertiser_domain="shop.example", categories="IAB18").status_code == 200


@pytest.mark.parametrize("objective", ["REACH", "ENGAGEMENTS", "VIDEO_VIEWS", "PREROLL_VIEWS"])
def test_four_objectives_allow_a_frequency_cap(local, update, objective):
    store_fields(local, CLICKS, objective=objective, categories=["IAB8"], bid_strategy="AUTO")
    assert update(CLICKS, frequency_cap="2").json()["data"]["frequency_cap"] == 2


def test_bid_strategy_auto_ignores_the_bid_amount(update):
    assert update(REACH, bid_amount_local_micro="5").json()["data"][BID] is None
    after = update(CLICKS, bid_strategy="AUTO", bid_amount_local_micro="5").json()["data"]
    assert (after["bid_strategy"], after[BID]) == ("AUTO", None)


def test_a_bid_strategy_requires_a_bid_amount(update):
    assert errors(update(CLICKS, bid_strategy="TARGET")) == [("MISSING_PARAMETER", BID)]


def test_a_rejected_update_changes_nothing(update):
    update(CLICKS, name="y", frequency_cap="5")
    assert update(CLICKS).json()["data"]["name"] == "Visits to the shop"


def test_a_line_item_is_deleted_once(local, account, update):
    path = f"{account}/line_items/{CLICKS}"
    deleted = local.send("DELETE", path).json()["data"]
    assert (deleted["id"], deleted["deleted"]) == (CLICKS, True)
    for response in (local.send("DELETE", path), update(CLICKS, name="x"), update(ENDED, name="x")):
        assert (response.status_code, errors(response)) == (404, [("NOT_FOUND", None)])


def history(client, line_item, kind="LINE_ITEM", **query):
    window = {"start_time": "2020-01-01T00:00:00Z", "end_time": "2100-01-01T00:00:00Z"}
    path = f"/12/accounts/{client.emulator.account}/account_history"
    response = client.get(path, entity_type=kind, entity_id=line_item, **window | query)
    assert response.status_code == 200, response.text
    return response.json()


def test_changes_are_recorded_in_the_history(local, account, update):
    update(CLICKS, name="New name", bid_strategy="MAX", bid_amount_local_micro="7")
    update(CLICKS, name="New name")  # no change
    local.send("DELETE", f"{account}/line_items/{CLICKS}")
    created, updated, deleted = history(local, CLICKS)["data"]
    assert set(updated) == {
        "entity", "entity_id", "entity_data", "change_type", "change_time", "change_by", "changes",
    }  # fmt: skip
    assert [change["change_type"] for change in (created, updated, deleted)] == ["CREATE", "UPDATE", "DELETE"]
    assert updated["changes"] == {
        "name": {"before": "Visits to the shop", "after": "New name"},
        "bid_strategy": {"before": "TARGET", "after": "MAX"},
        BID: {"before": 450_000, "after": 7},
    }
    assert updated["entity_data"]["name"] == "New name"
    assert updated["change_by"] == {
        "user_id": local.keys.access_token.split("-")[0],
        "platform": "API",
    }
    assert deleted["changes"] == {"deleted": {"before": False, "after": True}}


def test_the_history_is_filtered_by_entity_time_and_user(local, update, time_machine):
    time_machine.move_to("2026-05-05T10:30:00Z", tick=False)
    update(CLICKS, name="a")
    update(REACH, name="a")
    time_machine.move_to("2026-05-05T11:00:00Z", tick=False)
    update(CLICKS, name="b")

    def names(start, end, **query):
        window = {"start_time": f"2026-05-05T{start}:00:00Z", "end_time": f"2026-05-05T{end}:00:00Z"}
        return [record["entity_data"]["name"] for record in history(local, CLICKS, **window, **query)["data"]]

    assert names("10", "12") == ["a", "b"]
    assert names("10", "11") == ["a"] and names("11", "12") == ["b"] and names("12", "13") == []
    user = local.keys.access_token.split("-")[0]
    assert names("10", "12", user_id=user) == ["a", "b"] and names("10", "12", user_id="42") == []
    first = history(local, CLICKS, count="1")
    second = history(local, CLICKS, count="1", cursor=first["next_cursor"])
    assert [first["data"][0]["change_type"], second["data"][0]["entity_data"]["name"]] == ["CREATE", "a"]


def test_campaigns_have_a_history(local):
    (created,) = history(local, APP, "CAMPAIGN")["data"]
    assert created["entity_data"]["budget_optimization"] == "CAMPAIGN"
    assert history(local, APP, "LINE_ITEM")["data"] == []


@pytest.mark.parametrize("end", ["2026-03-01T08:30:00Z", "2026-03-01T08:00:01Z"])
def test_a_history_range_must_be_whole_hours(local, account, end):
    response = local.get(
        f"{account}/account_history",
        entity_type="LINE_ITEM", entity_id=CLICKS, start_time="2026-03-01T08:00:00Z", end_time=end,
    )  # fmt: skip
    assert errors(response) == [("INVALID_PARAMETER", "end_time")]


def test_line_item_and_history_commands(adsctl):
    adsctl.local(
        "line-items", "update", CLICKS, "--name", "By hand", "--bid-strategy", "MAX", "--bid-amount", "0.75"
    )
    shown = adsctl.local(
        *("accounts", "history", "--entity-type", "LINE_ITEM", "--entity-id", CLICKS, "-o", "json"),
        *("--start-time", "2026-01-01T00:00Z", "--end-time", "2100-01-01T00:00Z"),
    )
    created, updated = json.loads(shown.stdout)
    assert (created["change_type"], updated["change_type"]) == ("CREATE", "UPDATE")
    assert {name: change["after"] for name, change in updated["changes"].items()} == {
        "name": "By hand",
        "bid_strategy": "MAX",
        BID: 750_000,
    }
    refused = adsctl.local("line-items", "update", INSTALLS, "--daily-budget-amount", "3", code=6)
    assert "budget_optimization LINE_ITEM" in refused.stderr
    adsctl.local("line-items", "delete", CLICKS, code=12)
    assert "true" in adsctl.local("line-items", "delete", CLICKS, "--yes").stdout
    adsctl.local("line-items", "delete", CLICKS, "--yes", code=5)
