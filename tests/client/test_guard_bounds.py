"""Claims about the guard: what has no bound is above every limit, and what begins to serve is judged."""

import json
from datetime import UTC, datetime

import pytest

from tests.emulator.seeded import (
    APP,
    CARD,
    CLICKS,
    FILMS,
    HAMBURG,
    INSTALLS,
    KNITTERS,
    REACH,
    SHOP,
    SPRING,
    named,
)
from tests.guarded import guarded_by, pause_unbounded

LIMIT = "max_account_daily_budget: 500 EUR"
ACTIVATE, PAUSE = ("--entity-status", "ACTIVE"), ("--entity-status", "PAUSED")
MICROS = "_budget_amount_local_micro"
POST = "1790415000000000010"
LATER = "2099-01-01T00:00:00Z"
ITEM = (
    *("line-items", "create", "--objective", "APP_INSTALLS", "--product-type", "PROMOTED_POSTS"),
    *("--placements", "ALL_ON_PLATFORM", "--bid-strategy", "AUTO", "--start-time", "2026-12-01"),
    *("--ios-app-store-identifier", "1"),
)
CREATE = ("campaigns", "create", "--name", "x", "--funding-instrument-id", CARD)
RAW = f"/12/accounts/{SHOP}"


@pytest.fixture
def guarded(adsctl):
    """Return what runs a command of the profile local under a guard."""
    return guarded_by(adsctl)


@pytest.fixture
def bounded(adsctl, guarded):
    """The same, where all that runs has a daily budget."""
    pause_unbounded(adsctl)
    return guarded


def set_up(adsctl, *words: str) -> dict:
    return json.loads(adsctl.local(*words, "--yes", "-o", "json").stdout)


def status_of(adsctl, campaign: str) -> str:
    return json.loads(adsctl.local("campaigns", "get", campaign, "-o", "json").stdout)["entity_status"]


def paused_campaign(adsctl, *budgets: str, bid: str = "2", daily: str = "20") -> tuple[str, str]:
    """Make a campaign that is paused, with a line item that is on; return their ids."""
    campaign = set_up(adsctl, *CREATE, *budgets)["id"]
    item = [*ITEM, "--campaign-id", campaign, "--active", *(["--daily-budget", daily] if daily else [])]
    item[item.index("AUTO")] = "MAX"
    return campaign, set_up(adsctl, *item, "--bid-amount", bid)["id"]


RAISES = {
    "a total budget": ("campaigns", "update", APP, "--total-budget", "1000000"),
    "a daily budget": ("campaigns", "update", HAMBURG, "--daily-budget", "81"),
    "a bid": ("line-items", "update", CLICKS, "--bid-amount", "0.46"),
    "a bid lifted": ("line-items", "update", CLICKS, "--bid-strategy", "AUTO"),
    "a daily budget removed": ("api", "PUT", f"{RAW}/campaigns/{SPRING}", "-f", f"daily{MICROS}="),
    "a total budget removed": ("api", "PUT", f"{RAW}/campaigns/{APP}", "-f", f"total{MICROS}="),
    "an end": ("line-items", "update", "9d4b1", "--end-time", LATER),
    "an ad": ("promoted", "posts", "create", "--line-item", REACH, "--posts", POST),
    "an activation": ("campaigns", "update", KNITTERS, *ACTIVATE),
    "a campaign": (*CREATE, "--daily-budget", "1", "--active"),
    "a line item": (*ITEM, "--campaign-id", APP, "--daily-budget", "1", "--active"),
}  # fmt: skip
LOWER = {
    "a pause": ("campaigns", "update", APP, *PAUSE),
    "a cut": ("campaigns", "update", HAMBURG, "--daily-budget", "79"),
    "a lower total": ("campaigns", "update", APP, "--total-budget", "1700"),
    "a lower bid": ("line-items", "update", CLICKS, "--bid-amount", "0.44"),
    "a limit where there was none": ("line-items", "update", REACH, "--total-budget", "9000"),
    "an end where there was none": ("line-items", "update", REACH, "--end-time", LATER),
    "a deletion": ("campaigns", "delete", APP),
    "a paused campaign": CREATE,
    "a raise of what is paused": ("campaigns", "update", KNITTERS, "--daily-budget", "5000"),
    "an ad of what is paused": ("promoted", "accounts", "create", "--line-item", "9d4c3", "--user-id", "1"),
    "a name": ("campaigns", "update", APP, "--name", "other"),
}


