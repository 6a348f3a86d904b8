"""Days that nightly exports store in a table, while clocks are changed: each hour is in one of them."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.statistics.periods import Calendar, Period, periods_again
from tests.effort import every
from tests.statistics.rows import total

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
ONE = ("--entity", "LINE_ITEM", "--ids", "9d4c2")
METRICS = ("--metrics", "impressions,billed_charge_local")
ZONES = sorted(available_timezones() - {"Factory", "localtime", "posixrules"})


def store_days(stored: list[Period], asked: Period) -> list[Period]:
    """Return the days of a table after one more question."""
    new = [*asked.steps("DAY"), *periods_again(asked, stored)]
    start, end = min(day.start for day in new), max(day.end for day in new)
    return sorted([*new, *(day for day in stored if day.end <= start or day.start >= end)])


@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(datetime(2010, 1, 1), datetime(2037, 1, 1)),
    nights=st.lists(st.integers(1, 15), min_size=2, max_size=12),
    months=st.integers(1, 12),
)
@example("Europe/Berlin", datetime(2026, 10, 20, 0, 30), [3] * 10, 6)
@example("Europe/Berlin", datetime(2026, 3, 25, 0, 30), [3] * 10, 1)
@example("Europe/Berlin", datetime(2026, 10, 23, 0, 30), [1] * 6, 6)
@example("Europe/Berlin", datetime(2026, 10, 23, 0, 30), [1, 1, 1, 15, 1, 1], 6)
@example("Australia/Lord_Howe", datetime(2026, 4, 1, 14, 30), [3] * 10, 6)
@example("Pacific/Apia", datetime(2011, 12, 27, 12), [3] * 8, 3)
def test_the_days_of_every_night_follow_each_other_in_every_zone(zone, start, nights, months):
    stored: list[Period] = []

    def store(asked: Period) -> None:
        stored[:] = store_days(stored, asked)
        assert all(before.end == after.start for before, after in pairwise(stored))
        assert all(timedelta(0) < day.end - day.start < 2 * DAY for day in stored)

    for night, days in enumerate(nights):
        now = (start + night * DAY).replace(tzinfo=UTC)
        store(Calendar(zone, now).period(f"{days}d", None, "DAY"))
    later = Calendar(zone, (start + months * 30 * DAY).replace(tzinfo=UTC))
    first = stored[0].start.astimezone(later.midnight).replace(hour=0, minute=0) + DAY
    if first + 3 * DAY < stored[-1].end:  # days of the past again, between two that are not asked again
        store(Period(first, first + DAY))


def table_days(stats) -> list[tuple]:
    query = "SELECT start, end, sum(impressions) FROM statistics WHERE granularity = 'DAY' GROUP BY 1, 2"
    with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db:
        rows = db.execute(query).fetchall()
    return sorted((*map(datetime.fromisoformat, times), number) for *times, number in rows)


@pytest.mark.parametrize(
    ("zone", "day"),
    every(
        3,
        [
            ("Europe/Berlin", "2026-10-25"),
            ("Europe/Berlin", "2026-03-29"),
            ("Australia/Lord_Howe", "2026-04-05"),
            ("Australia/Lord_Howe", "2026-10-04"),
        ],
    ),
)
def test_a_table_of_nightly_exports_is_the_sum_of_its_hours(stats, service, noon, zone, day):
    db = service.emulator.store.connection
    db.execute("UPDATE records SET data = json_set(data, '$.timezone', ?) WHERE kind = 'account'", (zone,))
    changed = datetime.fromisoformat(f"{day}T12:00:00+00:00")
    for night in range(-2, 5):
        noon.move_to(changed + night * DAY)
        command = "get" if night % 2 else "export"
        stats.adsctl("stats", command, *ONE, *METRICS, "--since", "3d", "--into", "sqlite:ads.db")
    days = table_days(stats)
    assert all(before[1] == after[0] for before, after in pairwise(days))
    lengths = [(end - start) / HOUR for start, end, _ in days]
    assert len({*lengths}) == 2 and sum(length != 24 for length in lengths) == 1
    final = days[:-2]  # what is newer was not counted in full when it was asked for
    span = ("--since", next_hour(final[0][0]), "--until", next_hour(final[-1][1]))
    hours = stats.get(*ONE, *METRICS, *span, "--granularity", "HOUR")
    assert total(hours, "impressions") == sum(number for *_, number in final) > 0


def next_hour(time: datetime) -> str:
    """Return the first whole hour in UTC, by which the service counts, that does not begin before a time."""
    return (time + HOUR / 2 if time.astimezone(UTC).minute else time).astimezone(UTC).isoformat()


def test_days_asked_again_are_resumed_with_the_export(stats, service, noon):
    noon.move_to(datetime.fromisoformat("2026-10-24T12:00:00Z"))
    into = (*ONE, *METRICS, "--since", "3d", "--into", "sqlite:ads.db")
    stats.adsctl("stats", "export", *into)
    noon.move_to(datetime.fromisoformat("2026-10-26T12:00:00Z"))
    results = iter([False, True])
    respond = service.answer

    def answer(environ, start_response):
        if environ["PATH_INFO"].startswith("/stats-results/") and next(results, False):
            start_response("500 Internal Server Error", [])
            return [b""]
        return respond(environ, start_response)

    service.answer = answer
    stopped = stats.adsctl("stats", "export", *into, "--max-attempts", "1", code=8)
    assert "--resume" in stopped.stderr
    stored_before = table_days(stats)
    done = stats.adsctl("stats", "export", *into, "--resume")
    assert "resumed: 1 of 1 result" in done.stderr and "resumed: 0 of 1 result" in done.stderr
    days = table_days(stats)
    assert len(stored_before) == 3 and len(days) == 5
    assert all(before[1] == after[0] for before, after in pairwise(days))
    assert not [path for path in stats.adsctl.home.glob("state/exports/*") if path.is_dir()]


def test_a_table_that_another_run_changed_meanwhile_is_not_written(stats, service, noon):
    """What is to be asked again is found out before, and may no longer be so when it is stored."""
    noon.move_to(datetime.fromisoformat("2026-10-24T12:00:00Z"))
    into = (*ONE, *METRICS, "--since", "3d", "--into", "sqlite:ads.db")
    stats.adsctl("stats", "export", *into)
    noon.move_to(datetime.fromisoformat("2026-10-26T12:00:00Z"))
    respond = service.answer

    def answer(environ, start_response):
        if environ["PATH_INFO"].startswith("/stats-results/"):
            with closing(sqlite3.connect(stats.adsctl.home / "ads.db")) as db, db:
                db.execute("DELETE FROM statistics")
        return respond(environ, start_response)

    service.answer = answer
    done = stats.adsctl("stats", "export", *into, code=11)
    assert "another run has changed ads.db meanwhile" in done.stderr and "--resume" in done.stderr
    service.answer = respond
    stats.adsctl("stats", "export", *into, "--resume")
    assert len(table_days(stats)) == 3


NOT_OVER = "time is not over before {}: its last numbers are of a part of it"


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (["--since", "today"], "2026-06-18 00:00 CEST"),
        (["--since", "3d", "--until", "2026-06-20"], "2026-06-20 00:00 CEST"),
        (["--since", "3d", "--until", "2026-06-20", "--granularity", "TOTAL"], "2026-06-20 00:00 CEST"),
    ],
)
def test_numbers_of_a_day_that_is_not_over_are_told_from_others(stats, words, end):
    done = stats.adsctl("stats", "get", *words, "--ids", "8wku3", "--report", "o.html", "-q")
    assert f"warning: the {NOT_OVER.format(end)}" in done.stderr
    assert f"The {NOT_OVER.format(end)}" in (stats.adsctl.home / "o.html").read_text()


@pytest.mark.parametrize("words", [["yesterday"], ["3d"], ["this-week"], ["6h", "--granularity", "HOUR"]])
def test_whole_days_are_not_warned_of(stats, words):
    assert "warning" not in stats.adsctl("stats", "get", "--since", *words, "--ids", "8wku3", "-q").stderr
