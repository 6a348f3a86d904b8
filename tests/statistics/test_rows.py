"""Rows from answers in which something is missing."""

import json
from datetime import UTC, datetime, timedelta

from ads_cli.api.names import GENERIC
from ads_cli.statistics.answers import QueryResult
from ads_cli.statistics.periods import Calendar, Period
from ads_cli.statistics.query import QueryPart, StatsQuery
from ads_cli.statistics.rows import ResultContext, table_of

START = datetime(2026, 3, 1, tzinfo=UTC)
FIRST, SECOND = (Period(START + n * timedelta(days=2), START + (n + 1) * timedelta(days=2)) for n in range(2))


def question(granularity: str) -> StatsQuery:
    period = Period(FIRST.start, SECOND.end)
    return StatsQuery(
        "LINE_ITEM", ("a",), period, granularity, ("ENGAGEMENT",), ("clicks",), "TREND", "METROS", "x"
    )


def answer(window: Period, **segments: list[int]) -> QueryResult:
    series = [
        {"segment": {"segment_name": name}, "metrics": {"clicks": clicks}}
        for name, clicks in segments.items()
    ]
    return QueryResult(QueryPart(("a",), window, ("ENGAGEMENT",)), [{"id": "a", "id_data": series}])


def rows(granularity: str, *answers: QueryResult) -> list[tuple]:
    calendar = Calendar("Etc/UTC", START)
    about = ResultContext(question(granularity), {}, calendar, GENERIC, "18ce54d4x5t", set(), set())
    records = table_of(about, [answers]).records()
    return [(row["segment"], row["start"][8:10], row["clicks"]) for row in records]


def test_a_segment_that_only_some_windows_have_keeps_its_days():
    summed = rows("DAY", answer(FIRST, Berlin=[1, 2]), answer(SECOND, Hamburg=[3, 4], Berlin=[5, 6]))
    assert summed == [
        *(("Berlin", "01", 1), ("Berlin", "02", 2), ("Berlin", "03", 5), ("Berlin", "04", 6)),
        *(("Hamburg", "01", None), ("Hamburg", "02", None), ("Hamburg", "03", 3), ("Hamburg", "04", 4)),
    ]


def test_a_total_of_some_windows_is_that_of_what_they_have():
    summed = rows("TOTAL", answer(FIRST, Berlin=[1]), answer(SECOND, Hamburg=[3], Berlin=[5]))
    assert summed == [("Berlin", "01", 6), ("Hamburg", "01", 3)]


def test_numbers_that_no_column_has_are_named(stats, monkeypatch):
    """A service may have more of a conversion than its reference says."""
    monkeypatch.setattr("ads_cli.statistics.answers.columns_of", lambda metric: [f"{metric}_post_view"])
    words = ("--since", "9d", "--entity", "LINE_ITEM", "--all", "--metrics", "mobile_conversion_installs")
    done = stats.adsctl("stats", "get", *words, "-o", "csv")
    assert "warning: no column has mobile_conversion_installs_post_engagement" in done.stderr
    assert "'stats get --raw' shows" in done.stderr


def test_views_of_key_pages_have_two_numbers(stats):
    words = ("--since", "1d", "--ids", "8wku3", "--metrics", "mobile_conversion_key_page_views")
    names = ["mobile_conversion_key_page_views_post_view", "mobile_conversion_key_page_views_post_engagement"]
    assert [*stats.get(*words)[0]][13:] == names
    raw = stats.adsctl("stats", "get", "--since", "7d", "--ids", "8wku7", *words[4:], "--raw", "-o", "json")
    (entry,) = json.loads(raw.stdout)
    assert [*entry["id_data"][0]["metrics"][words[-1]]] == ["post_view", "post_engagement"]