def test_nothing_is_raised_beside_what_has_no_bound(guarded):
    for way, words in RAISES.items():
        message = guarded("max_account_daily_budget: 900000000 EUR", *words)
        assert "whose daily spend has no bound: max_account_daily_budget" in message, way


def test_nothing_is_raised_above_the_sum(bounded):
    for way in (way for way, words in RAISES.items() if APP not in " ".join(words)):
        message = bounded("max_account_daily_budget: 100 EUR", *RAISES[way])
        is_removed = way == "a daily budget removed"
        assert "EUR a day in the account" in message or (is_removed and "no bound" in message), way


@pytest.mark.parametrize("way", LOWER)
def test_pauses_and_cuts_are_never_refused_by_a_sum(guarded, way):
    guarded("max_account_daily_budget: 1 EUR", *LOWER[way], code=0)


def test_a_raise_within_the_sum_passes(bounded):
    bounded(LIMIT, *RAISES["a daily budget"], code=0)
    bounded(LIMIT, *RAISES["an ad"], code=0)
    assert "up to 591 EUR a day" in bounded(LIMIT, "campaigns", "update", HAMBURG, "--daily-budget", "501")


def test_an_end_of_what_runs_is_put_off_within_the_sum_only_and_brought_forward_always(bounded, adsctl):
    update = ("line-items", "update", REACH, "--end-time")
    adsctl.local("-q", *update, LATER, "-o", "none")
    total = "max_account_daily_budget: 1 EUR"
    bounded(total, *update, "2098-01-01T00:00:00Z", code=0)
    assert "EUR a day in the account" in bounded(total, *update, LATER)
    bounded("deny: activate", *update, LATER, code=0)


@pytest.fixture
def yen(adsctl):
    """The id of a campaign that runs, of 5,000 JPY a day."""
    funding = ("funding-instruments", "create", "--type", "CREDIT_CARD", "--currency", "JPY")
    paying = set_up(adsctl, "--sandbox", *funding, "--start-time", "2026-01-01T00:00:00Z")["id"]
    new = ("campaigns", "create", "--name", "Yen", "--daily-budget", "5000", "--active")
    return set_up(adsctl, *new, "--funding-instrument-id", paying)["id"]


def test_currencies_are_never_added(bounded, yen):
    assert f"the campaign Yen ({yen}) is in JPY" in bounded(LIMIT, *RAISES["a daily budget"], code=11)
    in_yen = ("campaigns", "update", yen, "--daily-budget")
    assert "is in EUR" in bounded("max_account_daily_budget: 6000 JPY", *in_yen, "5800", code=11)
    new = (*CREATE, "--daily-budget", "1")
    assert "is in JPY" in bounded(LIMIT, *new, "--active", code=11)
    for words in (LOWER["a cut"], (*in_yen, "4000"), ("campaigns", "update", SPRING, *PAUSE), new):
        bounded(LIMIT, *words, code=0)


def test_a_campaign_in_another_currency_that_is_paused_does_not_count(bounded, yen, adsctl):
    adsctl.local("-q", "campaigns", "update", yen, *PAUSE, "-o", "none")
    bounded(LIMIT, *RAISES["a daily budget"], code=0)


