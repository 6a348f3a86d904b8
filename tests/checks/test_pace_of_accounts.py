"""`stats pace` and `accounts check` of an account that spends one unit of its currency in each hour."""

import json
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
import time_machine

from ads_cli.api.metrics import BILLED_CHARGE
from ads_cli.emulator.resources.line_item_numbers import LineItemNumbers
from tests.emulator.seeded import CLICKS, SPRING
from tests.emulator_data import update_record
from tests.service_in_process import service  # noqa: F401

UNIT = 1_000_000
DAY = 24  # units: every day of the statistics has as many hours, by the offset of today
EARLY = "2020-01-01T00:00:00Z"
PACE, MONTH = ("stats", "pace", "-o", "json"), "B101,B102"


@pytest.fixture
def account(adsctl, service, monkeypatch):  # noqa: F811
    """Let one campaign with one line item spend; return what changes the account."""
    emulator = service.emulator
    with emulator.store.transaction() as connection:
        others = "kind IN ('campaign', 'line_item') AND id NOT IN (?, ?)"
        connection.execute(
            f"UPDATE records SET deleted = 1, created_at = '2199-01-01T00:00:00Z' WHERE {others}",
            (SPRING, CLICKS),
        )
        connection.execute("UPDATE records SET created_at = ? WHERE id IN (?, ?)", (EARLY, SPRING, CLICKS))
        connection.execute("DELETE FROM records WHERE kind = 'account_history'")

    def at(self, hour, now):
        return {BILLED_CHARGE: UNIT, "impressions": 100, "clicks": 2}

    monkeypatch.setattr(LineItemNumbers, "at", at)

    def change(*, zone="Europe/Berlin", currency="EUR", budget=None, campaign=None, item=None):
        owner = emulator.store.value(
            "SELECT owner FROM records WHERE kind = 'account' AND id = ?", emulator.account
        )
        update_record(emulator, "account", emulator.account, {"timezone": zone}, owner)
        shared = {"currency": currency, "entity_status": "ACTIVE", "total_budget_amount_local_micro": None}
        flight = {"start_time": EARLY, "end_time": None}
        update_record(emulator, "campaign", SPRING, {**shared, **(campaign or {})})
        update_record(emulator, "line_item", CLICKS, {**shared, **flight, **(item or {})})
        update_record(emulator, "funding_instrument", "4a1n0", {"start_time": EARLY, "currency": currency})
        if budget:
            adsctl("profile", "set", "shop", f"monthly_budget={budget}{currency}")
            adsctl.env["ADSCTL_PROFILE"] = "shop"

    return change


def at(zone, local):
    moment = datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(zone))
    return time_machine.travel(moment, tick=False)


def paces(adsctl):
    return json.loads(adsctl(*PACE).stdout, parse_float=Decimal)


def codes(adsctl):
    done = adsctl("accounts", "check", "--select", MONTH, "--unknown", "-o", "json", code=None)
    return {record["code"]: record["severity"] for record in json.loads(done.stdout)}


ZONES = [
    # Both changes of the clock, on the day itself (23, 25, 23.5 or 24.5 hours), and in a month after it.
    *[("Europe/Berlin", day) for day in ("2026-03-29", "2026-03-30", "2026-10-25", "2026-10-31")],
    *[("America/New_York", day) for day in ("2026-03-08", "2026-03-09", "2026-11-02", "2026-11-29")],
    *[("Australia/Lord_Howe", day) for day in ("2026-04-05", "2026-04-06", "2026-10-04", "2026-10-31")],
    *[("Pacific/Chatham", day) for day in ("2026-04-05", "2026-04-29", "2026-09-27", "2026-09-28")],
    *[("Asia/Kolkata", day) for day in ("2026-02-28", "2028-02-29")],
    *[("Asia/Kathmandu", day) for day in ("2026-04-30", "2026-12-31")],
    ("Etc/UTC", "2026-06-17"),
    ("Pacific/Kiritimati", "2026-12-31"),
    ("Pacific/Pago_Pago", "2027-01-31"),
]


