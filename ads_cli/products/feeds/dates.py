"""Read sale dates as people and shops write them. What can be read in two ways is never guessed."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, time, tzinfo

from ...api.products import interval_problem

SALE_DATES = "sale_price_effective_date"
MAX_LENGTH = 100  # of an interval
MONTH_DAY = r"(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"
YEAR_FIRST = rf"(?P<year>[0-9]{{4}})(?:{MONTH_DAY}|(?P<basic>[0-9]{{4}}))"
YEAR_LAST = r"(?P<first>[0-9]{1,2})(?P<between>[-/.])(?P<second>[0-9]{1,2})(?P=between)(?P<last>[0-9]{4})"
TIME = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?P<seconds>(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)"
ZONE = r"(?P<zone>Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)"
MOMENT = re.compile(rf"(?:{YEAR_FIRST}|{YEAR_LAST})(?:(?: +|T){TIME}(?: *{ZONE})?)?", re.IGNORECASE)
FIRST_MINUTE, LAST_MINUTE = "00:00", "23:59"  # of a day


def zone_of(name: str) -> tzinfo:
    """Return a time zone by its name, such as Europe/Berlin, or its offset. Raise ValueError."""
    if name.startswith(("+", "-")):
        zone = datetime.fromisoformat(f"2000-01-01T00:00{name}").tzinfo
        assert zone
        return zone
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, OSError) as error:
        raise ValueError(str(error)) from None


def read_interval(text: str, zone: tzinfo = UTC) -> str | None:
    """Return the interval that a text means as two date-times with offset; None where it is unclear.

    A date alone is the whole day, and a time without a zone is one of `zone`. Blanks may surround the `/`.
    """
    if len(text) > MAX_LENGTH:
        return None
    for at in (at for at, sign in enumerate(text) if sign == "/"):  # dates may have some too
        start, end = MOMENT.fullmatch(text[:at].strip()), MOMENT.fullmatch(text[at + 1 :].strip())
        if start and end:
            readings = {*_readings(start, end, zone)}
            return readings.pop() if len(readings) == 1 else None
    return None


def _readings(start: re.Match[str], end: re.Match[str], zone: tzinfo) -> Iterator[str]:
    """Yield the interval with the day before the month, and after it, where these dates exist."""
    for day, month in (("first", "second"), ("second", "first")):
        with suppress(ValueError):
            yield "/".join(
                _moment(part, _date(part, day, month), clock, zone)
                for part, clock in ((start, FIRST_MINUTE), (end, LAST_MINUTE))
            )


def _date(part: re.Match[str], day: str, month: str) -> date:
    """Return the date of a moment; raise ValueError where it does not exist."""
    if part["last"]:
        return date(int(part["last"]), int(part[month]), int(part[day]))
    if part["basic"]:
        return date(int(part["year"]), int(part["basic"][:2]), int(part["basic"][2:]))
    return date(int(part["year"]), int(part["month"]), int(part["day"]))


def _moment(part: re.Match[str], day: date, clock: str, zone: tzinfo) -> str:
    """Return a moment with its offset, as exact as it is written; raise ValueError."""
    if part["hour"]:
        clock = f"{part['hour']:0>2}:{part['minute']}{part['seconds']}"
    named = (part["zone"] or "").upper()
    if named in ("Z", "UTC", "GMT"):
        zone = UTC
    elif named:
        zone = zone_of(named)
    local = datetime.combine(day, time.fromisoformat(clock), zone)
    return f"{day}T{clock}{local.isoformat(timespec='minutes')[len('2026-12-01T00:00') :]}"


def read_broken_interval(text: str, zone: tzinfo = UTC) -> str | None:
    """Return the interval that a text means which is not valid as it is; None for a valid or unclear one."""
    return read_interval(text, zone) if isinstance(interval_problem(text), str) else None
