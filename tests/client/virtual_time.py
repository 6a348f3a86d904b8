"""Virtual time: threads run one at a time, and time passes only while all of them wait."""

import json
import math
import threading
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from pathlib import Path

import httpx
from msgspec.structs import replace

from ads_cli.api.rates import Rate
from ads_cli.client.client import Client
from ads_cli.client.prepared_request import PreparedRequest
from ads_cli.client.rate_limiter import StoppedError, Wait
from ads_cli.client.shared_window import SharedWindow
from ads_cli.http.retry import Clock

SILENCE = -1  # in place of a status: no response
EPOCH = 1_800_000_000.0  # when virtual time begins, in Unix seconds


class Sleeper:
    """A thread that waits until a time."""

    def __init__(self) -> None:
        self.baton = threading.Lock()  # handed over faster than a semaphore
        self.baton.acquire()
        self.entry = 0  # of the queue; others are out of date


class World(Clock):
    """A clock that wakes its threads in the order of their times."""

    def __init__(self, fast: float = 0.0) -> None:
        self.now = 0.0
        self.fast = fast  # seconds by which the client's clock is ahead
        self._queue: list[tuple[float, int, Sleeper]] = []
        self._entries = count(1)
        self._current = Sleeper()
        self._alive = 0
        self._done = threading.Event()
        self._errors: list[BaseException] = []

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return EPOCH + self.now + self.fast

    def condition(self, lock: threading.Lock) -> "Waiting":
        return Waiting(self, lock)

    def sleep(self, seconds: float) -> None:
        self.wake(self._current, self.now + seconds)
        self.park()

    def wake(self, sleeper: Sleeper, at: float) -> None:
        sleeper.entry = next(self._entries)
        heappush(self._queue, (at, sleeper.entry, sleeper))

    def park(self) -> None:
        """Let other threads run until this one is woken."""
        me = self._current
        self._hand_over(me)
        me.baton.acquire()

    def run(self, *works: Callable[[], None]) -> None:
        """Run functions in threads until all have ended; raise if one failed or all of them wait forever."""
        self._alive = len(works)
        for work in works:
            sleeper = Sleeper()
            self.wake(sleeper, self.now)
            threading.Thread(target=self._live, args=(sleeper, work), daemon=True).start()
        self._hand_over(self._current)
        assert self._done.wait(120), "the simulation hangs"
        if self._errors:
            raise self._errors[0]

    def _live(self, sleeper: Sleeper, work: Callable[[], None]) -> None:
        sleeper.baton.acquire()
        try:
            work()
        except BaseException as error:
            self._errors.append(error)
        self._alive -= 1
        if self._alive and not self._errors:
            self._hand_over(sleeper)
        else:
            self._done.set()

    def _hand_over(self, me: Sleeper) -> None:
        while self._queue:
            at, entry, sleeper = heappop(self._queue)
            if entry == sleeper.entry:
                self.now, self._current = max(self.now, at), sleeper
                sleeper.baton.release()
                return
        self._errors.append(AssertionError("all threads wait forever"))
        self._done.set()


class Waiting:
    """A condition in virtual time."""

    def __init__(self, world: World, lock: threading.Lock) -> None:
        self._world, self._lock = world, lock
        self._sleepers: deque[Sleeper] = deque()

    def wait(self, timeout: float | None = None) -> None:
        me = self._world._current
        self._sleepers.append(me)
        if timeout is not None:
            self._world.wake(me, self._world.now + timeout)
        self._lock.release()
        self._world.park()
        self._lock.acquire()
        with suppress(ValueError):
            self._sleepers.remove(me)

    def notify(self, n: int = 1) -> None:
        for _ in range(min(n, len(self._sleepers))):
            self._world.wake(self._sleepers.popleft(), self._world.now)

    def notify_all(self) -> None:
        self.notify(len(self._sleepers))


