"""Which failures are retried, and after which delay."""

import random

from ..errors import AdsctlError
from .rate_headers import Headers

# The service is overloaded: the request is retried, and the concurrency limit decreases.
RETRIED_STATUSES = (408, 423, 429, 500, 502, 503, 504)
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
