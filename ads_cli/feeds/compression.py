"""Decompress streams of any kind of compression, within limits of size and memory."""

import io
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..errors import AdsctlError, ContentError
from . import MAX_DECOMPRESSED_BYTES, MAX_RATIO, MIN_JUDGED_BYTES
from .decoding import PIECE_BYTES, PieceStream
from .locations import spooled

if TYPE_CHECKING:
    import zipfile

    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
INPUT_BYTES = 64 * 1024
MIN_JUDGED_STREAMS = 10_000
MIN_STREAM_BYTES = 1000  # on average; those of bgzip have 64 KB
MAX_DIRECTORY_BYTES = 1024 * 1024  # of a zip archive: some 10,000 files
MAX_XZ_MEMORY = 256 * 1024**2  # four times what `xz -9` asks for


class Compression(NamedTuple):
    """A kind of compression."""

    name: str
    extensions: tuple[str, ...]
    magic: re.Pattern[bytes]
    new: Callable[[], Any] | None  # gives a decompressor of one stream; None for an archive


class _Streams:
    """Compressed streams, one after the other, decompressed a piece at a time."""

    def __init__(self, raw: "Buffered", new: Callable[[], Any], label: str) -> None:
        self._raw = raw
        self._new = new
        self._label = label
        self._count = self._size = 0  # of the streams that ended, and of what was in them
        self._decompressor = new()
        self._begun = False  # whether the current stream has had input
        self._pending = b""  # read after the end of the last stream

    def read1(self, size: int) -> bytes:
        """Decompress at most `size` bytes; none at the end."""
        while True:
            if self._decompressor.eof:
                self._pending = self._decompressor.unused_data
                self._count += 1
                self._refuse_empty_streams()
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
                self._size += len(content)
                return bytes(content)

    def _refuse_empty_streams(self) -> None:
        """Raise ContentError for streams with next to nothing in them, each of which takes time."""
        if self._count > MIN_JUDGED_STREAMS and self._size < self._count * MIN_STREAM_BYTES:
            message = f"{self._label} consists of more than {MIN_JUDGED_STREAMS:,} compressed parts"
            message = f"{message} of fewer than {MIN_STREAM_BYTES:,} bytes each, as no feed does"
            raise ContentError(message, hint="decompress it, and compress it again as a whole")


class _GzipDecompressor:
    """Decompress one member of gzip; this has the attributes of the other decompressors."""

    def __init__(self) -> None:
        import zlib

        self._inflate = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def eof(self) -> bool:
        return self._inflate.eof

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inflate.unused_data

    def decompress(self, data: bytes, size: int) -> bytes:
        return self._inflate.decompress(self._inflate.unconsumed_tail + data, size)


def _bunzip2() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _unxz() -> Any:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, MAX_XZ_MEMORY)


def _unzstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor
    return ZstdDecompressor()


COMPRESSIONS = (
    Compression("gzip", (".gz",), re.compile(rb"\x1f\x8b"), _GzipDecompressor),
    Compression("bzip2", (".bz2",), re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)"), _bunzip2),
    Compression("xz", (".xz",), re.compile(rb"\xfd7zXZ\0"), _unxz),
    Compression("zstd", (".zst", ".zstd"), re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _unzstd),
    Compression("zip", (".zip",), re.compile(rb"PK(\x03\x04|\x05\x06)"), None),
)
COMPRESSED_EXTENSIONS = tuple(extension for kind in COMPRESSIONS for extension in kind.extensions)
WRITTEN_EXTENSION = ".gz"  # the only compression that is written


MAX_LAYERS = 3  # compressed by the shop, and again on its way
IN_EVERY_WORKBOOK = "[Content_Types].xml"  # an xlsx file is a zip archive itself


class Decompressed(NamedTuple):
    """The decompressed content of a stream, and the name of the file in a zip archive."""

    stream: "Buffered"
    member: str = ""


