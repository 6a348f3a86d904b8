"""`--compare`: what each number was in an earlier period, and how it has changed."""

import json
from datetime import datetime
from decimal import Decimal

import pytest

from ads_cli.statistics.analysis import earlier_period
from ads_cli.statistics.periods import Period
from ads_cli.statistics.query import StatsQuery
from tests.report.reading import read
from tests.statistics.rows import BASE, OWNERS, number, total

WEEK = ("--since", "2026-05-11", "--until", "2026-05-18")
BEFORE = ("--since", "2026-05-04", "--until", "2026-05-11")
IDS = ("--ids", "8wku2,8wku3")
METRICS = ("--metrics", "spend,clicks,ctr")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("get", ()),
        ("export", ("--group-by", "name")),
        ("get", ("--totals",)),
        ("export", ("--granularity", "TOTAL")),
    ],
)
def test_each_number_has_what_it_was_and_the_difference(stats, command, options):
    ask = getattr(stats, command)
    now, before = (ask(*period, *IDS, *METRICS, *options) for period in (WEEK, BEFORE))
    compared = ask(*WEEK, *IDS, *METRICS, *options, "--compare", "previous")
    names = [f"{name}{end}" for name in ("spend", "clicks", "ctr") for end in ("", "_before", "_change")]
    assert [*compared[0]] == [*BASE, *OWNERS, *names] and len(compared) == len(now)
    for row, later, earlier in zip(compared, now, before, strict=True):
        for name in ("spend", "clicks", "ctr"):
            assert row[name] == later[name] and row[f"{name}_before"] == earlier[name]
            change = Decimal(later[name]) - Decimal(earlier[name]) if later[name] and earlier[name] else ""
            assert (Decimal(row[f"{name}_change"]) if change != "" else row[f"{name}_change"]) == change


def test_the_year_before_and_named_days(stats):
    words = (*IDS, "--metrics", "clicks", "--group-by", "entity")
    (named,) = stats.get(*WEEK, *words, "--compare", "2026-05-04..2026-05-11")
    (previous,) = stats.get(*WEEK, *words, "--compare", "previous")
    assert named == previous and number(named["clicks_before"]) > 0
    (year,) = stats.get(*WEEK, *words, "--compare", "YEAR")
    earlier = stats.get("--since", "2025-05-11", "--until", "2025-05-18", *words)
    assert number(year["clicks_before"]) == total(earlier, "clicks")


def test_whole_columns_are_compared_where_none_is_named(stats):
    (row, *_) = stats.get(*WEEK, *IDS, "--compare", "previous")
    assert [*row][13:16] == ["engagements", "engagements_before", "engagements_change"]
    assert [*row][-1] == "billed_charge_local_change"


def test_every_format_has_the_same_three_columns(stats):
    words = (*WEEK, *IDS, "--metrics", "spend", "--compare", "previous", "--group-by", "name")
    shown = json.loads(stats.adsctl("stats", "get", *words, "-o", "json").stdout)
    for format in ("jsonl", "csv"):
        stats.adsctl("stats", "export", f"o.{format}", *words)
    lines = [json.loads(line) for line in (stats.adsctl.home / "o.jsonl").read_text().splitlines()]
    assert lines == shown
    assert abs(shown[0]["spend"] - shown[0]["spend_before"] - shown[0]["spend_change"]) < 1e-6
    assert "spend,spend_before,spend_change" in (stats.adsctl.home / "o.csv").read_text()
    assert "SPEND  CHANGE" in stats.adsctl("stats", "get", *words, "-o", "table").stdout


def test_segments_are_compared_with_themselves(stats):
    words = ("--ids", "8wku3", "--metrics", "impressions", "--segment-by", "GENDER")
    whole, before = (stats.export(*period, *words) for period in (WEEK, BEFORE))
    compared = stats.export(*WEEK, *words, "--compare", "previous")
    assert {row["segment_value"] for row in compared} == {row["segment_value"] for row in whole}
    assert total(compared, "impressions_before") == total(before, "impressions") > 0


def test_rows_are_sorted_by_a_change_and_the_first_are_shown(stats):
    words = (*WEEK, "--all", "--metrics", "spend", "--compare", "previous", "--group-by", "campaign")
    rows = stats.get(*words, "--sort", "-spend_change", "--top", "2", "--totals")
    changes = [number(row["spend_change"]) for row in rows[:2]]
    assert changes == sorted(changes, reverse=True) and rows[2]["entity"] == "TOTAL"
    assert number(rows[2]["spend"]) > sum(number(row["spend"]) for row in rows[:2])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare", "lastweek"), "--compare: 'lastweek' is not a period"),
        (("--compare", "2026-05-10..2026-05-01"), "is not a period that has statistics"),
        (("--sort", "-spent"), "--sort: no column 'spent'; did you mean 'spend'?"),
        (("--columns", "name,spent"), "--columns: no column 'spent'; did you mean 'spend'?"),
        (("--sort", "spend_change"), "--sort: no column 'spend_change'"),
        (("--sort", "-"), "--sort: no column ''"),
        (("--sort", "--spend"), "--sort: no column '-spend'; did you mean 'spend'?"),
        (("--compare", "previous", "--into", "sqlite:x.db"), "--compare cannot be used with --into"),
        (("--group-by", "dai"), "--group-by: 'dai' is not a column"),
    ],
)
@pytest.mark.parametrize("command", ["get", "export"])
def test_what_cannot_be_shown_is_refused_before_anything_is_asked(
    stats, service, monkeypatch, command, words, message
):
    asked = []
    monkeypatch.setattr(service, "answer", lambda *request: asked.append(request))
    done = stats.adsctl("stats", command, *WEEK, *IDS, "--metrics", "spend", *words, code=2)
    assert message in done.stderr and asked == []


