"""Look through the bytes of an image: its pixels, frames and color, and whether it is whole."""

from collections.abc import Callable
from typing import BinaryIO, Literal

from . import DamagedError, MediaFacts, read_exactly

BLOCK_BYTES = 64 * 1024
MAX_CHUNKS = 100_000  # of a PNG; what has more was made to keep a reader busy
MAX_SEGMENTS, MAX_FILL_BYTES = 10_000, 1024  # of a JPG
APP1, EXIF_BYTES, EXIF_FIELDS = 0xE1, 64 * 1024, 1000
ORIENTATION, TURNED = 0x0112, range(5, 9)
MAX_GIF_BYTES = 32 * 1024 * 1024  # that are looked through; the service takes 15 MB
CUT_OFF = "it is cut off"


def read_jpg(stream: BinaryIO, facts: MediaFacts) -> None:
    """Find the frame header of a JPG, and the end of its scans."""
    stream.seek(2)
    is_turned = False
    for _ in range(MAX_SEGMENTS):
        marker = _marker(stream)
        if marker == 0xD9:
            raise DamagedError("it has no picture")
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        size = int.from_bytes(read_exactly(stream, 2))
        if size < 2:
            raise DamagedError("one of its segments has no length")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            if size < 8:
                raise DamagedError("its frame header is too short")
            frame = read_exactly(stream, 6)
            sides = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
            facts.width, facts.height = sides if is_turned else sides[::-1]
            facts.color = {1: "gray", 4: "CMYK"}.get(frame[5], "YCbCr")
            size -= 6
        elif marker == APP1:
            start = stream.tell()
            is_turned = is_turned or _is_turned(stream.read(min(size - 2, EXIF_BYTES)))
            stream.seek(start)
        stream.seek(size - 2, 1)
        if marker == 0xDA:
            _require_end(stream)
            return
    raise DamagedError("it has too many segments")


def _is_turned(content: bytes) -> bool:
    """Tell whether EXIF data turn a picture by 90 degrees when it is shown."""
    tiff = content.removeprefix(b"Exif\0\0")
    if tiff == content or tiff[:2] not in (b"II", b"MM"):
        return False
    order: Literal["little", "big"] = "little" if tiff[:1] == b"I" else "big"

    def number(at: int, size: int) -> int:
        return int.from_bytes(tiff[at : at + size], order)

    first = number(4, 4)
    fields = (first + 2 + 12 * field for field in range(min(number(first, 2), EXIF_FIELDS)))
    return any(number(at, 2) == ORIENTATION and number(at + 8, 2) in TURNED for at in fields)


def _marker(stream: BinaryIO) -> int:
    if read_exactly(stream, 1) != b"\xff":
        raise DamagedError("a segment of it does not begin where the one before ends")
    for _ in range(MAX_FILL_BYTES):
        byte = read_exactly(stream, 1)[0]
        if byte != 0xFF:  # any number of them may fill
            return byte
    raise DamagedError("it has too many fill bytes")


def _require_end(stream: BinaryIO) -> None:
    """Find the end of image: in a scan no other bytes are written as these two."""
    last = b""
    while block := stream.read(BLOCK_BYTES):
        if b"\xff\xd9" in last + block:
            return
        last = block[-1:]
    raise DamagedError(CUT_OFF)


def read_png(stream: BinaryIO, facts: MediaFacts) -> None:
    """Go from chunk to chunk up to the end of a PNG."""
    stream.seek(8)
    has_data = False
    for number in range(MAX_CHUNKS):
        chunk = stream.read(8)
        if len(chunk) < 8:
            raise DamagedError(CUT_OFF)
        size, name = int.from_bytes(chunk[:4]), chunk[4:]
        if number == 0:
            if name != b"IHDR" or size < 8:
                raise DamagedError("it does not begin with its header")
            pixels = read_exactly(stream, 8)
            facts.width, facts.height = int.from_bytes(pixels[:4]), int.from_bytes(pixels[4:])
            size -= 8
        if name == b"IEND":
            if not has_data:
                raise DamagedError("it has no picture")
            return
        has_data = has_data or name == b"IDAT"
        stream.seek(size + 4, 1)  # with its checksum
    raise DamagedError("it has too many chunks")


def read_gif(stream: BinaryIO, facts: MediaFacts) -> None:
    """Count the frames of a GIF."""
    stream.seek(6)
    screen = read_exactly(stream, 7)
    facts.width, facts.height = int.from_bytes(screen[:2], "little"), int.from_bytes(screen[2:4], "little")
    _skip_colors(stream, screen[4])
    frames = 0
    facts.kind, facts.is_animated = "gif", True
    while (introducer := stream.read(1)) != b";":
        if introducer == b"!":
            read_exactly(stream, 1)
        elif introducer == b",":
            frames += 1
            _skip_colors(stream, read_exactly(stream, 9)[8])
            read_exactly(stream, 1)
        else:
            facts.frames = frames
            raise DamagedError("a block of it is none" if introducer else CUT_OFF)
        while length := read_exactly(stream, 1)[0]:
            stream.seek(length, 1)
        if stream.tell() > MAX_GIF_BYTES:
            return
    facts.frames = frames
    if frames == 0:
        raise DamagedError("it has no picture")
    if frames == 1:
        facts.kind, facts.is_animated = "image", False


def _skip_colors(stream: BinaryIO, flags: int) -> None:
    if flags & 0x80:
        stream.seek(3 << (flags & 7) + 1, 1)


def read_webp(stream: BinaryIO, facts: MediaFacts) -> None:
    """Read the first chunk of a WebP: its pixels, and whether it moves."""
    stream.seek(4)
    size = int.from_bytes(read_exactly(stream, 4), "little")
    stream.seek(12)
    name = read_exactly(stream, 4)
    first = read_exactly(stream, 14)[4:]
    if name == b"VP8X":
        facts.is_animated = bool(first[0] & 2)
        facts.width = 1 + int.from_bytes(first[4:7], "little")
        facts.height = 1 + int.from_bytes(first[7:10], "little")
    elif name == b"VP8L":
        bits = int.from_bytes(first[1:5], "little")
        facts.width, facts.height = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    elif name == b"VP8 ":
        facts.width = int.from_bytes(first[6:8], "little") & 0x3FFF
        facts.height = int.from_bytes(first[8:10], "little") & 0x3FFF
    else:
        raise DamagedError("it does not begin with a picture")
    if stream.seek(0, 2) < size + 8:
        raise DamagedError(CUT_OFF)


def read_bmp(stream: BinaryIO, facts: MediaFacts) -> None:
    """Read the header of a BMP."""
    stream.seek(10)
    start, size = (int.from_bytes(read_exactly(stream, 4), "little") for _ in range(2))
    if size == 12:
        sides = [int.from_bytes(read_exactly(stream, 2), "little") for _ in range(2)]
    else:  # a negative height: from the top down
        sides = [abs(int.from_bytes(read_exactly(stream, 4), "little", signed=True)) for _ in range(2)]
    facts.width, facts.height = sides
    if stream.seek(0, 2) <= start:
        raise DamagedError(CUT_OFF)


# By the format that a header tells: the media type, and what reads the rest.
READERS: dict[str, tuple[str, Callable[[BinaryIO, MediaFacts], None]]] = {
    "JPG": ("image/jpeg", read_jpg),
    "PNG": ("image/png", read_png),
    "GIF": ("image/gif", read_gif),
    "WEBP": ("image/webp", read_webp),
    "BMP": ("image/bmp", read_bmp),
}
