"""A window of requests that all adsctl processes of a user on this machine share."""

import time
from array import array
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ..api.rates import Rate

if TYPE_CHECKING:
    from filelock import FileLock

MARGIN = 0.5  # seconds that requests may differ in how long they are on their way


class SharedWindow:
    """Counts requests in a file, under a lock: in any stretch of time no more go than the rate allows."""

    def __init__(self, folder: Path, service: str, rate: Rate) -> None:
        from hashlib import sha256

        self._rate = rate
        self._path = folder / f"{rate.name}-{sha256(service.encode()).hexdigest()[:12]}"
        self._times = array("d")  # of the requests that still count, where the file cannot be used

    def take(self) -> float:
        """Count a request that goes now; give 0, or the seconds until one may go."""
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._lock():
                times = self._read()
                delay = self._taken(times)
                if not delay:
                    self._path.write_bytes(times.tobytes())
                return delay
        except OSError:  # a state folder that cannot be written stops no request
            return self._taken(self._times)

    def _taken(self, times: "array[float]") -> float:
        """Forget what counts no more, and add a request where there is room."""
        now = time.monotonic()
        kept = array("d", (at for at in times if now - self._rate.seconds - MARGIN < at <= now))
        times[:] = kept
        if len(times) >= self._rate.requests:
            return times[0] + self._rate.seconds + MARGIN - now
        times.append(now)
        return 0.0

    def _read(self) -> "array[float]":
        times = array("d")
        with suppress(FileNotFoundError, ValueError):
            times.frombytes(self._path.read_bytes())
        return times

    def _lock(self) -> "FileLock":
        from filelock import FileLock

        return FileLock(f"{self._path}.lock", mode=0o600)
