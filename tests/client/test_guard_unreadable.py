"""A guard that cannot look refuses: nothing is sent that is judged by a record which cannot be read."""

from datetime import UTC, datetime

import pytest

from tests.emulator.seeded import APP, CLICKS, HAMBURG, KNITTERS, REACH, SHOP, SPRING
from tests.guarded import Lie, LyingService, changing, guarded_by, pause_unbounded

SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOURS = "active_hours: Mon-Fri 08:00-18:00 Europe/Berlin"
ACTIVATE = ("--entity-status", "ACTIVE")
OVER, LATER = "9d4b1", "2099-01-01T00:00:00Z"  # a line item that has ended
CUTS = {  # changes that need a look, and the key that looks
    "daily": ("max_daily_budget: 10 EUR", ("campaigns", "update", KNITTERS, *ACTIVATE)),
    "total": ("max_total_budget: 10 EUR", ("campaigns", "update", KNITTERS, *ACTIVATE)),
    "sum": ("max_account_daily_budget: 9000 EUR", ("campaigns", "update", KNITTERS, *ACTIVATE)),
    "increase": ("max_increase: 900%", ("campaigns", "update", HAMBURG, "--daily-budget", "81")),
    "hours": (HOURS, ("campaigns", "update", HAMBURG, "--daily-budget", "79")),
    "bid": ("max_bid: 0.10 EUR", ("line-items", "update", "9d4c3", *ACTIVATE)),
    "end": ("deny: activate", ("line-items", "update", REACH, "--end-time", "2099-01-01T00:00:00Z")),
    "ad": (HOURS, ("promoted", "accounts", "create", "--line-item", REACH, "--user-id", "1")),
    "currency": ("max_bid: 9 EUR", ("line-items", "update", CLICKS, "--bid-amount-local-micro", "440000")),
}
ANSWERS = {
    "503": lambda body, query: ("503 Unavailable", {}),
    "400": lambda body, query: ("400 Bad Request", {"errors": [{"code": "INVALID", "message": "no"}]}),
    "404": lambda body, query: ("404 Not Found", {"errors": [{"code": "NOT_FOUND", "message": "no"}]}),
    "rubbish": lambda body, query: ("200 OK", b"<html>"),
    "no list": lambda body, query: {**body, "data": None},
    "nothing": lambda body, query: {**body, "data": []},
    "other records": changing(lambda record: record.update(id="other")),
    "records without ids": changing(lambda record: record.pop("id")),
    "two that differ": lambda body, query: {
        **body, "data": [{**record, "name": name} for record in body["data"] for name in "ab"]
    },
}  # fmt: skip


@pytest.fixture
def liar(service, adsctl) -> LyingService:
    """An emulator that is served, and lies."""
    pause_unbounded(adsctl, "--yes")
    service.emulator = LyingService(service.emulator)
    return service.emulator


@pytest.fixture
def guarded(adsctl):
    """Return what runs a command under a guard."""
    return guarded_by(adsctl, "-q")


@pytest.mark.parametrize("key", CUTS)
def test_what_cannot_be_read_is_not_judged_as_harmless(liar, guarded, time_machine, key):
    time_machine.move_to(SATURDAY)
    limits, words = CUTS[key]
    for answer, lie in ANSWERS.items():
        liar.lies_of("/campaigns", lie)
        liar.lies_of("/line_items", lie)
        message = guarded(limits, *words, code=8 if answer in ("503", "rubbish", "no list") else 12)
        assert not liar.writes, answer
        assert answer != "nothing" or "which cannot be read" in message


def test_what_needs_no_look_waits_for_none(liar, guarded, time_machine):
    time_machine.move_to(SATURDAY)
    liar.lies_of("/campaigns", ANSWERS["503"])
    limits = f"max_daily_budget: 1 EUR\nmax_account_daily_budget: 1 EUR\nmax_increase: 1%\n{HOURS}"
    guarded(limits, "campaigns", "update", SPRING, "--entity-status", "PAUSED", code=0)
    guarded(limits, "campaigns", "update", SPRING, "--name", "other", code=0)
    guarded(limits, "line-items", "delete", CLICKS, code=0)
    assert len(liar.writes) == 3 and len(liar.reads) == 2  # what was before, for the log: not asked again


