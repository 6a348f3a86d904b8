"""Decide when the next request may be sent: rate-limit headers, concurrency limit, `--max-wait`."""

import threading
from collections.abc import Callable
from functools import cache, partial
from math import inf
from typing import TYPE_CHECKING

import msgspec

from ..api.rates import Rate
from ..http.retry import CLOCK, RETRIED_STATUSES, Clock, Headers, seconds_until, window_of

if TYPE_CHECKING:
    from .shared_window import SharedWindow


INITIAL_LIMIT = 4  # before anything is known of the quota
DECREASE_FACTOR = 0.75  # of the limit, after an overload


class ConcurrencyLimit:
    """Adapt the concurrency limit to the service (AIMD).

    Slow start: the limit doubles with each round of responses. After the first overload it grows by one a
    round. An overload (5xx, 429, no response) cuts it by a quarter, once per round.
    """

    def __init__(self, max_limit: int) -> None:
        self._max_limit = max_limit
        self.limit = min(INITIAL_LIMIT, max_limit)
        self._slow_start = True
        self.round = 0  # number of changes of the limit
        self._decrease_round = 0  # the round that began with the last decrease
        self._responses = 0  # since the last change

    def record_response(self) -> None:
        """Count a response; increase the limit at the end of a round."""
        self._responses += 1
        if self._responses >= self.limit < self._max_limit:
            self._change(min(self.limit * 2 if self._slow_start else self.limit + 1, self._max_limit))

    def record_overload(self, round: int) -> None:
        """Decrease the limit, unless it was decreased after the request of `round` was sent."""
        self._slow_start = False
        if round >= self._decrease_round:
            self._change(max(1, int(self.limit * DECREASE_FACTOR)))
            self._decrease_round = self.round

    def _change(self, limit: int) -> None:
        """Begin a round."""
        self.round += limit != self.limit
        self.limit = limit
        self._responses = 0


RESET_TOLERANCE_SECONDS = 1  # responses of one window may round its end differently
MAX_PAST_RESET_SECONDS = 60.0  # a reset further in the past is not a current window
RESET_MARGIN_SECONDS = 0.05  # added to a reset, for the service to start its next window


class Quota:
    """Tracks the smallest remaining count that a response of the current window stated.

    The count may not yet include requests in flight. Another request is therefore sent only while fewer are
    in flight than remain, so that none is rejected, in whatever order responses arrive. Once nothing remains
    and the window has ended, a single probe is sent. Its response lets the others follow.
    """

    def __init__(self) -> None:
        self.remaining: int | None = None  # None: not stated, or not credible
        self.is_stated = False  # by the headers of the last response of the current window
        self.limit: int | None = None  # of a window, as it was stated last
        self.end_is_stated = False  # of the window, or of the pause
        self._reset = 0  # end of the window, in Unix seconds of the service
        self._ends_at = 0.0  # the same in monotonic seconds
        self._paused_until = 0.0  # monotonic seconds

    def delay(self, in_flight: int, probing: bool, now: float) -> float:
        """Return the seconds until another request may be sent; infinite until a response arrives."""
        if now < self._paused_until:
            return self._paused_until - now
        if self.covers(in_flight):
            return 0.0
        if now < self._ends_at:
            return self._ends_at - now
        return inf if probing else 0.0

    def covers(self, in_flight: int) -> bool:
        """Whether the quota allows one request beside those in flight."""
        return self.remaining is None or in_flight < self.remaining

    def is_exhausted(self, now: float) -> bool:
        """Whether only the end of the window can allow another request, no response in flight can."""
        return self.remaining == 0 or now < self._paused_until

    def pause(self, until: float, *, is_stated: bool) -> None:
        """Send nothing before `until` (monotonic seconds), and then a probe."""
        self.remaining, self.end_is_stated = 0, is_stated
        self._paused_until = self._ends_at = max(until, self._paused_until)

    def update(self, headers: Headers, sent_at: float, now: float, unix_now: float) -> None:
        """Update the quota from the headers of a response. `sent_at` and `now` are monotonic seconds.

        The response to a request sent after the end of the window belongs to a new window and always counts.
        """
        remaining, reset, limit = window_of(headers)
        self.limit = limit or self.limit
        is_new_window = sent_at >= self._ends_at
        if remaining is None or reset is None:
            if is_new_window:
                self.remaining, self.is_stated = None, False
        elif is_new_window or reset > self._reset + RESET_TOLERANCE_SECONDS:
            seconds = seconds_until(reset, headers, unix_now)
            is_credible = seconds is not None and seconds > -MAX_PAST_RESET_SECONDS
            self.remaining = remaining if is_credible else None
            self.is_stated = self.end_is_stated = is_credible
            self._reset = reset
            self._ends_at = now + (seconds + RESET_MARGIN_SECONDS if seconds and seconds > 0 else 0.0)
        elif reset >= self._reset - RESET_TOLERANCE_SECONDS and self.remaining is not None:
            self.remaining = min(self.remaining, remaining)