def test_days_of_another_number_are_refused_but_totals_are_compared(stats):
    words = (*IDS, "--metrics", "clicks", "--compare", "2026-04-01..2026-05-01")
    assert "7 and 30 days" in stats.adsctl("stats", "get", *WEEK, *words, code=2).stderr
    rows = stats.get(*WEEK, *words, "--granularity", "TOTAL")
    month = stats.get("--since", "2026-04-01", "--until", "2026-05-01", *IDS, "--metrics", "clicks")
    assert total(rows, "clicks_before") == total(month, "clicks") > total(rows, "clicks") > 0


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_the_columns_that_there_are_are_named_once(stats, service_name):
    message = stats.adsctl("stats", "get", *WEEK, *IDS, "--columns", "clicks,nope", code=2).stderr
    listed = message.partition("columns: ")[2].split(", ")
    assert "clicks" in listed and len(listed) == len({*listed})


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_rows_say_what_they_lie_in(stats, service_name):
    known = json.loads(stats.adsctl("line-items", "get", "9d4c2", "-o", "json").stdout)
    (campaign,) = stats.get(*WEEK, "--ids", "8wku3", "--granularity", "TOTAL")
    (line_item,) = stats.get(*WEEK, "--entity", "LINE_ITEM", "--ids", "9d4c2", "--granularity", "TOTAL")
    (post,) = stats.get(*WEEK, "--entity", "PROMOTED_POST", "--ids", "7pt03", "--granularity", "TOTAL")
    (account,) = stats.get(*WEEK, "--entity", "ACCOUNT", "--granularity", "TOTAL")
    assert [[row[name] for name in OWNERS] for row in (account, campaign, line_item, post)] == [
        ["18ce54d4x5t", "", "", "", "EUR"],
        ["18ce54d4x5t", known["campaign_id"], "", "", "EUR"],
        ["18ce54d4x5t", known["campaign_id"], "9d4c2", "", "EUR"],
        ["18ce54d4x5t", known["campaign_id"], "9d4c2", "1790415000000000001", "EUR"],
    ]


POST = ("--entity", "PROMOTED_POST", "--metrics", "clicks,spend")


@pytest.mark.parametrize(("service_name", "command"), [("generic", "get"), ("x", "export")])
def test_a_post_in_several_campaigns_is_warned_of_and_counted_once(stats, service_name, command):
    ask = (*WEEK, *POST, "--ids", "7pt03,7pt05", "--granularity", "TOTAL")
    done = stats.adsctl("stats", command, *ask, "--totals", "-o", "csv", "-q")
    assert "1790415000000000001" in done.stderr and "count them once" in done.stderr
    first, second, whole = getattr(stats, command)(*ask, "--totals")
    assert first["campaign_id"] != second["campaign_id"] and number(first["clicks"]) > 0
    for name in ("clicks", "spend"):
        assert first[name] == second[name] == whole[name]
    (group,) = getattr(stats, command)(*ask, "--group-by", "post_id")
    campaigns = getattr(stats, command)(*ask, "--group-by", "campaign")
    assert [row["clicks"] for row in (group, *campaigns)] == [first["clicks"]] * 3


def test_a_total_of_groups_counts_a_post_in_several_campaigns_once_whatever_else_is_in_them(stats):
    ask = (*WEEK, "--entity", "PROMOTED_POST", "--metrics", "clicks", "--all", "--granularity", "TOTAL")
    *rows, whole = stats.get(*ask, "--totals")
    *groups, grouped_whole = stats.get(*ask, "--group-by", "campaign", "--totals")
    assert "" in {row["post_id"] for row in groups} and len(groups) < len(rows)
    assert total(groups, "clicks") > number(whole["clicks"]) > 0
    assert grouped_whole["clicks"] == whole["clicks"]


def test_segments_of_one_name_are_two_though_a_post_has_the_same_numbers_in_both(stats, service, monkeypatch):
    from tests.statistics.lying import lie

    def same_in_two_towns(data):
        for record in data:
            del record["id_data"][2:]
            for segment, value in zip(record["id_data"], ("t1", "t2"), strict=True):
                segment["segment"] = {"segment_name": "Neustadt", "segment_value": value}
                segment["metrics"]["clicks"] = [21]

    lie(service, monkeypatch, same_in_two_towns)
    words = (*WEEK, "--entity", "PROMOTED_POST", "--metrics", "clicks", "--ids", "7pt03,7pt05")
    words += ("--granularity", "TOTAL", "--segment-by", "GENDER", "--totals")
    *_, whole = stats.export(*words)
    assert number(whole["clicks"]) == 42


