"""Targeting criteria: what a line item may target, and what goes with what."""

import itertools

import pytest

from ads_cli.emulator.targeting import values_of
from tests.emulator.seeded import (
    APP,
    AUSTRIA,
    CLICKS,
    CUSTOMERS,
    ENDED,
    FILMS,
    FOLLOWERS,
    GERMANY,
    INSTALLS,
    KNITTING,
    PREROLLS,
    REACH,
    READERS,
    REGULARS,
    SPRING,
)

from .client import errors
from .wire_names import service_name, x_only  # noqa: F401

NOT_HERE = "0123456789abcdef"  # a place that the emulator does not know
FIELDS = {
    *("id", "line_item_id", "name", "targeting_type", "targeting_value", "operator_type"),
    *("created_at", "updated_at", "deleted"),
}
USER = "1184672520"


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture
def criteria(account):
    return f"{account}/targeting_criteria"


@pytest.fixture
def add(local, criteria):
    def send(line_item: str, targeting_type: str, value: str, operator: str | None = None):
        fields = {"line_item_id": line_item, "targeting_type": targeting_type, "targeting_value": value}
        return local.send("POST", criteria, **fields, operator_type=operator or "EQ")

    return send


def store_criteria(local, line_item: str, targeting_type: str, count: int) -> None:
    """Store criteria as if they had been added one by one."""
    common = {"line_item_id": line_item, "targeting_type": targeting_type, "operator_type": "EQ"}
    values = ({"id": f"m{n}", "targeting_value": f"7{n}", "name": f"7{n}"} for n in range(count))
    local.emulator.data.add_records("targeting_criterion", [common | value for value in values])


def tv_show(locale: str) -> str:
    language, country = locale.split("-")
    here = {"language": language, "country": country}
    shows = (show for show in values_of("tv_shows") if show["locales"] == [here])
    return str(next(shows)["targeting_value"])


def test_a_criterion_is_added_shown_and_deleted(local, criteria, add):
    added = add(REACH, "INTEREST", KNITTING).json()["data"]
    assert added.keys() == FIELDS
    assert (added["name"], added["operator_type"]) == ("Hobbies and crafts/Knitting", "EQ")
    path = f"{criteria}/{added['id']}"
    assert local.get(path).json()["data"] == added
    assert added in local.get(criteria, line_item_ids=REACH).json()["data"]
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    assert local.get(path).status_code == local.send("DELETE", path).status_code == 404
    assert local.get(path, with_deleted="true").json()["data"]["deleted"] is True
    assert added["id"] not in [
        record["id"] for record in local.get(criteria, line_item_ids=REACH).json()["data"]
    ]


def test_a_place_says_what_kind_of_place_it_is(add):
    added = add(REACH, "LOCATION", AUSTRIA).json()["data"]
    assert added.keys() == FIELDS | {"location_type"}
    assert (added["name"], added["location_type"]) == ("Austria", "COUNTRIES")


def test_the_list_needs_line_items_and_shows_theirs_alone(local, criteria):
    assert errors(local.get(criteria)) == [("MISSING_PARAMETER", "line_item_ids")]
    both = local.get(criteria, line_item_ids=f"{CLICKS},{REACH}", with_total_count="true").json()
    assert {record["line_item_id"] for record in both["data"]} == {CLICKS, REACH}
    assert both["total_count"] == len(both["data"]) > 2
    first = both["data"][0]["id"]
    chosen = local.get(criteria, line_item_ids=f"{CLICKS},{REACH}", targeting_criterion_ids=first).json()
    assert [record["id"] for record in chosen["data"]] == [first]


def test_names_come_in_another_language_where_one_is_asked_for(local, criteria):
    listed = local.get(criteria, line_item_ids=CLICKS, lang="de").json()["data"]
    assert [record["localized_name"] for record in listed if record["targeting_value"] == GERMANY] == [
        "Deutschland"
    ]
    assert not any(
        "localized_name" in record for record in local.get(criteria, line_item_ids=CLICKS).json()["data"]
    )


