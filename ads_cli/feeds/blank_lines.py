"""Refuse a run of blank lines that is longer than a feed has: a bomb, once it is decompressed."""

import io
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import ContentError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

MAX_BLANK_LINES = 1024 * 1024  # in a row, as many as a sheet of Excel has, which may write all of them
BUFFER_BYTES = 1024 * 1024
# A line of delimiters and empty quotes is blank in CSV; the zeros are those of UTF-16.
BLANK = re.compile(rb"""[ \t\r\n,;|"\0]*+""")


class FewBlankLines(io.RawIOBase):
    """The content of a stream; raise ContentError at too many blank lines in a row."""

    def __init__(self, stream: "Buffered", label: str, line_at: Callable[[int], int]) -> None:
        self._stream = stream
        self._label = label
        self._line_at = line_at  # the number of the line at a position
        self._size = 0  # bytes that have been read
        self._blank_lines = 0  # in the blocks up to here in which nothing else is
        self._begin = 0  # of these blocks, in bytes

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read a block; only blocks in which nothing else is are counted, so that others cost nothing."""
        size = self._stream.readinto1(buffer)
        with memoryview(buffer) as view, view[:size] as block:
            is_blank = BLANK.fullmatch(block)
            lines = bytes(block).count(b"\n") if is_blank else 0
        self._size += size
        if is_blank and size:
            self._blank_lines += lines
            if self._blank_lines > MAX_BLANK_LINES:
                raise self._error()
        else:
            self._blank_lines, self._begin = 0, self._size
        return size

    def _error(self) -> ContentError:
        line = self._line_at(self._begin)
        return ContentError(
            f"{self._label}:{line}: more than {MAX_BLANK_LINES:,} blank lines in a row",
            hint="remove them",
        )
