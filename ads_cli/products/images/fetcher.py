"""Fetch the beginnings of images in several threads."""

import threading
from collections import Counter, OrderedDict, deque
from functools import cache
from ssl import SSLContext
from typing import NamedTuple

import httpx

from ...hosts import PrivateHostError
from ...http.connections import parse_http_address, tls_context
from ...http.file_start import FileStart, Reading, StartReader
from ...http.response_body import is_certificate_error, network_error
from ...http.retry import RETRIED_STATUSES, backoff
from ...media_files import read_header
from .stores import ImageInfo, ImageOutcomes, Outcome, Unreachable

MAX_IDLE = 48
REQUESTS_PER_HOST = 6  # at a time, as browsers do
MAX_WAITING = 1000  # addresses
# Bytes that are read until the pixels are found: in a JPG, profiles and previews may precede them.
SIZES = (16 * 1024, 128 * 1024, 1024 * 1024)


class ImageRequest(NamedTuple):
    """One request for an image."""

    address: bytes  # digest of the address in the feed
    url: httpx.URL  # of the request; redirects lead to others
    size: int = SIZES[0]
    redirects: int = 0
    attempt: int = 1

    @property
    def origin(self) -> str:
        """Return scheme, host and port of the URL."""
        return f"{self.url.scheme}://{self.url.netloc.decode()}"


