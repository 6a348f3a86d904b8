"""Campaigns and line items: limits of their number, and rules between what is sent and what is stored."""

import pytest

from ads_cli.emulator.resources import campaigns as campaign_records
from ads_cli.emulator.resources import line_items as line_item_records
from tests.emulator.seeded import APP, CARD, EURO_MICRO, HAMBURG, SPRING

from .client import errors
from .wire_names import generic_only, service_name, x_only  # noqa: F401 - every test runs under both

DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"
WEB = {
    "objective": "WEBSITE_CLICKS",
    "product_type": "PROMOTED_POSTS",
    "placements": "ALL_ON_PLATFORM",
    "start_time": "2026-03-01T00:00:00Z",
}


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture
def create(local, account):
    def create(kind, **fields):
        return local.send("POST", f"{account}/{kind}", **fields)

    return create


def test_an_account_has_at_most_200_campaigns_that_have_not_ended(local, create):
    record = {**campaign_records.DEFAULTS, "name": "n", "funding_instrument_id": CARD}
    active = 6  # of the seeded campaigns, which are neither drafts nor ended
    local.emulator.data.add_records("campaign", ({"id": f"many{n}", **record} for n in range(200 - active)))
    response = create("campaigns", name="One more", funding_instrument_id=CARD)
    assert (response.status_code, errors(response)[0][0]) == (400, "TOO_MANY_CAMPAIGNS")
    ended = {
        **WEB,
        "placements": ["ALL_ON_PLATFORM"],
        "campaign_id": "many1",
        "end_time": "2026-03-02T00:00:00Z",
    }
    local.emulator.data.add_records("line_item", [{"id": "over", **line_item_records.DEFAULTS, **ended}])
    assert create("campaigns", name="One ended", funding_instrument_id=CARD).status_code == 200


def test_a_campaign_has_at_most_100_line_items(local, create):
    record = {**line_item_records.DEFAULTS, **WEB, "campaign_id": SPRING, "placements": ["ALL_ON_PLATFORM"]}
    local.emulator.data.add_records("line_item", ({"id": f"many{n}", **record} for n in range(98)))
    response = create("line_items", campaign_id=SPRING, **WEB)
    assert (response.status_code, errors(response)[0][0]) == (400, "TOO_MANY_LINE_ITEMS")


@pytest.mark.parametrize(
    "placements",
    ["ALL_ON_PLATFORM,PLATFORM_SEARCH", "PUBLISHER_NETWORK,TAP_BANNER", "PLATFORM_SEARCH,TAP_BANNER"],
)
def test_a_combination_of_placements_must_be_allowed(create, placements):
    network = {"advertiser_domain": "shop.example", "categories": "IAB18"}
    response = create("line_items", campaign_id=SPRING, **WEB | network | {"placements": placements})
    assert errors(response) == [("INVALID_PLACEMENT_TYPE", "placements")]


def test_a_new_daily_budget_is_held_against_the_stored_total(local, account):
    path = f"{account}/campaigns/{SPRING}"
    assert errors(local.send("PUT", path, **{DAY: 2401 * EURO_MICRO})) == [("INVALID_PARAMETER", DAY)]
    assert errors(local.send("PUT", path, **{TOTAL: 59 * EURO_MICRO})) == [("INVALID_PARAMETER", DAY)]
    both = local.send("PUT", path, **{DAY: 2401 * EURO_MICRO, TOTAL: 3000 * EURO_MICRO})
    assert both.json()["data"][DAY] == 2401 * EURO_MICRO


@x_only
def test_an_empty_value_removes_a_budget(local, account):
    path = f"{account}/campaigns/{SPRING}"
    assert local.send("PUT", path, **{TOTAL: ""}).json()["data"][TOTAL] is None
    assert local.send("PUT", path, **{DAY: 9999 * EURO_MICRO}).json()["data"][DAY] == 9999 * EURO_MICRO


@pytest.mark.parametrize("fields", [{DAY: EURO_MICRO}, {"standard_delivery": "false"}])
def test_a_campaign_that_optimizes_itself_keeps_pace_and_daily_budget_to_itself(create, fields):
    app = {"objective": "APP_INSTALLS", "ios_app_store_identifier": "1066718842"}
    response = create("line_items", campaign_id=APP, **WEB | app | fields)
    assert errors(response) == [("INVALID_PARAMETER", next(iter(fields)))]
    assert create("line_items", campaign_id=APP, **WEB | app).status_code == 200


def test_all_broken_rules_of_the_state_are_told_at_once(create):
    fields = {"bid_strategy": "MAX", "bid_amount_local_micro": 90 * EURO_MICRO, TOTAL: 9999 * EURO_MICRO}
    response = create("line_items", campaign_id=SPRING, **WEB | fields)
    assert {parameter for _, parameter in errors(response)} == {"bid_amount_local_micro", TOTAL}


def test_an_end_before_the_stored_start_is_refused(local, account):
    (line_item,) = local.get(f"{account}/line_items", campaign_ids=HAMBURG).json()["data"]
    response = local.send("PUT", f"{account}/line_items/{line_item['id']}", end_time="2026-02-01T00:00:00Z")
    assert errors(response) == [("INVALID_PARAMETER", "end_time")]


def test_changes_are_in_the_history_of_the_account(local, account):
    local.send("PUT", f"{account}/campaigns/{SPRING}", name="Spring mugs")
    local.send("DELETE", f"{account}/campaigns/{SPRING}")
    period = {"start_time": "2020-01-01T00:00:00Z", "end_time": "2090-01-01T00:00:00Z"}
    at = f"{account}/account_history"
    entries = local.get(at, entity_type="CAMPAIGN", entity_id=SPRING, **period).json()["data"]
    assert [entry["change_type"] for entry in entries] == ["CREATE", "UPDATE", "DELETE"]
    assert entries[1]["changes"]["name"] == {"before": "Spring collection", "after": "Spring mugs"}
    assert entries[1]["changes"].keys() <= {"name"}


@pytest.mark.parametrize("other", ["line_items", "account_media"])
def test_the_cursor_of_another_list_is_refused(local, account, other):
    cursor = local.get(f"{account}/{other}", count=1).json()["next_cursor"]
    assert local.get(f"{account}/{other}", cursor=cursor).json()["data"]
    assert errors(local.get(f"{account}/campaigns", cursor=cursor)) == [("INVALID_PARAMETER", "cursor")]


def test_campaigns_are_sorted_and_paged_by_budget(local, account):
    first = local.get(f"{account}/campaigns", sort_by=f"{DAY}-desc", count=3).json()
    rest = local.get(
        f"{account}/campaigns", sort_by=f"{DAY}-desc", count=3, cursor=first["next_cursor"]
    ).json()
    budgets = [record[DAY] for record in (*first["data"], *rest["data"]) if record[DAY] is not None]
    assert budgets == sorted(budgets, reverse=True) and len(budgets) >= 3
    ids = [record["id"] for record in (*first["data"], *rest["data"])]
    assert len(set(ids)) == len(ids) == 6