@pytest.mark.parametrize(
    ("line_item", "targeting_type", "value", "operator", "blamed"),
    [
        (ENDED, "LANGUAGE", "de", None, "line_item_id"),  # deleted
        ("none", "LANGUAGE", "de", None, "line_item_id"),
        (REACH, "LANGUAGE", "de", None, "targeting_value"),  # targeted already
        (REACH, "LANGUAGE", "de", "NE", "targeting_value"),  # targeted, not to be excluded too
        (REACH, "LANGUAGE", "sv", None, None),
        (REACH, "AGE", "AGE_21_TO_34", None, None),
        (CLICKS, "AGE", "AGE_21_TO_34", None, "targeting_type"),  # one bucket
        (REACH, "AGE", "21", None, "targeting_value"),
        (REACH, "GENDER", "1", None, None),
        (REACH, "GENDER", "3", None, "targeting_value"),
        (REACH, "LOCATION", NOT_HERE, None, None),
        (REACH, "LOCATION", "Hamburg", None, "targeting_value"),
        (REACH, "INTEREST", "12007", None, None),
        (REACH, "INTEREST", "knitting", None, "targeting_value"),
        (REACH, "FOLLOWERS_OF_USER", USER, None, None),
        (REACH, "FOLLOWERS_OF_USER", "@nordlicht", None, "targeting_value"),
        (REACH, "APP_LIST", "abc1", "NE", None),
        (REACH, "APP_LIST", "abc1", None, "operator_type"),
        (REACH, "NETWORK_ACTIVATION_DURATION", "6", "LT", None),
        (REACH, "NETWORK_ACTIVATION_DURATION", "6", "EQ", "operator_type"),
        (REACH, "LANGUAGE", "sv", "GTE", "operator_type"),
        (REACH, "CUSTOM_AUDIENCE", CUSTOMERS, None, None),
        (REACH, "CUSTOM_AUDIENCE", CUSTOMERS, "NE", None),
        (REACH, "CUSTOM_AUDIENCE", "none", None, "targeting_value"),
        (REACH, "CUSTOM_AUDIENCE_EXPANDED", CUSTOMERS, "NE", "operator_type"),
        (CLICKS, "CUSTOM_AUDIENCE_EXPANDED", CUSTOMERS, None, "targeting_value"),  # beside its own
        (CLICKS, "CUSTOM_AUDIENCE_EXPANDED", READERS, None, None),
        (REACH, "CAMPAIGN_ENGAGEMENT", SPRING, None, None),
        (REACH, "CAMPAIGN_ENGAGEMENT", "none", None, "targeting_value"),
        (REACH, "ENGAGEMENT_TYPE", "IMPRESSION", None, "targeting_type"),  # of nothing
        (REACH, "UNKNOWN", "1", None, "targeting_type"),
    ],
)
def test_a_line_item_takes_what_fits(add, line_item, targeting_type, value, operator, blamed):
    response = add(line_item, targeting_type, value, operator)
    problems = errors(response) if response.status_code != 200 else []
    assert problems == ([("INVALID_PARAMETER", blamed)] if blamed else [])


@pytest.mark.parametrize(("engagement", "value"), [("CAMPAIGN_ENGAGEMENT", FILMS), ("USER_ENGAGEMENT", USER)])
def test_a_kind_of_engagement_goes_with_an_engagement(add, engagement, value):
    assert add(REACH, engagement, value).status_code == 200
    assert add(REACH, "ENGAGEMENT_TYPE", "VIDEO_VIEW_COMPLETE").status_code == 200
    assert errors(add(REACH, "ENGAGEMENT_TYPE", "CLICK")) == [("INVALID_PARAMETER", "targeting_value")]


def test_an_audience_that_cannot_be_targeted_is_refused(local, add):
    response = add(REACH, "CUSTOM_AUDIENCE", REGULARS)
    assert errors(response) == [("INVALID_PARAMETER", "targeting_value")]
    assert "cannot be targeted: TOO_SMALL" in response.text


@pytest.mark.parametrize(
    ("targeting_type", "most"),
    [
        ("BROAD_KEYWORD", 1000),
        ("INTEREST", 100),
        ("SIMILAR_TO_FOLLOWERS_OF_USER", 100),
        ("CONTENT_PUBLISHER_USER", 50),
        ("EVENT", 1),
    ],
)
def test_a_line_item_has_at_most_so_many_criteria_of_a_type(local, add, targeting_type, most):
    operator = "NE" if targeting_type == "CONTENT_PUBLISHER_USER" else None
    store_criteria(local, INSTALLS, targeting_type, most - 1)
    assert add(INSTALLS, targeting_type, "1", operator).status_code == 200
    response = add(INSTALLS, targeting_type, "2", operator)
    assert errors(response) == [("INVALID_PARAMETER", "targeting_type")]
    assert f"at most {most} " in response.text


def test_keywords_of_every_kind_count_together(local, add):
    store_criteria(local, INSTALLS, "PHRASE_KEYWORD", 1000)
    assert errors(add(INSTALLS, "EXACT_KEYWORD", "wool")) == [("INVALID_PARAMETER", "targeting_type")]


def test_a_tv_show_needs_a_place_in_its_market_first(local, criteria, add):
    german, american = tv_show("de-DE"), tv_show("en-US")
    for record in local.get(criteria, line_item_ids=REACH).json()["data"]:
        local.send("DELETE", f"{criteria}/{record['id']}")
    assert errors(add(REACH, "TV_SHOW", german)) == [("INVALID_TV_SHOW_LOCATIONS", None)]
    add(REACH, "LOCATION", GERMANY)
    assert errors(add(REACH, "TV_SHOW", american)) == [("TV_SHOW_OUTSIDE_MARKET", None)]
    assert add(REACH, "TV_SHOW", german).json()["data"]["name"]


