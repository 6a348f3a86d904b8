"""Decode a stream of bytes, and limit the memory that a library takes to decode a file."""

import codecs
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from ..errors import ContentError, UsageError

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
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


class _Transcoded(io.RawIOBase):
    """A stream in another encoding, as UTF-8."""

    def __init__(self, raw: BinaryIO, encoding: str, label: str) -> None:
        self._raw = raw
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._label = label
        self._encoding = encoding
        self._line = 1
        self._ended = False
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._pending and not self._ended:
            raw = self._raw.read(64 * 1024)
            self._ended = not raw
            try:
                self._pending = self._decoder.decode(raw, self._ended).encode()
            except UnicodeError as error:
                raise self._explain(error) from None
            self._line += self._pending.count(b"\n")
        content, self._pending = self._pending[: len(buffer)], self._pending[len(buffer) :]
        buffer[: len(content)] = content
        return len(content)

    def _explain(self, error: UnicodeError) -> ContentError:
        """Make the error of bytes that are not in the encoding; name their line."""
        line = self._line
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].decode(self._encoding, "ignore").count("\n")
        reason = getattr(error, "reason", error)
        return ContentError(
            f"{self._label}:{line}: not {self._encoding}: {reason}", hint="name its --encoding"
        )


def _transcoded(raw: BinaryIO, encoding: str, label: str) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Transcoded(raw, encoding, label), BUFFER_BYTES))


STATISTICS = Path("/proc/self/statm")  # its first number is the size of this process, in pages


@contextmanager
def memory_limit(size: int) -> Iterator[None]:
    """Let this process grow by `size` bytes; what asks for more gets none, and fails."""
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = int(STATISTICS.read_text().split()[0]) * resource.getpagesize() + size
    known = [each for each in (soft, hard) if each != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min([limit, *known]), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
