"""When the next request may go: what the service says of its limits, what it bears, and our own patience."""

import random
import threading
from collections.abc import Callable
from functools import cache
from math import inf

from ..api.rates import Rate
from ..errors import RateLimitedError
from .clock import CLOCK, Clock
from .concurrency_limit import ConcurrencyLimit
from .quota import LATE, ROUNDING, Quota
from .rate_headers import Headers
from .shared_window import SharedWindow

FIRST_BACKOFF = 0.5  # seconds; doubled with each failure, and drawn at random below that
LONGEST_BACKOFF = 60.0
LONG = 5.0  # seconds that nobody waits without being told why
OVERWHELMED = (423, 429, 500, 502, 503, 504)


class StoppedError(Exception):
    """The run is being stopped, and no further request may go."""


class RateLimiter:
    """Shared by all threads of a client: says when each may send, a family of requests apart from another."""

    def __init__(
        self,
        max_wait: float,
        tell: Callable[[str], None] = lambda text: None,
        window: Callable[[Rate], SharedWindow] | None = None,
        ceiling: int = 8,
        clock: Clock = CLOCK,
    ) -> None:
        self.max_wait = max_wait
        self.tell = tell  # hears of waits that are long enough to wonder about
        self.successes = 0
        self.clock = clock
        self._ceiling = ceiling
        self._windows = cache(window) if window else None  # by the rates that the specification states
        self.lock = threading.Lock()
        self._lanes: dict[str, RouteState] = {}
        self._stopped = self.clock.condition(self.lock)
        self._stopping = False
        self._stuck_since: float | None = None  # the first try after the last success

    def turn(self, family: str, rate: Rate | None = None) -> "Permit":
        """Wait until a request may go; raise RateLimitedError where that takes too long."""
        window = self._windows(rate) if rate and self._windows else None
        while True:
            turn = self._enter(family)
            if window is None or not (delay := window.take()):
                return turn
            turn.give_back()
            if delay > self.max_wait:
                raise RateLimitedError(self.too_long(delay))
            if delay >= LONG and rate:
                went = f"{rate.requests:,} requests went in {rate.seconds:.0f} s"
                self.tell(f"{went}: going on in {delay:.0f} s")
            self.wait(delay)

    def _enter(self, family: str) -> "Permit":
        """Wait until the family has room for one more."""
        with self.lock:
            lane = self._lanes.get(family)
            if lane is None:
                lane = self._lanes[family] = RouteState(self._ceiling, self.clock.condition(self.lock))
            while not self._stopping:
                now = self.clock.monotonic()
                delay = lane.delay(now)
                if not delay:
                    return Permit(self, lane, now)
                if delay < inf and lane.allowance.is_used_up(now):
                    if not self.may_wait(delay - LATE - ROUNDING):
                        raise RateLimitedError(self.too_long(delay))
                    self._tell_of(lane, delay)
                lane.wait(delay)
            raise StoppedError

    def hold(self, family: str, delay: float) -> None:
        """Let no request of a family go for `delay` seconds."""
        with self.lock:
            lane = self._lanes[family]
            lane.allowance.hold(self.clock.monotonic() + delay)
            lane.moved.notify_all()
            if self.may_wait(delay):
                self._tell_of(lane, delay)

    def _tell_of(self, lane: "RouteState", delay: float) -> None:
        """Tell of a long wait, once."""
        until = self.clock.monotonic() + delay
        if delay >= LONG and lane.told < until - LONG:
            lane.told = until
            self.tell(f"the service asks us to slow down: going on in {delay:.0f} s")

    def succeeded(self) -> None:
        """Note progress."""
        self.successes += 1
        self.settled()

    def settled(self) -> None:
        """Note that a request got its answer, whatever it is."""
        self._stuck_since = None

    def patience(self) -> float:
        """Give the seconds that may go by from now on without progress; a try begins its count."""
        now, since = self.clock.monotonic(), self._stuck_since
        if since is None:
            self._stuck_since = since = now
        return since + self.max_wait - now

    def may_wait(self, delay: float) -> bool:
        """Tell whether waiting so long stays within the longest wait without progress."""
        return delay <= self.patience()

    def too_long(self, asked: float | None) -> str:
        """Say why no further wait is begun."""
        allowed = f"--max-wait allows {self.max_wait:g} s without progress"
        return allowed if asked is None else f"the service asks to wait {asked:.0f} s, and {allowed}"

    def wait(self, delay: float) -> None:
        """Wait, unless the run is stopped meanwhile."""
        with self.lock:
            until = self.clock.monotonic() + delay
            while not self._stopping and (left := until - self.clock.monotonic()) > 0:
                self._stopped.wait(left)
            if self._stopping:
                raise StoppedError

    def stop(self) -> None:
        """Let no further request go, and end every wait."""
        with self.lock:
            self._stopping = True
            self._stopped.notify_all()
            for lane in self._lanes.values():
                lane.moved.notify_all()


class RouteState:
    """The requests of one family."""

    def __init__(self, ceiling: int, moved: threading.Condition) -> None:
        self.allowance = Quota()
        self.gate = ConcurrencyLimit(ceiling)
        self.moved = moved
        self.flying = 0
        self.ahead: Permit | None = None  # goes alone, to see whether the service answers again
        self.told = 0.0  # until when a wait was told
        self._waiting = 0

    def delay(self, now: float) -> float:
        """Give the seconds until one more may go; infinite while an answer is due."""
        delay = self.allowance.delay(self.flying, self.ahead is not None, now)
        return delay or (0.0 if self.flying < self.gate.limit else inf)

    def wait(self, delay: float) -> None:
        """Wait for an answer, or so long."""
        self._waiting += 1
        try:
            self.moved.wait(None if delay == inf else delay)
        finally:
            self._waiting -= 1

    def leave(self, turn: "Permit") -> None:
        """Let those go on who may, once a request has ended."""
        self.flying -= 1
        if self.ahead is turn:
            self.ahead = None
        if self._waiting:
            left = self.allowance.left
            # Where nothing is left, all have to see that it takes long.
            room = self._waiting if left == 0 else min(self.gate.limit, left or inf) - self.flying
            self.moved.notify(max(0, int(room)))


class Permit:
    """One request under way; its place is free when the block ends."""

    __slots__ = ("_answered", "_begun", "_lane", "_pace", "_round")

    def __init__(self, pace: RateLimiter, lane: RouteState, now: float) -> None:
        self._pace, self._lane, self._begun = pace, lane, now
        self._answered = False
        if not lane.allowance.suffices(lane.flying):
            lane.ahead = self
        lane.flying += 1
        self._round = lane.gate.enter(lane.flying)

    def answered(self, status: int, headers: Headers) -> None:
        """Take in what the service says of its limits, and whether it is overwhelmed."""
        clock, lane = self._pace.clock, self._lane
        self._answered = True
        with self._pace.lock:
            now = clock.monotonic()
            lane.allowance.learn(headers, self._begun, now, clock.time())
            if status in OVERWHELMED:
                lane.gate.overwhelmed(self._round)
            else:
                lane.gate.answered(self._round, now - self._begun)

    def give_back(self) -> None:
        """Leave without having sent anything."""
        with self._pace.lock:
            self._lane.leave(self)

    def __enter__(self) -> "Permit":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        with self._pace.lock:
            if not self._answered:
                self._lane.gate.overwhelmed(self._round)
            self._lane.leave(self)


def backoff(failures: int) -> float:
    """Give the seconds before the next try, with full jitter, where the service names none."""
    return random.uniform(0, min(LONGEST_BACKOFF, FIRST_BACKOFF * 2.0 ** min(failures, 16)))
