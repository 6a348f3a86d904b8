"""The line item requests against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.categories import (
    AddLineItemCategory,
    DeleteLineItemCategory,
    GetLineItemCategory,
    ListLineItemCategories,
    UpdateLineItemCategory,
)
from ads_cli.api.line_items import DeleteLineItem, UpdateLineItem

from .declared import check, sent

IN = {"account_id": "a1"}
ITEM = IN | {"line_item_id": "l1"}
CHOSEN = "ads://12/accounts/a1/line_item_curated_categories"
EVERYTHING = {
    "advertiser_domain": "shop.example",
    "advertiser_user_id": "42",
    "android_app_store_identifier": "example.shop",
    "audience_expansion": "BROAD",
    "bid_amount_local_micro": "1500000",
    "bid_strategy": "MAX",
    "categories": ["IAB1", "IAB2"],
    "duration_in_days": "7",
    "entity_status": "PAUSED",
    "end_time": "2026-04-01T02:00:00+02:00",
    "frequency_cap": "3",
    "goal": "APP_INSTALLS",
    "ios_app_store_identifier": "106",
    "name": "x",
    "pay_by": "APP_CLICK",
    "start_time": "2026-03-01T00:00:00Z",
    "total_budget_amount_local_micro": "9000000",
    "daily_budget_amount_local_micro": "9000000",
}
GOALS = (
    "APP_CLICKS APP_INSTALLS APP_PURCHASES ENGAGEMENT FOLLOWERS LINK_CLICKS MAX_REACH PREROLL PREROLL_STARTS "
    "REACH_WITH_ENGAGEMENT VIDEO_VIEW VIEW_3S_100PCT VIEW_6S VIEW_15S WEBSITE_CONVERSIONS"
)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (DeleteLineItem, ITEM, "DELETE ads://12/accounts/a1/line_items/l1"),
        (
            ListLineItemCategories,
            IN | {"count": 2, "sort_by": "id-desc", "with_total_count": "true", "with_deleted": "true"},
            f"GET {CHOSEN}?count=2&sort_by=id-desc&with_total_count=true&with_deleted=true",
        ),
        (
            GetLineItemCategory,
            IN | {"line_item_curated_category_id": "x1", "with_deleted": "true"},
            f"GET {CHOSEN}/x1?with_deleted=true",
        ),
        (
            AddLineItemCategory,
            ITEM | {"curated_category_id": "c1"},
            f"POST {CHOSEN}?line_item_id=l1&curated_category_id=c1",
        ),
        (
            UpdateLineItemCategory,
            IN | {"line_item_curated_category_id": "x1", "curated_category_id": "c2"},
            f"PUT {CHOSEN}/x1?curated_category_id=c2",
        ),
        (
            DeleteLineItemCategory,
            IN | {"line_item_curated_category_id": "x1"},
            f"DELETE {CHOSEN}/x1",
        ),
    ],
)
def test_line_item_requests_are_sent_as_specified(kind, values, expected):
    assert sent(kind, **values) == expected


def test_every_parameter_of_a_line_item_is_sent_in_the_query():
    address, _, query = sent(UpdateLineItem, **ITEM | EVERYTHING).partition("?")
    assert address == "PUT ads://12/accounts/a1/line_items/l1"
    parameters = dict(pair.split("=") for pair in query.split("&"))
    assert parameters.keys() == EVERYTHING.keys()
    assert parameters["categories"] == "IAB1%2CIAB2"
    assert parameters["end_time"] == "2026-04-01T00%3A00%3A00Z"
    assert parameters["duration_in_days"] == "7"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("entity_status", "ACTIVE PAUSED"),
        ("goal", GOALS),
        ("pay_by", "APP_CLICK IMPRESSION LINK_CLICK"),
        ("audience_expansion", "BROAD DEFINED EXPANDED"),
        ("duration_in_days", "1 7 30"),
    ],
)
def test_enums_of_line_items_accept_only_their_values(field, values):
    for value in values.split():
        assert check(UpdateLineItem, **ITEM, **{field: value}) == []
    (message,) = check(UpdateLineItem, **ITEM, **{field: "99"})
    assert message.startswith(f"{field}: '99' is not one of {', '.join(values.split())}")


BID = "bid_amount_local_micro"
DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"


@pytest.mark.parametrize(
    ("values", "problems"),
    [
        ({}, []),
        ({BID: "1"}, []),
        ({BID: "0"}, [f"{BID}: '0' is not allowed: more than 0"]),
        ({BID: "-5"}, [f"{BID}: '-5' is not allowed: more than 0"]),
        ({BID: "1.5"}, [f"{BID}: '1.5' is not a whole number (more than 0)"]),
        ({"bid_strategy": "AUTO"}, []),
        ({"bid_strategy": "MAX"}, [f"{BID}: is required when bid_strategy is MAX"]),
        ({"bid_strategy": "TARGET"}, [f"{BID}: is required when bid_strategy is TARGET"]),
        ({"bid_strategy": "MAX", BID: "1"}, []),
        ({"bid_strategy": "MIN"}, ["bid_strategy: 'MIN' is not one of AUTO, MAX, TARGET"]),
        (
            {DAY: "0", TOTAL: "-5"},
            [f"{TOTAL}: '-5' is not allowed: more than 0", f"{DAY}: '0' is not allowed: more than 0"],
        ),
        ({DAY: "5", TOTAL: "5"}, []),
        ({DAY: "6"}, []),
        ({DAY: "6", TOTAL: "5"}, [f"{DAY}: 6 is more than {TOTAL}, 5"]),
        ({DAY: "x"}, [f"{DAY}: 'x' is not a whole number (more than 0)"]),
        ({"bid_strategy": "TARGET", BID: "1", "goal": "LINK_CLICKS", "pay_by": "LINK_CLICK"}, []),
        ({"bid_strategy": "TARGET", BID: "1", "goal": "MAX_REACH", "pay_by": "IMPRESSION"}, []),
        ({"bid_strategy": "TARGET", BID: "1", "pay_by": "IMPRESSION"}, []),
        (
            {"bid_strategy": "TARGET", BID: "1", "goal": "LINK_CLICKS", "pay_by": "IMPRESSION"},
            ["pay_by: IMPRESSION is not for bid_strategy TARGET with goal LINK_CLICKS"],
        ),
        (
            {"bid_strategy": "TARGET", "goal": "LINK_CLICKS", "pay_by": "IMPRESSION", DAY: "2", TOTAL: "1"},
            [
                f"{DAY}: 2 is more than {TOTAL}, 1",
                f"{BID}: is required when bid_strategy is TARGET",
                "pay_by: IMPRESSION is not for bid_strategy TARGET with goal LINK_CLICKS",
            ],
        ),
        ({"frequency_cap": "many"}, ["frequency_cap: 'many' is not a whole number (at least 1)"]),
        (
            {"end_time": "2026-03-01"},
            ["end_time: '2026-03-01' is not allowed: ISO 8601 with an offset, such as 2026-03-01T08:00:00Z"],
        ),
        ({"name": ""}, ["name: is empty"]),
    ],
)
def test_a_line_item_keeps_its_limits(values, problems):
    assert check(UpdateLineItem, **ITEM, **values) == problems


@pytest.mark.parametrize(
    ("kind", "values", "problems"),
    [
        (ListLineItemCategories, {"count": "1"}, []),
        (ListLineItemCategories, {"count": "1000"}, []),
        (ListLineItemCategories, {"count": "0"}, ["count: '0' is not allowed: 1 to 1000"]),
        (ListLineItemCategories, {"count": "1001"}, ["count: '1001' is not allowed: 1 to 1000"]),
        (
            ListLineItemCategories,
            {"with_total_count": "true", "cursor": "x"},
            ["with_total_count: cannot be used with cursor"],
        ),
        (AddLineItemCategory, {}, ["line_item_id: is required", "curated_category_id: is required"]),
        (UpdateLineItemCategory, {"line_item_curated_category_id": "x"}, []),
    ],
)
def test_curated_categories_of_line_items_keep_their_limits(kind, values, problems):
    assert check(kind, **IN, **values) == problems


def test_problems_of_line_item_commands_name_the_options(adsctl):
    done = adsctl(
        *("line-items", "update", "l1", "-A", "a1", "--bid-strategy", "MAX", "--duration-in-days", "14"),
        *("--daily-budget-amount", "2", "--total-budget-amount", "1.50"),
        code=2,
    )
    assert "--bid-amount-local-micro: is required when bid_strategy is MAX" in done.stderr
    assert "--duration-in-days: '14' is not one of 1, 7, 30" in done.stderr
    assert "--daily-budget: 2 is more than --total-budget, 1.50" in done.stderr
    done = adsctl("line-items", "update", "l1", "-A", "a1", "--bid-amount", "-1", code=2)
    assert "--bid-amount: '-1' is not more than 0" in done.stderr


@pytest.mark.parametrize("words", [("line-items", "update", "l1"), ("accounts", "update", "a1")])
def test_an_update_without_changes_is_not_sent(adsctl, words):
    done = adsctl("--profile", "local", *words, code=2)
    assert "nothing to change" in done.stderr and "--help" in done.stderr
