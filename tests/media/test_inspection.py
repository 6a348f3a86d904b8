"""What a file is, is read from its bytes, and no bytes make that fail, take long or take much memory."""

import io
import re
import struct
import time
import tracemalloc
from functools import cache
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.media_uploads import Category
from ads_cli.media.inspection import OTHER_IMAGES, inspect
from ads_cli.media.rules import Use, findings, unknown_facts
from ads_cli.media_files import SIGNATURES, MediaFacts
from ads_cli.media_files.codecs import read_avc, read_descriptors
from ads_cli.media_files.images import READERS
from tests.media.made import SAMPLES, animated_webp, box, gif, padded_png, picture, sample, turned_jpg

VIDEOS = sorted(path.name for path in SAMPLES.iterdir())
# type, width, height, video codec, profile, scan, frames a second, audio codec, channels
FOUND = {
    "high.mp4": ("video/mp4", 128, 72, "H.264", "High", "progressive", 30, "AAC", 1),
    "main.mp4": ("video/mp4", 128, 72, "H.264", "Main", "progressive", 30, "AAC", 1),
    "hevc.mp4": ("video/mp4", 128, 72, "HEVC", "Main", "progressive", 30, "", None),
    "vp9.webm": ("video/webm", 128, 72, "VP9", None, "progressive", 30, "Opus", 1),
    "movie.mov": ("video/quicktime", 128, 72, "H.264", "High", "progressive", 30, "AAC", 1),
    "silent.mp4": ("video/mp4", 128, 72, "H.264", "High", "progressive", 30, "", None),
    "surround.mp4": ("video/mp4", 128, 72, "H.264", "High", "progressive", 30, "AAC", 6),
    "portrait.mp4": ("video/mp4", 72, 128, "H.264", "High", "progressive", 30, "", None),
    "rotated.mp4": ("video/mp4", 72, 128, "H.264", "High", "progressive", 30, "", None),
    "fps61.mp4": ("video/mp4", 128, 72, "H.264", "High", "progressive", 61, "", None),
    "interlaced.mp4": ("video/mp4", 128, 72, "H.264", "High", "interlaced", 30, "", None),
    "fragmented.mp4": ("video/mp4", 128, 72, "H.264", "High", "progressive", 27, "AAC", 1),
}


def read(content):
    return inspect(io.BytesIO(content))


@pytest.mark.parametrize("name", VIDEOS)
def test_a_video_tells_its_container_codecs_pixels_and_times(name):
    info = read(sample(name))
    rate = round(info.frame_rate)
    assert FOUND[name] == (
        *(info.type, info.width, info.height, info.video_codec, info.video_profile, info.scan, rate),
        *(info.audio_codec, info.audio_channels),
    )
    assert (info.kind, info.damage, info.pixel_aspect) == ("video", "", "1:1")
    assert info.seconds == pytest.approx(0.6, abs=0.07)
    assert info.pixel_format == ("4:2:0" if name != "vp9.webm" else None)
    assert (info.bytes, info.sha256) == (len(sample(name)), sha256(sample(name)).hexdigest())


@pytest.mark.parametrize("flags", [0, 0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0, 0xE0])
def test_audio_is_found_after_whatever_fields_of_its_stream(flags):
    base = b"\0\1" if flags & 0x80 else b""
    url = b"\5https" if flags & 0x40 else b""
    clock = b"\0\2" if flags & 0x20 else b""
    config = b"\4\x0d\x69" + bytes(12)  # MP3
    fields = b"\0\0" + bytes([flags]) + base + url + clock
    facts = MediaFacts()
    read_descriptors(b"\3" + bytes([len(fields) + len(config)]) + fields + config, facts)
    assert facts.audio_codec == "MP3"


def test_what_the_bytes_do_not_tell_is_named():
    assert unknown_facts(read(sample("high.mp4"))) == ["open_gop"]
    assert unknown_facts(read(sample("vp9.webm"))) == ["video_profile", "pixel_format", "open_gop"]
    stream = b"G" + bytes(187)
    assert "seconds" in unknown_facts(read(stream * 3)) and read(stream * 3).type == "video/mp2t"


@pytest.mark.parametrize("name", VIDEOS)
def test_of_a_video_that_is_cut_off_anywhere_it_is_said(name):
    content = sample(name)
    for size in range(64, len(content) - 1, 7):
        info = read(content[:size])
        is_between_fragments = name == "fragmented.mp4" and not info.damage
        assert info.damage or is_between_fragments, size


def test_a_part_of_no_use_may_be_missing_at_the_end_of_no_fragmented_video():
    content = sample("fragmented.mp4")
    assert read(content[: content.index(b"mfra") - 4]).damage == ""


