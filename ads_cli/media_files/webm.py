"""Read the head of WebM and Matroska files (RFC 8794, RFC 9559), up to the first picture."""

import struct
from collections.abc import Collection, Iterator
from typing import BinaryIO, NamedTuple

from . import DamagedError, MediaFacts
from .codecs import read_aac, read_av1, read_avc, read_hevc

MAX_ELEMENTS = 10_000
MAX_VALUE_BYTES = 64 * 1024

HEAD, DOC_TYPE, SEGMENT = 0x1A45DFA3, 0x4282, 0x18538067
INFO, SCALE, DURATION = 0x1549A966, 0x2AD7B1, 0x4489
TRACKS, TRACK, TRACK_TYPE, CODEC, PRIVATE, FRAME_TIME = 0x1654AE6B, 0xAE, 0x83, 0x86, 0x63A2, 0x23E383
VIDEO, WIDTH, HEIGHT, INTERLACED, SHOWN_WIDTH, SHOWN_HEIGHT = 0xE0, 0xB0, 0xBA, 0x9A, 0x54B0, 0x54BA
AUDIO, CHANNELS = 0xE1, 0x9F
CLUSTER = 0x1F43B675
VALUES = frozenset(  # that are read; no others are kept
    [
        *(DOC_TYPE, SCALE, DURATION, TRACK_TYPE, CODEC, PRIVATE, FRAME_TIME),
        *(WIDTH, HEIGHT, INTERLACED, SHOWN_WIDTH, SHOWN_HEIGHT, CHANNELS),
    ]
)
MAX_NAME_BYTES = 40  # of a codec

VIDEO_CODECS = {
    "V_VP8": "VP8",
    "V_VP9": "VP9",
    "V_AV1": "AV1",
    "V_MPEG4/ISO/AVC": "H.264",
    "V_MPEGH/ISO/HEVC": "HEVC",
    "V_PRORES": "ProRes",
}
AUDIO_CODECS = {"A_OPUS": "Opus", "A_VORBIS": "Vorbis", "A_AAC": "AAC", "A_MPEG/L3": "MP3", "A_AC3": "AC-3"}
CONFIGURATIONS = {"H.264": read_avc, "HEVC": read_hevc, "AV1": read_av1}


class Element(NamedTuple):
    """An element: its id, and where its content is. It is `open` where its size is not known."""

    id: int
    start: int
    end: int
    is_open: bool


class Elements:
    """The elements of one file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.end = stream.seek(0, 2)
        self._left = MAX_ELEMENTS

    def inside(self, start: int, end: int) -> Iterator[Element]:
        """Yield the elements of a range; raise DamagedError for one that ends after it."""
        while start < end:
            self._left -= 1
            if self._left < 0:
                raise DamagedError("it has too many elements")
            self._stream.seek(start)
            header = self._stream.read(12)
            id_size = 9 - header[0].bit_length() if header else 9
            if id_size > 4 or len(header) <= id_size:
                raise DamagedError("an element of it is none")
            size_size = 9 - header[id_size].bit_length()
            begin = start + id_size + size_size
            if size_size > 8 or len(header) < id_size + size_size:
                raise DamagedError("the size of an element is wrong")
            largest = (1 << 7 * size_size) - 1
            size = int.from_bytes(header[id_size : id_size + size_size]) & largest
            is_open = size == largest
            yield Element(
                int.from_bytes(header[:id_size]), begin, end if is_open else min(begin + size, end), is_open
            )
            if is_open:
                return
            if begin + size > end:
                raise DamagedError(f"it is cut off: {begin + size - end:,} bytes are missing")
            start = begin + size

    def content(self, element: Element) -> bytes:
        """Read the beginning of an element."""
        self._stream.seek(element.start)
        return self._stream.read(min(element.end - element.start, MAX_VALUE_BYTES))

    def values(self, parent: Element, groups: Collection[int] = ()) -> dict[int, bytes]:
        """Return the content of the first element of each known kind in another one and its `groups`."""
        values: dict[int, bytes] = {}
        for element in self.inside(parent.start, parent.end):
            if element.id in groups:
                values |= self.values(element)
            elif element.id in VALUES and element.id not in values:
                values[element.id] = self.content(element)
        return values


def read_webm(stream: BinaryIO, facts: MediaFacts) -> None:
    """Read kind, duration and tracks; raise DamagedError where the file is cut off."""
    facts.kind = "video"
    elements = Elements(stream)
    for element in elements.inside(0, elements.end):
        if element.id == HEAD:
            is_webm = elements.values(element).get(DOC_TYPE, b"").rstrip(b"\0") == b"webm"
            facts.type = "video/webm" if is_webm else "video/x-matroska"
            facts.format = "WebM" if is_webm else "Matroska"
        elif element.id == SEGMENT:
            _read_segment(elements, element, facts)


def _read_segment(elements: Elements, segment: Element, facts: MediaFacts) -> None:
    has_tracks = False
    for element in elements.inside(segment.start, segment.end):
        if element.id == INFO:
            _read_info(elements.values(element), facts)
        elif element.id == TRACKS:
            has_tracks = True
            facts.audio_codec = ""
            kinds = set()
            for track in elements.inside(element.start, element.end):
                if track.id == TRACK:
                    kinds.add(_read_track(elements.values(track, (VIDEO, AUDIO)), facts))
            if 1 not in kinds:
                facts.kind, facts.format = "", "a sound file"
        elif element.id == CLUSTER:  # pictures and sound: the rest is passed over where its sizes are known
            break
    if not has_tracks:
        raise DamagedError("it is cut off: it names no tracks")


def _read_info(values: dict[int, bytes], facts: MediaFacts) -> None:
    scale = int.from_bytes(values.get(SCALE, b"")) or 1_000_000
    duration = values.get(DURATION, b"")
    if len(duration) in (4, 8):
        (ticks,) = struct.unpack(">f" if len(duration) == 4 else ">d", duration)
        if 0 < ticks < 1e15:
            facts.seconds = ticks * scale / 1e9


def _read_track(values: dict[int, bytes], facts: MediaFacts) -> int:
    """Read a track; return 1 for pictures and 2 for sound."""
    kind = int.from_bytes(values.get(TRACK_TYPE, b""))
    name = values.get(CODEC, b"")[:MAX_NAME_BYTES].rstrip(b"\0").decode("latin-1")
    private = values.get(PRIVATE, b"")
    number = {id: int.from_bytes(value[:8]) for id, value in values.items()}
    if kind == 1 and facts.video_codec is None:
        facts.video_codec = VIDEO_CODECS.get(name, name)
        facts.width, facts.height = number.get(WIDTH) or None, number.get(HEIGHT) or None
        if number.get(FRAME_TIME):
            facts.frame_rate = 1e9 / number[FRAME_TIME]
        if scan := {1: "interlaced", 2: "progressive"}.get(number.get(INTERLACED, 0)):
            facts.note(scan=scan)
        if read := CONFIGURATIONS.get(facts.video_codec):
            read(private, facts)
        elif facts.video_codec in ("VP8", "VP9"):  # neither knows fields
            facts.note(scan="progressive", pixel_format="4:2:0" if facts.video_codec == "VP8" else None)
        if SHOWN_WIDTH not in number:
            facts.note(pixel_aspect="1:1")
    elif kind == 2 and not facts.audio_codec:
        facts.audio_codec = AUDIO_CODECS.get(name.partition(" ")[0], name)
        if facts.audio_codec == "AAC":
            read_aac(private, facts)
        facts.note(audio_channels=number.get(CHANNELS, 1))
    return kind
