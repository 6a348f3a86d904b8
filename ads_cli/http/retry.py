"""When a failed attempt is repeated: after the time in headers or a backoff. How often a copy is."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC
from typing import NamedTuple

from ..errors import AdsctlError, ContentError
from ..numbers import size_text

MAX_DELAY_SECONDS = 24 * 3600.0  # longer resets and delays are ignored as absurd
MAX_DIGITS = 20
REPORTED_CLOCK_SKEW_SECONDS = 60.0
CORRECTED_CLOCK_SKEW_SECONDS = 3.0  # beyond it, the service's clock is used in place of ours
PREFIXES = ("x-account-rate-limit", "x-rate-limit")  # in order of precedence

Headers = Mapping[str, str]


class Window(NamedTuple):
    """A rate-limit window as headers state it; None for what they do not state."""

    remaining: int | None = None  # requests
    reset: int | None = None  # its end, in Unix seconds
    limit: int | None = None  # requests


def window_of(headers: Headers) -> Window:
    """Read the first rate limit that the headers state."""
    for prefix in PREFIXES:
        remaining, reset, limit = (
            headers.get(f"{prefix}-{name}", "") for name in ("remaining", "reset", "limit")
        )
        if remaining or reset:
            return Window(_number(remaining), _number(reset), _number(limit))
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


def requested_delay(headers: Headers, now: float) -> float | None:
    """Return the seconds from `now`, in Unix seconds, until the service asks for another attempt, or None."""
    delay = retry_after(headers, now)
    if delay is None:
        remaining, reset, _ = window_of(headers)
        seconds = seconds_until(reset, headers, now)
        # What states a reset alone has nothing left.
        delay = seconds if not remaining and seconds and seconds > 0 else None
    return delay


def retry_after(headers: Headers, now: float | None = None) -> float | None:
    """Read Retry-After, in seconds or as a date; None if it is missing, past or absurd."""
    text = headers.get("retry-after", "").strip()
    delay: float | None = _number(text)
    if delay is None and (date := http_date(text)) is not None:
        delay = date - (time.time() if now is None else now)
    return float(delay) if delay is not None and 0 <= delay <= MAX_DELAY_SECONDS else None


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
        moment = parsedate_to_datetime(text) if text else None
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() if moment else None
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < MAX_DIGITS else None


class Clock:
    """Tells the time and lets threads wait; tests replace it by virtual time."""

    monotonic = staticmethod(time.monotonic)
    time = staticmethod(time.time)
    condition = staticmethod(threading.Condition)


CLOCK = Clock()


# The service is overloaded, or a gateway before it, which has statuses such as 524. The request is retried,
# and the concurrency limit decreases. 501 and 505 say that nothing was done, and never will be.
RETRIED_STATUSES = frozenset({408, 423, 429, *range(500, 600)}) - {501, 505}
# Limits of a day or longer: neither backoff nor the reset of a window helps.
LONG_LIMITS = ("TWEET_RATE_LIMIT_EXCEEDED",)
FIRST_BACKOFF_SECONDS = 0.5
MAX_BACKOFF_SECONDS = 60.0


class FailedAttempt(Exception):
    """A failure that another attempt may avoid: overload, no connection, an unreadable response."""

    def __init__(
        self, error: AdsctlError, headers: Headers, *, rate_limited: bool = False, may_be_applied: bool = True
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.headers = headers
        self.rate_limited = rate_limited
        self.may_be_applied = may_be_applied  # the service may have applied the request


def backoff(failures: int) -> float:
    """Return the seconds before the next attempt: exponential, with full jitter."""
    return random.uniform(0, min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** min(failures, 16)))


PROGRESS_BYTES = 1024 * 1024  # after which earlier failures do not count any more


class CopyLimits(NamedTuple):
    """What a copy may cost."""

    timeout: float = 30.0  # seconds that the server may be silent
    max_attempts: int = 6
    max_wait: float = 900.0  # seconds without progress
    max_bytes: int = 2 * 1024**3


class CopyRetries:
    """Counts failed attempts and the time without progress; waits before the next attempt."""

    def __init__(self, limits: CopyLimits, on_retry: Callable[[str], None]) -> None:
        self.limits = limits
        self._on_retry = on_retry
        self._failures = 0
        self._received = 0  # bytes, at the end of the last failed attempt
        self._silent_since = time.monotonic()

    def check_size(self, size: int, label: str) -> None:
        """Raise ContentError if a file of `size` bytes is larger than --max-size."""
        if size > self.limits.max_bytes:
            raise ContentError(
                f"{label} is larger than {size_text(self.limits.max_bytes)}",
                hint="--max-size sets the limit, for example --max-size 10GB",
            )

    def record_progress(self) -> None:
        """Note that the file arrives."""
        self._silent_since = time.monotonic()

    @property
    def silence_ends_at(self) -> float:
        """The moment, in monotonic seconds, at which --max-wait will have passed without progress."""
        return self._silent_since + self.limits.max_wait

    def wait(self, failed: FailedAttempt, received: int) -> None:
        """Wait before the next attempt, which begins at byte `received`. Raise the error if there is none."""
        self._failures = 1 if received - self._received >= PROGRESS_BYTES else self._failures + 1
        self._received = received
        requested = retry_after(failed.headers)
        delay = backoff(self._failures - 1) if requested is None else requested
        error = failed.error
        if self._failures >= self.limits.max_attempts:
            raise error
        if time.monotonic() + delay > self.silence_ends_at:
            error.message += f"; the next attempt, in {delay:.0f} s, would be after --max-wait"
            raise error
        self._on_retry(f"{error.message}; retrying in {delay:.1f} s")
        time.sleep(delay)