def switch_on(adsctl, way: str, campaign: str) -> tuple[tuple[str, ...], str | None]:
    """Return the command that activates a campaign, and its input."""
    raw = f"{RAW}/campaigns/{campaign}"
    batch = [{"operation_type": "Update", "params": {"campaign_id": campaign, "entity_status": "ACTIVE"}}]
    raw_batch = f"/12/batch/accounts/{SHOP}/campaigns"
    table = f"campaign_id,entity_status\n{campaign},ACTIVE\n{KNITTERS},PAUSED\n"
    plan = {"campaigns": [{"id": campaign, "entity_status": "ACTIVE"}]}
    adsctl.file("one.json", json.dumps({"campaign_id": campaign, "entity_status": "ACTIVE"}))
    adsctl.file("two.csv", table)
    adsctl.file("plan.json", json.dumps(plan))
    if way == "stored plan":
        adsctl.local("-q", "campaigns", "plan", "plan.json", "--out", "stored.json", code=10)
    return {
        "update": (("campaigns", "update", campaign, *ACTIVATE), None),
        "several": (("campaigns", "update", campaign, KNITTERS, *ACTIVATE), None),
        "where": (("campaigns", "update", "--where", "name=x", *ACTIVATE), None),
        "activate": (("campaigns", "activate", campaign), None),
        "document": (("campaigns", "update", "-f", "one.json"), None),
        "batch": (("campaigns", "update", "-f", "two.csv"), None),
        "apply": (("campaigns", "apply", "plan.json"), None),
        "stored plan": (("campaigns", "apply", "stored.json"), None),
        "query": (("api", "PUT", f"{raw}?entity_status=ACTIVE"), None),
        "form": (("api", "PUT", raw, "-f", "entity_status=ACTIVE"), None),
        "a status of no service": (("api", "PUT", raw, "-f", "entity_status=active"), None),
        "JSON": (("api", "PUT", raw, "--input", "-"), json.dumps({"entity_status": "ACTIVE"})),
        "raw batch": (("api", "POST", raw_batch, "--input", "-"), json.dumps(batch)),
    }[way]  # fmt: skip


WAYS = (
    *("update", "several", "where", "activate", "document", "batch", "apply", "stored plan", "query", "form"),
    *("a status of no service", "JSON", "raw batch"),
)
KEYS = {
    "max_bid: 1 EUR": "a bid of 2 EUR of the line item",
    "max_daily_budget: 19 EUR": "a daily budget of 20 EUR of the line item",
    "deny: activate": "activate",
    "active_hours: Mon-Fri 08:00-18:00 Europe/Berlin": "to activate anything now",
    "max_account_daily_budget: 19 EUR": "a day in the account",
}


def test_a_line_item_that_begins_to_serve_by_its_campaign_is_judged(adsctl, guarded, time_machine):
    campaign, item = paused_campaign(adsctl, "--daily-budget", "10")
    inputs = [switch_on(adsctl, way, campaign) for way in WAYS]
    time_machine.move_to(datetime(2026, 11, 21, 12, tzinfo=UTC))  # a Saturday
    for limits, reason in KEYS.items():
        if "account" in limits:
            adsctl.local("-q", "campaigns", "update", HAMBURG, SPRING, FILMS, *PAUSE, "-o", "none")
            pause_unbounded(adsctl)
            adsctl.local("-q", "campaigns", "update", campaign, "--daily-budget", "20", "-o", "none")
            inputs = [switch_on(adsctl, way, campaign) for way in WAYS]
        for words, input in inputs:
            message = guarded(limits, *words, input=input)
            assert reason in message, words
            assert "of the line item" not in message or f"{item}, by the campaign" in message, words
    assert status_of(adsctl, campaign) == "PAUSED"


def test_what_begins_to_serve_has_a_bound(adsctl, guarded):
    campaign, _ = paused_campaign(adsctl, "--total-budget", "50", daily="")
    for way in WAYS:
        words, input = switch_on(adsctl, way, campaign)
        message = guarded("max_daily_budget: 100 EUR", *words, input=input)
        assert f" ({campaign}), whose daily spend has no bound: max_daily_budget" in message, way


