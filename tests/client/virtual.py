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

import httpx

from ads_cli.client.client import Client
from ads_cli.client.clock import Clock
from ads_cli.client.prepared_request import PreparedRequest
from ads_cli.client.rate_limiter import StoppedError

SILENCE = -1  # in place of a status: no answer comes
EPOCH = 1_800_000_000.0  # when virtual time begins, in Unix seconds


class Sleeper:
    """A thread that waits for its time."""

    def __init__(self) -> None:
        self.baton = threading.Semaphore(0)
        self.entry = 0  # of the queue; others are out of date


class World(Clock):
    """A clock whose threads are woken in the order of their times."""

    def __init__(self, fast: float = 0.0) -> None:
        self.now = 0.0
        self.fast = fast  # seconds by which the client's clock is wrong
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
        """Let the others run until this thread is woken."""
        me = self._current
        self._hand_over(me)
        me.baton.acquire()

    def run(self, *works: Callable[[], None]) -> None:
        """Run works at the same time until all have ended; raise where one failed or all wait for ever."""
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
        self._errors.append(AssertionError("all wait for ever"))
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
    """Answers so many requests of a family in a window; tells of it in headers as `says` decides."""

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
        self.served: dict[str, list[float]] = {}  # by family: when
        self.refused: list[float] = []
        self.busy = self.most = 0  # requests under way
        self.failing: Callable[[float], int] = lambda now: 0  # a status to answer with, at some time
        self.free_at: list[float] = []  # by worker, where there are only so many: when it is free again

    def window(self, times: list[float]) -> tuple[int, float]:
        """Give how many requests count at present, and when that changes."""
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

    def take(self, family: str) -> tuple[int, dict[str, str]]:
        """Answer at this moment: status and headers."""
        times = self.served.setdefault(family, [])
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
        """Give the seconds before a worker has time for a request that takes so long."""
        if not self.free_at:
            return 0.0
        free = min(self.free_at)
        begun = max(free, self.world.now)
        self.free_at[self.free_at.index(free)] = begun + seconds
        return begun - self.world.now

    def __call__(self, environ, start_response):
        """Answer one request of the client."""
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
    """Threads that send requests of a family through one client, until time is over or the work done."""

    def __init__(self, world: World, service: Service, threads: int, **options) -> None:
        self.world, self.threads = world, threads
        self.told: list[str] = []
        self.client = Client(
            lambda base: "http://service.localhost",
            lambda: None,
            app=service,
            concurrency=threads,
            clock=world,
            on_wait=self.told.append,
            **options,
        )
        self.done = 0

    def works(self, requests: int, until: float = math.inf, family: str = "/a") -> list[Callable[[], None]]:
        """Give the work of each thread: to take one request after the other from what is left."""
        left = iter(range(requests))
        url = f"http://service.localhost{family}"
        prepared = PreparedRequest("PUT", url, b"{}", "application/json", family, retry=True)

        def work() -> None:
            with suppress(StoppedError):
                while self.world.now < until and next(left, None) is not None:
                    self.client.exchange(prepared, auth=httpx.Auth())
                    self.done += 1

        return [work] * self.threads


def http_date(seconds: float) -> str:
    """Write a time as HTTP does."""
    from email.utils import formatdate

    return formatdate(seconds, usegmt=True)
