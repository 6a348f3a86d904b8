"""An input file that can be read repeatedly; raise ContentError if it changed in between."""

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from copy import copy
from typing import BinaryIO, NamedTuple
from weakref import finalize

from ..errors import ContentError, UsageError
from . import MAX_SHEET_ROWS
from .compression import Decompressed, decompressed
from .decoding import UTF_8, PieceStream, as_utf_8, check_not_utf_8, few_blank_lines
from .locations import Location
from .registry import FeedFormat

NAMED_FILES = 3  # the most that a label names
BLOCK_BYTES = 1024 * 1024


class ReadOptions(NamedTuple):
    """What a person says about a file of certain formats."""

    record: str | None = None  # the element of XML that is a record
    sheet: str | None = None  # name or number, from 1, of the sheet of a workbook
    max_rows: int = MAX_SHEET_ROWS  # of a workbook
    format: str | None = None  # that was named

    @property
    def of_content(self) -> dict[str, str]:
        """Return what decides which rows are read."""
        named = {"record": self.record, "sheet": self.sheet}
        return {name: value for name, value in named.items() if value is not None}


class Feed:
    """Where rows come from: one file, or several that are read as one."""

    named: Sequence[Location] = ()  # as patterns name them, where there are any
    may_name_encoding = True  # whether the command has --encoding

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
        """Name it in jobs."""
        return _listed([location.identity for location in self.locations])

    @property
    def origin(self) -> str:
        """Identify it from run to run, whatever the working folder and the files that a pattern matches."""
        return "\n".join(location.origin for location in self.named or self.locations)

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
        finalize(self, self._file.close)  # a program that imports this goes on after the command
        super().__init__([location], format.name, encoding, options, self._file.seek(0, os.SEEK_END))
        self.location = location
        self.format = format
        self.notes: list[str] = []  # remarks about how it is read
        self._opened_by: Source | None = None  # which keeps the file open
        self._digests: list[bytes] = []  # of the content up to the end of each block; [] until all was read

    def read_as(self, format: FeedFormat) -> None:
        """Read it in another format than its name says."""
        self.format, self.format_name = format, format.name

    def encoded(self, encoding: str) -> "Source":
        """Return the same file, read in an encoding."""
        if encoding == self.encoding:
            return self
        other = copy(self)
        other._opened_by = self
        other.encoding, other.notes = encoding, [*self.notes]
        other.check_encoding(encoding)
        return other

    def check_encoding(self, encoding: str, hint: str = "add --encoding utf-8") -> None:
        """Raise ContentError where the content is UTF-8, and another encoding was named."""
        check_not_utf_8(self.raw(), encoding, self.label, hint)

    def raw(self) -> BinaryIO:
        """Read the decompressed bytes from the beginning, in whichever encoding."""
        return self._decompressed().stream

    def stream(self) -> BinaryIO:
        """Read from the beginning: decompressed and, unless the format decodes by itself, as UTF-8."""
        pieces = few_blank_lines(self._decompressed().stream, self.label, self._line_at)
        stream = io.BufferedReader(PieceStream(pieces), BLOCK_BYTES)
        return stream if self.format.is_self_describing else as_utf_8(stream, self.encoding, self.label)

    def _line_at(self, position: int) -> int:
        """Return the number of the line at a position in the decompressed bytes, of a text."""
        before = self.raw()
        parts = (before.read(min(BLOCK_BYTES, position - at)) for at in range(0, position, BLOCK_BYTES))
        return 1 + sum(part.count(b"\n") for part in parts)

    def head(self, size: int) -> tuple[bytes, str]:
        """Read the first decompressed bytes; return them with the name of the file in a zip archive."""
        stream, member = self._decompressed()
        return stream.read(size), member

    def _decompressed(self) -> Decompressed:
        return decompressed(PieceStream(self._verified_blocks()), self.label)

    def _verified_blocks(self) -> Iterator[bytes]:
        """Yield the raw bytes, each block verified before; several readings may be open at once."""
        sha, digests = hashlib.sha256(), list[bytes]()
        while True:
            block = self._read_block(len(digests))
            sha.update(block)
            digests.append(sha.digest())
            self._verify(digests, is_end=not block)
            if not block:
                return
            yield block

    def _read_block(self, number: int) -> bytes:
        """Read a raw block; an empty one is the end."""
        try:
            self._file.seek(number * BLOCK_BYTES)
            return self._file.read(BLOCK_BYTES)
        except OSError as error:
            raise UsageError(f"{self.label} cannot be read: {error.strerror}") from error

    def _verify(self, digests: list[bytes], *, is_end: bool) -> None:
        """Compare a reading with the first that was complete; raise ContentError where they differ.

        `digests` are those of the content up to the end of each block that was read so far.
        """
        if not self._digests:
            if is_end:
                self._digests, self.digest = digests, digests[-1].hex()
        elif digests[-1:] != self._digests[len(digests) - 1 : len(digests)]:
            raise ContentError(
                f"{self.label} changed while it was being read",
                hint="nothing of the change was sent; push it again",
            )

    def close(self) -> None:
        """Close the file; nothing can be read from then on."""
        self._file.close()