MICROS = "_budget_amount_local_micro"
ABSENT = "absent"


def telling(field: str, value: object) -> Lie:
    """Return the lie that has another value of a field in each record, or none."""

    def change(record):
        record.pop(field, None)
        record |= {} if value == ABSENT else {field: value}

    return changing(change)


@pytest.mark.parametrize(
    ("limits", "field", "words"),
    [
        ("max_daily_budget: 90 EUR", "daily" + MICROS, ("campaigns", "update", KNITTERS, *ACTIVATE)),
        ("max_total_budget: 90 EUR", "total" + MICROS, ("campaigns", "update", KNITTERS, *ACTIVATE)),
        ("max_increase: 50%", "daily" + MICROS, ("campaigns", "update", HAMBURG, "--daily-budget", "81")),
        (HOURS, "daily" + MICROS, ("campaigns", "update", HAMBURG, "--daily-budget", "79")),
        ("max_bid: 9 EUR", "bid_amount_local_micro", ("line-items", "update", "9d4c3", *ACTIVATE)),
        (
            "max_account_daily_budget: 9000 EUR",
            "daily" + MICROS,
            ("line-items", "update", CLICKS, "--bid-amount", "0.46"),
        ),
    ],
)  # fmt: skip
def test_an_amount_that_a_record_does_not_tell_is_not_none(liar, guarded, time_machine, limits, field, words):
    time_machine.move_to(SATURDAY)
    for value in (ABSENT, "8e7", -1, True, 1.5, 10**19, [1]):
        liar.lies_of("/campaigns", telling(field, value))
        liar.lies_of("/line_items", telling(field, value))
        guarded(limits, *words)
        assert not liar.writes, value


def test_a_currency_that_cannot_be_read_is_not_that_of_the_limit(liar, guarded):
    raised = ("campaigns", "update", HAMBURG, "--daily-budget", "81")
    new = ("campaigns", "create", "--name", "x", "--funding-instrument-id", "4a1n0", "--daily-budget", "1")
    for currency in (ABSENT, None, "", 5):
        for ending in ("/campaigns", "/line_items", "/funding_instruments"):
            liar.lies_of(ending, telling("currency", currency))
        for limits, words in (
            ("max_daily_budget: 900 EUR", raised),
            ("max_account_daily_budget: 900 EUR", raised),
            ("max_daily_budget: 900 EUR", new),
        ):
            assert "in a currency that cannot be read" in guarded(limits, *words), currency
    assert not liar.writes


@pytest.mark.parametrize("status", ["RUNNING", None, 5])
def test_a_line_item_that_may_be_paused_serves_again_with_another_end(liar, guarded, status):
    liar.lies_of("/line_items", changing(lambda record: record.update(entity_status=status)))
    message = guarded("deny: activate", "line-items", "update", REACH, "--end-time", LATER)
    assert "serve again" in message and not liar.writes


@pytest.mark.parametrize("limits", ["deny: activate", HOURS])
def test_a_line_item_that_may_have_ended_serves_again(liar, guarded, time_machine, limits):
    time_machine.move_to(SATURDAY)
    later = ("line-items", "update", REACH, "--end-time", "2099-01-01T00:00:00Z")
    for end in (ABSENT, "soon", 5, ""):
        liar.lies_of("/line_items", telling("end_time", end))
        assert "to let anything that has ended serve again" in guarded(limits, *later), end
    assert not liar.writes


SERVED_AGAIN = "to let anything that has ended serve again"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("deny: activate", SERVED_AGAIN),
        (HOURS, SERVED_AGAIN),
        ("max_daily_budget: 10 EUR", "a daily budget of 40 EUR"),
        ("max_account_daily_budget: 10 EUR", "a day in the account"),
    ],
)
@pytest.mark.parametrize("end", [LATER, ""])
def test_what_the_service_calls_expired_serves_again_by_another_end(
    liar, guarded, time_machine, limits, said, end
):
    time_machine.move_to(SATURDAY)
    liar.lies_of("/line_items", changing(lambda record: record.update(reasons_not_servable=["EXPIRED"])))
    path = f"/12/accounts/{SHOP}/line_items/{OVER}"
    message = guarded(limits, "api", "PUT", path, "-f", f"end_time={end}")
    assert said in message
    assert not liar.writes


