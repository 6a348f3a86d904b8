"""Rate-limit headers of a response: quota, reset, Retry-After."""

import time
from collections.abc import Mapping
from typing import NamedTuple

MAX_DELAY_SECONDS = 24 * 3600.0  # longer resets and delays are ignored as absurd
MAX_DIGITS = 20
REPORTED_CLOCK_SKEW_SECONDS = 60.0
CORRECTED_CLOCK_SKEW_SECONDS = 3.0  # beyond it, the service's clock is used in place of ours
PREFIXES = ("x-account-rate-limit", "x-rate-limit")  # in order of precedence

Headers = Mapping[str, str]


class Window(NamedTuple):
    """Remaining requests of a rate-limit window, its end in Unix seconds, its limit; None if not stated."""

    remaining: int | None = None
    reset: int | None = None
    limit: int | None = None


def window_of(headers: Headers) -> Window:
    """Read the first rate limit that the headers state."""
    for prefix in PREFIXES:
        texts = [headers.get(f"{prefix}-{name}", "") for name in Window._fields]
        if texts[0] or texts[1]:
            return Window(*(int(text) if _is_number(text) else None for text in texts))
    return Window()


def seconds_until(reset: int | None, headers: Headers, now: float) -> float | None:
    """Return the seconds until a window ends, negative once it has ended; None if unknown or absurd.

    `now` is in Unix seconds; the Date header replaces it if the two clocks differ.
    """
    if reset is None:
        return None
    date = http_date(headers.get("date", ""))
    if date is not None and CORRECTED_CLOCK_SKEW_SECONDS < abs(date - now) <= MAX_DELAY_SECONDS:
        now = date
    seconds = reset - now
    return seconds if abs(seconds) <= MAX_DELAY_SECONDS else None


def quota_of(headers: Headers, now: float | None = None) -> tuple[int | None, float | None]:
    """Read the remaining requests and the seconds until the reset.

    Either is None if it is not stated; the seconds also if they are past or absurd.
    """
    remaining, reset, _ = window_of(headers)
    seconds = seconds_until(reset, headers, time.time() if now is None else now)
    return remaining, seconds if seconds and seconds > 0 else None


def requested_delay(headers: Headers, now: float | None = None) -> float | None:
    """Return the seconds that the service asks to wait before the next attempt, or None."""
    delay = retry_after(headers, now)
    if delay is None:
        remaining, seconds = quota_of(headers, now)
        delay = seconds if remaining in (0, None) else None
    return delay


def retry_after(headers: Headers, now: float | None = None) -> float | None:
    """Read Retry-After, in seconds or as a date; None if it is missing, past or absurd."""
    text = headers.get("retry-after", "").strip()
    if _is_number(text):
        delay = float(text)
    elif (date := http_date(text)) is not None:
        delay = date - (time.time() if now is None else now)
    else:
        return None
    return delay if 0 <= delay <= MAX_DELAY_SECONDS else None


def clock_hint(headers: Headers) -> str:
    """Advise to set the clock, with the difference to the service's clock if the headers state it."""
    date = http_date(headers.get("date", ""))
    skew = 0.0 if date is None else abs(date - time.time())
    off = f": it is {skew:,.0f} s away from the service's" if skew > REPORTED_CLOCK_SKEW_SECONDS else ""
    return f"set the clock of this machine{off}"


def http_date(text: str) -> float | None:
    """Read an HTTP date in Unix seconds; None if it is not valid."""
    from email.utils import parsedate_to_datetime

    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < MAX_DIGITS
