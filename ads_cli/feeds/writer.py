"""Write rows to a file in any writable format, so that the readers return the same rows."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import IO, Any

from .registry import FeedFormat, load


class RowWriter(ABC):
    """Writes rows to a text stream."""

    def __init__(self, stream: IO[str], columns: Sequence[str]) -> None:
        self.stream = stream
        self.columns = columns
        self.count = 0
        self._begin()

    def write(self, values: Mapping[str, Any]) -> None:
        """Write one row."""
        self._write(values)
        self.count += 1

    def close(self) -> None:  # noqa: B027 - most formats need no end
        """Complete the document; the stream stays open."""

    def _begin(self) -> None:  # noqa: B027 - most formats need no beginning
        """Write what precedes the first row."""

    @abstractmethod
    def _write(self, values: Mapping[str, Any]) -> None:
        """Write one row; `count` rows precede it."""


def open_writer(stream: IO[str], format: FeedFormat, columns: Sequence[str]) -> RowWriter:
    """Write rows with the writer of a format."""
    if format.writer is None:
        raise ValueError(f"{format.name} has no writer")
    writer: RowWriter = load(format.writer)(stream, columns)
    return writer
