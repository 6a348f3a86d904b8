"""Format and pixels are found in the first bytes, and no bytes make them hang or be wrong."""

import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.media_files import ALLOWED_FORMATS, read_header
from tests.products.images.image_server import image

NAMES = {"JPEG": "JPG", "PNG": "PNG", "GIF": "GIF", "WEBP": "WEBP"}
OPTIONS = {
    "JPEG": [{}, {"progressive": True}, {"icc_profile": bytes(5000)}, {"exif": b"Exif\0\0" + image(width=3)}],
    "PNG": [{}, {"icc_profile": bytes(5000)}],
    "GIF": [{}, {"comment": b"a shop"}],
    "WEBP": [{}, {"lossless": True}, {"icc_profile": bytes(5000)}],
}
BEGINNINGS = [b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF....WEBPVP8X", b"<", b""]
FILLINGS = [
    *(b"\0", b" ", b"<!--", b"\xff", b"\xff\x01"),
    *(b"\xff\xd8\xff", b"\xff\xe0\x00\x02", b"\xff\xc4\x00\x02"),
]
SIDES = st.integers(1, 700)


@cache
def made_image(format: str, width: int, height: int, option: int) -> bytes:
    return image(format, width, height, **OPTIONS[format][option])


@st.composite
def images(draw):
    """An image of an allowed format: the format, its sides and the file."""
    format = draw(st.sampled_from(sorted(NAMES)))
    width, height = draw(SIDES), draw(SIDES)
    option = draw(st.integers(0, len(OPTIONS[format]) - 1))
    return NAMES[format], width, height, made_image(format, width, height, option)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"<!doctype html><html><body><svg></svg>", "HTML"),
        (b"<html><svg></svg></html>", "HTML"),
        (b'<?xml version="1.0"?><!DOCTYPE svg><svg></svg>', "SVG"),
        (b"<svg><foreignObject><html></html></foreignObject></svg>", "SVG"),
        (b"<?xml version='1.0'?><rss/>", "XML"),
        (b"<rss/>", ""),
        (b"svg", ""),
    ],
)
def test_markup_is_what_its_first_known_tag_says(content, format):
    assert read_header(content) == (format, 0, 0)


@pytest.mark.parametrize(
    ("first", "format"),
    [
        (b"\0\0\0\x1cftypavif", "AVIF"),
        (b"\0\0\0\x1cftypavis", "AVIF"),
        (b"\0\0\0\x18ftypheic", "HEIC"),
        (b"\0\0\0\x18ftypmif1", "HEIC"),
        (b"\0\0\0\x18ftypmp42", "video"),
        (b"\x1a\x45\xdf\xa3\x01", "video"),
        (b"BM\x36\0", "BMP"),
        (b"II*\0\x08", "TIFF"),
        (b"MM\0*\0", "TIFF"),
        (b"\0\0\x01\0\x01", "ICO"),
        (b"\0\0\0\x0cjP  \r\n\x87\n", "JPEG 2000"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG XL"),
        (b"\xff\x0a\xfa", "JPEG XL"),
        (b"8BPS\0\x01", "PSD"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_a_file_of_another_format_is_told_by_its_first_bytes(first, format):
    assert read_header(first) == (format, 0, 0)


@given(images())
def test_a_whole_image_tells_its_format_and_its_pixels(made):
    format, width, height, content = made
    assert read_header(content) == (format, width, height)


@given(images(), st.data())
def test_of_every_beginning_the_pixels_are_right_or_not_known(made, data):
    format, width, height, content = made
    size = data.draw(st.integers(0, min(len(content), 6000)))
    header = read_header(content[:size])
    assert header.format in (format, "")
    assert header[1:] in ((width, height), (0, 0))
    if size >= 64:
        assert header.format == format and (format == "JPG" or not header.lacks_pixels)


@given(images(), st.data())
def test_what_was_changed_in_an_image_raises_nothing(made, data):
    content = bytearray(made[3][:2000])
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    header = read_header(bytes(content))
    assert header.width >= 0 and header.height >= 0


@given(st.sampled_from(BEGINNINGS), st.binary())
def test_any_bytes_are_read(beginning, rest):
    header = read_header(beginning + rest)
    assert header.width >= 0 and header.height >= 0
    assert header.format in ALLOWED_FORMATS or header[1:] == (0, 0)


@pytest.mark.parametrize("filling", FILLINGS)
@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_megabyte_of_anything_is_read_in_a_moment(beginning, filling):
    content = (beginning + filling * (1_048_576 // len(filling) + 1))[:1_048_576]
    started = time.process_time()
    read_header(content)
    assert time.process_time() - started < 5
