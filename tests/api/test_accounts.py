"""The account requests against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.accounts import (
    AddFeatures,
    CreateAccount,
    DeleteAccount,
    ListApps,
    ListFeatures,
    ListHistory,
    UpdateAccount,
)
from ads_cli.api.categories import GetCuratedCategory, ListBusinessCategories, ListCuratedCategories

from .declared import ESCAPED_ID, SPECIAL_ID, check, sent

INDUSTRIES = (
    "AGENCY BUSINESS_TO_BUSINESS ONLINE_SERVICES EDUCATION FINANCIAL HEALTH GOVERNMENT MEDIA MOBILE "
    "RESTAURANT RETAIL TECHNOLOGY TRAVEL OTHER"
)
ENTITIES = "CAMPAIGN, LINE_ITEM, PROMOTED_POST, TARGETING_CRITERIA, PROMOTED_ACCOUNT"
IN = {"account_id": "a1"}
HISTORY = IN | {
    "entity_type": "LINE_ITEM",
    "entity_id": "l1",
    "start_time": "2026-03-01T08:00:00Z",
    "end_time": "2026-03-02T08:00:00Z",
}


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (CreateAccount, {}, "POST sandbox://12/accounts"),
        (
            UpdateAccount,
            IN | {"name": "A & B", "industry_type": "RETAIL"},
            "PUT ads://12/accounts/a1?name=A%20%26%20B&industry_type=RETAIL",
        ),
        (UpdateAccount, {"account_id": SPECIAL_ID}, f"PUT ads://12/accounts/{ESCAPED_ID}"),
        (DeleteAccount, IN, "DELETE sandbox://12/accounts/a1"),
        (
            ListApps,
            IN | {"count": 1, "cursor": "c", "sort_by": "id", "with_deleted": "true"},
            "GET ads://12/accounts/a1/account_apps?count=1&cursor=c&sort_by=id&with_deleted=true",
        ),
        (
            ListHistory,
            HISTORY | {"user_id": "42", "count": "9"},
            "GET ads://12/accounts/a1/account_history?entity_type=LINE_ITEM&entity_id=l1"
            "&start_time=2026-03-01T08%3A00%3A00Z&end_time=2026-03-02T08%3A00%3A00Z&user_id=42&count=9",
        ),
        (ListBusinessCategories, {}, "GET ads://12/advertiser_business_categories"),
        (ListCuratedCategories, IN, "GET ads://12/accounts/a1/curated_categories"),
        (
            GetCuratedCategory,
            IN | {"curated_category_id": "c1"},
            "GET ads://12/accounts/a1/curated_categories/c1",
        ),
        (
            ListFeatures,
            IN | {"feature_keys": ["REACH_FREQUENCY_CAP", "WEBSITE_CLICKS_CPM_BILLING"]},
            "GET ads://12/accounts/a1/features?feature_keys=REACH_FREQUENCY_CAP%2CWEBSITE_CLICKS_CPM_BILLING",
        ),
        (
            AddFeatures,
            IN | {"feature_keys": ["CPI_CHARGING", "NEW_ONE"]},
            "POST sandbox://12/accounts/a1/features?feature_keys=CPI_CHARGING%2CNEW_ONE",
        ),
    ],
)
def test_account_requests_are_sent_as_specified(kind, values, expected):
    assert sent(kind, **values) == expected


@pytest.mark.parametrize("industry", INDUSTRIES.split())
def test_an_account_has_one_of_14_industries(industry):
    assert check(UpdateAccount, account_id="a1", industry_type=industry) == []


def test_an_unknown_industry_is_rejected():
    (message,) = check(UpdateAccount, account_id="a1", industry_type="RETAILS")
    listed = ", ".join(INDUSTRIES.split())
    assert message == f"industry_type: 'RETAILS' is not one of {listed}"


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        *(({"entity_type": entity}, []) for entity in ENTITIES.split(", ")),
        (
            {"entity_type": "CARD"},
            [f"entity_type: 'CARD' is not one of {ENTITIES}"],
        ),
        ({"entity_type": None, "entity_id": None}, ["entity_type: is required", "entity_id: is required"]),
        ({"start_time": None, "end_time": None}, ["start_time: is required", "end_time: is required"]),
        ({"start_time": "2026-03-01T10:00:00+02:00"}, []),
        (
            {"start_time": "2026-03-01T08:30:00Z", "end_time": "2026-03-02T08:00:01Z"},
            [
                "start_time: 2026-03-01T08:30:00Z is not a whole hour in UTC, such as 2026-03-01T08:00:00Z",
                "end_time: 2026-03-02T08:00:01Z is not a whole hour in UTC, such as 2026-03-01T08:00:00Z",
            ],
        ),
        ({"end_time": "2026-03-01T08:00:00Z"}, ["end_time: is not after start_time"]),
        ({"end_time": "2026-02-01T08:00:00Z"}, ["end_time: is not after start_time"]),
        (
            {"start_time": "2026-03-01T08:00:00+05:30"},
            ["start_time: 2026-03-01T02:30:00Z is not a whole hour in UTC, such as 2026-03-01T08:00:00Z"],
        ),
        (
            {"start_time": "2026-03-01T08:00:00"},
            [
                "start_time: '2026-03-01T08:00:00' is not allowed: ISO 8601 with an offset,"
                " such as 2026-03-01T08:00:00Z"
            ],
        ),
        ({"user_id": "9007199254740993"}, []),
        ({"user_id": "me"}, ["user_id: 'me' is not a whole number"]),
        ({"count": "1000"}, []),
        ({"count": "1001"}, ["count: '1001' is not allowed: 1 to 1000"]),
        ({"count": "0"}, ["count: '0' is not allowed: 1 to 1000"]),
        ({"sort_by": "id"}, ["sort_by: is not a known field"]),
    ],
)
def test_history_requires_whole_hours_and_known_values(changes, problems):
    assert check(ListHistory, **HISTORY | changes) == problems


@pytest.mark.parametrize("count", ["0", "1001"])
def test_a_page_of_apps_has_1_to_1000_records(count):
    assert check(ListApps, **IN, count=count) == [f"count: '{count}' is not allowed: 1 to 1000"]
    assert check(ListApps, **IN, with_total_count="true", cursor="x") == [
        "with_total_count: cannot be used with cursor"
    ]


def test_any_features_can_be_listed_and_added():
    three = "REACH_AND_FREQUENCY_ANALYTICS, REACH_FREQUENCY_CAP, WEBSITE_CLICKS_CPM_BILLING"
    assert check(ListFeatures, **IN, feature_keys=three.split(", ")) == []
    assert check(ListFeatures, **IN, feature_keys=["AGE_TARGETING", "WHAT_COMES_NEXT"]) == []
    assert check(ListFeatures, **IN, feature_keys=[]) == ["feature_keys: is empty"]
    assert check(AddFeatures, **IN, feature_keys=["AGE_TARGETING", "WHAT_COMES_NEXT"]) == []
    assert check(AddFeatures, **IN) == ["feature_keys: is required"]
    assert check(AddFeatures, **IN, feature_keys=[]) == ["feature_keys: is empty"]


@pytest.mark.parametrize("verb", ["get", "update", "delete"])
def test_an_account_command_requires_an_id_and_ignores_the_default_account(adsctl, verb):
    done = adsctl.local("accounts", verb, "--account", "18ce54d4x5t", "--yes", code=2)
    assert "ACCOUNT_ID" in done.stderr


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("accounts", "create"), "POST http://127.0.0.1:2/12/accounts"),
        (("accounts", "delete", "x"), "DELETE http://127.0.0.1:2/12/accounts/x"),
        (
            ("accounts", "features", "add", "-A", "x", "--feature-keys", "AGE_TARGETING"),
            "POST http://127.0.0.1:2/12/accounts/x/features?feature_keys=AGE_TARGETING",
        ),
        (("accounts", "update", "x", "--name", "y"), "PUT http://127.0.0.1:1/12/accounts/x?name=y"),
    ],
)
def test_sandbox_commands_are_sent_to_the_sandbox(adsctl, words, line):
    env = {"ADSCTL_ADS_URL": "http://127.0.0.1:1", "ADSCTL_ADS_SANDBOX_URL": "http://127.0.0.1:2"}
    assert adsctl(*words, "--dry-run", **env).stdout.strip() == line


def test_problems_of_account_commands_name_the_options(adsctl):
    done = adsctl(
        *("accounts", "history", "-A", "a1", "--entity-type", "LINEITEM", "--start-time", "today"),
        *("--end-time", "2026-03-01T08:15Z"),
        code=2,
    )
    assert "--entity-type: 'LINEITEM' is not one of" in done.stderr
    assert "--entity-id: is required" in done.stderr
    assert "--start-time: 'today' is not allowed: a day or a time where the account is" in done.stderr
    assert "--end-time: 2026-03-01T08:15:00Z is not a whole hour" in done.stderr
