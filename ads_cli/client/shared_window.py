"""A rate limit shared by all adsctl processes of a user on this machine."""

import time
from array import array
from contextlib import suppress
from pathlib import Path

from ..api.rates import Rate
from ..config.file_locks import locked
from ..errors import StateError

LOCK_TIMEOUT_SECONDS = 5.0  # it is held for less than a millisecond
MARGIN_SECONDS = 0.5  # two requests may differ by this much in their time to the service


class SharedWindow:
    """A sliding window of requests, kept in a locked file.

    If the file cannot be used, the window covers this process only.
    """

    def __init__(self, folder: Path, service: str, rate: Rate) -> None:
        from hashlib import sha256

        self._rate = rate
        self._path = folder / f"{rate.name}-{sha256(service.encode()).hexdigest()[:12]}"
        self._is_shared = True
        self._own_times = array("d")  # used if the file cannot be

    def acquire(self) -> float:
        """Register a request and return 0, or return the seconds until one may be sent."""
        if not self._is_shared:
            return self._register(self._own_times)
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self._path.with_name(f"{self._path.name}.lock"), LOCK_TIMEOUT_SECONDS):
                times = self._read()
                delay = self._register(times)
                if not delay:
                    self._path.write_bytes(times.tobytes())
                return delay
        except (OSError, StateError) as error:  # an unusable state folder must not block requests
            self._is_shared = not isinstance(error, StateError)  # a lock that nobody releases costs time once
            return self._register(self._own_times)

    def _register(self, times: "array[float]") -> float:
        """Drop expired times, and append the current one if the rate allows."""
        now = time.monotonic()
        window = self._rate.seconds + MARGIN_SECONDS
        # Times in the future were written before the machine restarted.
        times[:] = array("d", (sent_at for sent_at in times if now - window < sent_at <= now))
        if len(times) >= self._rate.requests:
            return times[0] + window - now
        times.append(now)
        return 0.0

    def _read(self) -> "array[float]":
        times = array("d")
        with suppress(FileNotFoundError, ValueError):
            times.frombytes(self._path.read_bytes())
        return times
