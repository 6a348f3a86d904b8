"""What the bytes of images and videos say: any package may use it, and it reads nothing but a stream."""

from io import BytesIO
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

Kind = Literal["image", "gif", "video", "subtitles", ""]


class MediaFacts(msgspec.Struct):
    """What a file says of itself; None is what it does not say, an empty text what it does not have."""

    kind: Kind = ""  # "" where it is neither an image nor a video
    type: str = ""  # the media type, as in image/jpeg; "" where it is not known
    format: str = ""  # its usual name, as in JPG; "" where it is not known
    width: int | None = None  # pixels as shown: what is turned when it is shown is turned here
    height: int | None = None
    frames: int | None = None
    seconds: float | None = None
    color: str | None = None  # of a JPG: gray, YCbCr or CMYK
    is_animated: bool = False
    video_codec: str | None = None
    video_profile: str | None = None
    pixel_format: str | None = None  # as in 4:2:0
    pixel_aspect: str | None = None  # as in 1:1
    scan: Literal["progressive", "interlaced"] | None = None
    frame_rate: float | None = None  # frames a second, on average
    open_gop: bool | None = None
    audio_codec: str | None = None
    audio_profile: str | None = None
    audio_channels: int | None = None
    damage: str = ""  # why it cannot be whole

    def note(self, **facts: Any) -> None:
        """Set facts that were not known before."""
        for name, value in facts.items():
            if getattr(self, name) is None:
                setattr(self, name, value)


class DamagedError(Exception):
    """The file cannot be whole; the text says why."""


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    """Read so many bytes; raise DamagedError if the file ends before."""
    data = stream.read(size)
    if len(data) < size:
        raise DamagedError("it ends too early")
    return data


ALLOWED_FORMATS = ("JPG", "PNG", "GIF", "WEBP")
SIGNATURES = (  # format, offset, what is there; the first that fits counts
    ("JPG", 0, b"\xff\xd8\xff"),
    ("PNG", 0, b"\x89PNG\r\n\x1a\n"),
    ("GIF", 0, b"GIF87a"),
    ("GIF", 0, b"GIF89a"),
    ("WEBP", 8, b"WEBP"),
    ("AVIF", 4, b"ftypavif"),
    ("AVIF", 4, b"ftypavis"),
    ("HEIC", 4, b"ftyphe"),
    ("HEIC", 4, b"ftypmif1"),
    ("video", 4, b"ftyp"),
    ("video", 0, b"\x1a\x45\xdf\xa3"),
    ("BMP", 0, b"BM"),
    ("TIFF", 0, b"II*\0"),
    ("TIFF", 0, b"MM\0*"),
    ("ICO", 0, b"\0\0\x01\0"),
    ("JPEG 2000", 0, b"\0\0\0\x0cjP  "),
    ("JPEG XL", 0, b"\0\0\0\x0cJXL "),
    ("JPEG XL", 0, b"\xff\x0a"),
    ("PSD", 0, b"8BPS"),
    ("PDF", 0, b"%PDF-"),
)
MARKUP = (("SVG", b"<svg"), ("HTML", b"<!doctype html"), ("HTML", b"<html"))  # the first in the file counts
MARKUP_BYTES = 1024  # in which the kind of markup must show
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
MAX_GIF_SIDE = 0xFFFF  # imagesize reads the sides of a GIF as signed


class ImageHeader(NamedTuple):
    """What the first bytes of a file tell."""

    format: str = ""  # "" where it is not known
    width: int = 0  # pixels; 0 where they were not found
    height: int = 0

    @property
    def lacks_pixels(self) -> bool:
        """Tell whether it is an image whose pixels were not found."""
        return self.format in ALLOWED_FORMATS and not (self.width and self.height)


def read_header(data: bytes) -> ImageHeader:
    """Read the first bytes of a file; of a JPG, they may be too few to know its pixels."""
    for format, offset, signature in SIGNATURES:
        if data.startswith(signature, offset):
            return ImageHeader(format, *(_pixels(format, data) if format in ALLOWED_FORMATS else ()))
    return ImageHeader(_markup(data.removeprefix(BYTE_ORDER_MARK)[:MARKUP_BYTES].strip().lower()))


def _pixels(format: str, data: bytes) -> tuple[int, int]:
    """Return width and height; 0 each where they are not in the data."""
    import imagesize

    width, height = imagesize.get(BytesIO(data), exif_rotation=False)
    if (width, height) == (-1, -1):  # it says so of a GIF with the largest sides, too
        return 0, 0
    return (width & MAX_GIF_SIDE, height & MAX_GIF_SIDE) if format == "GIF" else (width, height)


def _markup(text: bytes) -> str:
    if not text.startswith(b"<"):
        return ""
    places = [(text.index(tag), format) for format, tag in MARKUP if tag in text]
    return min(places)[1] if places else "XML" if b"<?xml" in text else ""