class Service:
    """Accepts a number of requests per route and window; states them in headers with the prefix `says`."""

    def __init__(
        self,
        world: World,
        limit: int,
        seconds: float,
        latency: Callable[[], float],
        kind: str = "fixed",
        says: str = "x-rate-limit",
        dated: bool = False,
    ) -> None:
        self.world, self.limit, self.seconds, self.latency = world, limit, seconds, latency
        self.kind, self.says, self.dated = kind, says, dated
        self.served: dict[str, list[float]] = {}  # times by route
        self.refused: list[float] = []
        self.busy = self.most = 0  # concurrent requests
        self.failing: Callable[[float], int] = lambda now: 0  # the status at a time; 0 for success
        self.free_at: list[float] = []  # per worker, if their number is limited

    def window(self, times: list[float]) -> tuple[int, float]:
        """Return how many requests count now, and when that changes."""
        now = self.world.now
        if self.kind == "fixed":
            start = now // self.seconds * self.seconds
        elif self.kind == "sliding":
            first = max(bisect_right(times, now - self.seconds), len(times) - self.limit)
            return len(times) - first, (times[first] if first < len(times) else now) + self.seconds
        else:  # each window begins with its first request
            start, number = -math.inf, 0
            while number < len(times):
                start = times[number]
                number = bisect_left(times, start + self.seconds)
            start = start if now < start + self.seconds else now
        return min(len(times) - bisect_left(times, start), self.limit), start + self.seconds

    def take(self, route: str) -> tuple[int, dict[str, str]]:
        """Return status and headers for a request now."""
        times = self.served.setdefault(route, [])
        if status := self.failing(self.world.now):
            return (200, {"X-Emulator-Fault": "timeout"}) if status == SILENCE else (status, {})
        used, _ = self.window(times)
        status = 429 if used >= self.limit else 200
        if status == 200:
            times.append(self.world.now)
        used, end = self.window(times)
        headers = {"Date": http_date(EPOCH + self.world.now)} if self.dated else {}
        if self.says:
            headers |= {
                f"{self.says}-limit": str(self.limit),
                f"{self.says}-remaining": str(self.limit - used),
                f"{self.says}-reset": str(math.ceil(EPOCH + end)),
            }
        return status, headers

    def queued(self, seconds: float) -> float:
        """Return the seconds until a worker is free for a request that takes `seconds`."""
        if not self.free_at:
            return 0.0
        free = min(self.free_at)
        begun = max(free, self.world.now)
        self.free_at[self.free_at.index(free)] = begun + seconds
        return begun - self.world.now

    def __call__(self, environ, start_response):
        """Respond to a request of the client."""
        seconds = self.latency()
        self.busy += 1
        self.most = max(self.most, self.busy)
        self.world.sleep(seconds / 2)
        status, headers = self.take(environ["PATH_INFO"])
        if status == 429:
            self.refused.append(self.world.now)
        self.world.sleep(seconds / 2 + self.queued(seconds))
        self.busy -= 1
        start_response(f"{status} X", [("Content-Type", "application/json"), *headers.items()])
        return [json.dumps({"data": []} if status == 200 else {}).encode()]


class Crowd:
    """Threads that send requests of a route through one client."""

    def __init__(
        self,
        world: World,
        service: Service,
        threads: int,
        rate: Rate | None = None,
        folder: Path | None = None,  # of the windows that several crowds share
        in_fleet: bool = False,
        **options,
    ) -> None:
        self.world, self.threads = world, threads
        self.rate = replace(rate, kept="without headers") if rate else None
        self.waits: list[Wait] = []
        self.client = Client(
            lambda base: "http://service.localhost",
            lambda: None,
            app=service,
            concurrency=threads,
            clock=world,
            on_wait=self.waits.append,
            shared_window=folder
            and (lambda rate: SharedWindow(folder, "token", rate, world, in_fleet=in_fleet)),
            **options,
        )
        self.done = 0

    def works(self, requests: int, until: float = math.inf, route: str = "/a") -> list[Callable[[], None]]:
        """Return what each thread runs: it sends requests until none are left or `until` is reached."""
        left = iter(range(requests))
        url = f"http://service.localhost{route}"
        prepared = PreparedRequest("PUT", url, b"{}", "application/json", route, retry=True, rate=self.rate)

        def work() -> None:
            with suppress(StoppedError):
                while self.world.now < until and next(left, None) is not None:
                    self.client.exchange(prepared, auth=httpx.Auth())
                    self.done += 1

        return [work] * self.threads


def http_date(seconds: float) -> str:
    """Format a time as an HTTP date."""
    from email.utils import formatdate

    return formatdate(seconds, usegmt=True)
