"""What the rate limiter knows of one route."""

import threading
from collections.abc import Callable
from math import inf

from .clock import Clock
from .concurrency_limit import ConcurrencyLimit
from .quota import Quota
from .rate_headers import Headers
from .retry import RETRIED_STATUSES


class RouteState:
    """Quota, concurrency limit and requests in flight of one route; guarded by the rate limiter's lock."""

    def __init__(self, concurrency: ConcurrencyLimit, changed: threading.Condition) -> None:
        self.quota = Quota()
        self.concurrency = concurrency
        self.changed = changed
        self.in_flight = 0
        self.probe: Permit | None = None  # sent alone, to see whether the service accepts requests again
        self.wait_reported_until = 0.0  # monotonic seconds
        self._waiting = 0

    def delay(self, now: float) -> float:
        """Return the seconds until another request may be sent; infinite until a response arrives."""
        delay = self.quota.delay(self.in_flight, self.probe is not None, now)
        return delay or (0.0 if self.in_flight < self.concurrency.limit else inf)

    def wait(self, delay: float) -> None:
        """Wait until a request ends, at most `delay` seconds."""
        self._waiting += 1
        try:
            self.changed.wait(None if delay == inf else delay)
        finally:
            self._waiting -= 1

    def release(self, permit: "Permit") -> None:
        """Unregister a request that has ended, and wake the threads that may send now."""
        self.in_flight -= 1
        if self.probe is permit:
            self.probe = None
        if self._waiting:
            remaining = self.quota.remaining
            # With nothing remaining, every thread has to find out that the wait is long.
            free = min(self.concurrency.limit, remaining or inf) - self.in_flight
            self.changed.notify(self._waiting if remaining == 0 else max(0, int(free)))


class Permit:
    """Permission to send one request, which is in flight until the `with` block ends."""

    __slots__ = ("_clock", "_has_response", "_lock", "_round", "_sent_at", "_state", "on_end")

    def __init__(self, state: RouteState, lock: threading.Lock, clock: Clock, now: float) -> None:
        self._state, self._lock, self._clock, self._sent_at = state, lock, clock, now
        self._has_response = False
        self.on_end: Callable[[], None] | None = None
        if not state.quota.covers(state.in_flight):
            state.probe = self
        state.in_flight += 1
        self._round = state.concurrency.acquire(state.in_flight)

    @property
    def has_stated_quota(self) -> bool:
        """Whether the headers of responses state how many requests remain."""
        return self._state.quota.is_stated

    @property
    def stated_limit(self) -> int | None:
        """The limit of a window that headers of responses stated."""
        return self._state.quota.limit

    def record(self, status: int, headers: Headers) -> None:
        """Update quota and concurrency limit from a response."""
        clock, state = self._clock, self._state
        self._has_response = True
        with self._lock:
            now = clock.monotonic()
            state.quota.update(headers, self._sent_at, now, clock.time())
            if status in RETRIED_STATUSES:
                state.concurrency.record_overload(self._round)
            else:
                state.concurrency.record_response(self._round, now - self._sent_at)

    def cancel(self) -> None:
        """Give the permit back without having sent anything."""
        with self._lock:
            self._state.release(self)

    def __enter__(self) -> "Permit":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.on_end:
            self.on_end()
        with self._lock:
            if not self._has_response:
                self._state.concurrency.record_overload(self._round)
            self._state.release(self)
