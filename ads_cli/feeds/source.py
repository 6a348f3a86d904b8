"""A file that is read twice, and is the same both times."""

import codecs
import hashlib
import io
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from ..errors import ContentError, UsageError
from .formats import FORMATS, format_of

BLOCK = 1024 * 1024
GZIP = b"\x1f\x8b"
UTF_8 = "utf-8"


class Source:
    """The content of a bulk file: each `stream()` is a new reading, and every one gives the same bytes."""

    def __init__(self, file: BinaryIO, name: str, format: str, encoding: str = UTF_8) -> None:
        self.name = name
        self.format = format
        self.encoding = encoding
        self.size = file.seek(0, os.SEEK_END)
        self.position = 0  # bytes read in the current reading
        self.digest = ""  # sha256 of the whole, once it has been read
        self._file = file
        self._prints: list[bytes] = []  # of all up to each block's end, from the first reading

    @classmethod
    def open(cls, name: str, format: str | None = None, encoding: str = UTF_8) -> "Source":
        """Open a file, or standard input for `-`; raise UsageError where it cannot be opened."""
        if format is not None and format not in FORMATS:
            raise UsageError(f"--format: {format!r} is not one of {', '.join(FORMATS)}")
        _known(encoding)
        if name == "-":
            if format is None:
                raise UsageError(
                    "standard input has no name that tells its format",
                    hint=f"add --format {'|'.join(FORMATS)}",
                )
            return cls(_spooled(sys.stdin.buffer), "standard input", format, encoding)
        try:
            file: BinaryIO = Path(name).open("rb")  # noqa: SIM115 - open for the second reading
            if not file.seekable():
                file = _spooled(file)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"{name} cannot be opened: {reason}", hint="check the path and its permissions"
            ) from None
        return cls(file, name, format or format_of(name), encoding)

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> "Source":
        """Make a source of values that were typed."""
        values = list(lines)
        if broken := [value for value in values if len(value.splitlines()) != 1]:
            raise UsageError(f"{broken[0]!r} is not one value: it is empty or holds a line break")
        content = "".join(f"{value}\n" for value in values).encode(errors="replace")
        return cls(io.BytesIO(content), "command line", "lines")

    def stream(self) -> BinaryIO:
        """Begin a reading: decompressed bytes of UTF-8, whatever the file is made of."""
        self.position = 0
        raw: BinaryIO = io.BufferedReader(_Fingerprinted(self), BLOCK)
        if cast(Any, raw).peek(2)[:2] == GZIP:
            raw = cast(BinaryIO, io.BufferedReader(_Unzipped(raw, self.name), BLOCK))
        start = cast(Any, raw).peek(4)[:4]
        if not start:
            raise ContentError(f"{self.name} is empty")
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return _transcoded(raw, "utf-16", self.name)
        if start.startswith(codecs.BOM_UTF8):
            raw.read(len(codecs.BOM_UTF8))
        elif codecs.lookup(self.encoding).name != UTF_8:
            return _transcoded(raw, self.encoding, self.name)
        return raw

    def read_block(self, number: int, sha: Any) -> bytes:
        """Read one raw block; raise ContentError where it is not what the first reading saw.

        `sha` has taken in all blocks before it.
        """
        try:
            self._file.seek(number * BLOCK)
            block = self._file.read(BLOCK)
        except OSError as error:
            raise UsageError(f"{self.name} cannot be read: {error.strerror}") from error
        self.position += len(block)
        sha.update(block)
        if not self.digest:
            self._prints.append(sha.digest())
            self.digest = "" if block else sha.hexdigest()  # which ends with an empty block
        elif number >= len(self._prints) or self._prints[number] != sha.digest():
            raise ContentError(
                f"{self.name} changed while it was being read",
                hint="nothing of the change was sent; push it again",
            )
        return block


class _Fingerprinted(io.RawIOBase):
    """The raw bytes of a source, compared with the first reading before they are given out."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._sha = hashlib.sha256()
        self._number = 0
        self._rest = memoryview(b"")
        self._ended = False
        if source._prints and not source.digest:  # the first reading was left before its end
            source._prints.clear()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest and not self._ended:
            block = self._source.read_block(self._number, self._sha)
            self._number += 1
            self._ended = not block
            self._rest = memoryview(block)
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


class _Unzipped(io.RawIOBase):
    """The content of a gzip file; what is broken is told in words."""

    def __init__(self, raw: IO[bytes], name: str) -> None:
        import gzip

        self._file = gzip.GzipFile(fileobj=raw)
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zlib

        try:
            content = self._file.read1(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise ContentError(f"{self._name} is not whole gzip: {error}", hint="compress it again") from None
        buffer[: len(content)] = content
        return len(content)


class _Transcoded(io.RawIOBase):
    """UTF-8 made of another encoding."""

    def __init__(self, raw: BinaryIO, encoding: str, name: str) -> None:
        self._text = io.TextIOWrapper(raw, encoding=encoding, newline="")
        self._name = name
        self._encoding = encoding
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            try:
                self._rest = self._text.read(64 * 1024).encode()
            except UnicodeError as error:
                raise ContentError(f"{self._name} is not {self._encoding}: {error}") from None
        content, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(content)] = content
        return len(content)


def _transcoded(raw: BinaryIO, encoding: str, name: str) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Transcoded(raw, encoding, name), BLOCK))


def _spooled(pipe: BinaryIO) -> BinaryIO:
    """Copy what can be read only once to a file without a name."""
    import shutil

    file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - open for both readings
    shutil.copyfileobj(pipe, file)
    return file


def _known(encoding: str) -> None:
    try:
        # `lookup` alone would let `hex` pass, which does not make text of bytes.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise UsageError(f"--encoding: {encoding!r} is no encoding", hint="as in cp1252 or latin-1") from None