@pytest.mark.parametrize("key", ["max_account_daily_budget", "max_daily_budget"])
@pytest.mark.parametrize(
    "words",
    [
        ("campaigns", "update", HAMBURG, "--daily-budget", "900"),
        ("line-items", "update", REACH, "--daily-budget", "900"),
    ],
)
def test_a_campaign_has_not_ended_while_a_line_item_of_it_runs(liar, guarded, key, words):
    expired = changing(lambda record: record.update(reasons_not_servable=["EXPIRED"]))
    liar.lies_of("/campaigns", expired)
    assert "the guard refuses" in guarded(f"{key}: 20 EUR", *words)
    assert not liar.writes


def lacking(*ids: str):
    """Return the lie of a whole list that lacks records; one of ids has them."""
    return lambda body, query: (
        body
        if {"campaign_ids", "line_item_ids"} & query.keys()
        else {**body, "data": [record for record in body["data"] if record["id"] not in ids]}
    )


@pytest.mark.parametrize(
    ("ending", "lie", "words", "code"),
    [
        ("/campaigns", lacking(HAMBURG), ("campaigns", "update", HAMBURG, "--daily-budget", "81"), 12),
        ("/campaigns", lacking(SPRING), ("campaigns", "update", HAMBURG, "--daily-budget", "81"), 12),
        ("/line_items", lacking(CLICKS), ("line-items", "update", CLICKS, "--bid-amount", "0.46"), 12),
    ],
)
def test_a_sum_of_a_list_that_stops_early_is_refused(liar, guarded, ending, lie, words, code):
    liar.lies_of(ending, lie)
    message = guarded("max_account_daily_budget: 900 EUR", *words, code=code)
    assert "is not listed" in message and not liar.writes


@pytest.mark.parametrize("failing", ["/campaigns", "/line_items"])
def test_a_list_that_fails_after_its_first_page_is_no_sum(liar, guarded, failing):
    def lie(body, query):
        if {"campaign_ids", "line_item_ids"} & query.keys():
            return body
        return ("503 Unavailable", {}) if "cursor" in query else {**body, "next_cursor": "more"}

    liar.lies_of(failing, lie)
    guarded(
        "max_account_daily_budget: 900 EUR", "campaigns", "update", HAMBURG, "--daily-budget", "81", code=8
    )
    assert not liar.writes


@pytest.mark.parametrize("part", ["/campaigns", "/line_items"])
def test_a_list_that_says_that_something_is_missing_is_no_sum(liar, guarded, part):
    problem = {"title": "Not Found", "type": "https://service.example/problems/not-found", "detail": "gone"}
    liar.lies_of(part, lambda body, query: {**body, "errors": [problem]})
    raised = ("campaigns", "update", HAMBURG, "--daily-budget", "81")
    assert "is not whole" in guarded("max_account_daily_budget: 900 EUR", *raised, code=8)
    assert not liar.writes


def test_line_items_of_other_campaigns_bound_nothing(liar, guarded, adsctl):
    adsctl("campaigns", "update", APP, "--entity-status", "PAUSED", "--yes")
    everything = changing(lambda record: record.update(campaign_id=HAMBURG, bid_amount_local_micro=9))
    liar.lies_of("/line_items", everything)  # a filter that the service ignores
    liar.writes.clear()
    activated = ("campaigns", "update", APP, *ACTIVATE)
    assert "whose daily spend has no bound" in guarded("max_daily_budget: 900 EUR", *activated)
    liar.lies_of("/line_items", changing(lambda record: record.pop("campaign_id")))
    for limits in ("max_daily_budget: 900 EUR", "max_bid: 900 EUR"):
        assert "line items has records that cannot be read" in guarded(limits, *activated, code=8)
    assert not liar.writes


def test_a_campaign_that_cannot_be_read_lets_no_ad_serve(liar, guarded, time_machine):
    time_machine.move_to(SATURDAY)
    liar.lies_of("/campaigns", ANSWERS["nothing"])
    ad = ("promoted", "posts", "create", "--line-item", REACH, "--posts", "1790415000000000010")
    assert f"the campaign {HAMBURG}, which cannot be read" in guarded(HOURS, *ad)
    assert not liar.writes
