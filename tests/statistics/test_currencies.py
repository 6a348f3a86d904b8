"""Amounts of several currencies are never added up."""

import json
import sqlite3
from collections import deque
from contextlib import closing
from decimal import Decimal
from io import StringIO

import pytest

from ads_cli.commands.stats.view import draw_statistics
from ads_cli.statistics.chart_data import ChartData
from ads_cli.statistics.rows import KEYS, StatsTable
from tests.report.reading import read
from tests.statistics.rows import OWNERS, total

DAYS = ("--since", "7d", "--until", "4d")  # numbers of which are final
LINE_ITEMS = (*DAYS, "--entity", "LINE_ITEM", "--all")
METRICS = ("--metrics", "impressions,billed_charge_local")


@pytest.fixture
def yen(stats, noon) -> str:
    """A line item that is paid in yen, beside those in euro; its id."""

    def created(*words: str) -> str:
        done = stats.adsctl(*words, "--yes", "-o", "json").stdout
        return json.loads(done)["id"]

    funding = created(
        *("funding-instruments", "create", "--type", "INSERTION_ORDER", "--currency", "JPY"),
        *("--start-time", "2026-03-01T00:00Z", "--funded-amount", "500000000"),
    )
    campaign = created(
        *("campaigns", "create", "--name", "Tokyo", "--funding-instrument-id", funding),
        *("--daily-budget", "900000", "--active"),
    )
    line_item = created(
        *("line-items", "create", "--campaign-id", campaign, "--name", "Tokyo reads", "--objective", "REACH"),
        *("--product-type", "PROMOTED_POSTS", "--placements", "ALL_ON_PLATFORM", "--bid-amount", "900"),
        *("--start-time", "2026-03-01T00:00Z", "--active"),
    )
    noon.shift(8 * 24 * 3600)
    return line_item


def by_currency(rows, column: str) -> dict[str, Decimal]:
    sums = dict[str, Decimal]()
    for row in rows:
        sums[row["currency"]] = sums.get(row["currency"], Decimal()) + Decimal(row[column] or 0)
    return sums


def test_rows_say_their_currency(stats, yen):
    rows = stats.get(*LINE_ITEMS, *METRICS)
    assert [*rows[0]][7:14] == ["segment", *OWNERS, "impressions"]
    assert {row["currency"] for row in rows if row["entity_id"] == yen} == {"JPY"}
    assert {row["currency"] for row in rows if row["entity_id"] != yen} == {"EUR"}
    assert all(amount > 0 for amount in by_currency(rows, "billed_charge_local").values())
    counts = stats.get(*LINE_ITEMS, "--metrics", "impressions")
    assert {row["currency"] for row in counts} == {"EUR", "JPY"}
    (all_counts,) = stats.get(*LINE_ITEMS, "--metrics", "impressions", "--totals", "--top", "1")[-1:]
    assert all_counts["currency"] == "" and total([all_counts], "impressions") == total(counts, "impressions")


@pytest.mark.parametrize("command", ["get", "export"])
def test_sums_are_those_of_one_currency_each(stats, yen, command):
    ask = getattr(stats, command)
    rows = ask(*LINE_ITEMS, *METRICS)
    days = ask(*LINE_ITEMS, *METRICS, "--group-by", "start")
    assert len(days) == 6 and len({(row["start"], row["currency"]) for row in days}) == 6
    summed = ask(*LINE_ITEMS, *METRICS, "--totals")
    totals = [row for row in summed if row["entity"] == "TOTAL"]
    assert [row["currency"] for row in totals] == ["EUR", "JPY"] and summed[-2:] == totals
    for column in ("impressions", "billed_charge_local"):
        assert by_currency(days, column) == by_currency(totals, column) == by_currency(rows, column)


def test_rows_can_be_grouped_by_their_currency(stats, yen):
    rows = stats.get(*LINE_ITEMS, *METRICS, "--group-by", "currency")
    assert [row["currency"] for row in rows] == ["EUR", "JPY"]
    rows = stats.get(*DAYS, "--entity", "ACCOUNT", "--group-by", "currency")
    assert [row["currency"] for row in rows] == [""]


def test_a_table_has_the_currency_of_every_row(stats, yen):
    stats.adsctl("stats", "export", "--into", "sqlite:ads.db", *LINE_ITEMS, *METRICS)
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
        query = "SELECT currency, sum(impressions) FROM statistics GROUP BY 1 ORDER BY 1"
        sums = dict(db.execute(query).fetchall())
    assert sums == by_currency(stats.get(*LINE_ITEMS, *METRICS), "impressions")


def test_pages_compare_amounts_of_one_currency_only(stats, yen):
    rows = stats.get(*LINE_ITEMS, *METRICS)
    stats.adsctl("stats", "get", *LINE_ITEMS, *METRICS, "--report", "o.html", "-o", "none")
    text = read(stats.adsctl.home / "o.html").text
    euro = total([row for row in rows if row["currency"] == "EUR"], "billed_charge_local")
    paid = total([row for row in rows if row["currency"] == "JPY"], "billed_charge_local")
    assert f"Spend {euro:,.2f} EUR" in text and f"Spend {paid:,.0f} JPY" in text
    assert f"Impressions {total(rows, 'impressions'):,.0f}" in text


def test_a_terminal_totals_each_currency(stats, yen):
    rows = stats.get(*LINE_ITEMS, *METRICS)
    numbers = [(int(row["impressions"] or 0), Decimal(row["billed_charge_local"] or 0)) for row in rows]
    keys = [tuple(row[name] or None for name in KEYS) for row in rows]
    table = StatsTable(KEYS, ("impressions", "billed_charge_local"), map(tuple.__add__, keys, numbers))
    gathered, shown = ChartData(table.metrics, {"EUR", "JPY"}), StringIO()
    deque(gathered.watch(table).rows, 0)
    draw_statistics(shown, gathered, "all", with_total=True, color=False)
    lines = {line.split("  ")[0]: line for line in shown.getvalue().splitlines()}
    for currency, digits in (("EUR", 2), ("JPY", 0)):
        paid = by_currency(rows, "billed_charge_local")[currency]
        assert f"{paid:,.{digits}f} {currency}" in lines[f"Total {currency}"]
        assert f"{by_currency(rows, 'impressions')[currency]:,}" in lines[f"Total {currency}"]
