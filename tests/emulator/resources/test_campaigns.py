"""The life of funding, campaigns and line items: typed commands, under both services."""

import pytest

from tests.emulator.seeded import (
    ADVENT,
    APP,
    AUTUMN,
    CARD,
    CLICKS,
    ENDED_ORDER,
    EURO_MICRO,
    HAMBURG,
    KNITTERS,
    LOOKS,
    SPRING,
    SUMMER,
    WINTER,
)

DAY, TOTAL = "daily_budget_amount_local_micro", "total_budget_amount_local_micro"
CAMPAIGN = ("campaigns", "create", "--funding-instrument-id", CARD, "--name", "Autumn mugs")
SITE = (
    "--objective",
    "WEBSITE_CLICKS",
    "--product-type",
    "PROMOTED_POSTS",
    "--start-time",
    "2026-03-01T00:00Z",
)
EVERYWHERE = ("--placements", "ALL_ON_PLATFORM")


@pytest.fixture
def campaign(run) -> str:
    return run(*CAMPAIGN, "--daily-budget-amount", "25", "--entity-status", "ACTIVE")["id"]


def test_a_campaign_is_created_listed_changed_and_deleted(run):
    made = run(
        *CAMPAIGN, "--daily-budget-amount", "25", "--entity-status", "PAUSED", "--no-standard-delivery"
    )
    about = {"name": "Autumn mugs", DAY: 25 * EURO_MICRO, TOTAL: None, "currency": "EUR", "servable": False}
    about |= {"funding_instrument_id": CARD, "entity_status": "PAUSED", "effective_status": "PAUSED"}
    about |= {"budget_optimization": "LINE_ITEM", "standard_delivery": False, "deleted": False}
    assert made.items() >= about.items()
    assert made["reasons_not_servable"] == ["PAUSED_BY_ADVERTISER", "INCOMPLETE"]
    assert run("campaigns", "get", made["id"]) == made
    assert run("campaigns", "list", "--q", "autumn m") == [made]
    assert made in run("campaigns", "list", "--funding-instrument-ids", CARD, "--sort-by", "name-desc")
    changed = run("campaigns", "update", made["id"], "--name", "Mugs", "--total-budget-amount", "100")
    assert (changed["name"], changed[TOTAL], changed[DAY]) == ("Mugs", 100 * EURO_MICRO, 25 * EURO_MICRO)
    assert run("campaigns", "delete", made["id"])["deleted"] is True
    for words in (("get", made["id"]), ("delete", made["id"]), ("update", made["id"], "--name", "x")):
        assert f"the campaign {made['id']} does not exist" in run("campaigns", *words, code=5)
    assert made["id"] not in [record["id"] for record in run("campaigns", "list")]
    assert run("campaigns", "get", made["id"], "--with-deleted")["name"] == "Mugs"


def test_a_line_item_is_created_listed_changed_and_deleted(run, campaign):
    made = run(
        "line-items", "create", "--campaign-id", campaign, *SITE, *EVERYWHERE, "--daily-budget-amount", "5"
    )
    about = {"campaign_id": campaign, "objective": "WEBSITE_CLICKS", "placements": ["ALL_ON_PLATFORM"]}
    about |= {"goal": "LINK_CLICKS", "pay_by": "IMPRESSION", "bid_strategy": "AUTO", "currency": "EUR"}
    about |= {"start_time": "2026-03-01T00:00:00Z", "end_time": None, "product_type": "PROMOTED_POSTS"}
    assert made.items() >= about.items() and "funding_instrument_id" not in made
    at = ("line-items", "list", "--campaign-ids", campaign)
    (listed,) = run(*at)
    assert listed == made | {"funding_instrument_id": CARD} == run("line-items", "get", made["id"])
    changed = run("line-items", "update", made["id"], "--bid-strategy", "MAX", "--bid-amount", "0.40")
    assert changed["bid_amount_local_micro"] == 400_000
    assert run("line-items", "delete", made["id"])["deleted"] is True
    assert run(*at) == [] and len(run(*at, "--with-deleted")) == 1


def test_a_funding_instrument_is_created_listed_and_deleted(run):
    order = ("--type", "INSERTION_ORDER", "--currency", "JPY", "--start-time", "2026-01-01T00:00Z")
    made = run("funding-instruments", "create", *order, "--funded-amount", "5000")
    assert made.items() >= {"currency": "JPY", "able_to_fund": True, "reasons_not_able_to_fund": []}.items()
    assert made["funded_amount_local_micro"] == 5000 * EURO_MICRO
    assert run("funding-instruments", "list", "--funding-instrument-ids", made["id"]) == [made]
    paid = run(
        *CAMPAIGN[:2], "--funding-instrument-id", made["id"], "--name", "n", "--daily-budget-amount", "9"
    )
    assert paid["currency"] == "JPY"
    deleted = run("funding-instruments", "delete", made["id"])
    assert (deleted["able_to_fund"], deleted["reasons_not_able_to_fund"]) == (False, ["DELETED"])
    assert "FUNDING_PROBLEM" in run("campaigns", "get", paid["id"])["reasons_not_servable"]
    assert "does not exist" in run(*CAMPAIGN[:3], made["id"], *CAMPAIGN[4:], code=6)


