"""Rate limits of the emulator."""

import math
import threading
import time

from ...api.endpoint import Endpoint
from ...api.rates import TOTAL_COUNTS, Rate
from .responses import ApiError, Headers

BEARER_TOKEN_REQUESTS = 10
BEARER_TOKEN_SECONDS = 60


class FixedWindow:
    """Limit the requests of each holder in fixed windows; a window starts with its first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._windows: dict[str, tuple[float, int]] = {}  # by holder: end (Unix seconds), requests so far
        self._lock = threading.Lock()

    def consume(self, holder: str, prefix: str = "x-rate-limit") -> Headers:
        """Count one request: return its rate-limit headers, or raise ApiError (429)."""
        now = time.time()
        with self._lock:
            end, used = self._windows.get(holder, (0.0, 0))
            if end <= now:
                end, used = now + self._seconds, 0
            count = min(used + 1, self._limit)
            self._windows[holder] = end, count
        headers = (
            (f"{prefix}-limit", str(self._limit)),
            (f"{prefix}-remaining", str(self._limit - count)),
            (f"{prefix}-reset", str(math.ceil(end))),
        )
        if used >= self._limit:
            wait = str(max(1, math.ceil(end - now)))
            message = f"the limit of {self._limit} requests is reached; retry in {wait} seconds"
            raise ApiError(429, "TOO_MANY_REQUESTS", message, headers=(*headers, ("Retry-After", wait)))
        return headers


class RateLimits:
    """All rate limits of one emulator instance: those that the service states."""

    def __init__(self, service: str = "generic") -> None:
        self._service = service
        self._windows: dict[str, FixedWindow] = {}  # by the name of the rate
        self.bearer_tokens = FixedWindow(BEARER_TOKEN_REQUESTS, BEARER_TOKEN_SECONDS)

    def consume(self, endpoint: Endpoint, user: str, account: str) -> Headers:
        """Count a request to an endpoint: return its rate-limit headers, or raise ApiError (429)."""
        rate = endpoint.rates[self._service]
        if rate is None:
            return ()
        if rate.per == "token" or not account:
            return self._window(rate).consume(user)
        # The service sends these with reads only.
        prefix = "x-rate-limit" if endpoint.mutates else "x-account-rate-limit"
        return self._window(rate).consume(account, prefix)

    def consume_total_count(self, user: str) -> Headers:
        """Count a request for a total count."""
        return self._window(TOTAL_COUNTS).consume(user)

    def _window(self, rate: Rate) -> FixedWindow:
        return self._windows.setdefault(rate.name, FixedWindow(rate.requests, rate.seconds))
