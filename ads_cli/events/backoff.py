"""How long to wait before a stream is opened again, by the kind of failure."""

from collections.abc import Callable
from typing import Literal

Failure = Literal["network", "http", "limit"]

# As the service advises: at once; then more and more, each kind in its own steps.
DELAYS: dict[Failure, Callable[[int], float]] = {
    "network": lambda failures: min(0.25 * (failures - 1), 16.0),
    "http": lambda failures: min(5.0 * 2.0 ** min(failures - 1, 16), 320.0),
    "limit": lambda failures: 60.0 * 2.0 ** min(failures - 1, 16),
}


class Backoff:
    """Counts the failures since the stream last was well. Times are in monotonic seconds."""

    def __init__(self, now: float) -> None:
        self._failures: dict[Failure, int] = dict.fromkeys(DELAYS, 0)
        self.well_at = now

    def reset(self, now: float) -> None:
        """Note that the stream is well."""
        self._failures = dict.fromkeys(DELAYS, 0)
        self.well_at = now

    def delay(self, failure: Failure) -> float:
        """Count a failure, and return the seconds to wait."""
        self._failures[failure] += 1
        return DELAYS[failure](self._failures[failure])
