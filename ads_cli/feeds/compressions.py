"""The kinds of compression: names, extensions, first bytes, and how each is decompressed."""

import io
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    Buffered = io.BufferedReader[Any]

INPUT_BYTES = 64 * 1024
MAX_XZ_MEMORY = 256 * 1024**2  # four times what `xz -9` asks for


class Compression(NamedTuple):
    """A kind of compression."""

    name: str
    extensions: tuple[str, ...]
    magic: re.Pattern[bytes]
    open: "Callable[[Buffered], Any] | None"  # gives a file with `read1`; None for an archive


class _Streams:
    """Compressed streams, one after the other, decompressed a piece at a time."""

    def __init__(self, raw: "Buffered", new: Callable[[], Any]) -> None:
        self._raw = raw
        self._new = new
        self._decompressor = new()
        self._begun = False  # whether the current stream has had input
        self._pending = b""  # read after the end of the last stream

    def read1(self, size: int) -> bytes:
        """Decompress at most `size` bytes; none at the end."""
        while True:
            if self._decompressor.eof:
                self._pending = self._decompressor.unused_data
                self._decompressor, self._begun = self._new(), False
            data = b""
            if self._decompressor.needs_input:
                data, self._pending = self._pending or self._raw.read1(INPUT_BYTES), b""
                if not data and self._begun:
                    raise EOFError("it is cut off")
                if not data:
                    return b""
                if not self._begun and not (data := data.lstrip(b"\0")):
                    continue  # padding between streams
                self._begun = True
            if content := self._decompressor.decompress(data, size):
                return bytes(content)


def _gunzip(raw: "Buffered") -> Any:
    import gzip

    return gzip.GzipFile(fileobj=raw)


def _bunzip2(raw: "Buffered") -> Any:
    import bz2

    return _Streams(raw, bz2.BZ2Decompressor)


def _unxz(raw: "Buffered") -> Any:
    import lzma

    return _Streams(raw, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_XZ_MEMORY))


def _unzstd(raw: "Buffered") -> Any:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return _Streams(raw, ZstdDecompressor)


COMPRESSIONS = (
    Compression("gzip", (".gz",), re.compile(rb"\x1f\x8b"), _gunzip),
    Compression("bzip2", (".bz2",), re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _bunzip2),
    Compression("xz", (".xz",), re.compile(rb"\xfd7zXZ\0"), _unxz),
    Compression("zstd", (".zst", ".zstd"), re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _unzstd),
    Compression("zip", (".zip",), re.compile(rb"PK(\x03\x04|\x05\x06)"), None),
)
COMPRESSED_EXTENSIONS = tuple(extension for each in COMPRESSIONS for extension in each.extensions)
WRITTEN_EXTENSION = ".gz"  # the only compression that is written
