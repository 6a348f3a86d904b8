"""Derived metrics: ratios of sums, in rows, groups and totals."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from ads_cli.api.metrics import GROUPS_BY_ENTITY, METRICS
from ads_cli.commands.stats.options import DERIVED_NAMES
from ads_cli.errors import UsageError
from ads_cli.statistics.derived import DERIVED as DERIVED_METRICS
from ads_cli.statistics.derived import derived_of, parse_shown
from ads_cli.statistics.periods import Period
from ads_cli.statistics.query import StatsQuery

WEEK = ("--since", "2026-05-04", "--until", "2026-05-11")  # long ago: charges are final
ASKED = (*WEEK, "--ids", "8wku2,8wku3")
BASE = "impressions,clicks,engagements,billed_charge_local"
DERIVED = "spend,ctr,cpc,cpm,cpe"


def rounded(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.000001"))


def expected(row: dict[str, str]) -> dict[str, Decimal]:
    numbers = {name: Decimal(row[name] or 0) for name in BASE.split(",")}
    spend = numbers["billed_charge_local"]
    return {
        "spend": spend,
        "ctr": rounded(numbers["clicks"] / numbers["impressions"]),
        "cpc": rounded(spend / numbers["clicks"]),
        "cpm": rounded(spend * 1000 / numbers["impressions"]),
        "cpe": rounded(spend / numbers["engagements"]),
    }


@pytest.mark.parametrize("options", [(), ("--group-by", "entity"), ("--group-by", "name", "--totals")])
def test_ratios_are_those_of_the_sums_in_each_row(stats, options):
    base = stats.get(*ASKED, "--metrics", BASE, *options)
    derived = stats.get(*ASKED, "--metrics", DERIVED, *options)
    assert len(base) == len(derived) > 0
    for row, found in zip(base, derived, strict=True):
        assert {name: Decimal(found[name]) for name in DERIVED.split(",")} == expected(row)


def test_only_the_columns_that_were_named_are_shown_in_their_order(stats):
    (row, *_) = stats.get(*ASKED, "--metrics", "cpc,clicks,spend")
    assert [*row][-3:] == ["cpc", "clicks", "spend"] and "impressions" not in row


def test_the_return_is_what_was_sold_for_what_was_spent(stats):
    month = ("--since", "2026-04-01", "--until", "2026-05-01", "--all", "--group-by", "entity")
    (row,) = stats.export(*month, "--metrics", "conversion_purchases,spend,roas")
    sold = Decimal(row["conversion_purchases_sale_amount"]) / 10**6
    assert sold and Decimal(row["roas"]) == rounded(sold / Decimal(row["spend"]))
    assert stats.export(*month, "--metrics", "roas")[0]["roas"] == row["roas"]


def test_json_has_numbers_and_what_has_no_divisor_is_empty(stats):
    words = (*ASKED, "--metrics", "roas,conversion_rate,cost_per_conversion", "--group-by", "entity")
    (row,) = json.loads(stats.adsctl("stats", "get", *words, "-o", "json").stdout)
    for name in ("roas", "conversion_rate", "cost_per_conversion"):
        assert row[name] is None or isinstance(row[name], int | float)


def test_ratios_are_of_columns_by_their_names_in_any_order():
    asked = ("clicks", "impressions", "likes")
    midnights = Period(datetime(2026, 5, 4, tzinfo=UTC), datetime(2026, 5, 5, tzinfo=UTC))
    question = StatsQuery("CAMPAIGN", ("1",), midnights, "DAY", ("ENGAGEMENT",), asked, "ALL_ON_PLATFORM")
    assert derived_of(question, {"likes": 3, "impressions": 200, "clicks": 5}) == {"ctr": Decimal("0.025")}


def test_conversions_are_those_that_are_asked_for(stats):
    numbers = "conversion_site_visits,clicks,spend,cost_per_conversion,conversion_rate"
    (row,) = stats.get(*ASKED, "--metrics", numbers, "--group-by", "entity")
    count = sum(int(row[f"conversion_site_visits_{kind}"] or 0) for kind in ("post_view", "post_engagement"))
    assert count
    assert Decimal(row["cost_per_conversion"]) == rounded(Decimal(row["spend"]) / count)
    assert Decimal(row["conversion_rate"]) == rounded(Decimal(count) / int(row["clicks"]))


def test_an_export_has_the_same_derived_metrics(stats):
    words = (*ASKED, "--metrics", DERIVED, "--group-by", "campaign")
    assert stats.export(*words) == stats.get(*words)


def test_rows_are_sorted_by_any_column_and_cut_and_totals_stay_those_of_all(stats):
    words = (*WEEK, "--all", "--metrics", "impressions,ctr", "--group-by", "name", "--totals")
    rows = stats.get(*words, "--sort", "-ctr")
    known = [Decimal(row["ctr"]) for row in rows[:-1] if row["ctr"]]
    assert known == sorted(known, reverse=True) and len(known) > 2
    assert [row["ctr"] for row in rows[len(known) : -1]] == [""] * (len(rows) - 1 - len(known))
    top = stats.get(*words, "--sort", "-ctr", "--top", "2")
    assert top == [*rows[:2], rows[-1]]
    names = [row["name"] for row in stats.get(*words, "--sort", "name")[:-1]]
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--metrics", "ctr", "--sort", "clicks"), "--sort: no column 'clicks'"),
        (("--metrics", "frequency"), "frequency needs the reach, which is no sum"),
        (("--metrics", "ctr", "--entity", "ACCOUNT"), "ACCOUNT has no clicks"),
        (("--metrics", "ctrr"), "'ctrr' is not a known group or metric"),
        (("--metrics", "ctr", "--sort", "ctr", "--raw"), "--sort cannot be used with --raw"),
    ],
)
def test_what_the_rows_do_not_have_is_refused(stats, words, message):
    ids = () if "ACCOUNT" in words else ("--ids", "8wku2")
    assert message in stats.adsctl("stats", "get", *WEEK, *ids, *words, code=2).stderr


def test_help_lists_every_metric_with_its_unit_and_what_it_needs(adsctl):
    about = {load["metric"]: load for load in json.loads(adsctl("help", "metrics", "-o", "json").stdout)}
    assert {metric for metrics in METRICS.values() for metric in metrics} | {*DERIVED_METRICS} == {*about}
    assert about["cpm"]["needs"] == ["billed_charge_local_micro", "impressions"]
    assert about["billed_charge_local_micro"]["unit"] == "currency"
    assert "ACCOUNT" in about["likes"]["entities"] and "ACCOUNT" not in about["clicks"]["entities"]
    assert "13 August 2026" in about["video_total_views"]["about"]
    assert "retweets" in adsctl("help", "metrics", "--service", "x", "-o", "ids").stdout.split()


@pytest.mark.parametrize("metric", DERIVED_METRICS)
def test_help_names_the_entities_that_may_be_asked_for_a_metric(adsctl, metric):
    about = {load["metric"]: load for load in json.loads(adsctl("help", "metrics", "-o", "json").stdout)}
    for entity in GROUPS_BY_ENTITY:
        is_refused = False
        try:
            parse_shown(metric, entity)
        except UsageError:
            is_refused = True
        assert is_refused == (entity not in about[metric]["entities"]), entity


def test_completion_offers_groups_single_and_derived_metrics(adsctl):
    assert tuple(DERIVED_METRICS) == DERIVED_NAMES
