"""Cut a stream of bytes into lines, within limits of length and time."""

from collections.abc import Iterator

from .event import MAX_EVENT_BYTES

LINE_TIMEOUT_SECONDS = 20.0  # that a line may take, once it has begun: a heartbeat would be due


class StalledLineError(Exception):
    """A line has begun, and does not end."""


class TooLongLine:
    """Stands for a line that was too long to be kept."""


class LineCutter:
    """Cuts bytes into lines; `now` is in monotonic seconds."""

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._begun = bytearray()
        self._max_bytes = max_bytes
        self._is_dropped = False  # whether the line that has begun is too long
        self._begun_at: float | None = None

    def feed(self, chunk: bytes, now: float) -> Iterator[bytes | TooLongLine]:
        """Yield the lines that a chunk ends; raise StalledLineError for one that does not end in time."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._add(piece)
            yield TooLongLine() if self._is_dropped else bytes(self._begun).rstrip(b"\r")
            self._begun.clear()
            self._is_dropped, self._begun_at = False, None
        self._add(rest)
        if not (self._begun or self._is_dropped):
            self._begun_at = None
        elif self._begun_at is None:
            self._begun_at = now
        elif now - self._begun_at > LINE_TIMEOUT_SECONDS:
            raise StalledLineError

    def _add(self, piece: bytes) -> None:
        if len(self._begun) + len(piece) > self._max_bytes:
            self._is_dropped = True
        if self._is_dropped:
            self._begun.clear()
        else:
            self._begun += piece
