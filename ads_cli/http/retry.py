"""The clock of the client."""

import random
import threading
import time

from ..errors import AdsctlError
from .headers import Headers


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
        self,
        error: AdsctlError,
        headers: Headers,
        *,
        rate_limited: bool = False,
        may_be_applied: bool = True,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.headers = headers
        self.rate_limited = rate_limited
        self.may_be_applied = may_be_applied  # the service may have applied the request


def backoff(failures: int) -> float:
    """Return the seconds before the next attempt: exponential, with full jitter."""
    return random.uniform(0, min(MAX_BACKOFF_SECONDS, FIRST_BACKOFF_SECONDS * 2.0 ** min(failures, 16)))
