"""Read the boxes of MP4 and QuickTime files (ISO 14496-12): the index, and nothing of the pictures."""

import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from . import DamagedError, MediaFacts
from .codecs import aspect_text, read_av1, read_avc, read_descriptors, read_hevc, read_vp9

MAX_BOXES = 20_000  # that are looked at in one file; fragments of an hour have 7,200
MAX_DESCRIPTION_BYTES = 64 * 1024  # of a sample description; real ones have 200
MAX_FRAMES = 2_000_000  # that are added up; 9 hours of 60 a second
MAX_RUN_BYTES = 256 * 1024  # of the durations in one fragment

VIDEO_CODECS = {
    **dict.fromkeys((b"avc1", b"avc3"), "H.264"),
    **dict.fromkeys((b"hvc1", b"hev1", b"dvh1", b"dvhe"), "HEVC"),
    b"vp08": "VP8",
    b"vp09": "VP9",
    b"av01": "AV1",
    b"mp4v": "MPEG-4 Part 2",
    **dict.fromkeys((b"apcn", b"apch", b"apcs", b"apco", b"ap4h", b"ap4x"), "ProRes"),
    **dict.fromkeys((b"jpeg", b"mjpa", b"mjpb"), "Motion JPEG"),
    **dict.fromkeys((b"encv", b"drmi"), "encrypted"),
}
AUDIO_CODECS = {
    b".mp3": "MP3",
    b"ac-3": "AC-3",
    b"ec-3": "E-AC-3",
    b"Opus": "Opus",
    b"fLaC": "FLAC",
    b"alac": "ALAC",
    **dict.fromkeys((b"sowt", b"twos", b"lpcm", b"in24", b"in32", b"fl32", b"raw "), "PCM"),
    **dict.fromkeys((b"enca", b"drms"), "encrypted"),
}
CONFIGURATIONS = {b"avcC": read_avc, b"hvcC": read_hevc, b"vpcC": read_vp9, b"av1C": read_av1}
SOUND_BYTES = {0: 28, 1: 44, 2: 64}  # of a sound description, by version, before its boxes
PICTURE_BYTES = 78  # of a picture description
QUARTER_TURN = (0x10000, 0xFFFF0000)  # its sines, 1 and -1; its cosines are 0


class Box(NamedTuple):
    """A box: its name, and where its content is."""

    name: bytes
    start: int
    end: int


class Track(NamedTuple):
    """What is said of a track outside of its samples."""

    id: int
    handler: bytes
    scale: int  # units a second
    duration: int
    size: tuple[int, int]
    is_turned: bool


