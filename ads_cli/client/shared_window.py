"""A rate limit shared by all adsctl processes of a user on this machine."""

import threading
from array import array
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from ..api.rates import Rate
from ..config.file_locks import locked
from ..errors import StateError
from .allowance import Share
from .clock import CLOCK, Clock

LOCK_TIMEOUT_SECONDS = 5.0  # it is held for less than a millisecond
MARGIN_SECONDS = 0.5  # by which the service may end a window later than our clock

T = TypeVar("T")


class Slot(msgspec.Struct, frozen=True):
    """A place in the window: taken at `time`, or free in `delay` seconds."""

    delay: float
    time: float = 0.0


class SharedWindow:
    """A sliding window of requests, kept in a locked file.

    The service counts a request at some time between its sending and its response. A request in flight
    counts from its sending on, and from its response on once there is one: then no window of the
    service, whenever it begins, holds more requests than the rate allows.

    If the file cannot be used, the window covers this process only.
    """

    def __init__(
        self,
        folder: Path,
        holder: str,
        rate: Rate,
        clock: Clock = CLOCK,
        share: Callable[[], Share] | None = None,  # None: no other worker has a share of the limit
    ) -> None:
        from hashlib import sha256

        self._rate = rate
        self._share = share
        self._clock = clock
        self._path = folder / sha256(f"{rate.name} {holder}".encode()).hexdigest()[:16]
        self._lock = threading.Lock()  # threads wait here, since waiting for a file is polling
        self._is_shared = True
        self._own_times = array("d")  # used if the file cannot be

    def limit(self, stated: int | None, *, is_current: bool) -> int | None:
        """Return the requests of a window; None if what responses state suffices.

        `stated` is the limit that responses have stated, `is_current` whether they state what remains. That
        does not suffice in a fleet: other processes send too before the next response.
        """
        rate = self._rate
        if self._share is None:
            is_kept = rate.kept == "always" or (rate.kept == "without headers" and not is_current)
            return rate.requests if is_kept else None
        if rate.kept == "always":
            requests: int | None = min(rate.requests, stated or rate.requests)
        else:
            requests = stated or (rate.requests if rate.kept == "without headers" else None)
        return requests and self._share().of(requests)

    def acquire(self, limit: int | None = None) -> Slot:
        """Take a slot of `limit`, by default those of the rate, or tell when one is free."""
        requests = limit or self._rate.requests
        window = self._rate.seconds + MARGIN_SECONDS

        def take(times: "array[float]") -> Slot:
            now = self._clock.monotonic()
            # Times in the future were written before the machine restarted.
            recent = sorted(time for time in times if time <= now and time + window - now > 0)
            is_free = len(recent) < requests
            times[:] = array("d", [*recent, now] if is_free else recent)
            return Slot(0.0, now) if is_free else Slot(recent[-requests] + window - now)

        return self._update(take)

    def count_from_now(self, slot: Slot) -> None:
        """Count a request from its response on."""

        def move(times: "array[float]") -> None:
            with suppress(ValueError):  # it has left the window
                times.remove(slot.time)
                times.append(self._clock.monotonic())

        self._update(move)

    def _update(self, change: "Callable[[array[float]], T]") -> T:
        """Change the times of requests, and store them."""
        from ..config.atomic_files import make_folder

        with self._lock:
            try:
                if self._is_shared:
                    make_folder(self._path.parent)
                    with locked(self._path.with_name(f"{self._path.name}.lock"), LOCK_TIMEOUT_SECONDS):
                        return self._update_file(change)
            except (OSError, StateError) as error:  # an unusable state folder must not block requests
                # A lock that nobody releases costs time once.
                self._is_shared = not isinstance(error, StateError)
            return change(self._own_times)

    def _update_file(self, change: "Callable[[array[float]], T]") -> T:
        """Overwrite the file in place: a process that is killed here leaves no empty file."""
        self._path.touch(mode=0o600)
        with self._path.open("r+b", buffering=0) as file:
            content, times = file.read(), array("d")
            with suppress(ValueError):
                times.frombytes(content)
            result = change(times)
            if times.tobytes() != content:
                file.seek(0)
                file.write(times.tobytes())
                file.truncate()
            return result
