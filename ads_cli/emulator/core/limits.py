"""How many requests of a kind are answered in a stretch of time."""

import math
import threading
import time

from ...api.rates import AUDIENCE_USERS, TOTAL_COUNTS
from .responses import ApiError, Headers

BEARER_TOKENS = 10
BEARER_TOKEN_SECONDS = 60


class Window:
    """Count requests of each user in windows that begin with the first request."""

    def __init__(self, limit: int, seconds: float) -> None:
        self._limit = limit
        self._seconds = seconds
        self._windows: dict[str, tuple[float, int]] = {}  # when it ends, requests so far
        self._lock = threading.Lock()

    def take(self, user: str) -> Headers:
        """Count one request: give the headers that tell how many are left, or refuse it."""
        now = time.time()
        with self._lock:
            end, used = self._windows.get(user, (0.0, 0))
            if end <= now:
                end, used = now + self._seconds, 0
            taken = min(used + 1, self._limit)
            self._windows[user] = end, taken
        headers = (
            ("x-rate-limit-limit", str(self._limit)),
            ("x-rate-limit-remaining", str(self._limit - taken)),
            ("x-rate-limit-reset", str(math.ceil(end))),
        )
        if used >= self._limit:
            wait = str(max(1, math.ceil(end - now)))
            message = f"{self._limit} of these requests were answered already; wait {wait} seconds"
            raise ApiError(429, "TOO_MANY_REQUESTS", message, headers=(*headers, ("Retry-After", wait)))
        return headers


class Limits:
    """The limits that an instance of the service keeps."""

    def __init__(self) -> None:
        self.audience_users = Window(*AUDIENCE_USERS[1:])
        self.total_counts = Window(*TOTAL_COUNTS[1:])
        self.bearer_tokens = Window(BEARER_TOKENS, BEARER_TOKEN_SECONDS)
