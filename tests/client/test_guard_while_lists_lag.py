"""A sum counts what this machine has changed lately, though lists do not show it yet."""

import json

import pytest

from tests.emulator.seeded import CARD, CLICKS, FILMS, HAMBURG, KNITTERS, SPRING
from tests.guarded import LyingService, changing, guarded_by, pause_unbounded

CREATE = ("campaigns", "create", "--funding-instrument-id", CARD, "--daily-budget", "60", "--active")
SUM = "max_account_daily_budget: 100 EUR"
PAUSED = ("--entity-status", "PAUSED")
NOT_FOUND = ("404 Not Found", {"errors": [{"code": "NOT_FOUND", "message": "no"}]})


@pytest.fixture
def liar(service, adsctl) -> LyingService:
    """An emulator in which nothing serves, and whose lists may lag."""
    pause_unbounded(adsctl, "--yes")
    adsctl("campaigns", "update", SPRING, HAMBURG, FILMS, *PAUSED, "-o", "none")
    service.emulator = LyingService(service.emulator)
    return service.emulator


@pytest.fixture
def guarded(adsctl):
    return guarded_by(adsctl, "-q")


def hiding(identifier: str):
    return lambda body, query: {
        **body, "data": [record for record in body["data"] if record["id"] != identifier]
    }  # fmt: skip


def showing(identifier: str, **fields: object):
    """Show in a list what a record had before."""
    return changing(lambda record: record.update(fields) if record["id"] == identifier else None)


def refused_above(limit: str, guarded, *words: str) -> None:
    assert f"up to {limit} EUR a day in the account" in guarded(SUM, *words)


def test_a_campaign_that_is_not_listed_yet_counts_in_the_sum(liar, guarded):
    new = json.loads(guarded(SUM, *CREATE, "--name", "A", code=0))["id"]
    liar.lies_of("/campaigns", hiding(new))
    refused_above("120", guarded, *CREATE, "--name", "B")
    refused_above("160", guarded, "campaigns", "update", KNITTERS, "--daily-budget", "100", "--active")


def test_campaigns_of_a_file_that_are_not_listed_yet_count_in_the_sum(liar, guarded, adsctl):
    rows = "name,funding_instrument_id,daily_budget,entity_status\nA,4a1n0,30,ACTIVE\nB,4a1n0,40,ACTIVE\n"
    path = str(adsctl.file("new.csv", rows))
    guarded(SUM, "campaigns", "create", "-f", path, code=0)
    liar.lies_of("/campaigns", lambda body, query: {
        **body, "data": [record for record in body["data"] if record["name"] not in ("A", "B")]
    })  # fmt: skip
    refused_above("130", guarded, *CREATE, "--name", "C")


def test_a_campaign_that_the_service_does_not_show_yet_refuses_more(liar, guarded):
    new = json.loads(guarded(SUM, *CREATE, "--name", "A", code=0))["id"]
    liar.lies_of("/campaigns", hiding(new))
    liar.lies_of(f"/{new}", lambda body, query: NOT_FOUND)
    liar.writes.clear()
    message = guarded(SUM, *CREATE, "--name", "B", code=8)
    assert f"the campaign A ({new}) was created a moment ago, and the service does not show it" in message
    assert not liar.writes


def test_a_raise_that_is_not_listed_yet_counts_in_the_sum(liar, guarded):
    guarded(SUM, "campaigns", "update", HAMBURG, "--daily-budget", "95", "--active", code=0)
    liar.lies_of("/campaigns", showing(HAMBURG, daily_budget_amount_local_micro=80_000_000))
    refused_above("110", guarded, "campaigns", "update", KNITTERS, "--daily-budget", "15", "--active")


def test_an_activation_that_is_not_listed_yet_counts_in_the_sum(liar, guarded):
    guarded(SUM, "campaigns", "update", HAMBURG, "--active", code=0)
    liar.lies_of("/campaigns", showing(HAMBURG, entity_status="PAUSED"))
    refused_above("110", guarded, "campaigns", "update", KNITTERS, "--daily-budget", "30", "--active")


def test_a_pause_that_is_not_listed_yet_lets_a_line_item_be_judged_as_activated(liar, guarded):
    guarded("max_bid: 9 EUR", "line-items", "update", CLICKS, *PAUSED, code=0)
    liar.lies_of("/line_items", showing(CLICKS, entity_status="ACTIVE"))
    activate = ("line-items", "update", CLICKS, "--entity-status", "ACTIVE")
    assert "a bid of 0.45 EUR" in guarded("max_bid: 0.10 EUR", *activate)


def test_what_is_deleted_or_listed_as_it_was_set_is_not_read_again(liar, guarded):
    first = json.loads(guarded(SUM, *CREATE, "--name", "A", code=0))["id"]
    guarded(SUM, "campaigns", "delete", first, code=0)
    second = json.loads(guarded(SUM, *CREATE, "--name", "B", code=0))["id"]
    guarded(SUM, "campaigns", "update", KNITTERS, "--daily-budget", "15", "--active", code=0)
    assert not [path for path in liar.reads if path.endswith((first, second))]
