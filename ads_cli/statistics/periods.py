"""Periods of statistics, as they are typed: `7d`, `yesterday`, `last-month`, dates and times.

Days begin at midnight in the time zone of the account, by its offset of today, whatever it was on the day. So
the service counts (see its reference), and so a total is the sum of its days.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..errors import UnavailableError, UsageError
from ..spelling import suggestion

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
SHORT = DAY / 2  # what is shorter becomes a part of the day beside it
AGO = re.compile(r"([0-9]{1,4})([hdw])")
AGO_UNITS = {"h": HOUR, "d": DAY, "w": 7 * DAY}
WORDS = ("today", "yesterday", "now", "this-week", "last-week", "this-month", "last-month")
EXAMPLES = "write 2026-03-01, 2026-03-01T08:00, 7d, 48h or one of " + ", ".join(WORDS)


class Period(NamedTuple):
    """The time from its start to its end, which is not in it."""

    start: datetime
    end: datetime

    def windows(self, longest: timedelta) -> "Iterator[Period]":
        """Cut the period into parts that are no longer."""
        start = self.start
        while start < self.end:
            end = min(start + longest, self.end)
            yield Period(start, end)
            start = end

    def steps(self, granularity: str) -> "list[Period]":
        """Return the periods that single numbers are of."""
        return [*self.windows(self._step(granularity))]

    def count(self, granularity: str) -> int:
        """Return how many numbers the period has."""
        return -((self.start - self.end) // self._step(granularity))

    def _step(self, granularity: str) -> timedelta:
        return {"HOUR": HOUR, "DAY": DAY}.get(granularity, self.end - self.start)

    @property
    def text(self) -> str:
        """Name the period by its first and its last day: `16 to 22 Nov 2026`; else by hours."""
        start, end = self
        if start.hour or end.hour:
            return f"{_day(start)} {start:%H:%M} to {_day(end)} {end:%H:%M}"
        last = end - DAY
        if start.date() == last.date():
            return _day(last)
        shared = "" if start.year != last.year else f"{start.day} {start:%b}"
        if shared and start.month == last.month:
            shared = f"{start.day}"
        return f"{shared or _day(start)} to {_day(last)}"

    def before(self, earlier: "Period") -> str:
        """Name an earlier period by how it lies to this one: `the week before`; else by its days."""
        start, end = self
        length = end - start
        if earlier.end == start and earlier.start == start - length:
            days, hours = length // DAY, length // HOUR
            if length % DAY:
                return f"the {hours} hours before" if hours > 1 else "the hour before"
            return {1: "the day before", 7: "the week before"}.get(days, f"the {days} days before")
        is_as_long = abs(earlier.end - earlier.start - length) <= DAY  # a leap day is in one of them
        is_a_year = (start.date() - earlier.start.date()).days in (365, 366)
        return "the year before" if is_as_long and is_a_year else earlier.text


def _day(time: datetime) -> str:
    return f"{time.day} {time:%b} {time.year}"


def periods_again(period: Period, stored: Sequence[Period]) -> list[Period]:
    """Return the periods just before and after the queried days that are to be asked again, each as one day.

    Days that were stored by another offset may overlap the queried ones, or leave hours between them. Then
    the days on both sides adjoin the queried ones; what would be shorter than SHORT is joined with the day
    beside it, if there is one. `stored` is in order.
    """
    before = [(day.end, day.start) for day in reversed(stored) if day.start < period.start]
    after = [(day.start, day.end) for day in stored if day.end > period.end]
    start, end = _far_end(period.start, before), _far_end(period.end, after)
    sides = ((start, period.start), (period.end, end))
    return [Period(since, until) for since, until in sides if since and until]


def _far_end(edge: datetime, days: Sequence[tuple[datetime, datetime]]) -> datetime | None:
    """Return the other end of what is to be asked again on one side of the queried days, if anything.

    `edge` is where the queried days end on that side. `days` are the stored ones there, the nearest first,
    each with its near end and its far end.
    """
    if not days:
        return None
    near, far = days[0]
    if min(near, far) < edge < max(near, far):  # the nearest day is cut: what is left of it is a day
        is_short = abs(edge - far) < SHORT and len(days) > 1 and days[1][0] == far
        return days[1][1] if is_short else far
    gap = abs(edge - near)
    if not gap or gap >= DAY:
        return None
    return far if gap < SHORT else near


class Calendar:
    """The days of an account, seen from now."""

    def __init__(self, zone: str, now: datetime) -> None:
        try:
            self.zone: tzinfo = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise UnavailableError(f"the account has the time zone {zone!r}, which is not known") from error
        self.now = now.astimezone(self.zone)
        self.midnight = timezone(self.now.utcoffset() or timedelta())
        self.hour = self.now.astimezone(self.midnight).replace(minute=0, second=0, microsecond=0)
        self.today = self.hour.replace(hour=0)

    def period(self, since: str, until: str | None, granularity: str) -> Period:
        """Return the period between two times as typed; raise UsageError."""
        start, natural_end = self._read(since, "--since")
        end = natural_end or self._end_of_now(start, granularity)
        if until:
            end, _ = self._read(until, "--until")
        else:
            end = start + (end - start) // HOUR * HOUR
        ends = (("--since", start), ("--until", end))
        for option, time in ends:
            if not 2006 <= time.year <= self.now.year + 1:
                raise UsageError(f"{option}: {time.year} is not a year that has statistics", hint=EXAMPLES)
        if end <= start and not until:
            why = "is in the future" if start > self.now else "began less than an hour ago"
            raise UsageError(f"--since: {start.isoformat()} {why}", hint=EXAMPLES)
        if end <= start:
            raise UsageError(
                f"--until: {end.isoformat()} is not after the beginning, {start.isoformat()}",
                hint="--until names the first moment that is not in the period; today is midnight",
            )
        if (end - start) % HOUR:
            raise UsageError(
                f"--until: {end.isoformat()} is not whole hours after the beginning, {start.isoformat()}",
                hint="give both times with the same offset",
            )
        for option, time in ends:
            local = time.astimezone(self.midnight)
            if granularity == "DAY" and (local.hour, local.minute) != (0, 0):
                raise UsageError(
                    f"{option}: {local.isoformat()} is not the beginning of a day, as for --granularity DAY",
                    hint="name a day, or use --granularity HOUR or TOTAL",
                )
        return Period(start, end)

    def _end_of_now(self, start: datetime, granularity: str) -> datetime:
        """Return the end of the last day that is complete, or of the last hour where none is asked for."""
        if granularity == "HOUR":
            return self.hour
        if start < self.today:
            return self.today
        return self.today + DAY if granularity == "DAY" else self.hour

    def _read(self, text: str, option: str) -> tuple[datetime, datetime | None]:
        """Return the time that a text names, and the end of it where it names a whole period."""
        word = text.strip().lower()
        if word in WORDS:
            return self._named(word)
        if match := AGO.fullmatch(word):
            back = int(match[1]) * AGO_UNITS[match[2]]
            return (self.hour if match[2] == "h" else self.today) - back, None
        typed = text.strip().upper()
        try:
            time = datetime.fromisoformat(typed)
        except (ValueError, OverflowError):
            raise UsageError(
                f"{option}: {text!r} is not a time{suggestion(word, WORDS)}", hint=EXAMPLES
            ) from None
        if time.tzinfo is None:
            time = time.replace(tzinfo=self.midnight if _is_day(typed) else self.zone)
        if time.minute or time.second or time.microsecond:
            raise UsageError(f"{option}: {text!r} is not a whole hour", hint=EXAMPLES)
        try:
            local = time.astimezone(self.midnight)
        except OverflowError:
            raise UsageError(
                f"{option}: {time.year} is not a year that has statistics", hint=EXAMPLES
            ) from None
        return time.astimezone(timezone(time.utcoffset() or timedelta())) if local.minute else local, None

    def _named(self, word: str) -> tuple[datetime, datetime | None]:
        today = self.today
        week, month = today - today.weekday() * DAY, today.replace(day=1)
        named: dict[str, tuple[datetime, datetime | None]] = {
            "today": (today, None),
            "yesterday": (today - DAY, today),
            "now": (self.hour, None),
            "this-week": (week, None),
            "last-week": (week - 7 * DAY, week),
            "this-month": (month, None),
            "last-month": ((month - DAY).replace(day=1), month),
        }
        return named[word]

    def shown(self, time: datetime, granularity: str) -> str:
        """Write a time for a row: the hours by the offset that they had, the days by that of today."""
        return time.astimezone(self.zone if granularity == "HOUR" else self.midnight).isoformat()


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)
