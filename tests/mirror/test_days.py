"""Which days are asked for: each hour is in one day, whatever was stored and whichever clock changed."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import available_timezones

from hypothesis import example, given
from hypothesis import strategies as st

from ads_cli.mirror.days import Due, StoredDay, any_time, day_of, due_days, windows
from ads_cli.statistics.periods import Calendar, Period

DAY = timedelta(days=1)
ZONES = sorted(available_timezones() - {"Factory", "localtime", "posixrules"})
Stored = dict[datetime, StoredDay]


def store(stored: Stored, calendar: Calendar, due: list[Due]) -> None:
    """Store the answers as `mirror run` does."""
    for part in due:
        for date in part.replaced:
            empty = Period(part.period.start, part.period.start)
            stored[date] = StoredDay(empty, calendar.now.astimezone(UTC), 0)
        steps = [part.period] if part.is_one_day else part.period.steps("DAY")
        for step in steps:
            stored[day_of(calendar, step.start)] = StoredDay(step, calendar.now.astimezone(UTC), 1)


def due_of(calendar: Calendar, since: str, stored: Stored, changed_from: datetime | None = None) -> list[Due]:
    counts = {date: day.row_count for date, day in stored.items()}
    return due_days(calendar, calendar.period(since, None, "DAY"), stored, counts, changed_from)


@given(
    zone=st.sampled_from(ZONES),
    start=st.datetimes(datetime(2010, 1, 1), datetime(2036, 1, 1)),
    runs=st.lists(st.tuples(st.integers(1, 40), st.integers(1, 60)), min_size=2, max_size=6),
    lost=st.sets(st.integers(0, 60), max_size=4),
)
@example("Europe/Berlin", datetime(2026, 10, 20, 0, 30), [(1, 30), (3, 3), (1, 3), (1, 30), (20, 1)], set())
@example("Europe/Berlin", datetime(2026, 3, 20, 0, 30), [(1, 40), (12, 3), (1, 1)], {3, 5})
@example("Australia/Lord_Howe", datetime(2026, 4, 1, 14, 30), [(1, 3), (3, 5), (40, 1)], {1})
@example("Pacific/Apia", datetime(2011, 12, 20, 12), [(1, 5), (8, 3), (3, 20)], set())
def test_each_hour_is_in_one_day_whichever_run_asked_for_it(zone, start, runs, lost):
    stored, now = Stored(), start.replace(tzinfo=UTC)
    for days_later, since in runs:
        now += days_later * DAY
        calendar = Calendar(zone, now)
        for number in lost & {*range(len(stored))}:
            stored.pop(sorted(stored)[number % len(stored)])  # somebody has deleted its rows
        store(stored, calendar, due_of(calendar, f"{since}d", stored))
        days = sorted(day.period for day in stored.values() if any_time(day.period))
        assert all(before.end == after.start for before, after in pairwise(days))
        assert days[-1].end == calendar.today
        assert days[0].start <= calendar.today - since * DAY
        wanted = Period(calendar.today - since * DAY, calendar.today).steps("DAY")
        assert {*wanted} <= {*days}  # of the last days, those that an export has now


def test_what_may_still_change_is_asked_for_again_and_nothing_else():
    calendar = Calendar("Europe/Berlin", datetime(2026, 6, 17, 6, tzinfo=UTC))
    stored = Stored()
    store(stored, calendar, due_of(calendar, "60d", stored))
    assert len(stored) == 60
    (due,) = due_of(calendar, "60d", stored)
    assert due.period == Period(calendar.today - 14 * DAY, calendar.today)
    later = Calendar("Europe/Berlin", datetime(2026, 7, 17, 6, tzinfo=UTC))
    (due,) = due_of(later, "1d", stored)
    assert due.period == Period(calendar.today - 14 * DAY, later.today)
    store(stored, later, [due])
    changed_from = later.today - 40 * DAY + timedelta(hours=5)
    (due,) = due_of(later, "1d", stored, changed_from)
    assert due.period == Period(later.today - 40 * DAY, later.today)


@given(days=st.integers(1, 900), now=st.datetimes(datetime(2010, 1, 1), datetime(2036, 1, 1)))
def test_windows_follow_each_other_and_are_mostly_the_same_tomorrow(days, now):
    calendar = Calendar("Europe/Berlin", now.replace(tzinfo=UTC))
    period = Period(calendar.today - days * DAY, calendar.today)
    cut = windows(calendar, period)
    assert (cut[0].start, cut[-1].end) == period
    assert all(before.end == after.start for before, after in pairwise(cut))
    assert all(window.end - window.start <= 90 * DAY for window in cut)
    tomorrow = windows(calendar, Period(*(time + DAY for time in period)))
    assert days <= 90 or len({*cut} & {*tomorrow}) >= len(cut) - 3


def test_a_day_whose_rows_are_not_those_that_were_written_is_asked_for_again():
    calendar = Calendar("Europe/Berlin", datetime(2026, 6, 17, 6, tzinfo=UTC))
    stored = Stored()
    store(stored, calendar, due_of(calendar, "60d", stored))
    counts = dict.fromkeys(stored, 1) | {datetime(2026, 5, 1): 0}
    due = due_days(calendar, calendar.period("1d", None, "DAY"), stored, counts, None)
    assert next(part.replaced for part in due) == (datetime(2026, 5, 1),)
