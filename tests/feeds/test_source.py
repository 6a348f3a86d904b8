"""A source is the same each time it is read, whatever it is made of."""

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


def test_a_format_that_is_named_outranks_the_extension(desk):
    assert open_source(desk.put("a.csv", TABLE), "jsonl").format.name == "jsonl"


def test_an_unknown_extension_names_the_option(desk):
    with pytest.raises(UsageError) as caught:
        open_source(desk.put("a.xlsx", TABLE), None)
    assert "--format" in caught.value.hint


@pytest.mark.parametrize("encoding", ["klingon", "hex", "rot13"])
def test_an_encoding_that_makes_no_text_is_refused(desk, encoding):
    with pytest.raises(UsageError, match="--encoding"):
        open_source(desk.put("a.csv", TABLE), None, encoding)


def test_standard_input_needs_a_format_and_can_be_read_twice(monkeypatch):
    with pytest.raises(UsageError) as caught:
        open_source("-", None)
    assert "--format" in caught.value.hint
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(TABLE.encode()))))
    source = open_source("-", "csv")
    assert source.label == "standard input"
    assert content(source) == content(source) == TABLE.encode()


def test_a_pipe_with_a_name_is_kept_since_it_can_be_read_once_only():
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
def test_readers_see_utf_8_and_no_byte_order_mark(desk, data):
    assert content(open_source(desk.put("a.csv", data), None)) == TABLE.encode()


def test_another_encoding_is_read_where_it_is_named(desk):
    assert content(open_source(desk.put("a.csv", TABLE.encode("cp1252")), None, "cp1252")) == TABLE.encode()


def test_the_digest_is_that_of_the_raw_bytes_also_after_a_reading_that_was_left_early(desk):
    data = gzip.compress(os.urandom(3 * BLOCK_BYTES))
    source = open_source(desk.put("a.csv", data), None)
    source.stream().read(BLOCK_BYTES)
    content(source)
    assert source.digest == hashlib.sha256(data).hexdigest()
    assert source.size == source.position == len(data)


def test_no_byte_of_a_changed_block_is_given_out(desk):
    data = bytearray(b"id\n" + b"1234567\n" * 300_000)
    source = open_source(desk.put("a.csv", bytes(data)), None)
    content(source)
    data[2 * BLOCK_BYTES + 5] ^= 1
    desk.put("a.csv", bytes(data))
    given, stream = bytearray(), source.stream()
    with pytest.raises(ContentError, match="changed while it was being read"):
        while block := stream.read(BLOCK_BYTES // 4):
            given += block
    assert len(given) <= 2 * BLOCK_BYTES and data.startswith(bytes(given))


@pytest.mark.parametrize("cut", [5, 15, -1, -6])
def test_a_gzip_file_that_is_cut_off_is_told(desk, cut):
    assert "gzip" in desk.refused("a.csv", gzip.compress(TABLE.encode() * 1000)[:cut])


@pytest.mark.parametrize("value", ["1:a\n1:b", "1:a\r1:b", "1:a\u20281:b", ""])
def test_a_value_from_the_command_line_never_becomes_two_or_none(value):
    with pytest.raises(UsageError):
        open_values(["1:x", value])