@pytest.mark.parametrize(
    ("format", "type", "kind"),
    [
        *(("JPEG", "image/jpeg", "image"), ("PNG", "image/png", "image"), ("WEBP", "image/webp", "image")),
        *(("BMP", "image/bmp", "image"), ("GIF", "image/gif", "image")),
    ],
)
def test_an_image_tells_its_type_and_pixels(format, type, kind):
    info = read(picture(format, 321, 123))
    assert (info.type, info.kind, info.width, info.height, info.damage) == (type, kind, 321, 123, "")


@pytest.mark.parametrize("endian", ["<", ">"])
@pytest.mark.parametrize("orientation", range(10))
def test_a_jpg_has_the_pixels_that_it_is_shown_with(endian, orientation):
    content = turned_jpg(321, 123, orientation, endian)
    info = read(content)
    shown = (123, 321) if orientation in (5, 6, 7, 8) else (321, 123)
    assert (info.width, info.height, info.damage) == (*shown, "")
    assert all(read(content[:size]).damage for size in range(12, len(content) - 1, 17))


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP", "GIF"])
def test_of_an_image_that_is_cut_off_anywhere_it_is_said(format):
    content = picture(format, 40, 40)
    for size in range(12, len(content)):
        info = read(content[:size])
        assert info.damage or size > len(content) - (5 if format == "PNG" else 1), size


def test_a_gif_tells_its_frames():
    info = read(gif(frames=17, width=30, height=20))
    assert (info.kind, info.frames, info.width, info.height) == ("gif", 17, 30, 20)
    assert read(gif(frames=1)).kind == "image"
    assert read(gif(frames=0)).damage


def test_colors_of_print_and_moving_pictures_are_seen():
    assert read(picture("JPEG", mode="CMYK")).color == "CMYK"
    assert read(picture("JPEG", mode="L")).color == "gray"
    info = read(animated_webp())
    assert info.is_animated and (info.width, info.height) == (800, 800)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        *((b"hello", "text"), (b"\0\1\2\3", ""), (b"", ""), (b"%PDF-1.7", "PDF"), (b"<svg>", "SVG")),
        *((b"WEBVTT\n\n", "WebVTT"), (b"1\r\n00:00:01,000 --> 00:00:02,000\r\nHi", "SubRip")),
    ],
)
def test_what_is_no_picture_is_told(content, format):
    assert read(content).format == format


def test_sound_alone_is_no_video():
    content = sample("high.mp4").replace(b"vide", b"meta")
    assert (read(content).kind, read(content).format) == ("", "a sound file")


@cache
def originals():
    images = [picture(name, 40, 40) for name in ("JPEG", "PNG", "WEBP", "BMP", "GIF")]
    return [*map(sample, VIDEOS), *images, gif(3), animated_webp()]


def require_sane(content):
    info = read(content)
    assert all(finding.words and finding.hint and finding.rule for finding in findings(info, [*Use]))
    for category in Category:
        findings(info, [], category)


@given(st.data())
def test_no_change_of_a_file_raises_anything(data):
    content = bytearray(data.draw(st.sampled_from(originals())))
    for _ in range(data.draw(st.integers(1, 8))):
        at = data.draw(st.integers(0, len(content) - 1))
        values = data.draw(st.sampled_from([b"\0", b"\xff", b"\xff\xff\xff\xff", b"\0\0\0\1", b"\x7f\xff"]))
        content[at : at + len(values)] = values
    require_sane(bytes(content[: data.draw(st.integers(0, len(content)))]))


