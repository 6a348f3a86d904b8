"""Times at the ends of the calendar, and periods of days and hours."""

import pytest

from ads_cli.api.ab_tests import CreateAbTest
from ads_cli.api.statistics import GetStatistics
from ads_cli.api.time import DayOrTime, ExactTime, HourOrDay, Time
from ads_cli.api.validation import check

BEYOND = ["9999-12-31T23:00:00-10:00", "0001-01-01T00:00:00+10:00"]  # in UTC


@pytest.mark.parametrize("text", BEYOND)
@pytest.mark.parametrize("type_", [Time, ExactTime, DayOrTime, HourOrDay])
def test_a_time_that_utc_cannot_write_is_not_valid(type_, text):
    with pytest.raises(ValueError, match="calendar"):
        type_.parse(text)


def test_a_time_has_whole_seconds_and_an_exact_one_milliseconds(adsctl):
    assert Time.parse("2026-12-31T23:59:59.999Z") == "2026-12-31T23:59:59Z"
    assert DayOrTime.parse("2026-12-31T23:59:59.999+01:00") == "2026-12-31T22:59:59Z"
    assert ExactTime.parse("2026-12-31T23:59:59.9999Z") == "2026-12-31T23:59:59.999Z"
    words = ("line-items", "update", "9d4c2", "--end-time", "2027-01-01T00:00:00.5Z", "--dry-run")
    assert "2027-01-01T00%3A00%3A00Z" in adsctl.local(*words).stdout


@pytest.mark.parametrize("offset", ["+05:30:30", "-00:00:01", "+01:00:00.5"])
def test_an_hour_has_an_offset_in_whole_minutes(offset):
    with pytest.raises(ValueError, match="whole minutes"):
        HourOrDay.parse(f"2026-03-01T08:00:00{offset}")
    assert HourOrDay.parse("2026-03-01T08:00:00+05:30") == "2026-03-01T08:00:00+05:30"


@pytest.mark.parametrize("time", ["08:30", "08:00:01", "08:00:00.5"])
def test_an_hour_is_a_whole_one(adsctl, time):
    words = ("stats", "active", "--entity", "CAMPAIGN", "--start-time", "2026-03-01")
    refused = adsctl.local(*words, "--end-time", f"2026-03-02T{time}Z", code=2)
    assert "is not allowed: a whole hour" in refused.stderr


@pytest.mark.parametrize("text", BEYOND)
@pytest.mark.parametrize(
    "command",
    [
        "line-items update 9d4c1 --start-time {}",
        "posts scheduled create --text x --scheduled-at {}",
        "stats active --entity LINE_ITEM --start-time {} --end-time 2026-03-08",
        "stats export --since 2026-03-01 --until {}",
    ],
)
def test_a_command_refuses_such_a_time_in_words(adsctl, command, text):
    result = adsctl.local(*command.format(text).split(), code=2)
    assert text[:4].lstrip("0") in result.stderr and "bug" not in result.stderr


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_day_that_may_begin_outside_of_the_calendar_is_not_valid(adsctl, day):
    with pytest.raises(ValueError, match="calendar"):
        HourOrDay.parse(day)
    words = ("stats", "reach", "campaigns", "--campaign-ids", "8wku2", "--start-time", day, "--end-time", day)
    assert f"--start-time: '{day}' is not allowed" in adsctl.local(*words, code=2).stderr


def test_a_test_on_the_last_day_of_the_calendar_is_refused_in_words():
    groups = [{"entity_ids": [id], "size": "50.00"} for id in ("8wku4", "8wku7")]
    values = {"account_id": "a", "entity_type": "CAMPAIGN", "user_groups": groups}
    times = {"start_time": "9999-12-31T22:00:00Z", "end_time": "9999-12-31T23:00:00Z"}
    assert list(map(str, check(CreateAbTest, values | times)[1])) == [
        "end_time: is not a day after start_time"
    ]


def test_a_row_with_such_a_time_is_invalid(adsctl, tmp_path):
    (tmp_path / "list.csv").write_text(f"email,expires_at\na@b.example,{BEYOND[0]}\n")
    assert "is not a time" in adsctl.local("audiences", "check", tmp_path / "list.csv", code=3).stdout


def problems_of(start: str, end: str) -> list[str]:
    values = {"account_id": "a", "entity": "CAMPAIGN", "entity_ids": ["b"], "granularity": "TOTAL"}
    values |= {"metric_groups": ["ENGAGEMENT"], "placement": "ALL_ON_PLATFORM"}
    return list(map(str, check(GetStatistics, values | {"start_time": start, "end_time": end})[1]))


def test_only_a_day_beside_an_hour_may_differ_by_the_time_zone():
    too_long = ["end_time: is more than 7 days after start_time"]
    assert problems_of("2026-03-01T00:00:00Z", "2026-03-08T01:00:00+00:00") == too_long
    assert problems_of("2026-03-01T00:00:00Z", "2026-03-08T02:00:00+01:00") == too_long
    assert problems_of("2026-03-01", "2026-03-09") == too_long
    assert problems_of("2026-03-01", "2026-03-08T12:00:00-12:00") == []
    empty = ["end_time: is not after start_time"]
    assert problems_of("2026-03-01", "2026-03-01T00:00:00Z") == []  # an hour in Berlin
    assert problems_of("2026-03-01T04:00:00Z", "2026-03-01") == []  # an hour in New York
    assert problems_of("2026-03-01", "2026-03-01") == empty
    assert problems_of("2026-03-01T00:00:00Z", "2026-03-01T02:00:00+02:00") == empty
    assert problems_of("2026-03-02", "2026-03-01T00:00:00Z") == empty
    assert problems_of("2026-03-02T00:00:00Z", "2026-03-01") == empty
