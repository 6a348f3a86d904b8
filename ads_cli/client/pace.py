"""When the next request may go: backoff, what the service says of its limits, and our own patience."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from functools import cache

from ..api.rates import Rate
from .shared import SharedWindow

FIRST_BACKOFF = 0.5  # seconds; doubled with each failure, and drawn at random below that
LONGEST_BACKOFF = 60.0
LONG = 5.0  # seconds that nobody waits without being told why
ABSURD = 24 * 3600.0  # a limit that is said to last longer than a day is not believed
MOST_DIGITS = 20
FAR_APART = 60.0  # seconds between two clocks that are worth telling
LIMITS = ("x-account-rate-limit", "x-rate-limit")  # in the order in which they count


class StoppedError(Exception):
    """The run is being stopped, and no further request may go."""


class Pace:
    """Shared by all threads of a client: one that is told to wait makes every other wait."""

    def __init__(
        self,
        max_wait: float,
        tell: Callable[[str], None] = lambda text: None,
        window: Callable[[Rate], SharedWindow] | None = None,
    ) -> None:
        self.max_wait = max_wait
        self._windows = cache(window) if window else None  # by the rates that the specification states
        self.tell = tell  # hears of waits that are long enough to wonder about
        self.successes = 0
        self.stop = threading.Event()
        self._stuck_since: float | None = None  # the first try after the last success
        self._not_before: dict[str, float] = {}

    def succeeded(self, family: str, headers: Mapping[str, str]) -> None:
        """Note progress, and hold the requests of a family back where its allowance is used up."""
        self.successes += 1
        self.settled()
        remaining, reset = allowance(headers)
        if remaining == 0 and reset is not None:
            self.hold(family, reset)

    def patience(self) -> float:
        """Give the seconds that may go by from now on without progress; a try begins its count."""
        now = time.monotonic()
        if self._stuck_since is None:
            self._stuck_since = now
        return self._stuck_since + self.max_wait - now

    def hold(self, family: str, delay: float) -> None:
        """Let no request of a family go for `delay` seconds."""
        until, before = time.monotonic() + delay, self._not_before.get(family, 0.0)
        self._not_before[family] = max(until, before)
        if delay >= LONG and before < until - LONG and self.may_wait(delay):
            self.tell(f"the service asks us to slow down: going on in {delay:.0f} s")

    def settled(self) -> None:
        """Note that a request got its answer, whatever it is."""
        self._stuck_since = None

    def may_wait(self, delay: float) -> bool:
        """Tell whether waiting so long stays within the longest wait without progress."""
        return delay <= self.patience()

    def wait_turn(self, family: str, rate: Rate | None = None) -> float:
        """Wait until the family may go; give the seconds that are too long to be waited, else 0."""
        if rate and self._windows:
            window = self._windows(rate)
            while (delay := window.take()) > 0:
                if delay > self.max_wait:
                    return delay
                if delay >= LONG:
                    self.tell(
                        f"{rate.requests:,} requests went in {rate.seconds:.0f} s: going on in {delay:.0f} s"
                    )
                self.wait(delay)
        while (delay := self._not_before.get(family, 0.0) - time.monotonic()) > 0:
            if not self.may_wait(delay):
                return delay
            self.wait(delay)
        if self.stop.is_set():
            raise StoppedError
        return 0.0

    def wait(self, delay: float) -> None:
        """Wait, unless the run is stopped meanwhile."""
        if self.stop.wait(delay):
            raise StoppedError


def asked_delay(headers: Mapping[str, str]) -> float | None:
    """Give the seconds that the service asks to wait before the next try; None where it does not ask."""
    asked = retry_after(headers)
    if asked is None:
        remaining, reset = allowance(headers)
        asked = reset if remaining in (0, None) else None
    return asked


def backoff(failures: int) -> float:
    """Give the seconds before the next try, with full jitter, where the service names none."""
    return random.uniform(0, min(LONGEST_BACKOFF, FIRST_BACKOFF * 2.0 ** min(failures, 16)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After, in seconds or as a date; None where it is missing, past or absurd."""
    from email.utils import parsedate_to_datetime

    text = headers.get("retry-after", "").strip()
    try:
        delay = float(text) if _is_number(text) else parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return delay if 0 <= delay <= ABSURD else None


def allowance(headers: Mapping[str, str]) -> tuple[int | None, float | None]:
    """Read how many requests remain and in how many seconds the count starts anew; None where not said."""
    for prefix in LIMITS:
        remaining, reset = headers.get(f"{prefix}-remaining", ""), headers.get(f"{prefix}-reset", "")
        if remaining or reset:
            seconds = float(reset) - time.time() if _is_number(reset) else -1.0
            return (
                int(remaining) if _is_number(remaining) else None,
                seconds if 0 < seconds <= ABSURD else None,
            )
    return None, None


def _is_number(text: str) -> bool:
    """Tell whether a header holds a number, and not one without end."""
    return text.isascii() and text.isdigit() and len(text) < MOST_DIGITS


def clock_hint(headers: Mapping[str, str]) -> str:
    """Say how far this machine's clock is from the service's, where an answer tells the time."""
    from email.utils import parsedate_to_datetime

    try:
        apart = abs(parsedate_to_datetime(headers.get("date", "")).timestamp() - time.time())
    except (ValueError, OverflowError):
        apart = 0.0
    away = f": it is {apart:,.0f} s away from the service's" if apart > FAR_APART else ""
    return f"set the clock of this machine{away}"
