"""Which days of a report are asked for: those missing, those that may change, and those that a clock has cut.

Days begin at midnight by the offset of today (see `statistics/periods.py`). A day that is stored keeps the
times that it was asked for.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from ..api.statistics import MAX_JOB_PERIOD, MAY_CHANGE
from ..statistics.periods import DAY, Calendar, Period, periods_again
from .destination import Row

NOON = DAY / 2


class StoredDay(NamedTuple):
    """A day of a report in the database; times have the zone UTC."""

    period: Period  # empty where another day took its hours
    asked_at: datetime
    row_count: int

    @property
    def is_final(self) -> bool:
        """Whether its numbers could no longer change when they were asked for."""
        return self.asked_at >= self.period.end + MAY_CHANGE


class Due(NamedTuple):
    """Days that are asked for together, or a part of the time that is stored as one day."""

    period: Period
    is_one_day: bool
    replaced: tuple[datetime, ...]  # days of the report, whose rows it replaces


StoredDays = Mapping[datetime, StoredDay]  # of one report, by day


def day_of(calendar: Calendar, start: datetime) -> datetime:
    """Return the day of the account that begins at a time, as a report has it: its noon is on that day."""
    local = (start + NOON).astimezone(calendar.zone)
    return datetime(local.year, local.month, local.day)


def stored_days(rows: Iterable[Row]) -> dict[str, dict[datetime, StoredDay]]:
    """Return the days that the rows of `mirror_days` have, by report."""
    days: dict[str, dict[datetime, StoredDay]] = {}
    for _, report, date, *times, row_count in cast(Iterable[Any], rows):
        start, end, asked_at = (time.replace(tzinfo=UTC) for time in times)
        days.setdefault(report, {})[date] = StoredDay(Period(start, end), asked_at, row_count)
    return days


def day_row(account: str, report: str, date: datetime, day: StoredDay) -> Row:
    """Return the row of `mirror_days` that says what a report has of a day."""
    times = (time.astimezone(UTC).replace(tzinfo=None) for time in (*day.period, day.asked_at))
    return (account, report, date, *times, day.row_count)


def due_days(
    calendar: Calendar,
    since: Period,
    stored: StoredDays,
    counts: Mapping[datetime, int],
    changed_from: datetime | None,
) -> list[Due]:
    """Return what is to be asked for, so that the report has each day until the end of `since`, once.

    `counts` are the rows that the report really has. What ends after `changed_from` has changed since the
    last run. Days before `since` that are final stay, by whichever offset they were asked for.
    """

    def is_there(step: Period) -> bool:
        date = day_of(calendar, step.start)
        day = stored.get(date)
        if day is None or not day.is_final or day.row_count != counts.get(date, 0):
            return False
        if changed_from and step.end > changed_from:
            return False
        return step.start < since.start or day.period == step

    first = min((day.period.start for day in stored.values()), default=since.start)
    first_midnight = day_of(calendar, first).replace(tzinfo=calendar.midnight)
    whole = Period(min(since.start, first_midnight), since.end)
    missing = [step for step in whole.steps("DAY") if not is_there(step)]
    asked = {day_of(calendar, step.start) for step in missing}
    kept = {date: day.period for date, day in stored.items() if date not in asked and any_time(day.period)}
    due, cuts = list[Due](), dict[datetime, Due]()
    for period in _joined(missing):
        dates = tuple(day_of(calendar, step.start) for step in period.steps("DAY"))
        due.append(Due(period, is_one_day=False, replaced=dates))
        for cut in periods_again(period, sorted(kept.values())):
            date = day_of(calendar, cut.start)
            over = {other for other, day in kept.items() if day.start < cut.end and day.end > cut.start}
            for other in over:
                del kept[other]
                if other in cuts:  # it was cut on its other side too
                    over = over | {*cuts.pop(other).replaced}
            kept[date], cuts[date] = cut, Due(cut, True, tuple(sorted({date, *over})))
    return [*due, *cuts.values()]


def windows(calendar: Calendar, period: Period) -> list[Period]:
    """Cut a long period where days of the calendar, and not its own beginning, say.

    So a run that goes on tomorrow, with another beginning and end, asks most of the same questions.
    """
    if period.end - period.start <= MAX_JOB_PERIOD:
        return [period]
    first = -day_of(calendar, period.start).toordinal() % MAX_JOB_PERIOD.days
    cut = period.start + first * DAY
    before = [Period(period.start, cut)] if first else []
    return [*before, *Period(cut, period.end).windows(MAX_JOB_PERIOD)]


def any_time(period: Period) -> bool:
    """Tell whether a period is not empty."""
    return period.end > period.start


def _joined(steps: Iterable[Period]) -> list[Period]:
    """Join days that follow each other."""
    joined = list[Period]()
    for step in steps:
        follows = joined and joined[-1].end == step.start
        start = joined.pop().start if follows else step.start
        joined.append(Period(start, step.end))
    return joined