def test_a_post_in_one_campaign_is_counted_as_often_as_it_is_promoted(stats):
    ask = (*WEEK, *POST, "--ids", "7pt01,7pt05", "--totals", "--granularity", "TOTAL")
    done = stats.adsctl("stats", "get", *ask, "-o", "csv")
    assert "several campaigns" not in done.stderr
    *parts, whole = stats.get(*ask)
    assert total(parts, "clicks") == number(whole["clicks"]) > 0


def test_numbers_that_differ_are_all_counted(stats, service, monkeypatch):
    from tests.statistics.lying import lie

    def differ(data):
        for at, record in enumerate(data):
            record["id_data"][0]["metrics"]["clicks"] = [10 + at]

    lie(service, monkeypatch, differ)
    words = (*WEEK, "--entity", "PROMOTED_POST", "--metrics", "clicks", "--ids", "7pt03,7pt05")
    *_, whole = stats.get(*words, "--granularity", "TOTAL", "--totals")
    assert number(whole["clicks"]) == 21


def test_a_table_for_people_writes_derived_metrics_in_their_units(stats):
    words = ("stats", "get", "--since", "2026-06-01", "--until", "2026-06-08", "--ids", "8wku3")
    words += ("--metrics", "spend,ctr", "--granularity", "TOTAL", "--columns", "spend,ctr,currency")
    shown = stats.adsctl(*words, "-o", "table").stdout
    (row,) = json.loads(stats.adsctl(*words, "-o", "json").stdout)
    assert shown.split()[3:] == [f"{float(row['spend']):.2f}", "EUR", f"{100 * row['ctr']:.2f}", "%", "EUR"]


ENDED = "2026-01-26T12:30:00Z"  # in the week before, one of two campaigns had ended


@pytest.mark.parametrize("command", ["get", "export"])
def test_what_has_ended_since_the_earlier_period_is_compared_too(stats, noon, command):
    noon.move_to(ENDED)
    words = ("--since", "last-week", "--metrics", "spend", "--group-by", "currency", "--compare", "previous")
    of_all, of_active = (getattr(stats, command)(*words, chosen) for chosen in ("--all", "--active"))
    assert number(of_all[0]["spend_before"]) > 3 * number(of_all[0]["spend"]) > 0
    assert [row["spend_before"] for row in of_active] == [row["spend_before"] for row in of_all]
    assert [row["spend_change"] for row in of_active] == [row["spend_change"] for row in of_all]


def test_a_page_about_what_is_active_says_what_was_spent_before(stats, noon):
    noon.move_to(ENDED)
    texts = []
    for chosen in ("--all", "--active"):
        words = ("--since", "last-week", chosen, "--metrics", "spend,clicks", "--report", "o.html", "--force")
        stats.get(*words)
        texts.append(read(stats.adsctl.home / "o.html").text)
    tallies = [text[text.index("Spend ") : text.index("Over time")] for text in texts]
    assert tallies[0] == tallies[1] and "−" in tallies[0]


def test_only_what_is_active_is_shown_where_nothing_is_compared(stats, noon):
    noon.move_to(ENDED)
    rows = stats.get("--since", "last-week", "--active", "--metrics", "spend", "--granularity", "TOTAL")
    assert [row["name"] for row in rows] == ["Advent calendar"]


@pytest.mark.parametrize(
    ("since", "until", "start", "end"),
    [
        ("2029-01-01", "2029-02-01", "2028-01-01", "2028-02-01"),
        ("2029-02-01", "2029-03-01", "2028-02-01", "2028-03-01"),
        ("2029-01-01", "2030-01-01", "2028-01-01", "2029-01-01"),
        ("2028-02-01", "2028-03-01", "2027-02-01", "2027-03-01"),
        ("2028-02-01", "2028-02-29", "2027-02-01", "2027-03-01"),
        ("2028-02-29", "2028-03-01", "2027-02-28", "2027-03-01"),
    ],
)
def test_a_year_before_a_total_has_the_same_dates_though_a_year_is_a_leap_year(since, until, start, end):
    period, before = (Period(*map(datetime.fromisoformat, days)) for days in ((since, until), (start, end)))
    asked = StatsQuery("CAMPAIGN", ("8wku3",), period, "TOTAL", (), ("clicks",), "ALL_ON_PLATFORM")
    assert earlier_period(asked, "year") == before


def test_a_page_of_a_total_names_the_year_before(stats, noon):
    noon.move_to("2030-01-20T12:00Z")
    period = ("--since", "2028-02-01", "--until", "2028-02-29", "--granularity", "TOTAL", "--ids", "8wku3")
    stats.export(*period, "--metrics", "clicks", "--compare", "year", "--report", "o.html")
    assert "Compared with the year before, 1 to 28 Feb 2027" in read(stats.adsctl.home / "o.html").text
