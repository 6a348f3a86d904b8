"""Rate limits of the emulator."""

import math
import threading
import time

from ...api.rates import AUDIENCE_USERS, TOTAL_COUNTS
from .errors import ApiError
from .responses import Headers

BEARER_TOKEN_REQUESTS = 10
BEARER_TOKEN_SECONDS = 60


class FixedWindow:
    """Limit the requests of each user in fixed windows; a window starts with its first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._windows: dict[str, tuple[float, int]] = {}  # user -> end (Unix seconds), requests so far
        self._lock = threading.Lock()

    def consume(self, user: str) -> Headers:
        """Count one request: return its x-rate-limit headers, or raise ApiError (429)."""
        now = time.time()
        with self._lock:
            end, used = self._windows.get(user, (0.0, 0))
            if end <= now:
                end, used = now + self._seconds, 0
            count = min(used + 1, self._limit)
            self._windows[user] = end, count
        headers = (
            ("x-rate-limit-limit", str(self._limit)),
            ("x-rate-limit-remaining", str(self._limit - count)),
            ("x-rate-limit-reset", str(math.ceil(end))),
        )
        if used >= self._limit:
            wait = str(max(1, math.ceil(end - now)))
            message = f"the limit of {self._limit} requests is reached; retry in {wait} seconds"
            raise ApiError(429, "TOO_MANY_REQUESTS", message, headers=(*headers, ("Retry-After", wait)))
        return headers


class RateLimits:
    """All rate limits of one emulator instance."""

    def __init__(self) -> None:
        self.audience_users = FixedWindow(*AUDIENCE_USERS[1:])
        self.total_counts = FixedWindow(*TOTAL_COUNTS[1:])
        self.bearer_tokens = FixedWindow(BEARER_TOKEN_REQUESTS, BEARER_TOKEN_SECONDS)
