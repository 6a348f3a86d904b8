"""What begins to spend is created paused, and nothing is activated unasked; the question names the budget."""

import json

import pytest

from ads_cli.client import spending as stored_records
from tests.emulator.seeded import named

FUNDING, PAUSED, SPENDING = "4a1n0", "8wku4", "8wku2"  # seeded
CREATE = ("campaigns", "create", "--name", "Autumn", "--funding-instrument-id", FUNDING)


def campaign(adsctl, id: str) -> dict:
    return json.loads(adsctl.local("-q", "campaigns", "get", id, "-o", "json").stdout)


def set_status(adsctl, id: str, status: str) -> None:
    adsctl.local("campaigns", "update", id, "--entity-status", status, "--yes")


def test_a_campaign_is_created_paused(adsctl):
    assert json.loads(adsctl.local(*CREATE, "-o", "json").stdout)["entity_status"] == "PAUSED"
    drafted = adsctl.local(*CREATE, "--entity-status", "DRAFT", "-o", "json")
    assert json.loads(drafted.stdout)["entity_status"] == "DRAFT"
    adsctl.file("one.yaml", "entity_status: DRAFT\n")
    filed = adsctl.local(*CREATE, "-f", "one.yaml", "-o", "json")
    assert json.loads(filed.stdout)["entity_status"] == "DRAFT"


@pytest.mark.parametrize(
    "name", ["one.yaml", "one.json", "two.yaml", "two.jsonl", "two.csv", "operations.json"]
)
def test_a_status_of_null_is_none(adsctl, name):
    record = {"name": "Autumn", "funding_instrument_id": FUNDING, "entity_status": None}
    texts = {
        "one": json.dumps(record),
        "two.yaml": json.dumps([record, record]),
        "two.jsonl": f"{json.dumps(record)}\n" * 2,
        "two.csv": "name,funding_instrument_id,entity_status\n" + f"Autumn,{FUNDING},\n" * 2,
        "operations": json.dumps([{"operation_type": "Create", "params": record}] * 2),
    }
    adsctl.file(name, texts.get(name) or texts[name.partition(".")[0]])
    made = json.loads(adsctl.local("campaigns", "create", "-f", name, "-o", "json").stdout)
    campaigns = made if isinstance(made, list) else [made]
    assert {campaign["entity_status"] for campaign in campaigns} == {"PAUSED"}


@pytest.mark.parametrize("option", [("--active",), ("--entity-status", "ACTIVE")])
def test_an_active_campaign_is_confirmed_with_its_budget(adsctl, option):
    refused = adsctl.local(*CREATE, "--daily-budget", "12.50", *option, code=12)
    assert "not confirmed: Create an active campaign, which may spend up to 12.50 EUR a day" in refused.stderr
    made = adsctl.local(*CREATE, "--daily-budget", "12.50", *option, "--yes", "-o", "json")
    assert json.loads(made.stdout)["entity_status"] == "ACTIVE"


def test_active_contradicts_another_status(adsctl):
    refused = adsctl.local(*CREATE, "--active", "--entity-status", "PAUSED", code=2)
    assert "--active: cannot be used with --entity-status PAUSED" in refused.stderr


def test_an_update_that_activates_is_confirmed_with_the_stored_budget(adsctl):
    set_status(adsctl, SPENDING, "PAUSED")
    adsctl.local("campaigns", "update", SPENDING, "--daily-budget", "20")
    refused = adsctl.local("campaigns", "update", SPENDING, "--active", code=12)
    question = f"Activate the campaign {named(SPENDING)}, which may spend up to 20.00 EUR a day"
    assert f"not confirmed: {question} (profile local)" in refused.stderr
    higher = adsctl.local("campaigns", "update", SPENDING, "--active", "--daily-budget", "30", code=12)
    assert "up to 30.00 EUR a day" in higher.stderr
    assert campaign(adsctl, SPENDING)["entity_status"] == "PAUSED"


def test_what_is_active_already_and_what_is_paused_needs_no_question(adsctl):
    set_status(adsctl, SPENDING, "ACTIVE")
    adsctl.local("campaigns", "update", SPENDING, "--active")
    done = adsctl.local("campaigns", "update", SPENDING, "--name", "Renamed", "--debug")
    assert done.stderr.count("> GET ") == 1  # what it was before, for the log of changes
    adsctl.local("campaigns", "update", SPENDING, "--entity-status", "PAUSED")


@pytest.mark.parametrize(
    ("campaign_id", "objective", "words"),
    [
        (SPENDING, "WEBSITE_CLICKS", "up to 60.00 EUR a day"),
        ("8wkt5", "ENGAGEMENTS", "without a daily budget of its own (unlimited)"),
    ],
)
def test_a_line_item_without_a_daily_budget_spends_by_that_of_its_campaign(
    adsctl, campaign_id, objective, words
):
    line_item = ("--campaign-id", campaign_id, "--objective", objective, "--product-type", "PROMOTED_POSTS")
    line_item += ("--placements", "ALL_ON_PLATFORM", "--start-time", "2099-03-01", "--active")
    refused = adsctl.local("line-items", "create", *line_item, code=12)
    assert f"Create an active line item, which may spend {words} (profile" in refused.stderr


