"""What the headers of an answer say of when the next request may go."""

import time
from collections.abc import Mapping
from typing import NamedTuple

ABSURD = 24 * 3600.0  # a limit that is said to last longer than a day is not believed
MOST_DIGITS = 20
FAR_APART = 60.0  # seconds between two clocks that are worth telling
APART = 3.0  # seconds between two clocks beyond which the service's own counts
LIMITS = ("x-account-rate-limit", "x-rate-limit")  # in the order in which they count

Headers = Mapping[str, str]


class Stated(NamedTuple):
    """A window of the service: requests that remain, and its end in Unix seconds; None where not said."""

    remaining: int | None = None
    reset: int | None = None


def stated(headers: Headers) -> Stated:
    """Read the first of the limits that an answer names."""
    for prefix in LIMITS:
        remaining, reset = headers.get(f"{prefix}-remaining", ""), headers.get(f"{prefix}-reset", "")
        if remaining or reset:
            return Stated(*(int(text) if _is_number(text) else None for text in (remaining, reset)))
    return Stated()


def seconds_until(reset: int | None, headers: Headers, now: float) -> float | None:
    """Give the seconds until a window ends, below 0 where it has; None where that is not said, or absurd.

    Where the clock of the service, as its answer tells it, is away from ours (`now`), it counts.
    """
    if reset is None:
        return None
    theirs = _date(headers.get("date", ""))
    if theirs is not None and APART < abs(theirs - now) <= ABSURD:
        now = theirs
    seconds = reset - now
    return seconds if abs(seconds) <= ABSURD else None


def allowance(headers: Headers, now: float | None = None) -> tuple[int | None, float | None]:
    """Read how many requests remain and in how many seconds the count starts anew.

    Either is None where it is not said; the seconds too where they are past or absurd.
    """
    remaining, reset = stated(headers)
    seconds = seconds_until(reset, headers, time.time() if now is None else now)
    return remaining, seconds if seconds and seconds > 0 else None


def asked_delay(headers: Headers, now: float | None = None) -> float | None:
    """Give the seconds that the service asks to wait before the next try; None where it does not ask."""
    asked = retry_after(headers, now)
    if asked is None:
        remaining, seconds = allowance(headers, now)
        asked = seconds if remaining in (0, None) else None
    return asked


def retry_after(headers: Headers, now: float | None = None) -> float | None:
    """Read Retry-After, in seconds or as a date; None where it is missing, past or absurd."""
    text = headers.get("retry-after", "").strip()
    if _is_number(text):
        delay = float(text)
    elif (date := _date(text)) is not None:
        delay = date - (time.time() if now is None else now)
    else:
        return None
    return delay if 0 <= delay <= ABSURD else None


def clock_hint(headers: Headers) -> str:
    """Say how far this machine's clock is from the service's, where an answer tells the time."""
    date = _date(headers.get("date", ""))
    apart = 0.0 if date is None else abs(date - time.time())
    away = f": it is {apart:,.0f} s away from the service's" if apart > FAR_APART else ""
    return f"set the clock of this machine{away}"


def _date(text: str) -> float | None:
    """Read a date of HTTP, in Unix seconds; None where it is none."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None


def _is_number(text: str) -> bool:
    """Tell whether a header holds a number, and not one without end."""
    return text.isascii() and text.isdigit() and len(text) < MOST_DIGITS