def decompressed(raw: PieceStream, label: str) -> Decompressed:
    """Decompress a stream as often as it is compressed; raise ContentError if nothing is in it."""
    stream: Buffered = io.BufferedReader(raw, BUFFER_BYTES)
    member, layers = "", 0
    while compression := _compression_of(stream):
        layers += 1
        if layers > MAX_LAYERS:
            message = f"{label} is compressed more than {MAX_LAYERS} times"
            raise ContentError(message, hint="give the decompressed file")
        layer = _Layer(stream, compression, label)
        stream, member = io.BufferedReader(layer, BUFFER_BYTES), layer.member or member
        if layer.is_workbook:
            break
    if not stream.peek(1):
        raise ContentError(f"{label} is empty")
    return Decompressed(stream, member)


def _compression_of(stream: "Buffered") -> Compression | None:
    head = stream.peek(16)
    return next((compression for compression in COMPRESSIONS if compression.magic.match(head)), None)


class _Layer(PieceStream):
    """The content of a compressed stream. Raise ContentError if it is damaged or a decompression bomb."""

    is_workbook = False
    member = ""

    def __init__(self, compressed: "Buffered", compression: Compression, label: str) -> None:
        super().__init__(self._decompressed_pieces())
        self._label = label
        self._kind = compression.name
        self._input = compressed.raw
        try:
            new = compression.new
            self._file = _Streams(compressed, new, label) if new else self._open_zip(compressed)
        except Exception as error:
            raise self._explain(error) from None

    def _decompressed_pieces(self) -> Iterator[bytes]:
        size = 0
        try:
            while content := self._file.read1(PIECE_BYTES):
                size += len(content)
                if size > MIN_JUDGED_BYTES:
                    self._refuse_bomb(size)
                yield content
        except Exception as error:
            raise self._explain(error) from None

    def _open_zip(self, stream: "Buffered") -> Any:
        """Open the one file of an archive, beside folders and the files that file managers add."""
        import zipfile

        copy = spooled(stream, self._label)  # a zip archive is read from its end
        reader = _Archive(cast(Any, copy))
        archive = zipfile.ZipFile(reader)
        if IN_EVERY_WORKBOOK in archive.namelist():
            self.is_workbook = True
            reader.detach()  # which would close the copy when it is collected
            copy.seek(0)
            return io.BufferedReader(copy)
        files = [
            member for member in archive.infolist() if not (member.is_dir() or _is_of_file_manager(member))
        ]
        if len(files) != 1:
            names = ", ".join(repr(member.filename) for member in files[:5])
            message = f"the zip archive contains {len(files)} files{': ' if names else ''}{names}"
            hint = "a feed is a single file; unpack it and name one"
            raise ContentError(f"{self._label}: {message}", hint=hint)
        (file,) = files
        if file.flag_bits & 1:
            message = f"{self._label}: {file.filename!r} in the zip archive is encrypted"
            raise ContentError(message, hint="unpack it first")
        self.member = file.filename
        return archive.open(file)

    def _refuse_bomb(self, size: int) -> None:
        if size > MAX_DECOMPRESSED_BYTES:
            excess = f"more than {MAX_DECOMPRESSED_BYTES:,} bytes"
        elif size > MAX_RATIO * self._input.size:
            excess = f"more than {MAX_RATIO:,} times its size, as no feed does"
        else:
            return
        hint = "if it is a feed all the same, give the decompressed file"
        raise ContentError(f"{self._label} decompresses to {excess}", hint=hint)

    def _explain(self, error: Exception) -> AdsctlError:
        """Make the error of a failed step; decompressors raise errors of many types."""
        if isinstance(error, AdsctlError):
            return error
        reason = str(error) or type(error).__name__
        return ContentError(
            f"{self._label} is not a complete {self._kind} file: {reason}", hint="compress it again"
        )


class _Archive(io.BufferedReader):
    """A zip archive whose directory, which is read at once, is limited: each entry takes time."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes; raise ValueError for more than a directory has."""
        if size and size > MAX_DIRECTORY_BYTES:
            raise ValueError(f"its list of files has more than {MAX_DIRECTORY_BYTES:,} bytes")
        return super().read(size)


def _is_of_file_manager(file: "zipfile.ZipInfo") -> bool:
    """Tell whether macOS or Windows has added a file by itself."""
    name = file.filename.rpartition("/")[2]
    added = name.startswith("._") or name.lower() in (".ds_store", "thumbs.db", "desktop.ini")
    return added or file.filename.startswith("__MACOSX/")