@x_only
def test_a_line_item_with_a_curated_category_excludes_few_publishers_and_has_no_content(local, add):
    assert errors(add(PREROLLS, "IAB_CATEGORY", "IAB9-2")) == [("INVALID_PARAMETER", "targeting_type")]
    answers = [add(PREROLLS, "CONTENT_PUBLISHER_USER", str(number), "NE") for number in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 4 + [400]  # one is in the seed
    assert "at most 5" in answers[-1].text


@x_only
def test_a_curated_category_needs_a_country_that_is_targeted(local, account, criteria, add):
    path = f"{account}/line_item_curated_categories"
    wanted = {"line_item_id": FOLLOWERS, "curated_category_id": "cc3"}  # of the United States and Britain
    assert errors(local.send("POST", path, **wanted)) == [("INVALID_PARAMETER", "curated_category_id")]
    query = {"q": "kingdom", "location_type": "COUNTRIES"}
    (britain,) = local.get("/12/targeting_criteria/locations", **query).json()["data"]
    excluded = add(FOLLOWERS, "LOCATION", britain["targeting_value"], "NE").json()["data"]
    assert local.send("POST", path, **wanted).status_code == 400
    local.send("DELETE", f"{criteria}/{excluded['id']}")
    add(FOLLOWERS, "LOCATION", britain["targeting_value"])
    assert local.send("POST", path, **wanted).status_code == 200


@x_only
@pytest.mark.parametrize(("publishers", "status"), [(5, 200), (6, 400)])
def test_a_line_item_that_excludes_many_publishers_has_no_curated_category(
    local, account, publishers, status
):
    store_criteria(local, CLICKS, "CONTENT_PUBLISHER_USER", publishers)
    wanted = {"line_item_id": CLICKS, "curated_category_id": "cc1"}
    response = local.send("POST", f"{account}/line_item_curated_categories", **wanted)
    assert response.status_code == status, response.text


@x_only
def test_content_categories_exclude_a_curated_one(local, account, add):
    assert add(CLICKS, "IAB_CATEGORY", "IAB9-2").status_code == 200
    wanted = {"line_item_id": CLICKS, "curated_category_id": "cc1"}
    response = local.send("POST", f"{account}/line_item_curated_categories", **wanted)
    assert errors(response) == [("INVALID_PARAMETER", "curated_category_id")]


def test_what_is_targeted_shows_in_the_campaigns_of_an_audience(local, account, add):
    path = f"{account}/custom_audiences/{READERS}/targeted"
    assert local.get(path).json()["data"] == []
    add(REACH, "CUSTOM_AUDIENCE", READERS)
    (campaign,) = local.get(path).json()["data"]
    assert [line_item["id"] for line_item in campaign["line_items"]] == [REACH]


def test_the_history_of_the_account_has_changes_of_targeting(local, account, add, criteria):
    added = add(REACH, "LANGUAGE", "sv").json()["data"]["id"]
    local.send("DELETE", f"{criteria}/{added}")
    noted = local.get(
        f"{account}/account_history", entity_type="TARGETING_CRITERIA", entity_id=added,
        start_time="2020-01-01T00:00:00Z", end_time="2099-01-01T00:00:00Z",
    ).json()["data"]  # fmt: skip
    assert {change["change_type"] for change in noted} == {"CREATE", "DELETE"}


def test_a_new_line_item_for_an_app_targets_the_platforms_of_its_stores(local, account, criteria):
    given = {
        "campaign_id": APP,
        "objective": "APP_INSTALLS",
        "product_type": "PROMOTED_POSTS",
        "placements": "ALL_ON_PLATFORM",
        "start_time": "2026-12-01T00:00:00Z",
        "end_time": "2026-12-24T00:00:00Z",
        "android_app_store_identifier": "example.nordlicht.shop",
    }
    added = local.send("POST", f"{account}/line_items", **given).json()["data"]["id"]
    (platform,) = local.get(criteria, line_item_ids=added).json()["data"]
    assert (platform["targeting_type"], platform["name"]) == ("PLATFORM", "Android")


def test_every_line_item_of_the_seed_targets_places_and_promotes_something(local, account, criteria):
    ids = {record["id"] for record in local.get(f"{account}/line_items", with_draft="true").json()["data"]}
    targeted = local.get(criteria, line_item_ids=",".join(ids)).json()["data"]
    assert {
        criterion["line_item_id"] for criterion in targeted if criterion["targeting_type"] == "LOCATION"
    } == ids
    kinds = ("promoted_posts", "promoted_accounts", "media_creatives")
    promoted = [record for kind in kinds for record in local.get(f"{account}/{kind}").json()["data"]]
    assert {promotion["line_item_id"] for promotion in promoted} == ids


def test_every_criterion_of_the_seed_could_be_added_again(local, criteria, add):
    listed = local.get(criteria, line_item_ids=",".join((CLICKS, REACH, FOLLOWERS, INSTALLS, PREROLLS)))
    for record in listed.json()["data"]:
        local.send("DELETE", f"{criteria}/{record['id']}")
    names = ("line_item_id", "targeting_type", "targeting_value", "operator_type")
    added = [add(*(record[name] for name in names)).json()["data"] for record in listed.json()["data"]]
    kept = [*names, "name"]
    assert [[record[name] for name in kept] for record in added] == [
        [record[name] for name in kept] for record in listed.json()["data"]
    ]
    assert len(added) == len({*itertools.chain(record["id"] for record in added)}) > 15