class Boxes:
    """The boxes of one file."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.end = stream.seek(0, 2)
        self._left = MAX_BOXES

    def inside(self, start: int, end: int) -> Iterator[Box]:
        """Yield the boxes of a range; raise DamagedError for one that ends after it."""
        while end - start >= 8:
            self._left -= 1
            if self._left < 0:
                raise DamagedError("it has too many boxes")
            header = self.read(start, 16)
            size, name, begin = int.from_bytes(header[:4]), header[4:8], start + 8
            if size == 1 and len(header) == 16:
                size, begin = int.from_bytes(header[8:16]), start + 16
            elif size == 0:  # up to the end
                size = end - start
            if size < begin - start:
                if name == b"\0\0\0\0":  # QuickTime ends lists of boxes with four zero bytes
                    return
                raise DamagedError("the length of a box is wrong")
            if start + size > end:
                where = (
                    f"its part {name.decode('latin-1')!r} has {size:,} bytes, and {end - start:,} are there"
                )
                raise DamagedError(f"it is cut off: {where}" if end == self.end else where)
            yield Box(name, begin, start + size)
            start += size

    def read(self, start: int, size: int) -> bytes:
        """Read bytes, or fewer at the end of the file."""
        self._stream.seek(start)
        return self._stream.read(size)

    def content(self, box: Box, most: int = MAX_DESCRIPTION_BYTES) -> bytes:
        """Read the beginning of a box."""
        return self.read(box.start, min(box.end - box.start, most))

    def children(self, box: Box, skip: int = 0) -> dict[bytes, Box]:
        """Return the first box of each name inside a box."""
        boxes: dict[bytes, Box] = {}
        for child in self.inside(box.start + skip, box.end):
            boxes.setdefault(child.name, child)
        return boxes


def read_mp4(stream: BinaryIO, facts: MediaFacts) -> None:
    """Read the index of a file; raise DamagedError where it is cut off or has none."""
    boxes = Boxes(stream)
    index, fragments, cut_off = None, [], None
    try:
        for box in boxes.inside(0, boxes.end):
            if box.name == b"moov" and index is None:
                index = box
            elif box.name == b"moof":
                fragments.append(box)
    except DamagedError as error:
        cut_off = error  # the index may be before
    if index is not None:
        _read_index(boxes, index, fragments, facts)
    if cut_off:
        raise cut_off
    if index is None:
        raise DamagedError("it is cut off: it has no index ('moov')")


def _read_index(boxes: Boxes, index: Box, fragments: list[Box], facts: MediaFacts) -> None:
    head = b""
    is_fragmented = False
    tracks: dict[bytes, tuple[Track, dict[bytes, Box]]] = {}
    for box in boxes.inside(index.start, index.end):
        if box.name == b"mvhd":
            head = boxes.content(box)
        elif box.name == b"mvex":
            is_fragmented = True
        elif box.name == b"trak" and (track := _read_track(boxes, box)):
            tracks.setdefault(track[0].handler, track)
    if video := tracks.get(b"vide"):
        facts.kind = "video"
        _read_video(boxes, *video, facts)
        scale, duration = _times(head)
        facts.seconds = duration / scale if scale and duration else None
        if is_fragmented and not facts.frames:
            facts.frames = facts.frame_rate = facts.seconds = None
            _read_fragments(boxes, fragments, video[0], facts)
    elif b"soun" in tracks:
        facts.format = "a sound file"
    if sound := tracks.get(b"soun"):
        _read_sound(boxes, sound[1], facts)
    else:
        facts.audio_codec = ""
    if video and _last_chunk(boxes, video[1]) >= boxes.end:
        raise DamagedError("it is cut off: its last pictures are not there")


def _last_chunk(boxes: Boxes, table: dict[bytes, Box]) -> int:
    """Return where the last pictures of a track begin, if the index says so."""
    for name, size in ((b"stco", 4), (b"co64", 8)):
        if name in table and table[name].end - table[name].start >= 8 + size:
            return int.from_bytes(boxes.read(table[name].end - size, size))
    return 0


def _number(data: bytes, at: int, size: int = 4) -> int:
    """Return the number at a position; 0 where the data end before."""
    return int.from_bytes(data[at : at + size])


def _has_long_times(head: bytes) -> bool:
    """Whether a header is of version 1: its two times and its duration have 8 bytes each, and not 4."""
    return head[:1] == b"\1"


def _times(head: bytes) -> tuple[int, int]:
    """Return units a second and duration of a header of a movie or a track's media."""
    if _has_long_times(head):
        return _number(head, 20), _number(head, 24, 8)
    duration = _number(head, 16)
    return _number(head, 12), 0 if duration == 0xFFFFFFFF else duration


def _read_track(boxes: Boxes, box: Box) -> tuple[Track, dict[bytes, Box]] | None:
    """Return a track, and the boxes of its sample table."""
    parts = boxes.children(box)
    media = boxes.children(parts[b"mdia"]) if b"mdia" in parts else {}
    if b"hdlr" not in media or b"minf" not in media:
        return None
    table = boxes.children(media[b"minf"]).get(b"stbl")
    head = boxes.content(parts[b"tkhd"]) if b"tkhd" in parts else b""
    id_at, after_times = (20, 36) if _has_long_times(head) else (12, 24)
    matrix = [_number(head, after_times + at) for at in (16, 20, 28, 32)]  # its cosines are the outer ones
    scale, duration = _times(boxes.content(media[b"mdhd"])) if b"mdhd" in media else (0, 0)
    return Track(
        id=_number(head, id_at),
        handler=boxes.content(media[b"hdlr"])[8:12],
        scale=scale,
        duration=duration,
        size=(_number(head, after_times + 52, 2), _number(head, after_times + 56, 2)),
        is_turned=matrix[0] == matrix[3] == 0 and {*matrix[1:3]} <= {*QUARTER_TURN},
    ), boxes.children(table) if table else {}


