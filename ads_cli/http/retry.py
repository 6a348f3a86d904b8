"""When a failed attempt is repeated: retried statuses, backoff, and what copying a file may cost."""

import random
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from ..errors import AdsctlError, ContentError
from ..numbers import size_text
from .headers import Headers, retry_after


class Clock:
    """Tells the time and lets threads wait; tests replace it by virtual time."""

    monotonic = staticmethod(time.monotonic)
    time = staticmethod(time.time)
    condition = staticmethod(threading.Condition)


CLOCK = Clock()


# The service is overloaded, or a gateway before it, which has statuses such as 524: the request is
# retried, and the concurrency limit decreases. 501 and 505 say that nothing was done, and never will be.
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
        """Wait before the next attempt, which begins at byte `received`; raise the error if there is none."""
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