def test_what_is_within_the_limits_begins_to_serve(adsctl, bounded):
    campaign, _ = paused_campaign(adsctl)
    limits = "max_bid: 2 EUR\nmax_daily_budget: 20 EUR\nmax_account_daily_budget: 211 EUR\nmax_increase: 1%"
    for way in WAYS:
        words, input = switch_on(adsctl, way, campaign)
        # The service refuses a status in small letters, and a body where it takes none.
        is_refused = way in ("a status of no service", "JSON")
        bounded(limits, *words, input=input, code=6 if is_refused else 0)
        if not is_refused:
            assert status_of(adsctl, campaign) == "ACTIVE", way
            adsctl.local("-q", "campaigns", "update", campaign, *PAUSE, "-o", "none")


def test_a_campaign_is_bound_by_its_line_items_together(adsctl, guarded):
    campaign, _ = paused_campaign(adsctl)
    adsctl.local(
        "-q", *ITEM, "--campaign-id", campaign, "--active", "--daily-budget", "15", "--yes", "-o", "none"
    )
    activate = ("campaigns", "update", campaign, *ACTIVATE)
    assert "which may spend 35 EUR a day" in guarded("max_daily_budget: 34 EUR", *activate)
    guarded("max_daily_budget: 35 EUR", *activate, code=0)


def test_a_total_budget_or_a_daily_one_bounds_what_is_spent(adsctl, guarded):
    new = (*CREATE, "--active")
    assert "the new campaign x, whose spend has no bound" in guarded("max_total_budget: 100 EUR", *new)
    assert "the new campaign x, whose daily spend has no bound" in guarded(
        "max_daily_budget: 100 EUR", *new, "--total-budget", "100"
    )
    guarded("max_total_budget: 100 EUR", *new, "--daily-budget", "50", code=0)
    guarded("max_total_budget: 100 EUR", *new, "--total-budget", "100", code=0)
    item = (*ITEM, "--campaign-id", APP, "--active")
    assert "a new line item, whose daily spend has no bound" in guarded("max_daily_budget: 100 EUR", *item)
    guarded("max_total_budget: 100 EUR", *item, code=0)  # within that of its campaign


@pytest.mark.parametrize(
    "limits", ["max_daily_budget: 100 EUR", "max_daily_budget: 100 EUR\nmax_total_budget: 2000000 EUR"]
)
def test_a_total_budget_that_rises_bounds_no_day(guarded, limits):
    assert f"the campaign {named(APP)}, whose daily spend has no bound" in guarded(
        limits, *RAISES["a total budget"]
    )
    guarded(limits, *LOWER["a lower total"], code=0)
    assert "no bound" in guarded(limits, "line-items", "update", INSTALLS, "--bid-amount", "2.01")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("deny: activate", f"to let the line item {named(REACH)} serve by a new ad"),
        (
            "active_hours: Mon-Fri 08:00-18:00 Europe/Berlin",
            f"to let the line item {named(REACH)} serve by a new ad now",
        ),
        (
            "max_daily_budget: 34 EUR",
            f"a daily budget of 35 EUR of the line item {named(REACH)}, by a new ad",
        ),
    ],
)
def test_an_ad_serves_as_the_line_item_that_gets_it(adsctl, guarded, time_machine, limits, said):
    time_machine.move_to(datetime(2026, 11, 21, 12, tzinfo=UTC))
    raw = (
        "api",
        "POST",
        f"{RAW}/promoted_posts",
        "-f",
        f"line_item_id={REACH}",
        "-f",
        f"post_ids={POST}",
    )
    for words in (
        ("promoted", "posts", "create", "--line-item", REACH, "--posts", POST),
        ("promoted", "accounts", "create", "--line-item", REACH, "--user-id", "1"),
        raw,
    ):
        assert said in guarded(limits, *words)
    adsctl.local("-q", "campaigns", "update", HAMBURG, *PAUSE, "-o", "none")
    guarded(limits, *raw, code=0)  # of a paused campaign


