"""Periods as they are typed, in the time zone of the account."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.time import HourOrDay
from ads_cli.errors import UnavailableError, UsageError
from ads_cli.statistics.periods import DAY, Calendar, Period

WEDNESDAY = datetime(2026, 6, 17, 12, 30, tzinfo=UTC)  # 14:30 in Berlin
ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Etc/UTC", "Australia/Lord_Howe"]


def berlin(now: datetime = WEDNESDAY) -> Calendar:
    return Calendar("Europe/Berlin", now)


@pytest.mark.parametrize(
    ("since", "until", "granularity", "start", "end"),
    [
        ("yesterday", None, "DAY", "2026-06-16T00:00:00+02:00", "2026-06-17T00:00:00+02:00"),
        ("7d", None, "DAY", "2026-06-10T00:00:00+02:00", "2026-06-17T00:00:00+02:00"),
        ("7d", "yesterday", "TOTAL", "2026-06-10T00:00:00+02:00", "2026-06-16T00:00:00+02:00"),
        ("2w", "today", "DAY", "2026-06-03T00:00:00+02:00", "2026-06-17T00:00:00+02:00"),
        ("6h", None, "HOUR", "2026-06-17T08:00:00+02:00", "2026-06-17T14:00:00+02:00"),
        ("today", None, "DAY", "2026-06-17T00:00:00+02:00", "2026-06-18T00:00:00+02:00"),
        ("today", None, "HOUR", "2026-06-17T00:00:00+02:00", "2026-06-17T14:00:00+02:00"),
        ("this-week", None, "DAY", "2026-06-15T00:00:00+02:00", "2026-06-17T00:00:00+02:00"),
        ("last-week", None, "DAY", "2026-06-08T00:00:00+02:00", "2026-06-15T00:00:00+02:00"),
        ("last-month", None, "DAY", "2026-05-01T00:00:00+02:00", "2026-06-01T00:00:00+02:00"),
        ("this-month", "now", "TOTAL", "2026-06-01T00:00:00+02:00", "2026-06-17T14:00:00+02:00"),
        ("2026-03-01", "2026-03-02", "DAY", "2026-03-01T00:00:00+02:00", "2026-03-02T00:00:00+02:00"),
        ("2026-06-01T08:00", "now", "HOUR", "2026-06-01T08:00:00+02:00", "2026-06-17T14:00:00+02:00"),
        ("2026-06-01T06:00Z", "now", "HOUR", "2026-06-01T08:00:00+02:00", "2026-06-17T14:00:00+02:00"),
        ("2026-w09-7", "2026-w10-1", "DAY", "2026-03-01T00:00:00+02:00", "2026-03-02T00:00:00+02:00"),
        ("20260301", "2026-W10", "DAY", "2026-03-01T00:00:00+02:00", "2026-03-02T00:00:00+02:00"),
    ],
)
def test_a_period_is_read_as_it_is_typed(since, until, granularity, start, end):
    period = berlin().period(since, until, granularity)
    assert [time.isoformat() for time in period] == [start, end]


@pytest.mark.parametrize(
    ("zone", "since", "until", "start", "end"),
    [
        *(
            ("Asia/Kathmandu", f"2026-06-01T{hour}Z", "2026-06-01T10:00Z", "08:00:00+00:00", "10:00:00+00:00")
            for hour in ("08", "08:00")
        ),
        ("Asia/Kathmandu", "2026-06-01T08", "2026-06-01T10", "08:00:00+05:45", "10:00:00+05:45"),
        ("Asia/Kolkata", "2h", None, "16:00:00+05:30", "18:00:00+05:30"),
        ("Asia/Kolkata", "2026-06-17T10:00Z", None, "10:00:00+00:00", "12:00:00+00:00"),
        ("Australia/Lord_Howe", "2026-12-01T08", "2026-12-01T10", "08:00:00+11:00", "10:00:00+11:00"),
    ],
)
def test_an_hour_is_whole_by_the_offset_it_is_typed_with(zone, since, until, start, end):
    period = Calendar(zone, WEDNESDAY).period(since, until, "HOUR")
    assert [time.isoformat()[11:] for time in period] == [start, end]
    assert len(period.steps("HOUR")) == 2 and all(map(HourOrDay.parse, map(datetime.isoformat, period)))


@pytest.mark.parametrize("granularity", ["HOUR", "TOTAL"])
def test_a_period_of_half_an_hour_more_is_refused(granularity):
    with pytest.raises(UsageError, match=r"is not whole hours after the beginning"):
        Calendar("Asia/Kolkata", WEDNESDAY).period("2026-06-01T08:00Z", "2026-06-01T20:00", granularity)


@pytest.mark.parametrize(
    ("since", "until", "granularity", "message"),
    [
        ("yesterdy", None, "DAY", "--since: 'yesterdy' is not a time; did you mean 'yesterday'?"),
        ("7d", "8d", "DAY", "--until: 2026-06-09T00:00:00+02:00 is not after the beginning"),
        ("2026-12-24", None, "DAY", "--since: 2026-12-24T00:00:00+02:00 is in the future"),
        ("now", None, "HOUR", "--since: 2026-06-17T14:00:00+02:00 began less than an hour ago"),
        ("6h", None, "DAY", "is not the beginning of a day"),
        ("2026-06-01T08:30", None, "HOUR", "is not a whole hour"),
        ("0001-01-01", None, "DAY", "is not a year"),
        ("2026-13-01", None, "DAY", "is not a time"),
        ("", None, "DAY", "is not a time"),
        ("9999d", "yesterday", "DAY", "is not a year"),
    ],
)
def test_a_wrong_period_is_refused_with_what_to_write(since, until, granularity, message):
    with pytest.raises(UsageError) as raised:
        berlin().period(since, until, granularity)
    assert message in raised.value.message and raised.value.hint


def test_an_unknown_time_zone_is_an_answer_that_cannot_be_read():
    with pytest.raises(UnavailableError, match="Mars/Olympus"):
        Calendar("Mars/Olympus", WEDNESDAY)


def test_days_begin_by_the_offset_of_today_and_hours_are_shown_by_that_of_theirs():
    winter = datetime(2026, 3, 1, tzinfo=UTC)
    calendar = berlin()
    assert calendar.shown(winter, "DAY") == "2026-03-01T02:00:00+02:00"
    assert calendar.shown(winter, "HOUR") == "2026-03-01T01:00:00+01:00"


@given(
    zone=st.sampled_from(ZONES),
    now=st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda time: time.replace(tzinfo=UTC)),
    days=st.integers(1, 400),
    longest=st.integers(1, 100).map(lambda days: timedelta(days=days)),
)
def test_windows_and_days_cover_a_period_once(zone, now, days, longest):
    period = Calendar(zone, now).period(f"{days}d", None, "DAY")
    assert period.end <= now < period.end + DAY
    windows = [*period.windows(longest)]
    for parts in (windows, period.steps("DAY"), [day for window in windows for day in window.steps("DAY")]):
        assert parts[0].start == period.start and parts[-1].end == period.end
        assert all(before.end == after.start for before, after in pairwise(parts))
    assert all(window.end - window.start <= longest for window in windows)
    assert len(period.steps("DAY")) == days and period.steps("TOTAL") == [Period(*period)]


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("2026-11-16", "2026-11-23", "16 to 22 Nov 2026"),
        ("2026-11-22", "2026-11-23", "22 Nov 2026"),
        ("2026-10-28", "2026-11-04", "28 Oct to 3 Nov 2026"),
        ("2025-12-28", "2026-01-04", "28 Dec 2025 to 3 Jan 2026"),
        ("2025-11-01", "2026-12-01", "1 Nov 2025 to 30 Nov 2026"),
        ("2025-11-16", "2026-11-23", "16 Nov 2025 to 22 Nov 2026"),
        ("2026-11-22T08:00", "2026-11-23", "22 Nov 2026 08:00 to 23 Nov 2026 00:00"),
    ],
)
def test_a_period_is_named_by_its_first_and_its_last_day(start, end, text):
    assert Period(*map(datetime.fromisoformat, (start, end))).text == text


@pytest.mark.parametrize(
    ("period", "earlier", "name"),
    [
        (("2026-11-16", "2026-11-23"), ("2026-11-09", "2026-11-16"), "the week before"),
        (("2026-11-22", "2026-11-23"), ("2026-11-21", "2026-11-22"), "the day before"),
        (("2026-11-01", "2026-12-01"), ("2026-10-02", "2026-11-01"), "the 30 days before"),
        (("2026-11-01T08", "2026-11-01T10"), ("2026-11-01T06", "2026-11-01T08"), "the 2 hours before"),
        (("2026-11-16", "2026-11-23"), ("2025-11-16", "2025-11-23"), "the year before"),
        (("2026-11-16", "2026-11-23"), ("2026-03-01", "2026-03-08"), "1 to 7 Mar 2026"),
    ],
)  # fmt: skip
def test_an_earlier_period_is_named_by_how_it_lies(period, earlier, name):
    period, earlier = (Period(*map(datetime.fromisoformat, days)) for days in (period, earlier))
    assert period.before(earlier) == name
