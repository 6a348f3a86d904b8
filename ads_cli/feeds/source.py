"""An input file that can be read repeatedly; raise ContentError if it changed in between."""

import hashlib
import io
import os
import re
from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from ..errors import ContentError, UsageError
from . import MAX_SHEET_ROWS
from .decoding import UTF_8, as_utf_8, decompressed
from .locations import Location
from .registry import FeedFormat

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

NAMED_FILES = 3  # the most that a label names
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


BLOCK_BYTES = 1024 * 1024


class ReadOptions(NamedTuple):
    """What a person says about a file of certain formats."""

    record: str | None = None  # the element of XML that is a record
    sheet: str | None = None  # name or number, from 1, of the sheet of a workbook
    max_rows: int = MAX_SHEET_ROWS  # of a workbook

    @property
    def of_content(self) -> dict[str, str]:
        """Return what decides which rows are read."""
        named = {"record": self.record, "sheet": self.sheet}
        return {name: value for name, value in named.items() if value is not None}


class Feed:
    """Where rows come from: one file, or several that are read as one."""

    def __init__(
        self, locations: Sequence[Location], format_name: str, encoding: str, options: ReadOptions, size: int
    ) -> None:
        self.locations = locations
        self.format_name = format_name  # of several files, all that they have
        self.encoding = encoding
        self.options = options
        self.size = size  # raw bytes
        self.digest = ""  # identifies the content, after the first complete reading

    @property
    def label(self) -> str:
        """Name it in messages."""
        return _listed([location.label for location in self.locations])

    @property
    def identity(self) -> str:
        """Name it in jobs and journals."""
        return _listed([location.identity for location in self.locations])

    @property
    def origin(self) -> str:
        """Identify it from run to run, whatever the working folder."""
        return "\n".join(location.origin for location in self.locations)

    def is_same_file(self, path: str) -> bool:
        """Tell whether `path` is a file that is read, so that writing it would destroy the input."""
        return any(location.is_same_file(path) for location in self.locations)


def _listed(names: Sequence[str]) -> str:
    """Name the first files, and count the others."""
    if len(names) <= NAMED_FILES:
        return ", ".join(names)
    return f"{', '.join(names[:NAMED_FILES])} and {len(names) - NAMED_FILES} more files"


class Source(Feed):
    """The content of a location: every `stream()` reads it from the beginning and gives the same bytes."""

    def __init__(
        self,
        location: Location,
        format: FeedFormat,
        encoding: str = UTF_8,
        options: ReadOptions = ReadOptions(),  # noqa: B008 - it cannot change
    ) -> None:
        self._file = location.open()
        super().__init__([location], format.name, encoding, options, self._file.seek(0, os.SEEK_END))
        self.location = location
        self.format = format
        self.notes: list[str] = []  # remarks about how it is read
        self.position = 0  # raw bytes of the current reading
        self._digests: list[bytes] = []  # of everything up to each block's end, from the first reading

    def read_as(self, format: FeedFormat) -> None:
        """Read it in another format than its name says."""
        self.format, self.format_name = format, format.name

    def encoded(self, encoding: str) -> "Source":
        """Return the same file, read in an encoding."""
        if encoding == self.encoding:
            return self
        other = copy(self)
        other.encoding = encoding
        return other

    def stream(self) -> BinaryIO:
        """Read from the beginning: decompressed and, unless the format decodes by itself, as UTF-8."""
        self.position = 0
        raw = decompressed(_VerifiedReader(self), self.label).stream
        stream = io.BufferedReader(FewBlankLines(raw, self.label, self._line_at), BUFFER_BYTES)
        return stream if self.format.decodes else as_utf_8(stream, self.encoding, self.label)

    def _line_at(self, position: int) -> int:
        """Return the number of the line at a position in the decompressed bytes, of a text."""
        before = decompressed(_VerifiedReader(self), self.label).stream
        parts = (before.read(min(BUFFER_BYTES, position - at)) for at in range(0, position, BUFFER_BYTES))
        return 1 + sum(part.count(b"\n") for part in parts)

    def head(self, size: int) -> tuple[bytes, str]:
        """Read the first decompressed bytes; return them with the name of the file in a zip archive."""
        stream, member = decompressed(_VerifiedReader(self), self.label)
        return stream.read(size), member

    def read_block(self, number: int, sha: Any) -> bytes:
        """Read a raw block; raise ContentError if it differs from the first reading.

        `sha` has hashed all blocks before it.
        """
        try:
            self._file.seek(number * BLOCK_BYTES)
            block = self._file.read(BLOCK_BYTES)
        except OSError as error:
            raise UsageError(f"{self.label} cannot be read: {error.strerror}") from error
        self.position += len(block)
        sha.update(block)
        if not self.digest:
            self._digests.append(sha.digest())
            self.digest = "" if block else sha.hexdigest()  # an empty block is the end
        elif number >= len(self._digests) or self._digests[number] != sha.digest():
            raise ContentError(
                f"{self.label} changed while it was being read",
                hint="nothing of the change was sent; push it again",
            )
        return block

    def close(self) -> None:
        """Close the file; nothing can be read from then on."""
        self._file.close()

    def forget_incomplete_reading(self) -> None:
        """Discard the digests of a first reading that stopped before the end."""
        if not self.digest:
            self._digests.clear()


class _VerifiedReader(io.RawIOBase):
    """The raw bytes of a source, each block compared with the first reading before it is returned."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._sha = hashlib.sha256()
        self._next_block = 0
        self._pending = memoryview(b"")
        self._ended = False
        source.forget_incomplete_reading()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._pending and not self._ended:
            block = self._source.read_block(self._next_block, self._sha)
            self._next_block += 1
            self._ended = not block
            self._pending = memoryview(block)
        count = min(len(buffer), len(self._pending))
        buffer[:count] = self._pending[:count]
        self._pending = self._pending[count:]
        return count
