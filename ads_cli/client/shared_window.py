"""A rate limit shared by all adsctl processes of a user on this machine."""

import os
import threading
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from ..api.rates import Rate
from ..config.file_locks import file_lock, locked
from ..config.settings import CACHES
from ..errors import StateError
from ..http.retry import CLOCK, Clock
from ..store.file_identity import boot_id

if TYPE_CHECKING:
    from filelock import FileLock

VARIABLE = "ADSCTL_ALLOWANCE"


def token_scope(access_token: str) -> str:
    """Name the scope of limits that a token has; the token cannot be found from it."""
    return f"token-{_digest(access_token)}"


def windows_folder(state_dir: Path) -> Path:
    """Return the folder of the windows of all processes of a state folder, in a fleet or not."""
    return state_dir / CACHES / "pace"


def windows_variable(state_dir: Path) -> dict[str, str]:
    """Return the variable that makes a process of adsctl count all requests: others send beside it."""
    return {VARIABLE: str(windows_folder(state_dir))}


def _digest(text: str) -> str:
    from hashlib import sha256

    return sha256(text.encode()).hexdigest()[:16]


LOCK_TIMEOUT_SECONDS = 5.0  # it is held for less than a millisecond
MARGIN_SECONDS = 0.5  # by which the service may end a window later than our clock
FORGOTTEN_SECONDS = 24 * 3600.0  # after which the requests of another boot or host are removed
NUMBERS = 3  # of each request in the file

T = TypeVar("T")


class SentRequest(NamedTuple):
    """A sent request: the boot of its machine, and the time by two clocks.

    The monotonic clock of a boot cannot jump. It means nothing to another boot or another host.
    """

    boot: float
    wall: float  # Unix seconds
    monotonic: float


class Slot(msgspec.Struct, frozen=True):
    """A place in the window: taken at `time`, or free in `delay` seconds."""

    delay: float
    time: float = 0.0


class SharedWindow:
    """A sliding window of requests, kept in a locked file.

    The service counts a request at some time between its sending and its response. Here it counts from its
    sending on while it is in flight, and from its response on afterwards. So no window of the service,
    whenever it begins, holds more requests than the rate allows.

    What this machine sent since it started is timed by its monotonic clock, which cannot be set. Everything
    else is timed by the wall clock: what it sent before, and what another host of a shared state folder
    sends. A time in the future counts as now, so that a clock that was set back delays by one window at most.

    The file is a cache and no table of the database, where both changes of each request would wait for the
    disk. If it cannot be used, the window covers this process only.
    """

    def __init__(
        self,
        folder: Path,
        holder: str,
        rate: Rate,
        clock: Clock = CLOCK,
        *,
        in_fleet: bool = False,
    ) -> None:
        self._rate = rate
        self._in_fleet = in_fleet
        self._clock = clock
        self._path = folder / _digest(f"{rate.name} {holder}")
        self._lock = threading.Lock()  # threads wait here, since waiting for a file is polling
        self._is_shared = True
        self._own = array("d")  # used if the file cannot be
        self._boot = boot_number()

    def limit(self, stated: int | None, *, is_current: bool) -> int | None:
        """Return the requests of a window; None if what responses state suffices.

        `stated` is the limit that responses have stated, `is_current` whether they state what remains. That
        does not suffice in a fleet: other processes send too before the next response.
        """
        rate = self._rate
        if not self._in_fleet:
            is_kept = rate.kept == "always" or (rate.kept == "without headers" and not is_current)
            return rate.requests if is_kept else None
        if rate.kept == "always":
            return min(rate.requests, stated or rate.requests)
        return stated or (rate.requests if rate.kept == "without headers" else None)

    def acquire(self, limit: int | None = None) -> Slot:
        """Take a slot of `limit`, by default those of the rate, or tell when one is free."""
        requests = limit or self._rate.requests
        window = self._rate.seconds + MARGIN_SECONDS

        def take(numbers: "array[float]") -> Slot:
            now = self._clock.monotonic()
            times = self._times(numbers, now, window)
            recent = sorted(time for time in times if time + window - now > 0)
            if len(recent) < requests:
                numbers.extend((self._boot, self._clock.time(), now))
                return Slot(0.0, now)
            return Slot(recent[-requests] + window - now)

        return self._update(take)

    def _times(self, numbers: "array[float]", now: float, window: float) -> "array[float]":
        """Return when requests were sent, by the clock of this boot, and remove those that are long over."""
        times = numbers[2::NUMBERS]
        if numbers[::NUMBERS].count(self._boot) == len(times) and max(times, default=now) <= now:
            old = next((number for number, time in enumerate(times) if time + window > now), len(times))
            del numbers[: old * NUMBERS]
            return times[old:]
        wall, kept, times = self._clock.time(), array("d"), array("d")
        for sent in map(SentRequest, numbers[::NUMBERS], numbers[1::NUMBERS], numbers[2::NUMBERS]):
            is_own, time = sent.boot == self._boot, sent.monotonic
            if not is_own or time > now:  # of another host, or of an earlier boot
                sent = sent._replace(wall=min(sent.wall, wall))
                time = now - (wall - sent.wall)
                sent = sent._replace(monotonic=time) if is_own else sent
            # Another host counts by its own clock, and may count a request for longer than this one.
            if time + (window if is_own else FORGOTTEN_SECONDS) > now:
                kept.extend(sent)
                times.append(time)
        numbers[:] = kept
        return times

    def count_from_now(self, slot: Slot) -> None:
        """Count a request from its response on."""

        def move(numbers: "array[float]") -> None:
            with suppress(ValueError):  # it has left the window
                index = numbers[2::NUMBERS].index(slot.time) * NUMBERS
                if numbers[index] == self._boot:
                    del numbers[index : index + NUMBERS]
                    numbers.extend((self._boot, self._clock.time(), self._clock.monotonic()))

        self._update(move)

    def _update(self, change: "Callable[[array[float]], T]") -> T:
        """Change the requests, and store them."""
        with self._lock:
            try:
                if self._is_shared:
                    with locked(self._file_lock, LOCK_TIMEOUT_SECONDS):
                        return self._update_file(change)
            except (OSError, StateError) as error:  # an unusable state folder must not block requests
                # A lock that is never released costs time once.
                self._is_shared = not isinstance(error, StateError)
                self.__dict__.pop("_file_lock", None)
            return change(self._own)

    @cached_property
    def _file_lock(self) -> "FileLock":
        """The lock of the file, whose folder exists then."""
        return file_lock(self._path.with_name(f"{self._path.name}.lock"), is_of_threads=True)

    def _update_file(self, change: "Callable[[array[float]], T]") -> T:
        """Overwrite the file in place: a process that is killed here leaves no empty file."""
        with os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0) as file:
            content, numbers = file.read(), array("d")
            if len(content) % (NUMBERS * numbers.itemsize) == 0:  # else it is damaged
                numbers.frombytes(content)
            result = change(numbers)
            if numbers.tobytes() != content:
                file.seek(0)
                file.write(numbers.tobytes())
                file.truncate()
            return result


@cache
def boot_number() -> float:
    """Return a number that identifies this boot of this machine, or for its name where boots have no id."""
    from hashlib import sha256
    from socket import gethostname

    name = boot_id() or gethostname()
    return float(int.from_bytes(sha256(name.encode()).digest()[:6]))
