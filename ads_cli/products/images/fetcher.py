"""Fetch the beginnings of images in several threads."""

import threading
from typing import NamedTuple

import httpx

from ...client.download import Version
from ...client.file_start import FileStart, Reading
from ...client.http_address import parse_http_address
from ...client.response_body import is_certificate_error, network_error
from ...client.retry import RETRIED_STATUSES, backoff
from ...public_hosts import PrivateHostError
from .connections import Connections, origin_of
from .header import read_header
from .host_queue import HostQueue
from .outcome import Image, Outcome, Unreachable
from .stores import Outcomes, RememberedImages

THREADS = 24
REQUESTS_PER_HOST = 6  # at a time, as browsers do
MAX_WAITING = 1000  # addresses
# Bytes that are read until the pixels are found: in a JPG, profiles and previews may precede them.
SIZES = (16 * 1024, 128 * 1024, 1024 * 1024)
MAX_REDIRECTS = 5
MAX_ATTEMPTS = 3
MAX_RETRY_AFTER_SECONDS = 60.0
MAX_SILENCES = 5  # of a host, one after the other; then it is not asked any more


class Task(NamedTuple):
    """One request for an image."""

    address: bytes  # digest of the address in the feed
    url: httpx.URL  # of the request; redirects lead to others
    size: int = SIZES[0]
    redirects: int = 0
    attempt: int = 1


class Silence(NamedTuple):
    """How often a host did not answer, one time after the other, and why not."""

    times: int
    reason: str


class Fetcher:
    """Finds the outcome of each address that is put."""

    def __init__(
        self, reading: Reading, max_attempts: int, outcomes: Outcomes, remembered: RememberedImages
    ) -> None:
        self._max_attempts = min(max_attempts, MAX_ATTEMPTS)
        self._outcomes, self._remembered = outcomes, remembered
        self._connections = Connections(reading)
        self._queue = HostQueue[Task](REQUESTS_PER_HOST, MAX_WAITING)
        self._silences: dict[str, Silence] = {}  # of hosts that did not answer last
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self.finished = 0  # addresses with an outcome
        self.unchanged = 0  # of them, since an earlier run
        for _ in range(THREADS):
            threading.Thread(target=self._run, daemon=True).start()

    def put(self, address: bytes, link: str) -> None:
        """Fetch an address."""
        if url := parse_http_address(link):
            self._queue.put(origin_of(url), Task(address, url))
        else:
            self._finish(address, Unreachable("address", "its address is not valid"))

    def has_room(self, seconds: float) -> bool:
        """Wait until there is room for another address, or for so long; raise the error of a thread."""
        return self._checked(self._queue.has_room(seconds))

    def is_done(self, seconds: float) -> bool:
        """Wait until every address has its outcome, or for so long; raise the error of a thread."""
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
        while taken := self._queue.take():
            origin, task = taken
            try:
                result = self._work(origin, task)
                if isinstance(result, Task):
                    self._queue.put(origin_of(result.url), result)
                else:
                    self._finish(task.address, result)
            except BaseException as error:
                self._error = error
            self._queue.done(origin)

    def _finish(self, address: bytes, outcome: Outcome) -> None:
        self._outcomes.put(address, outcome)
        with self._lock:
            self.finished += 1

    def _work(self, origin: str, task: Task) -> Task | Outcome:
        """Send one request; return what is next, or the outcome."""
        silence = self._silences.get(origin)
        if silence and silence.times >= MAX_SILENCES:
            return Unreachable(f"host {origin}", silence.reason)
        known = self._remembered.find(task.address)
        try:
            start = self._read(task, known[0] if known else None)
        except PrivateHostError as error:
            return Unreachable("private", f"{error}; --allow-private permits it")
        except httpx.TransportError as error:
            return self._failed(origin, task, error)
        self._silences.pop(origin, None)
        if start.status == 304 and known:
            with self._lock:
                self.unchanged += 1
            self._remembered.put(task.address, *known)
            return known[1]
        return self._interpret(task, start)

    def _read(self, task: Task, known: Version | None) -> FileStart:
        reader = self._connections.take(task.url)
        try:
            start = reader.read(task.url, task.size, known)
        except BaseException:
            reader.close()
            raise
        self._connections.give_back(task.url, reader)
        return start

    def _failed(self, origin: str, task: Task, error: httpx.TransportError) -> Task | Outcome:
        """Try again where a host does not answer, unless nothing helps."""
        reason = network_error(error, str(task.url)).message
        with self._lock:
            earlier = self._silences.get(origin)
            self._silences[origin] = Silence(earlier.times + 1 if earlier else 1, reason)
        if not is_certificate_error(error) and task.attempt < self._max_attempts:
            return self._retry(task, None)
        return Unreachable(f"host {origin}", reason)

    def _retry(self, task: Task, seconds: float | None) -> Task:
        """Wait, as the host's other requests do then, and return the next attempt."""
        delay = backoff(task.attempt - 1) if seconds is None else seconds
        self._ended.wait(min(delay, MAX_RETRY_AFTER_SECONDS))
        return task._replace(attempt=task.attempt + 1)

    def _interpret(self, task: Task, start: FileStart) -> Task | Outcome:
        """Return what an answer means."""
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
        image = Image(*header, start.size)
        self._remembered.put(task.address, start.version, image)
        return image

    def _redirected(self, task: Task, location: str) -> Task | Outcome:
        if task.redirects == MAX_REDIRECTS:
            return Unreachable("redirects", f"more than {MAX_REDIRECTS} redirects")
        target = parse_http_address(location, str(task.url))
        if target is None:
            return Unreachable("redirect", "it redirects to something that is not an http address")
        return task._replace(url=target, redirects=task.redirects + 1)