@pytest.mark.parametrize(
    "limits", ["deny: activate", "max_account_daily_budget: 9000 EUR", "max_increase: 50%"]
)
def test_a_field_that_is_not_declared_hides_nothing(guarded, limits):
    raised = ("api", "PUT", f"{RAW}/campaigns/{HAMBURG}", "-f", f"daily{MICROS}=81000000")
    for field, value in {
        "deleted": "false",
        "currency": "JPY",
        "end_time": "2001-01-01T00:00:00Z",
        "servable": "false",
        "bid_cap": "9",
    }.items():
        message = guarded(limits, *raised, "-f", f"{field}={value}")
        assert f"cannot be judged, as it has no field '{field}'" in message
    move = ("api", "PUT", f"{RAW}/line_items/{CLICKS}", "-f", f"campaign_id={KNITTERS}")
    assert "cannot be judged, as it has no field 'campaign_id'" in guarded(limits, *move)


def test_a_status_that_the_service_may_ignore_hides_no_raise(guarded):
    raised = ("api", "PUT", f"{RAW}/campaigns/{HAMBURG}", "-f", f"daily{MICROS}=81000000")
    limits = "max_account_daily_budget: 100 EUR"
    for status in ("paused", " PAUSED", "OFF", ""):
        message = guarded(limits, *raised, "-f", f"entity_status={status}")
        assert "max_account_daily_budget is" in message, status
    guarded(limits, *raised, "-f", "entity_status=PAUSED", code=0)


def test_what_is_sent_with_an_activation_is_judged(guarded):
    activate = ("api", "PUT", f"{RAW}/campaigns/{KNITTERS}/activate", "-f", f"daily{MICROS}=900000000")
    assert "a daily budget of 900 EUR" in guarded("max_daily_budget: 100 EUR", *activate)


def test_a_bid_that_is_ignored_is_removed(guarded):
    lifted = ("line-items", "update", CLICKS, "--bid-strategy", "AUTO", "--bid-amount", "0.45")
    assert "to remove the bid" in guarded("max_increase: 900%", *lifted)


@pytest.mark.parametrize("limits", ["max_bid: 1 EUR", "deny: activate"])
def test_a_task_of_a_fleet_lets_nothing_serve_by_a_campaign(adsctl, limits):
    campaign, _ = paused_campaign(adsctl, "--daily-budget", "20")
    guard = adsctl.file("guard.yaml", limits + "\n")
    fleet = adsctl.file("fleet.yaml", f"tasks: [{{name: a, run: campaigns update {campaign} --active}}]\n")
    done = adsctl.local("fleet", "run", fleet, "--yes", code=12, ADSCTL_GUARD=str(guard))
    assert "the guard refuses" in done.stderr
    assert status_of(adsctl, campaign) == "PAUSED"


def test_a_copy_is_judged_as_what_it_makes(adsctl, bounded):
    campaign, _ = paused_campaign(adsctl, "--daily-budget", "30")
    adsctl.local("-q", "campaigns", "activate", campaign, "--yes", "-o", "none")
    copy = ("campaigns", "copy", campaign, "--name", "{name} 2", "--active")
    for limits, reason in {
        "max_bid: 1 EUR": "a bid of 2 EUR",
        "max_daily_budget: 29 EUR": "a daily budget of 30 EUR",
        "max_account_daily_budget: 229 EUR": "up to 230 EUR a day",
        "deny: activate": "activate",
        "max_changes: 2": "3 changes",
    }.items():
        assert reason in bounded(limits, *copy), limits
    bounded("max_bid: 2 EUR\nmax_daily_budget: 30 EUR\nmax_account_daily_budget: 230 EUR", *copy, code=0)


def test_a_plan_that_replaces_a_campaign_is_judged_as_a_whole(adsctl, bounded):
    """What a plan pauses counts no more, and what it activates does."""
    plan = {
        "campaigns": [{"id": HAMBURG, "entity_status": "PAUSED"}, {"id": KNITTERS, "entity_status": "ACTIVE"}]
    }
    file = adsctl.file("plan.json", json.dumps(plan))  # of 80 and 15 EUR, beside 90
    assert "up to 105 EUR a day" in bounded("max_account_daily_budget: 104 EUR", "campaigns", "apply", file)
    bounded("max_account_daily_budget: 105 EUR", "campaigns", "apply", file, code=0)