class RouteState:
    """Quota, concurrency limit and requests in flight of one route; guarded by the rate limiter's lock."""

    def __init__(self, concurrency: ConcurrencyLimit, changed: threading.Condition) -> None:
        self.quota = Quota()
        self.concurrency = concurrency
        self.changed = changed
        self.in_flight = 0
        self.probe: Permit | None = None  # sent alone, to see whether the service accepts requests again
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
            # With nothing remaining, every thread must learn that the wait is long.
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
        self._round = state.concurrency.round

    @property
    def quota(self) -> Quota:
        """What the headers of responses have stated of the route."""
        return self._state.quota

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
                state.concurrency.record_response()

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


ANNOUNCE_WAIT_SECONDS = 5.0  # a longer wait is reported
SLOW_DOWN = "the service asks to slow down"


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
        self.successes = 0
        self._clock = clock
        self._max_concurrency = max_concurrency
        self._shared_window = cache(shared_window) if shared_window else None
        self._lock = threading.Lock()
        self._routes: dict[str, RouteState] = {}
        self._reported_until: dict[object, float] = {}  # monotonic seconds, by what is waited for
        self._stopped = clock.condition(self._lock)
        self._is_stopping = False
        self._stalled_since: float | None = None  # the first attempt after the last response

    def acquire(self, route: str, rate: Rate | None = None) -> Permit:
        """Wait until a request may be sent."""
        if rate is None or self._shared_window is None:
            return self._acquire(route)
        window = self._shared_window(rate)
        while True:
            permit = self._acquire(route)
            limit = window.limit(permit.quota.limit, is_current=permit.quota.is_stated)
            if limit is None:
                return permit
            slot = window.acquire(limit)
            if not slot.delay:
                permit.on_end = partial(window.count_from_now, slot)
                return permit
            permit.cancel()
            with self._lock:
                reason = f"the limit is {limit:,} requests in {rate.seconds / 60:g} min"
                self._report_once(rate, reason, slot.delay)
            self.wait(slot.delay)
            self.record_progress()  # the service was not silent: nothing was sent

    def _acquire(self, route: str) -> Permit:
        """Wait until the limits of a route allow another request."""
        with self._lock:
            state = self._routes.get(route)
            if state is None:
                limit = ConcurrencyLimit(self._max_concurrency)
                state = self._routes[route] = RouteState(limit, self._clock.condition(self._lock))
            while not self._is_stopping:
                now = self._clock.monotonic()
                delay = state.delay(now)
                if not delay:
                    return Permit(state, self._lock, self._clock, now)
                is_exhausted = delay < inf and state.quota.is_exhausted(now)
                if is_exhausted:
                    self._report_once(state, SLOW_DOWN, delay)
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
            self._report_once(state, SLOW_DOWN, delay)

    def _report_once(self, about: object, reason: str, delay: float) -> None:
        """Report a long wait for a route or a rate once. The lock is held."""
        until = self._clock.monotonic() + delay
        is_reported = self._reported_until.get(about, 0.0) >= until - ANNOUNCE_WAIT_SECONDS
        if delay >= ANNOUNCE_WAIT_SECONDS and not is_reported:
            self._reported_until[about] = until
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

    def stop(self) -> None:
        """Send no further request, and end every wait."""
        with self._lock:
            self._is_stopping = True
            self._stopped.notify_all()
            for state in self._routes.values():
                state.changed.notify_all()
