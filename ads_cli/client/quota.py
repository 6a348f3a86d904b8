"""The quota of a route in the current rate-limit window, as far as responses state it."""

from math import inf

from .rate_headers import Headers, seconds_until, window_of

RESET_TOLERANCE_SECONDS = 1  # responses of one window may round its end differently
MAX_PAST_RESET_SECONDS = 60.0  # a reset further in the past is not a current window
RESET_MARGIN_SECONDS = 0.05  # added to a reset, for the service to start its next window


class Quota:
    """Tracks the smallest remaining count that a response of the current window stated.

    The count may not yet include requests in flight, so another request is sent only while fewer are
    in flight than remain: none is rejected, in whatever order responses arrive. Once nothing remains
    and the window has ended, a single probe is sent; its response lets the others follow.
    """

    def __init__(self) -> None:
        self.remaining: int | None = None  # None: not stated, or not credible
        self.is_stated = False  # by the headers of the last response of the current window
        self.limit: int | None = None  # of a window, as it was stated last
        self.end_is_stated = False  # of the window, or of the pause
        self._reset = 0  # end of the window, in Unix seconds of the service
        self._ends_at = 0.0  # the same in monotonic seconds
        self._paused_until = 0.0  # monotonic seconds

    def delay(self, in_flight: int, probing: bool, now: float) -> float:
        """Return the seconds until another request may be sent; infinite until a response arrives."""
        if now < self._paused_until:
            return self._paused_until - now
        if self.covers(in_flight):
            return 0.0
        if now < self._ends_at:
            return self._ends_at - now
        return inf if probing else 0.0

    def covers(self, in_flight: int) -> bool:
        """Whether the quota allows one request beside those in flight."""
        return self.remaining is None or in_flight < self.remaining

    def is_exhausted(self, now: float) -> bool:
        """Whether only the end of the window can allow another request, no response in flight can."""
        return self.remaining == 0 or now < self._paused_until

    def pause(self, until: float, *, is_stated: bool) -> None:
        """Send nothing before `until` (monotonic seconds), and then a probe."""
        self.remaining, self.end_is_stated = 0, is_stated
        self._paused_until = self._ends_at = max(until, self._paused_until)

    def update(self, headers: Headers, sent_at: float, now: float, unix_now: float) -> None:
        """Update the quota from the headers of a response. `sent_at` and `now` are monotonic seconds.

        The response to a request sent after the end of the window belongs to a new window and always counts.
        """
        remaining, reset, limit = window_of(headers)
        self.limit = limit or self.limit
        is_new_window = sent_at >= self._ends_at
        if remaining is None or reset is None:
            if is_new_window:
                self.remaining, self.is_stated = None, False
        elif is_new_window or reset > self._reset + RESET_TOLERANCE_SECONDS:
            seconds = seconds_until(reset, headers, unix_now)
            is_credible = seconds is not None and seconds > -MAX_PAST_RESET_SECONDS
            self.remaining = remaining if is_credible else None
            self.is_stated = self.end_is_stated = is_credible
            self._reset = reset
            self._ends_at = now + (seconds + RESET_MARGIN_SECONDS if seconds and seconds > 0 else 0.0)
        elif reset >= self._reset - RESET_TOLERANCE_SECONDS and self.remaining is not None:
            self.remaining = min(self.remaining, remaining)
