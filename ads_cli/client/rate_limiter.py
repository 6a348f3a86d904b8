"""Decide when the next request may be sent: rate-limit headers, concurrency limit, `--max-wait`."""

import threading
from collections.abc import Callable, Mapping
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING

import msgspec

from ..api.rates import Rate
from .clock import CLOCK, Clock
from .concurrency_limit import ConcurrencyLimit
from .quota import RESET_TOLERANCE_SECONDS
from .route_state import Permit, RouteState

if TYPE_CHECKING:
    from .shared_window import SharedWindow

ANNOUNCE_WAIT_SECONDS = 5.0  # a longer wait is reported
NOTHING_BORNE: Mapping[str, int] = {}


class Wait(msgspec.Struct, frozen=True):
    """A wait for the next window of a rate limit."""

    reason: str
    seconds: float
    until: float  # Unix seconds


class StoppedError(Exception):
    """The run is stopping; no further request is sent."""

    may_be_applied = False  # by an earlier attempt of the request


class RateLimiter:
    """Shared by all threads of a client; each route has a quota and a concurrency limit of its own."""

    def __init__(
        self,
        max_wait: float,
        on_wait: Callable[[Wait], None] = lambda wait: None,
        shared_window: "Callable[[Rate], SharedWindow] | None" = None,
        max_concurrency: int = 8,
        clock: Clock = CLOCK,
    ) -> None:
        self.max_wait = max_wait
        self.on_wait = on_wait  # called before a long wait
        self.borne = NOTHING_BORNE  # what the service bore in the last run, by route
        self.successes = 0
        self._clock = clock
        self._max_concurrency = max_concurrency
        self._shared_window = cache(shared_window) if shared_window else None
        self._lock = threading.Lock()
        self._routes: dict[str, RouteState] = {}
        self._reported_until: dict[Rate, float] = {}  # monotonic seconds
        self._stopped = clock.condition(self._lock)
        self._is_stopping = False
        self._stalled_since: float | None = None  # the first attempt after the last response

    def acquire(self, route: str, rate: Rate | None = None) -> Permit:
        """Wait until a request may be sent."""
        window = self._shared_window(rate) if rate and self._shared_window else None
        while True:
            permit = self._acquire(route)
            if window is None or rate is None:
                return permit
            limit = window.limit(permit.stated_limit, is_current=permit.has_stated_quota)
            if limit is None:
                return permit
            slot = window.acquire(limit)
            if not slot.delay:
                permit.on_end = partial(window.count_from_now, slot)
                return permit
            permit.cancel()
            self._report_full_window(rate, limit, slot.delay)
            self.wait(slot.delay)
            self.record_progress()  # the service was not silent: nothing was sent

    def _acquire(self, route: str) -> Permit:
        """Wait until the limits of a route allow another request."""
        with self._lock:
            state = self._routes.get(route)
            if state is None:
                limit = ConcurrencyLimit(self._max_concurrency, self.borne.get(route, 0))
                state = RouteState(limit, self._clock.condition(self._lock))
                self._routes[route] = state
            while not self._is_stopping:
                now = self._clock.monotonic()
                delay = state.delay(now)
                if not delay:
                    return Permit(state, self._lock, self._clock, now)
                is_exhausted = delay < inf and state.quota.is_exhausted(now)
                if is_exhausted:
                    self._report_wait(state, delay)
                state.wait(delay)
                if is_exhausted and state.quota.end_is_stated:
                    self.record_progress()  # the service was not silent: nothing was sent
            raise StoppedError

    def pause(self, route: str, delay: float, *, is_stated: bool) -> None:
        """Send no request of a route for `delay` seconds, which the service states or which are our guess."""
        with self._lock:
            state = self._routes[route]
            state.quota.pause(self._clock.monotonic() + delay, is_stated=is_stated)
            state.changed.notify_all()
            self._report_wait(state, delay)

    def _report_wait(self, state: RouteState, delay: float) -> None:
        """Report a long wait, once."""
        until = self._clock.monotonic() + delay
        if delay >= ANNOUNCE_WAIT_SECONDS and state.wait_reported_until < until - ANNOUNCE_WAIT_SECONDS:
            state.wait_reported_until = until
            self._report("the service asks to slow down", delay)

    def _report_full_window(self, rate: Rate, limit: int, delay: float) -> None:
        """Report a long wait for the window of a stated rate, once."""
        with self._lock:
            until = self._clock.monotonic() + delay
            is_reported = self._reported_until.get(rate, 0.0) >= until - ANNOUNCE_WAIT_SECONDS
            if delay < ANNOUNCE_WAIT_SECONDS or is_reported:
                return
            self._reported_until[rate] = until
            self._report(f"the limit is {limit:,} requests in {rate.seconds / 60:g} min", delay)

    def _report(self, reason: str, delay: float) -> None:
        self.on_wait(Wait(reason, delay, self._clock.time() + delay))

    def record_success(self) -> None:
        """Record a successful request."""
        self.successes += 1
        self.record_progress()

    def record_progress(self) -> None:
        """Record a final response, success or error: --max-wait counts from the next attempt again."""
        self._stalled_since = None

    def remaining_wait(self) -> float:
        """Return the seconds of --max-wait that are left; the first call after progress starts the count."""
        now, since = self._clock.monotonic(), self._stalled_since
        if since is None:
            self._stalled_since = since = now
        return since + self.max_wait - now

    def allows_wait(self, delay: float, *, is_stated: bool = False) -> bool:
        """Whether --max-wait allows to wait `delay` seconds; stated ones are compared one by one."""
        return delay <= (self.max_wait + RESET_TOLERANCE_SECONDS if is_stated else self.remaining_wait())

    def wait_exceeded(self, requested: float | None) -> str:
        """Explain that --max-wait does not allow another wait."""
        allowed = f"--max-wait allows {self.max_wait:g} s without progress"
        return allowed if requested is None else f"the service asks to wait {requested:.0f} s, and {allowed}"

    def wait(self, delay: float) -> None:
        """Wait `delay` seconds; raise StoppedError as soon as the run stops."""
        with self._lock:
            until = self._clock.monotonic() + delay
            while not self._is_stopping and (remaining := until - self._clock.monotonic()) > 0:
                self._stopped.wait(remaining)
            if self._is_stopping:
                raise StoppedError

    def borne_now(self) -> dict[str, int]:
        """Return how many requests at once the service bears, by route; 0 where that is not certain."""
        with self._lock:
            return {route: state.concurrency.borne for route, state in self._routes.items()}

    def stop(self) -> None:
        """Send no further request, and end every wait."""
        with self._lock:
            self._is_stopping = True
            self._stopped.notify_all()
            for state in self._routes.values():
                state.changed.notify_all()