@pytest.mark.parametrize("time", ["00:30", "23:30"])
@pytest.mark.parametrize(("zone", "day"), ZONES)
def test_the_month_is_that_of_the_accounts_zone_and_each_day_counts_once(adsctl, account, zone, day, time):
    with at(zone, f"{day}T{time}"):
        account(zone=zone)
        (month,) = paces(adsctl)
    date = datetime.fromisoformat(day)
    last = (date.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    assert (month["since"], month["until"]) == (f"{day[:8]}01", f"{last:%Y-%m-%d}")
    assert month["spent"] == DAY * (date.day - 1) and month["state"] == "known"
    assert month["forecast"] == month["forecast_low"] == month["forecast_high"] == DAY * last.day


@pytest.mark.parametrize(
    ("zone", "passed"), [("America/New_York", 29), ("Asia/Kathmandu", 0), ("Etc/UTC", 0)]
)
def test_a_moment_is_in_the_month_of_the_zone(adsctl, account, zone, passed):
    with at("Etc/UTC", "2026-12-01T00:30"):
        account(zone=zone)
        (month,) = paces(adsctl)
    assert month["since"] == ("2026-11-01" if passed else "2026-12-01")
    assert month["spent"] == (DAY * passed or None)
    assert month["state"] == ("known" if passed else "no day of the month has passed")


@pytest.mark.parametrize(
    ("about", "day", "budget", "expected", "found"),
    [
        ("the first day", 1, 720, None, {"B101": "unknown", "B102": "unknown"}),
        ("one day", 2, 720, 24, {}),
        ("exactly on plan", 16, 720, 360, {}),
        ("the last day", 30, 720, 696, {}),
        ("over", 16, 600, 300, {"B101": "error"}),
        ("over, and within the threshold", 16, 700, 350, {}),
        ("under", 16, 900, 450, {"B102": "warning"}),
        ("under, and within the threshold", 16, 750, 375, {}),
        ("no budget", 16, None, None, {}),
    ],
)
def test_the_pace_of_a_month_and_what_rules_say(adsctl, account, about, day, budget, expected, found):
    with at("Europe/Berlin", f"2026-11-{day:02}T12:00"):
        account(budget=budget)
        (month,) = paces(adsctl)
        assert codes(adsctl) == found, about
    assert month["spent"] == (DAY * (day - 1) or None)
    assert month["expected"] == expected and month["budget"] == budget


START = "2026-11-10T00:00:00+01:00"


@pytest.mark.parametrize(
    ("about", "now", "end", "passed", "days"),
    [
        ("one day", "2026-11-11T08:00", "2026-11-20T00:00:00+01:00", 1, 10),
        ("three days", "2026-11-13T08:00", "2026-11-20T00:00:00+01:00", 3, 10),
        ("its last day", "2026-11-19T23:30", "2026-11-20T00:00:00+01:00", 9, 10),
        ("its end a second after midnight", "2026-11-19T23:30", "2026-11-20T00:00:01+01:00", 9, 11),
        ("over two months", "2026-12-20T12:00", "2026-12-25T00:00:00+01:00", 40, 45),
    ],
)
def test_the_pace_of_a_campaign_to_its_end(adsctl, account, about, now, end, passed, days):
    with at("Europe/Berlin", now):
        budget = {"total_budget_amount_local_micro": DAY * days * UNIT}
        account(campaign=budget, item={"start_time": START, "end_time": end})
        _, own = paces(adsctl)
    assert own["name"] and own["kind"] == "campaign" and own["since"] == "2026-11-10"
    assert (own["spent"], own["expected"]) == (DAY * passed, DAY * passed), about
    assert own["forecast"] == own["budget"] == DAY * days, about


def test_a_campaign_over_a_change_of_the_clock_has_spent_what_its_hours_have(adsctl, account):
    with at("Europe/Berlin", "2027-03-30T12:00"):
        budget = {"total_budget_amount_local_micro": DAY * 146 * UNIT}
        account(campaign=budget, item={"start_time": START, "end_time": "2027-04-05T00:00:00+02:00"})
        _, own = paces(adsctl)
    assert own["spent"] == DAY * 140 - 1 and own["forecast"] == DAY * 146 - 1  # a day of 23 hours
    assert own["expected"] == DAY * 140


@pytest.mark.parametrize(
    ("about", "campaign", "item", "state"),
    [
        ("its first day", {}, {"start_time": "2026-11-16T08:00:00Z"}, "it has no whole day yet"),
        ("not begun", {}, {"start_time": "2026-11-18T08:00:00Z"}, "it has no whole day yet"),
        ("too old", {}, {"start_time": "2026-05-01T08:00:00Z"}, "it began more than 182 days ago"),
        ("paused", {"entity_status": "PAUSED"}, {}, None),
        ("its line item is paused", {}, {"entity_status": "PAUSED"}, None),
        ("ended", {}, {"end_time": "2026-11-16T00:00:00+01:00"}, None),
        ("without an end", {}, {"end_time": None}, None),
        ("without a total budget", {"total_budget_amount_local_micro": None}, {}, None),
    ],
)
def test_a_campaign_without_a_pace_says_why_or_is_left_out(adsctl, account, about, campaign, item, state):
    with at("Europe/Berlin", "2026-11-16T12:00"):
        flight = {"start_time": START, "end_time": "2026-11-30T23:00:00Z"}
        budget = {"total_budget_amount_local_micro": 500 * UNIT}
        account(campaign={**budget, **campaign}, item={**flight, **item})
        _, *own = paces(adsctl)
    assert [pace["state"] for pace in own] == ([state] if state else []), about


@pytest.mark.parametrize("status", ["PAUSED", "DELETED"])
def test_what_a_campaign_has_spent_before_it_was_stopped_counts_in_the_month(adsctl, account, status):
    with at("Europe/Berlin", "2026-01-01T00:00"):
        account()
        adsctl("campaigns", "update", SPRING, "--name", "Until the 11th")  # the emulator's history begins
    with at("Europe/Berlin", "2026-11-11T00:00"):
        adsctl("campaigns", "pause" if status == "PAUSED" else "delete", SPRING, "--yes")
    with at("Europe/Berlin", "2026-11-21T12:00"):
        (month,) = paces(adsctl)
    assert month["spent"] == month["forecast"] == 10 * DAY


@pytest.mark.parametrize(
    ("currency", "micros", "spent", "words"),
    [
        ("JPY", 1_500_000, "540", "540 JPY"),
        ("KWD", 1_234, "0.444", "0.444 KWD"),
        ("EUR", 1_234, "0.44", "0.44 EUR"),
    ],
)
def test_amounts_have_the_decimals_of_their_currency(
    adsctl, account, monkeypatch, currency, micros, spent, words
):
    monkeypatch.setattr(LineItemNumbers, "at", lambda self, hour, now: {BILLED_CHARGE: micros})
    with at("Europe/Berlin", "2026-11-16T12:00"):
        account(
            currency=currency, budget="1000" if currency == "JPY" else "1.125" if currency == "KWD" else "2"
        )
        (month,) = paces(adsctl)
        assert str(month["spent"]) in (spent, f"{spent}.0")
        table = adsctl("stats", "pace", "-o", "table").stdout
        assert words in table or spent in table
        assert codes(adsctl) == {"B102": "warning"} if currency != "JPY" else {"B101": "error"}
