"""Decompress a stream by its content: gzip, bzip2, xz, zstandard, or zip with one file in it."""

import io
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import AdsctlError, ContentError
from .compressions import COMPRESSIONS, Compression
from .limits import MAX_DECOMPRESSED_BYTES, MAX_RATIO, MIN_JUDGED_BYTES
from .locations.location import spooled

if TYPE_CHECKING:
    import zipfile

    Buffered = io.BufferedReader[Any]

BUFFER_BYTES = 1024 * 1024
MAX_LAYERS = 3  # compressed by the shop, and again on its way
IN_EVERY_WORKBOOK = "[Content_Types].xml"  # an xlsx file is a zip archive itself


class Decompressed(NamedTuple):
    """The decompressed content of a stream, and the name of the file in a zip archive."""

    stream: "Buffered"
    member: str = ""


class DamagedArchiveError(Exception):
    """An archive whose content cannot be a feed."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def decompressed(raw: io.RawIOBase, label: str) -> Decompressed:
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
    return next((each for each in COMPRESSIONS if each.magic.match(head)), None)


class _Layer(io.RawIOBase):
    """The content of a compressed stream; raise ContentError if it is damaged, or a bomb."""

    is_workbook = False
    member = ""

    def __init__(self, raw: "Buffered", compression: Compression, label: str) -> None:
        self._label = label
        self._kind = compression.name
        self._input = _Counted(raw)
        self._size = 0
        try:
            counted = io.BufferedReader(self._input, BUFFER_BYTES)
            self._file = compression.open(counted) if compression.open else self._open_zip(counted)
        except Exception as error:
            raise self._explain(error) from None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            content: bytes = self._file.read1(len(buffer))
        except Exception as error:
            raise self._explain(error) from None
        self._size += len(content)
        if self._size > MIN_JUDGED_BYTES:
            self._refuse_bomb()
        buffer[: len(content)] = content
        return len(content)

    def _open_zip(self, stream: "Buffered") -> Any:
        """Open the one file of an archive; folders, and what macOS adds, are no files of the shop."""
        import zipfile

        copy = spooled(stream, self._label)  # a zip archive is read from its end
        archive = zipfile.ZipFile(copy)
        if IN_EVERY_WORKBOOK in archive.namelist():
            self.is_workbook = True
            copy.seek(0)
            return io.BufferedReader(copy)
        files = [each for each in archive.infolist() if not (each.is_dir() or _is_of_macos(each))]
        if len(files) != 1:
            names = ", ".join(repr(each.filename) for each in files[:5])
            message = f"the zip archive contains {len(files)} files{': ' if names else ''}{names}"
            raise DamagedArchiveError(message, "a feed is a single file; unpack it and name one")
        (file,) = files
        if file.flag_bits & 1:
            raise DamagedArchiveError(f"{file.filename!r} in the zip archive is encrypted", "unpack it first")
        self.member = file.filename
        return archive.open(file)

    def _refuse_bomb(self) -> None:
        if self._size > MAX_DECOMPRESSED_BYTES:
            found = f"more than {MAX_DECOMPRESSED_BYTES:,} bytes"
        elif self._size > MAX_RATIO * self._input.size:
            found = f"more than {MAX_RATIO:,} times its size, as no feed does"
        else:
            return
        hint = "if it is a feed all the same, give the decompressed file"
        raise ContentError(f"{self._label} decompresses to {found}", hint=hint)

    def _explain(self, error: Exception) -> AdsctlError:
        """Make the error of a failed step; decompressors raise errors of many types."""
        if isinstance(error, AdsctlError):
            return error
        if isinstance(error, DamagedArchiveError):
            return ContentError(f"{self._label}: {error}", hint=error.hint)
        reason = str(error) or type(error).__name__
        return ContentError(
            f"{self._label} is not a complete {self._kind} file: {reason}", hint="compress it again"
        )


def _is_of_macos(file: "zipfile.ZipInfo") -> bool:
    return file.filename.startswith("__MACOSX/") or file.filename.endswith(".DS_Store")


class _Counted(io.RawIOBase):
    """A stream that counts the bytes read from it."""

    def __init__(self, raw: "Buffered") -> None:
        self.size = 0
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = self._raw.read1(len(buffer))
        self.size += len(content)
        buffer[: len(content)] = content
        return len(content)
