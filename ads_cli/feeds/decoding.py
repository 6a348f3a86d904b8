"""Decompress and decode a stream of bytes."""

import codecs
import io
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from ..errors import ContentError, UsageError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
GZIP_MAGIC = b"\x1f\x8b"
UTF_8 = "utf-8"


def check_encoding(encoding: str) -> None:
    """Raise UsageError unless `encoding` is a text encoding."""
    try:
        # codecs.lookup also accepts codecs between bytes, such as hex.
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding: {encoding!r} is not a known encoding", hint="for example cp1252 or latin-1"
        ) from None


def decompressed(raw: io.RawIOBase, label: str) -> "Buffered":
    """Decompress a stream that begins like gzip; raise ContentError if nothing is in it."""
    stream: Buffered = io.BufferedReader(raw, BUFFER_BYTES)
    if stream.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
        stream = io.BufferedReader(_Gunzipped(stream, label), BUFFER_BYTES)
    if not stream.peek(1):
        raise ContentError(f"{label} is empty")
    return stream


def as_utf_8(stream: "Buffered", encoding: str, label: str) -> BinaryIO:
    """Convert a stream to UTF-8 without a byte order mark; a byte order mark outranks `encoding`."""
    start = stream.peek(4)[:4]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _transcoded(stream, "utf-16", label)
    if start.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    elif codecs.lookup(encoding).name != UTF_8:
        return _transcoded(stream, encoding, label)
    return cast(BinaryIO, stream)


class _Gunzipped(io.RawIOBase):
    """The content of a gzip stream; raise ContentError if it is damaged."""

    def __init__(self, raw: IO[bytes], label: str) -> None:
        import gzip

        self._file = gzip.GzipFile(fileobj=raw)
        self._label = label

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        import zlib

        try:
            content = self._file.read1(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise ContentError(
                f"{self._label} is not a complete gzip file: {error}", hint="compress it again"
            ) from None
        buffer[: len(content)] = content
        return len(content)


class _Transcoded(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, raw: BinaryIO, encoding: str, label: str) -> None:
        self._text = io.TextIOWrapper(raw, encoding=encoding, newline="")
        self._label = label
        self._encoding = encoding
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._pending:
            try:
                self._pending = self._text.read(64 * 1024).encode()
            except UnicodeError as error:
                raise ContentError(f"{self._label} is not {self._encoding}: {error}") from None
        content, self._pending = self._pending[: len(buffer)], self._pending[len(buffer) :]
        buffer[: len(content)] = content
        return len(content)


def _transcoded(raw: BinaryIO, encoding: str, label: str) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Transcoded(raw, encoding, label), BUFFER_BYTES))
