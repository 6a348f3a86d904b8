"""Find out what a file of media is: from its bytes, whatever its name."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from os import SEEK_END
from typing import BinaryIO

from ..errors import UsageError
from ..feeds.locations import Location
from ..media_files import DamagedError, MediaFacts, read_header
from ..media_files.images import READERS
from ..media_files.mp4 import read_mp4
from ..media_files.webm import read_webm

BLOCK_BYTES = 1024 * 1024
FIRST_BYTES = 64 * 1024
PACKET_BYTES = 188  # of an MPEG transport stream
OTHER_IMAGES = {
    "TIFF": "image/tiff",
    "AVIF": "image/avif",
    "HEIC": "image/heic",
    "ICO": "image/x-icon",
    "JPEG 2000": "image/jp2",
    "JPEG XL": "image/jxl",
    "PSD": "image/vnd.adobe.photoshop",
    "SVG": "image/svg+xml",
}
QUICKTIME_BOXES = (b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")  # of files without a brand
is_subtitle = re.compile(rb"[\r\n]{0,9}\d{1,9}[ \t]{0,9}\r?\n\d\d:\d\d:\d\d,\d{3} --> ").match


class MediaInfo(MediaFacts):
    """What a file says of itself, its size and its digest."""

    bytes: int = 0
    sha256: str = ""


def inspect(source: BinaryIO | Location) -> MediaInfo:
    """Read a seekable stream or a location; raise UsageError where it cannot be opened or read."""
    if isinstance(source, Location):
        with source.open() as stream, _readable(source):
            return inspect(stream)
    info = _look(source)
    info.sha256 = _sha256(source)
    return info


@contextmanager
def _readable(location: Location) -> Iterator[None]:
    """Raise UsageError where a location cannot be read."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{location.label} cannot be read: {error.strerror or error}") from None


def _look(stream: BinaryIO) -> MediaInfo:
    """Read what a file says of itself."""
    info = MediaInfo(bytes=stream.seek(0, SEEK_END))
    stream.seek(0)
    try:
        _read(stream, stream.read(FIRST_BYTES), info)
    except DamagedError as error:
        info.damage = str(error)
    return info


def _sha256(stream: BinaryIO) -> str:
    digest, block = sha256(), memoryview(bytearray(BLOCK_BYTES))
    stream.seek(0)
    while size := stream.readinto(block):  # type: ignore[attr-defined]
        digest.update(block[:size])
    return digest.hexdigest()


def _read(stream: BinaryIO, first: bytes, info: MediaInfo) -> None:
    """Find out the format, and read what it holds."""
    info.format = read_header(first).format
    if info.format in READERS:
        info.kind = "image"
        info.type, read = READERS[info.format]
        read(stream, info)
    elif info.format in OTHER_IMAGES:
        info.kind, info.type = "image", OTHER_IMAGES[info.format]
    elif first.startswith(b"\x1a\x45\xdf\xa3"):
        read_webm(stream, info)
    elif info.format == "video" or first[4:8] in QUICKTIME_BOXES:
        is_quicktime = first[4:8] != b"ftyp" or first[8:12] == b"qt  "
        info.kind = "video"
        info.type, info.format = ("video/quicktime", "MOV") if is_quicktime else ("video/mp4", "MP4")
        if first[8:10] == b"3g":
            info.type, info.format = "video/3gpp", "3GP"
        read_mp4(stream, info)
        if info.format == "a sound file":
            info.kind, info.type = "", "audio/mp4"
    elif first[:1] == b"G" and first[PACKET_BYTES : PACKET_BYTES + 1] == b"G":
        info.kind, info.type, info.format = "video", "video/mp2t", "MPEG-TS"
    elif first.startswith(b"RIFF") and first[8:11] == b"AVI":
        info.kind, info.type, info.format = "video", "video/x-msvideo", "AVI"
    elif not info.format:
        _read_text(first, info)


def _read_text(first: bytes, info: MediaInfo) -> None:
    """Tell subtitles and other text from what is not known."""
    text = first.removeprefix(b"\xef\xbb\xbf")
    if text.startswith(b"WEBVTT"):
        info.kind, info.type, info.format = "subtitles", "text/vtt", "WebVTT"
    elif is_subtitle(text):
        info.kind, info.type, info.format = "subtitles", "text/srt", "SubRip"
    elif first and not re.search(rb"[\0-\x08\x0e-\x1a\x1c-\x1f]", first):
        info.format = "text"