def _read_video(boxes: Boxes, track: Track, table: dict[bytes, Box], facts: MediaFacts) -> None:
    width, height = track.size
    if entry := _first_entry(boxes, table):
        facts.video_codec = VIDEO_CODECS.get(entry.name, entry.name.decode("latin-1").strip())
        picture = boxes.content(entry, PICTURE_BYTES)
        coded = _number(picture, 24, 2), _number(picture, 26, 2)
        width, height = coded if all(coded) else (width, height)
        parts = boxes.children(entry, PICTURE_BYTES)
        if b"pasp" in parts:
            shape = boxes.content(parts[b"pasp"])
            facts.pixel_aspect = aspect_text(_number(shape, 0), _number(shape, 4))
        if b"fiel" in parts:
            facts.scan = "progressive" if boxes.content(parts[b"fiel"])[:1] == b"\1" else "interlaced"
        for name, read in CONFIGURATIONS.items():
            if name in parts:
                read(boxes.content(parts[name]), facts)
    facts.width, facts.height = (height, width) if track.is_turned else (width, height)
    if sizes := table.get(b"stsz") or table.get(b"stz2"):
        facts.frames = _number(boxes.content(sizes, 12), 8)
    if facts.frames and track.scale and track.duration:
        facts.frame_rate = facts.frames * track.scale / track.duration
    if b"stps" in table:  # pictures that a player may begin with, though earlier ones are needed
        facts.open_gop = True
    elif b"stss" not in table and facts.frames:  # each picture is a key frame
        facts.open_gop = False


def _first_entry(boxes: Boxes, table: dict[bytes, Box]) -> Box | None:
    if b"stsd" not in table:
        return None
    descriptions = table[b"stsd"]
    return next(boxes.inside(descriptions.start + 8, descriptions.end), None)


def _read_sound(boxes: Boxes, table: dict[bytes, Box], facts: MediaFacts) -> None:
    entry = _first_entry(boxes, table)
    if entry is None:
        return
    sound = boxes.content(entry, SOUND_BYTES[0])
    channels = _number(sound, 16, 2)
    if entry.name == b"mp4a":
        parts = boxes.children(entry, SOUND_BYTES.get(_number(sound, 8, 2), SOUND_BYTES[0]))
        if b"wave" in parts:  # QuickTime
            parts = boxes.children(parts[b"wave"])
        if b"esds" in parts:
            read_descriptors(boxes.content(parts[b"esds"])[4:], facts)
    else:
        name = entry.name.decode("latin-1").strip()
        facts.audio_codec = AUDIO_CODECS.get(entry.name, "PCM" if name.startswith("ms") else name)
    facts.note(audio_channels=channels or None)


def _read_fragments(boxes: Boxes, fragments: list[Box], track: Track, facts: MediaFacts) -> None:
    """Add up the pictures of all fragments, and their durations."""
    frames = duration = 0
    for fragment in fragments:
        for part in boxes.inside(fragment.start, fragment.end):
            if part.name == b"traf":
                count, time = _read_run(boxes, part, track.id)
                if time is None or frames > MAX_FRAMES:
                    return
                frames, duration = frames + count, duration + time
    if frames and duration and track.scale:
        facts.frames, facts.seconds = frames, duration / track.scale
        facts.frame_rate = frames / facts.seconds


def _read_run(boxes: Boxes, fragment: Box, track: int) -> tuple[int, int | None]:
    """Return how many pictures of a track a fragment has, and their duration, or None if not stated."""
    frames = duration = 0
    default: int | None = None
    for part in boxes.inside(fragment.start, fragment.end):
        if part.name == b"tfhd":
            head = boxes.content(part)
            flags = _number(head, 1, 3)
            if _number(head, 4) != track:
                return 0, 0
            if flags & 8:  # it states a duration, after an offset and the number of a description
                default = _number(head, 8 + (8 if flags & 1 else 0) + (4 if flags & 2 else 0))
        elif part.name == b"trun":
            run = boxes.content(part, MAX_RUN_BYTES)
            flags, count = _number(run, 1, 3), _number(run, 4)
            frames += count
            if flags & 0x100:  # each picture has a duration, and up to three numbers after it
                first = 8 + (4 if flags & 1 else 0) + (4 if flags & 4 else 0)
                columns = (flags >> 8 & 15).bit_count()
                if first + 4 * columns * count > len(run):
                    return 0, None
                numbers = struct.unpack_from(f">{columns * count}I", run, first)
                duration += sum(numbers[::columns])
            elif default is None:
                return 0, None
            else:
                duration += default * count
    return frames, duration
