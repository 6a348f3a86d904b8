"""When the operations of an attempt must have ended."""

from math import inf
from time import monotonic

from .http_core import httpcore


class Deadline:
    """When the operations of an attempt must have ended, in monotonic seconds.

    `--timeout` limits connecting, writing a piece of the body, the head of a response as a whole, and each
    read of its body. All of them end with the attempt, which has what is left of `--max-wait`.
    """

    def __init__(self) -> None:
        self._attempt = self._head = inf

    def start(self, ends_at: float) -> None:
        """Begin an attempt."""
        self._attempt, self._head = ends_at, inf

    def expect_head(self, timeout: float) -> None:
        """Begin to wait for a response, after something was written."""
        self._head = monotonic() + timeout

    def end_head(self) -> None:
        """Begin to read a body."""
        self._head = inf

    def left(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
        """Return the seconds that the next operation may take; raise `error` if there are none."""
        seconds = min(inf if timeout is None else timeout, min(self._attempt, self._head) - monotonic())
        if seconds <= 0:
            raise error("the response arrives too slowly")
        return seconds
