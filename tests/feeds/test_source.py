"""A source gives the same bytes each time it is read, whatever its compression and encoding."""

import gzip
import hashlib
import io
import os

import pytest

from ads_cli.errors import ContentError, UsageError
from ads_cli.feeds.reader import open_source, open_values
from ads_cli.feeds.source import BLOCK_BYTES, Source

TABLE = "id,title\n1,Café\n"


def content(source: Source) -> bytes:
    return source.stream().read()


def test_the_format_option_outranks_the_extension(feeds):
    assert open_source(feeds.write("a.csv", TABLE), "jsonl").format.name == "jsonl"


def test_an_unknown_extension_names_the_option(feeds):
    with pytest.raises(UsageError) as caught:
        open_source(feeds.write("a.dat", "some text\n"), None)
    assert "--format" in caught.value.hint


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13"])
def test_an_unknown_encoding_is_refused(feeds, encoding):
    with pytest.raises(UsageError, match="--encoding"):
        open_source(feeds.write("a.csv", TABLE), None, encoding)


def test_standard_input_needs_a_format_and_can_be_read_twice(monkeypatch):
    with pytest.raises(UsageError) as caught:
        open_source("-", None)
    assert "--format" in caught.value.hint
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TABLE.encode()))))
    source = open_source("-", "csv")
    assert source.label == "standard input"
    assert content(source) == content(source) == TABLE.encode()


def test_a_named_pipe_can_be_read_twice():
    reading, writing = os.pipe()
    os.write(writing, TABLE.encode())
    os.close(writing)
    try:
        source = open_source(f"/dev/fd/{reading}", "csv")
    finally:
        os.close(reading)
    assert content(source) == content(source) == TABLE.encode()


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + TABLE.encode(),
        TABLE.encode("utf-16"),
        b"\xfe\xff" + TABLE.encode("utf-16-be"),
        gzip.compress(TABLE.encode(), mtime=0),
        gzip.compress(b"id,title\n", mtime=0) + gzip.compress("1,Café\n".encode(), mtime=0),
    ],
)
def test_readers_get_utf_8_without_a_byte_order_mark(feeds, data):
    assert content(open_source(feeds.write("a.csv", data), None)) == TABLE.encode()


@pytest.mark.parametrize("encoding", ["idna", "punycode", "undefined"])
def test_a_codec_of_something_else_than_texts_is_told(feeds, encoding):
    assert f"not {encoding}: " in feeds.error("a.csv", b"id,title\n1,\xe9\n", encoding=encoding)


def test_the_encoding_option_is_used(feeds):
    assert (
        content(open_source(feeds.write("a.csv", TABLE.encode("cp1252")), None, "cp1252")) == TABLE.encode()
    )


def test_the_digest_is_of_the_raw_bytes_even_after_an_incomplete_reading(feeds):
    data = gzip.compress(os.urandom(3 * BLOCK_BYTES))
    source = open_source(feeds.write("a.csv", data), None)
    source.stream().read(BLOCK_BYTES)
    content(source)
    assert source.digest == hashlib.sha256(data).hexdigest()
    assert source.size == len(data)


def test_readings_that_are_open_at_once_do_not_disturb_each_other(feeds):
    data = b"id\n" + b"1234567\n" * 300_000
    source = open_source(feeds.write("a.csv", data), None)
    other, unfinished = source.encoded("cp1252"), source.stream()
    unfinished.read(1)
    assert content(other) == data
    assert source.stream().read(1) == b"i" and content(other) == content(source) == data
    assert unfinished.read() == data[1:]


def test_no_byte_of_a_changed_block_is_returned(feeds):
    data = bytearray(b"id\n" + b"1234567\n" * 300_000)
    source = open_source(feeds.write("a.csv", bytes(data)), None)
    content(source)
    data[2 * BLOCK_BYTES + 5] ^= 1
    feeds.write("a.csv", bytes(data))
    received, stream = bytearray(), source.stream()
    with pytest.raises(ContentError, match="changed while it was being read"):
        while block := stream.read(BLOCK_BYTES // 4):
            received += block
    assert len(received) <= 2 * BLOCK_BYTES and data.startswith(bytes(received))


@pytest.mark.parametrize("cut", [5, 15, -1, -6])
def test_a_truncated_gzip_file_is_refused(feeds, cut):
    assert "gzip" in feeds.error("a.csv", gzip.compress(TABLE.encode() * 1000)[:cut])


@pytest.mark.parametrize("value", ["1:a\n1:b", "1:a\r1:b", "1:a\u20281:b", ""])
def test_a_value_from_the_command_line_is_exactly_one_line(value):
    with pytest.raises(UsageError):
        open_values(["1:x", value])


@pytest.mark.parametrize("size", [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1])
@pytest.mark.parametrize("change", [b"more", b""])
def test_a_file_that_grew_or_shrank_is_refused(feeds, size, change):
    source = open_source(feeds.write("feed.csv", b"x" * size))
    assert content(source) == content(source) == b"x" * size
    feeds.write("feed.csv", b"x" * size + change if change else b"x" * (size - 1))
    with pytest.raises(ContentError, match="changed while it was being read"):
        content(source)
