"""`overview`: an account on one screen, and as records."""

import json
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import openpyxl
import pytest

from tests.emulator.seeded import ADVENT, APP, CLICKS, HAMBURG, SHOP, SPRING, SUMMER

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])


def records(adsctl, *words: str) -> dict[str, dict]:
    shown = json.loads(adsctl.local("overview", *words, "-o", "json").stdout)
    return {record["id"]: record for record in shown}


def on_terminal(adsctl, width: int) -> list[str]:
    child = adsctl.terminal("-p", "local", "-q", "overview", width=width, NO_COLOR="1")
    lines = child.read().replace("\r\n", "\n").splitlines()
    child.close()
    assert child.exitstatus == 0, lines
    return lines


def test_it_fits_a_terminal_of_80_columns_with_names_status_and_amounts(adsctl):
    lines = on_terminal(adsctl, 80)
    assert all(len(line) <= 80 for line in lines if not line.startswith("  adsctl"))
    assert lines[0].startswith("Nordlicht Shop")
    assert lines[1] == "today      up to 170.00 EUR and unlimited (1 campaign without a daily budget)"
    assert re.match(r"to \d+ \w+ +up to [\d,]+\.00 EUR and unlimited", lines[2])
    (spring,) = [line for line in lines if line.startswith("Spring collection")]
    assert re.fullmatch(r"Spring collection +running +60\.00/day +[\d.]+ +\d+ % +[\d.]+ % +[\d.]+ *", spring)
    assert any(line.startswith("Advent calendar    no funding") for line in lines)
    assert any("Order 2025-081, Advent  ended on" in line for line in lines)
    assert not any(ADVENT in line for line in lines if line.startswith("Advent"))  # ids have no room


def test_a_wide_terminal_has_the_ids_last(adsctl):
    lines = on_terminal(adsctl, 160)
    (spring,) = [line.split() for line in lines if line.startswith("Spring collection")]
    assert spring[-3:] == ["link", "click", SPRING]


@both_services
def test_the_numbers_are_those_of_the_statistics(adsctl, service, service_name):
    of_spring = records(adsctl, "--service", service_name)[SPRING]
    row = json.loads(
        adsctl.local(
            *("--service", service_name, "stats", "get", "--since", "7d", "--ids", SPRING, "-o", "json"),
            *("--granularity", "TOTAL", "--metrics", "spend,ctr,url_clicks"),
        ).stdout
    )[0]
    assert of_spring["spend"] == pytest.approx(row["spend"]) and of_spring["ctr"] == row["ctr"]
    assert of_spring["cost_per_result"] == pytest.approx(row["spend"] / row["url_clicks"], abs=1e-6)
    assert of_spring["pace"] == pytest.approx(row["spend"] / (7 * 60), abs=1e-4)
    assert of_spring["result"] == "link click" and of_spring["currency"] == "EUR"


def test_the_result_of_a_campaign_is_that_of_its_objective(adsctl):
    found = records(adsctl)
    assert found[APP]["result"] == "install" and found[APP]["results"] == int(found[APP]["results"]) > 0
    assert found[HAMBURG]["result"] == "1,000 views"


def test_the_account_says_what_may_be_spent_today_and_this_month(adsctl):
    found = records(adsctl)
    assert found[SHOP]["kind"] == "account" and found[SHOP]["timezone"] == "Europe/Berlin"
    assert found[SHOP]["may_spend_today"].startswith("170.00 EUR and unlimited (1 campaign")
    adsctl.local("campaigns", "pause", SPRING, APP)
    assert records(adsctl)[SHOP]["may_spend_today"] == "110.00 EUR"


def test_a_campaign_counts_until_its_last_line_item_ends(adsctl, monkeypatch):
    monkeypatch.setattr("ads_cli.statistics.periods.utc_now", lambda: datetime(2026, 12, 10, 12, tzinfo=UTC))
    adsctl.local("campaigns", "pause", APP, HAMBURG, "8wkv1")
    assert records(adsctl)[SHOP]["may_spend_this_month"] == f"{22 * 60:,}.00 EUR"
    for line_item in (CLICKS, SUMMER):
        adsctl.local("line-items", "update", line_item, "--end-time", "2026-12-12T23:00:00Z")
    assert records(adsctl)[SHOP]["may_spend_this_month"] == f"{3 * 60}.00 EUR"


def test_why_a_campaign_does_not_deliver_has_its_next_command(adsctl):
    advent = records(adsctl)[ADVENT]
    assert "Order 2025-081, Advent" in advent["why"]
    assert advent["command"].startswith("adsctl --profile=local campaigns copy")
    assert records(adsctl)[SPRING]["why"] == ""


def test_it_asks_for_each_list_once_and_for_statistics_in_two_requests(adsctl):
    asked = re.findall(r"(?:GET) \S*?(/12/\S+)", adsctl.local("overview", "--debug").stderr)
    lists = [path.partition("?")[0].rpartition(f"/{SHOP}")[2] for path in asked if "/stats/" not in path]
    assert sorted(lists) == ["", "/campaigns", "/funding_instruments", "/line_items"]
    assert len(asked) - len(lists) == 3  # what was active, all campaigns, and the installs of one


def test_an_account_without_campaigns_is_said(adsctl):
    for record in json.loads(adsctl.local("campaigns", "list", "--with-draft", "-o", "json").stdout):
        adsctl.local("campaigns", "delete", record["id"], "--yes")
    assert "the account has no campaigns" in adsctl.local("overview", "-o", "table").stdout
    assert CLICKS not in adsctl.local("overview", "-o", "json").stdout


def test_a_workbook_has_amounts_and_shares_as_numbers(adsctl):
    adsctl.local("overview", "--to", "o.xlsx")
    head, *rows = openpyxl.load_workbook(adsctl.home / "o.xlsx").active.iter_rows()
    names = [cell.value for cell in head]
    (spring,) = (dict(zip(names, row, strict=True)) for row in rows if row[-1].value == SPRING)
    assert spring["daily_budget"].value == 60 and spring["daily_budget"].number_format == r'#,##0.00\ "EUR"'
    assert spring["pace"].number_format == spring["ctr"].number_format == "0.00%"
    assert all(isinstance(spring[name].value, float) for name in ("spend", "pace", "ctr", "cost_per_result"))
    assert records(adsctl)[SPRING]["daily_budget"] == 60


def test_it_says_whether_the_month_lands_on_its_budget(adsctl, service):
    adsctl("profile", "set", "shop", "monthly_budget=800EUR")
    shown = json.loads(adsctl("-p", "shop", "overview", "-o", "json").stdout)
    account = shown[0]
    if datetime.now(ZoneInfo("Europe/Berlin")).day == 1:  # no day of the month has passed
        assert "forecast" not in account
    else:
        assert account["monthly_budget"] == 800 and account["forecast"] >= account["spend"]
        assert "lands at" in adsctl("-p", "shop", "overview", "-o", "table").stdout
