"""What a family of requests may still send, as far as the service's answers tell."""

from math import inf

from .rate_headers import Headers, seconds_until, stated

ROUNDING = 1  # seconds by which answers of one window may name its end apart
OLD = 60.0  # seconds that a window may have ended before its answer comes, or by a clock that is wrong
LATE = 0.05  # seconds that a window is given to end


class Quota:
    """Counts with the fewest requests that an answer of the present window left.

    Requests under way may not be part of that count yet, so that one more may go while fewer are under
    way than are left: then none is refused, in whatever order answers come. Once nothing is left and the
    window has ended, a single request goes ahead, and what it is told lets the others follow.
    """

    def __init__(self) -> None:
        self.left: int | None = None  # None: nobody said, or nobody is to be believed
        self._reset = 0  # the end of the window, in Unix seconds of the service
        self._until = 0.0  # the same on our monotonic clock
        self._held = 0.0  # a wait that was asked for, on the same clock

    def delay(self, flying: int, ahead: bool, now: float) -> float:
        """Give the seconds until one more may go beside those `flying`; infinite while an answer is due.

        `ahead` says that a request goes ahead of the others.
        """
        if now < self._held:
            return self._held - now
        if self.suffices(flying):
            return 0.0
        if now < self._until:
            return self._until - now
        return inf if ahead else 0.0

    def suffices(self, flying: int) -> bool:
        """Tell whether one more is covered by what is left."""
        return self.left is None or flying < self.left

    def is_used_up(self, now: float) -> bool:
        """Tell whether no answer that is due can let one more go."""
        return self.left == 0 or now < self._held

    def hold(self, until: float) -> None:
        """Let nothing go before `until`, and then one ahead of the others."""
        self.left = 0
        self._held = self._until = max(until, self._held)

    def learn(self, headers: Headers, begun: float, now: float, time: float) -> None:
        """Take in the answer to a request that began at `begun`; only `time` is in Unix seconds.

        What began after the end of the window is believed whatever it says, since it belongs to another.
        """
        remaining, reset = stated(headers)
        later = begun >= self._until
        if remaining is None or reset is None:
            if later:
                self.left = None
        elif later or reset > self._reset + ROUNDING:
            seconds = seconds_until(reset, headers, time)
            believed = seconds is not None and seconds > -OLD
            self.left = remaining if believed else None
            self._reset, self._until = reset, now + (seconds + LATE if seconds and seconds > 0 else 0.0)
        elif reset >= self._reset - ROUNDING and self.left is not None:
            self.left = min(self.left, remaining)