BEGINNINGS = [
    *(b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF....WEBPVP8X", b"BM", b""),
    b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff\x16\x54\xae\x6b\xff\xae\xff",
    *(b"\0\0\0\x10ftypmp42\0\0\0\0", b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff", b"\0\0\0\0moov", b"G"),
]


@given(st.sampled_from(BEGINNINGS), st.binary(max_size=300))
def test_any_bytes_are_read(beginning, rest):
    require_sane(beginning + rest)


FILLINGS = [
    *(b"\0", b"\xff", b"\xff\x01", b"\xff\xe0\x00\x02", b"!\xfe\0", b",\0\0\0\0\0\0\0\0\0\0\0", b"\1\0"),
    *(b"\xff" * 1000 + b"\xff\x01", b",\0\0\0\0\0\0\0\0\0\0\1\0", b"\xe0\xff"),
    *(box(b"free"), box(b"moof"), b"\xec\x80", b"\0\0\0\0tEXt\0\0\0\0", b"\xae\x80", box(b"trak")),
]


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_no_filling_keeps_the_reader_busy(beginning):
    """As `long_inspection.py` has it with ten times as much, and with the memory that it takes."""
    started = time.process_time()
    for filling in FILLINGS:
        require_sane(beginning + filling * (20_000 // len(filling)))
    assert time.process_time() - started < 10  # a tenth of a second


def golomb(number):
    """Write an unsigned Exp-Golomb code."""
    digits = f"{number + 1:b}"
    return "0" * (len(digits) - 1) + digits


# How the order of pictures is stated: by pic_order_cnt_type, and what follows each.
ORDERS = (golomb(0) * 2, f"{golomb(1)}0{golomb(5) * 2}{golomb(2)}{golomb(3) * 2}", golomb(2))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("is_progressive", "scan"), [("1", "progressive"), ("00", "interlaced")])
@pytest.mark.parametrize(
    ("aspect", "shape"),
    [("0", "1:1"), (f"1{1:08b}", "1:1"), (f"1{14:08b}", "4:3"), (f"1{255:08b}{6:016b}{4:016b}", "3:2")],
)
def test_the_parameters_of_h264_are_read_escaped_as_they_are(aspect, shape, is_progressive, scan, order):
    sizes = golomb(63) + golomb(0) + order + golomb(1) + "0" + golomb(39) + golomb(22)
    bits = f"{66:08b}{0:016b}{sizes}{is_progressive}101{aspect}0"
    raw = int(bits.ljust(-(-len(bits) // 8) * 8, "1"), 2).to_bytes(-(-len(bits) // 8))
    parameters = b"\x67" + re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", raw)
    assert len(parameters) > len(raw) + 1  # some are escaped
    facts = MediaFacts()
    read_avc(b"\1\x42\0\x1e\xff\xe1" + len(parameters).to_bytes(2) + parameters, facts)
    assert (facts.video_profile, facts.scan, facts.pixel_aspect) == ("Baseline", scan, shape)


def element(id, content):
    """Make an element of a WebM."""
    return id.to_bytes(-(-id.bit_length() // 8)) + (len(content) | 1 << 56).to_bytes(8) + content


def webm(*parts):
    """Make a WebM with these parts of its segment."""
    return element(0x1A45DFA3, element(0x4282, b"webm")) + element(0x18538067, b"".join(parts))


def test_elements_that_nobody_asks_for_are_not_kept():
    others = (element(0x10000000 + number, bytes(60_000)) for number in range(400))
    content = webm(element(0x1549A966, b"".join(others)), element(0x1654AE6B, b""))
    stream = io.BytesIO(content)
    tracemalloc.start()
    info = inspect(stream)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert info.type == "video/webm" and peak < 8_000_000


def test_the_name_of_a_codec_is_short():
    track = element(0xAE, element(0x83, b"\1") + element(0x86, b"V_" + b"x" * 50_000))
    assert len(read(webm(element(0x1654AE6B, track))).video_codec) <= 40


def test_fragments_of_millions_of_pictures_are_given_up():
    run = struct.pack(">III", 0x100, 65_000, 0)[:8] + bytes(4 * 65_000)
    fragment = box(b"moof", box(b"traf", box(b"tfhd", struct.pack(">II", 0, 1)) + box(b"trun", run)))
    content = sample("fragmented.mp4")
    assert read(content + fragment * 3).frames == 18 + 3 * 65_000
    assert read(content + fragment * 40).frames is None


def test_parameters_without_an_end_are_given_up():
    content = bytearray(sample("high.mp4"))
    at = content.index(b"avcC") + 12
    content[at + 4 : at + 20] = bytes(16)
    assert read(bytes(content)).scan is None


@pytest.mark.parametrize("size", [2**31, 2**63 - 1, 2**64 - 1])
def test_a_box_of_any_stated_size_is_cut_off(size):
    content = box(b"ftyp", b"mp42\0\0\0\0") + struct.pack(">I4sQ", 1, b"mdat", size) + bytes(20)
    assert "is cut off" in read(content).damage


def test_a_large_file_is_read_in_little_memory(tmp_path):
    path = tmp_path / "large.mp4"
    size = 300_000_000
    with path.open("wb") as file:
        file.write(sample("high.mp4") + struct.pack(">I4s", size, b"free"))
        file.truncate(len(sample("high.mp4")) + size)
    tracemalloc.start()
    with path.open("rb") as file:
        info = inspect(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert info.seconds and not info.damage and peak < 8_000_000


def test_a_padded_png_has_the_size_it_is_to_have():
    assert read(padded_png(6_000_000)).bytes == 6_000_000


def test_every_image_that_is_recognized_has_a_media_type():
    images = {format for format, _, _ in SIGNATURES} - {"video", "PDF"} | {"SVG"}
    assert images == READERS.keys() | OTHER_IMAGES.keys()