@pytest.mark.parametrize(
    ("budgets", "words"),
    [
        (("9",), "up to 9.00 EUR a day"),
        (("9", "4"), "up to 13.00 EUR a day"),
        (("9", ""), "without a daily budget of its own (unlimited)"),
    ],
)
def test_a_campaign_without_a_daily_budget_spends_by_those_of_its_line_items(adsctl, budgets, words):
    new = ("--name", "By line items", "--funding-instrument-id", FUNDING, "--total-budget", "900")
    (id,) = adsctl.local("campaigns", "create", *new, "-o", "ids").stdout.split()
    for budget in budgets:
        item = ("--campaign-id", id, "--objective", "REACH", "--product-type", "PROMOTED_POSTS", "--active")
        item += ("--placements", "ALL_ON_PLATFORM", "--start-time", "2099-03-01")
        own = ("--daily-budget", budget) if budget else ()
        adsctl.local("line-items", "create", *item, *own, "--yes")
    for command in (("campaigns", "activate", id), ("campaigns", "update", id, "--active")):
        question = f"Activate the campaign By line items ({id}), which may spend {words} ("
        assert question in adsctl.local(*command, code=12).stderr


def test_records_of_a_file_are_paused_and_confirmed_together(adsctl):
    rows = [f"Autumn {number},{FUNDING},{amount}" for number, amount in enumerate(("10", "2.50", ""))]
    adsctl.file("campaigns.csv", "\n".join(["name,funding_instrument_id,daily_budget", *rows]))
    made = adsctl.local("campaigns", "create", "-f", "campaigns.csv", "-o", "json")
    assert {record["entity_status"] for record in json.loads(made.stdout)} == {"PAUSED"}
    refused = adsctl.local("campaigns", "create", "-f", "campaigns.csv", "--active", code=12)
    question = "Create 3 active campaigns, which may spend up to 12.50 EUR a day"
    assert f"{question}, and 1 without a daily budget of their own (unlimited)" in refused.stderr
    adsctl.file("ids.json", made.stdout)
    activated = adsctl.local("campaigns", "update", "-f", "ids.json", "--active", code=12)
    assert "Activate 3 campaigns, which may spend up to 12.50 EUR a day" in activated.stderr


def test_many_records_of_a_file_are_looked_up_with_few_requests(adsctl, monkeypatch):
    monkeypatch.setattr(stored_records, "MOST_SINGLE", 1)
    rows = ("9d4c1,Q,3.75", "9d4c2,R,3.75", "9d4d1,S,3.755", "gone1,T,3.755")
    adsctl.file("items.csv", "\n".join(["line_item_id,name,daily_budget", *rows]))
    done = adsctl.local("line-items", "update", "-f", "items.csv", "--active", "--debug", code=3)
    assert "items.csv:4: daily_budget: 3.755 has too many decimals: EUR has 2" in done.stderr
    assert done.stderr.count("> GET ") == 2 and "1 of 4 rows invalid" in done.stderr


def sent_as(adsctl, command: str, code: int, *records: dict) -> str:
    """Send records of campaigns in a file; return what is said."""
    file = adsctl.file("records.json", json.dumps(records))
    done = adsctl.local("campaigns", command, "-f", file, "--yes", "-o", "json", code=code)
    return json.loads(done.stderr.splitlines()[-1])["error"]["message"] if code else done.stdout


def test_amounts_of_a_file_in_another_currency_than_that_of_what_pays_are_refused(adsctl):
    new = {"name": "Autumn", "funding_instrument_id": FUNDING, "daily_budget": "12.50"}
    second, dollars = new | {"name": "Winter"}, {"currency": "USD"}
    message = sent_as(adsctl, "create", 3, new, second | dollars)
    assert "record 2: currency: is 'USD', and the amounts would be in EUR; write them in EUR\n" in message
    sent_as(adsctl, "create", 0, new | {"currency": "EUR"}, second)
    without_amount = {"name": "Spring", "funding_instrument_id": FUNDING} | dollars
    sent_as(adsctl, "create", 0, without_amount, without_amount | {"name": "Summer"})
    gone = new | {"funding_instrument_id": "gone1", "currency": "EUR", "daily_budget": "12"}
    assert "rejected: funding_instrument_id" in sent_as(adsctl, "create", 9, gone, gone | {"name": "Hats"})
    update = {"campaign_id": PAUSED, "daily_budget": "12.50"}
    message = sent_as(adsctl, "update", 3, update | dollars)
    assert "currency: is 'USD', and cannot be changed from 'EUR'\n" in message and "would be" not in message
    sent_as(adsctl, "update", 0, update | {"currency": "EUR"})


def test_a_record_of_a_file_that_breaks_a_rule_is_refused_though_its_amounts_are_fine(adsctl):
    item = {"campaign_id": SPENDING, "objective": "APP_INSTALLS", "product_type": "PROMOTED_POSTS"}
    item |= {"placements": ["ALL_ON_PLATFORM"], "start_time": "2099-03-01", "daily_budget": "5"}
    file = adsctl.file("items.json", json.dumps([item]))
    refused = adsctl.local("line-items", "create", "-f", file, "--yes", code=3)
    assert "app_store_identifier" in refused.stderr and "1 of 1 row invalid" in refused.stderr


def test_an_update_of_a_file_that_names_a_record_and_nothing_else_is_refused(adsctl):
    assert "has nothing to change" in sent_as(adsctl, "update", 3, {"campaign_id": PAUSED})
    sent_as(adsctl, "update", 0, {"campaign_id": PAUSED, "name": "Renamed"})


def test_a_dry_run_asks_nothing_and_shows_the_status(adsctl):
    shown = json.loads(adsctl.local(*CREATE, "--dry-run", "-o", "json").stdout)
    assert "entity_status=PAUSED" in shown["url"]
    active = json.loads(adsctl.local(*CREATE, "--active", "--dry-run", "-o", "json").stdout)
    assert "entity_status=ACTIVE" in active["url"]