class IdleConnections:
    """Idle connections by origin, lent to one thread at a time."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._contexts = cache(tls_context)
        self._lock = threading.Lock()
        self._idle: list[tuple[str, StartReader]] = []

    def _tls(self, is_secure: bool) -> SSLContext:
        with self._lock:
            return self._contexts(is_secure)

    def take(self, task: ImageRequest) -> StartReader:
        """Return an idle connection to the origin of a request, or a new one."""
        with self._lock:
            idle = next((entry for entry in reversed(self._idle) if entry[0] == task.origin), None)
            if idle:
                self._idle.remove(idle)
                return idle[1]
        return StartReader(task.url, self._tls, self._reading)

    def give_back(self, task: ImageRequest, reader: StartReader) -> None:
        """Keep a connection that works; of too many, the one that was idle longest is closed."""
        with self._lock:
            self._idle.append((task.origin, reader))
            oldest = self._idle.pop(0)[1] if len(self._idle) > MAX_IDLE else None
        if oldest:
            oldest.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            for _, reader in self._idle:
                reader.close()
            self._idle = []


class HostQueue:
    """A queue that one thread fills and looks after, and several threads work on, by host in turn."""

    def __init__(self) -> None:
        lock = threading.Lock()
        self._has_task = threading.Condition(lock)
        self._has_changed = threading.Condition(lock)  # for the thread that fills it
        self._waiting: OrderedDict[str, deque[ImageRequest]] = OrderedDict()
        self._count = 0  # of waiting tasks
        self._working: Counter[str] = Counter()
        self._is_closed = False

    def put(self, task: ImageRequest) -> None:
        """Add a task, however many there are."""
        with self._has_task:
            self._waiting.setdefault(task.origin, deque()).append(task)
            self._count += 1
            self._has_task.notify()

    def has_room(self, seconds: float) -> bool:
        """Wait until there are few enough tasks; return False if there are still too many after that time."""
        with self._has_changed:
            return self._has_changed.wait_for(lambda: self._count < MAX_WAITING, seconds)

    def is_done(self, seconds: float) -> bool:
        """Wait until every task is done; return False if one is not after that time."""
        with self._has_changed:
            return self._has_changed.wait_for(lambda: not (self._count or self._working), seconds)

    def take(self) -> ImageRequest | None:
        """Wait for a task of a host that has not too many, and return it.

        Return None once the queue is closed. `task_done` must follow.
        """
        with self._has_task:
            while (host := self._next_host()) is None and not self._is_closed:
                self._has_task.wait()
            if host is None or self._is_closed:
                return None
            tasks = self._waiting.pop(host)
            task = tasks.popleft()
            if tasks:
                self._waiting[host] = tasks  # at the end: it is the turn of the others
            self._count -= 1
            self._working[host] += 1
            self._has_changed.notify()
            return task

    def task_done(self, task: ImageRequest) -> None:
        """Note that a task was worked on; what it led to was put before."""
        host = task.origin
        with self._has_task:
            self._working[host] -= 1
            if not self._working[host]:
                del self._working[host]
            self._has_task.notify()  # another task of the host may be taken
            self._has_changed.notify()

    def close(self) -> None:
        """Drop what waits, and end the threads that take tasks."""
        with self._has_task:
            self._is_closed = True
            self._waiting.clear()
            self._has_task.notify_all()

    def _next_host(self) -> str | None:
        return next((host for host in self._waiting if self._working[host] < REQUESTS_PER_HOST), None)


THREADS = 24
MAX_REDIRECTS = 5
MAX_ATTEMPTS = 3
MAX_RETRY_AFTER_SECONDS = 60.0
MAX_SILENCES = 5  # of a host, one after the other; then it is not asked any more


class Silence(NamedTuple):
    """How often a host did not answer, one time after the other, and why not."""

    times: int
    reason: str


class Fetcher:
    """Finds the outcome of each address that is put."""

    def __init__(self, reading: Reading, max_attempts: int, outcomes: ImageOutcomes) -> None:
        self._max_attempts = min(max_attempts, MAX_ATTEMPTS)
        self._outcomes = outcomes
        self._connections = IdleConnections(reading)
        self._queue = HostQueue()
        self._silences: dict[str, Silence] = {}  # of hosts that did not answer last
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self.finished = 0  # addresses with an outcome
        for _ in range(THREADS):
            threading.Thread(target=self._run, daemon=True).start()

    def put(self, address: bytes, link: str) -> None:
        """Fetch an address."""
        if url := parse_http_address(link):
            self._queue.put(ImageRequest(address, url))
        else:
            self._finish(address, Unreachable("address", "its address is not valid"))

    def has_room(self, seconds: float) -> bool:
        """Wait at most `seconds` until there is room for another address. Raise the error of a thread."""
        return self._checked(self._queue.has_room(seconds))

    def is_done(self, seconds: float) -> bool:
        """Wait at most `seconds` until every address has its outcome. Raise the error of a thread."""
        return self._checked(self._queue.is_done(seconds))

    def close(self) -> None:
        """End the threads; requests in flight are left."""
        self._ended.set()
        self._queue.close()
        self._connections.close()

    def _checked(self, result: bool) -> bool:
        if self._error:
            raise self._error
        return result

    def _run(self) -> None:
        while task := self._queue.take():
            try:
                result = self._work(task)
                if isinstance(result, ImageRequest):
                    self._queue.put(result)
                else:
                    self._finish(task.address, result)
            except BaseException as error:
                self._error = error
            self._queue.task_done(task)

    def _finish(self, address: bytes, outcome: Outcome) -> None:
        self._outcomes.put(address, outcome)
        with self._lock:
            self.finished += 1

    def _work(self, task: ImageRequest) -> ImageRequest | Outcome:
        """Send one request; return what is next, or the outcome."""
        origin = task.origin
        silence = self._silences.get(origin)
        if silence and silence.times >= MAX_SILENCES:
            return Unreachable(f"host {origin}", silence.reason)
        try:
            start = self._read(task)
        except PrivateHostError as error:
            return Unreachable("private", f"{error}; --allow-private permits it")
        except httpx.TransportError as error:
            return self._failed(task, error)
        self._silences.pop(origin, None)
        return self._interpret(task, start)

    def _read(self, task: ImageRequest) -> FileStart:
        reader = self._connections.take(task)
        try:
            start = reader.read(task.url, task.size)
        except BaseException:
            reader.close()
            raise
        self._connections.give_back(task, reader)
        return start

    def _failed(self, task: ImageRequest, error: httpx.TransportError) -> ImageRequest | Outcome:
        """Try again where a host does not answer, unless nothing helps."""
        origin, reason = task.origin, network_error(error, str(task.url)).message
        with self._lock:
            earlier = self._silences.get(origin)
            self._silences[origin] = Silence(earlier.times + 1 if earlier else 1, reason)
        if not is_certificate_error(error) and task.attempt < self._max_attempts:
            return self._retry(task, None)
        return Unreachable(f"host {origin}", reason)

    def _retry(self, task: ImageRequest, seconds: float | None) -> ImageRequest:
        """Wait, as the host's other requests do then, and return the next attempt."""
        delay = backoff(task.attempt - 1) if seconds is None else seconds
        self._ended.wait(min(delay, MAX_RETRY_AFTER_SECONDS))
        return task._replace(attempt=task.attempt + 1)

    def _interpret(self, task: ImageRequest, start: FileStart) -> ImageRequest | Outcome:
        if start.location:
            return self._redirected(task, start.location)
        if start.encoding:
            return Unreachable("encoding", f"sent as {start.encoding[:60]!r}, which was not asked for")
        if start.status != 200:
            if start.status in RETRIED_STATUSES and task.attempt < self._max_attempts:
                return self._retry(task, start.retry_after)
            return Unreachable(f"status {start.status}", f"the server answered with status {start.status}")
        header = read_header(start.data)
        if header.lacks_pixels and not start.is_whole:
            if task.size < SIZES[-1]:
                return task._replace(size=next(size for size in SIZES if size > task.size))
            return Unreachable("header", f"its first {task.size:,} bytes do not state its pixels")
        return ImageInfo(*header, start.size)

    def _redirected(self, task: ImageRequest, location: str) -> ImageRequest | Outcome:
        if task.redirects == MAX_REDIRECTS:
            return Unreachable("redirects", f"more than {MAX_REDIRECTS} redirects")
        target = parse_http_address(location, str(task.url))
        if target is None:
            return Unreachable("redirect", "it redirects to something that is not an http address")
        return task._replace(url=target, redirects=task.redirects + 1)