def test_the_state_of_a_campaign_follows_from_its_line_items_and_its_funding(run):
    by_id = {record["id"]: record for record in run("campaigns", "list", "--with-draft")}
    states = {
        id: (campaign["effective_status"], campaign["reasons_not_servable"]) for id, campaign in by_id.items()
    }
    assert states[SPRING] == states[APP] == states[HAMBURG] == ("RUNNING", [])
    assert states[WINTER] == ("EXPIRED", ["EXPIRED"])
    assert states[ADVENT] == ("FUNDING_PROBLEM", ["FUNDING_PROBLEM"])
    assert states[KNITTERS][0] == "PAUSED" and states[AUTUMN] == ("UNKNOWN", ["INCOMPLETE"])
    for line_item in (CLICKS, SUMMER):
        run("line-items", "update", line_item, "--entity-status", "PAUSED")
    assert run("campaigns", "get", SPRING)["reasons_not_servable"] == ["INCOMPLETE"]
    run("campaigns", "update", SPRING, "--entity-status", "PAUSED")
    run("line-items", "update", CLICKS, "--entity-status", "ACTIVE")
    assert run("campaigns", "get", SPRING)["reasons_not_servable"] == ["PAUSED_BY_ADVERTISER"]
    run("campaigns", "update", SPRING, "--entity-status", "ACTIVE")
    assert run("campaigns", "get", SPRING)["servable"] is True
    future = ("--start-time", "2031-01-01T00:00Z")
    for line_item in (CLICKS, SUMMER):
        run("line-items", "update", line_item, *future)
    assert run("campaigns", "get", SPRING)["effective_status"] == "ACTIVE"


@pytest.mark.parametrize("placements", ["PLATFORM_SEARCH", "PLATFORM_TIMELINE,PLATFORM_SEARCH"])
def test_a_line_item_in_searches_serves_once_it_has_keywords(run, campaign, placements):
    place = ("--placements", placements, "--entity-status", "ACTIVE")
    made = run("line-items", "create", "--campaign-id", campaign, *SITE, *place)
    assert run("campaigns", "get", campaign)["reasons_not_servable"] == ["INCOMPLETE"]
    words = ("targeting", "add", "--line-item-id", made["id"], "--targeting-type", "BROAD_KEYWORD")
    run(*words, "--targeting-value", "cups", "--operator-type", "NE")
    assert run("campaigns", "get", campaign)["servable"] is False
    run(*words, "--targeting-value", "mugs")
    assert run("campaigns", "get", campaign)["servable"] is True


def test_a_campaign_ends_with_its_active_line_items(run):
    run("line-items", "update", SUMMER, "--entity-status", "PAUSED")
    run("line-items", "update", CLICKS, "--end-time", "2026-03-02T00:00Z")
    assert run("campaigns", "get", SPRING)["reasons_not_servable"] == ["EXPIRED"]


def test_drafts_are_hidden_until_they_are_asked_for(run):
    for words, draft in ((("campaigns", "list"), AUTUMN), (("line-items", "list"), LOOKS)):
        assert draft not in [record["id"] for record in run(*words)]
        assert draft in [record["id"] for record in run(*words, "--with-draft")]


def test_line_items_of_a_deleted_campaign_are_listed_only_with_deleted_ones(run):
    at = ("line-items", "list", "--campaign-ids", SPRING)
    assert CLICKS in [record["id"] for record in run(*at)]
    run("campaigns", "delete", SPRING)
    assert run(*at) == []
    hidden = {record["id"]: record["deleted"] for record in run(*at, "--with-deleted")}
    assert hidden[CLICKS] is False


def test_a_draft_needs_no_start(run, campaign):
    words = ("line-items", "create", "--campaign-id", campaign, *SITE[:4], *EVERYWHERE)
    assert "--start-time: is required unless entity_status is DRAFT" in run(
        *words, "--entity-status", "PAUSED", code=2
    )
    assert run(*words, "--entity-status", "DRAFT")["start_time"] is None


REFUSED = {
    "a budget of more than the campaign has": (
        ("--total-budget-amount", "5000"), f"{TOTAL}: 5000000000 is more than the total budget"
    ),
    "a bid of more than the campaign may spend": (
        ("--bid-strategy", "MAX", "--bid-amount", "61"), "61000000 is more than the daily budget of campaign"
    ),
    "another product type": (("--product-type", "MEDIA"), "product_type: the line items of campaign"),
    "placements that exclude each other": (
        ("--placements", "ALL_ON_PLATFORM,PLATFORM_SEARCH"), "not a combination that PROMOTED_POSTS allows"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_the_state_refuses(run, case):
    words, message = REFUSED[case]
    error = run("line-items", "create", "--campaign-id", SPRING, *SITE, *EVERYWHERE, *words, code=6)
    assert message in to_neutral_text(error)


def to_neutral_text(text: str) -> str:
    return text.replace("PROMOTED_TWEETS", "PROMOTED_POSTS")


def test_what_cannot_pay_funds_no_campaign(run):
    words = ("campaigns", "create", "--funding-instrument-id", ENDED_ORDER, "--name", "n")
    assert f"{ENDED_ORDER} is not able to fund a campaign" in run(*words, code=6)


def test_placements_and_bidding_rules_are_looked_up(run):
    every = {record["product_type"]: record["placements"] for record in run("line-items", "placements")}
    assert every.keys() == {"MEDIA", "PROMOTED_ACCOUNT", "PROMOTED_POSTS"}
    assert all(
        ["PLATFORM_PROFILE"] not in record and ["ALL_ON_PLATFORM"] in record for record in every.values()
    )
    (rule,) = run("lookup", "bidding-rules", "--currency", "JPY")
    assert (rule["currency"], rule["minimum_denomination"]) == ("JPY", EURO_MICRO)
    assert len(run("lookup", "bidding-rules")) > 3
