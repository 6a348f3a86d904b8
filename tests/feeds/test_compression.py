"""A feed may be compressed: the content tells how, and no archive fills the memory or the disk."""

import bz2
import gzip
import io
import json
import lzma
import random
import sys
import tracemalloc
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.errors import ContentError, UsageError
from ads_cli.feeds import compression
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import open_source
from ads_cli.feeds.registry import FORMATS, find_failed_out, find_writable
from ads_cli.feeds.source import Source
from tests.conftest import feed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TABLE = "id,title\n1,Café\n"


def zipped(content: bytes, *others: str, name: str = "feed.csv") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for other in others:
            archive.writestr(other, b"other")
        archive.writestr(name, content)
    return stream.getvalue()


KINDS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd.compress,
    "zip": zipped,
}
EXTENSIONS = {"gzip": "gz", "bzip2": "bz2", "xz": "xz", "zstd": "zst", "zip": "zip"}
each_kind = pytest.mark.parametrize("kind", KINDS)


def content(data: bytes) -> bytes:
    return Source(InMemory(data, "feed"), FORMATS["csv"]).stream().read()


def refused(data: bytes) -> str:
    with pytest.raises(ContentError) as caught:
        content(data)
    return caught.value.message


@each_kind
def test_a_compressed_feed_is_checked_whatever_its_name(adsctl, kind):
    compressed = KINDS[kind](feed(3).encode())
    for name in ("feed.csv", f"feed.csv.{EXTENSIONS[kind]}", f"FEED.CSV.{EXTENSIONS[kind].upper()}"):
        adsctl.file(name, compressed)
        checked = json.loads(adsctl("products", "check", name, "-o", "json").stdout)
        assert (checked["rows"], checked["valid"]) == (3, 3)


@each_kind
def test_two_kinds_of_compression_one_in_the_other_are_undone(kind):
    for outer in KINDS.values():
        assert content(outer(KINDS[kind](TABLE.encode()))) == TABLE.encode()
    assert "more than 3 times" in refused(gzip.compress(gzip.compress(gzip.compress(KINDS[kind](b"id\n")))))


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zstd"])
def test_several_streams_in_one_file_are_read_one_after_the_other(kind):
    compress = KINDS[kind]
    assert content(compress(b"id,title\n") + compress(b"1,a\n")) == b"id,title\n1,a\n"


def test_padding_between_streams_is_skipped():
    assert content(lzma.compress(b"id\n") + bytes(200_000) + lzma.compress(b"1\n") + bytes(8)) == b"id\n1\n"


@each_kind
def test_an_archive_that_is_cut_off_is_refused_wherever_it_ends(kind):
    noise = bytes(random.Random(1).choices(range(33, 127), k=20_000))
    data = KINDS[kind](noise)
    for cut in (20, 40, len(data) // 2, len(data) - 9, len(data) - 5):
        assert f"feed is not a complete {kind} file" in refused(data[:cut])


@each_kind
@given(data=st.data())
def test_a_damaged_archive_is_refused_or_read_as_it_was(kind, data):
    original = feed(30).encode()
    damaged = bytearray(KINDS[kind](original))
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        decompressed = content(bytes(damaged))
    except ContentError as error:
        assert error.message and error.hint
    else:  # a byte without meaning, such as a date or the name in an archive; or no archive at all any more
        assert decompressed in (original, bytes(damaged)) or kind == "zstd"


@each_kind
def test_a_bomb_is_refused_before_it_is_decompressed(kind, monkeypatch):
    monkeypatch.setattr(compression, "MIN_JUDGED_BYTES", 1 << 20)
    monkeypatch.setattr(compression, "MAX_RATIO", 100)
    bomb = KINDS[kind](bytes(4 << 20))
    source = Source(InMemory(bomb, "feed"), FORMATS["csv"])
    read, stream = 0, source.stream()
    with pytest.raises(ContentError, match="feed decompresses to more than 100 times its size"):
        while block := stream.read(1 << 16):
            read += len(block)
    assert read < 2 << 20


@each_kind
def test_a_feed_is_limited_in_its_decompressed_size(kind, monkeypatch):
    monkeypatch.setattr(compression, "MIN_JUDGED_BYTES", 0)
    monkeypatch.setattr(compression, "MAX_DECOMPRESSED_BYTES", 100_000)
    noise = random.Random(1).randbytes(100_000)
    assert content(KINDS[kind](noise)) == noise
    assert "more than 100,000 bytes" in refused(KINDS[kind](noise + b"x"))


@each_kind
def test_decompression_takes_little_memory(kind):
    data = KINDS[kind](b"id,title\n" + (b"12345678,%b\n" % (b"x" * 250)) * 20_000)
    stream = Source(InMemory(data, "feed"), FORMATS["csv"]).stream()
    tracemalloc.start()
    while stream.read(1 << 16):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


SKIPPABLE = b"\x50\x2a\x4d\x18\0\0\0\0"  # a frame of zstd
EMPTY_STREAMS = {kind: KINDS[kind](b"") for kind in ("gzip", "bzip2", "xz", "zstd")} | {
    "skippable": SKIPPABLE
}


@pytest.mark.parametrize("empty", EMPTY_STREAMS.values(), ids=EMPTY_STREAMS)
def test_a_bomb_of_empty_streams_is_refused(adsctl, empty, monkeypatch):
    monkeypatch.setattr(compression, "MIN_JUDGED_STREAMS", 1_000)  # of 10,000
    compress = next(
        compress for kind, compress in KINDS.items() if empty[:2] == compress(b"")[:2] or kind == "zstd"
    )
    data = compress(TABLE.encode()) + empty * 1_001 + compress(b"2,b\n")
    for bomb in (data, empty * 1_001 + data, gzip.compress(data)):
        adsctl.file("feed.csv", bomb)
        done = adsctl("products", "check", "feed.csv", code=3)
        assert "more than 1,000 compressed parts of fewer than 1,000 bytes" in done.stderr
        assert "compress it again as a whole" in done.stderr


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz", "zstd"])
def test_many_streams_of_an_honest_size_are_read(kind, monkeypatch):
    monkeypatch.setattr(compression, "MIN_JUDGED_STREAMS", 10)
    block = random.Random(1).randbytes(1000)
    assert content(KINDS[kind](block) * 50) == block * 50
    assert "compressed parts" in refused(KINDS[kind](block[1:]) * 50)


def test_an_archive_with_a_long_list_of_files_is_refused():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("feed.csv", TABLE)
        for number in range(20):
            entry = zipfile.ZipInfo(f"__MACOSX/{number}")
            entry.extra = b"BB\0\0" * 15_000  # each of which is looked at
            archive.writestr(entry, b"")
    assert "its list of files has more than 1,048,576 bytes" in refused(stream.getvalue())


def test_a_gzip_header_with_a_long_name_is_read():
    named = b"\x1f\x8b\x08\x08\0\0\0\0\0\3" + b"x" * 1_000_000 + b"\0"
    assert content(named + gzip.compress(TABLE.encode())[10:] + bytes(1_000_000)) == TABLE.encode()


def test_an_xz_file_that_needs_much_memory_is_refused():
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    data = lzma.compress(TABLE.encode(), format=lzma.FORMAT_XZ, filters=filters)
    assert "Memory usage limit" in refused(data)


@pytest.mark.parametrize(
    "other",
    ["__MACOSX/._feed.csv", "feeds/", ".DS_Store", "._feed.csv", "a/._b", "Thumbs.db", "a/desktop.ini"],
)
def test_folders_and_files_of_file_managers_do_not_count_as_files_of_an_archive(other):
    assert content(zipped(TABLE.encode(), other)) == TABLE.encode()


@pytest.mark.parametrize(("others", "count"), [(["a.csv"], 2), (["a.csv", "b.txt"], 3)])
def test_a_zip_archive_of_several_files_names_them(others, count):
    message = refused(zipped(TABLE.encode(), *others))
    assert f"contains {count} files: 'a.csv'" in message and "'feed.csv'" in message


def test_a_zip_archive_without_files_is_refused():
    stream = io.BytesIO()
    zipfile.ZipFile(stream, "w").close()
    assert "contains 0 files" in refused(stream.getvalue())


def test_an_encrypted_zip_archive_is_refused():
    data = bytearray(zipped(TABLE.encode()))
    for offset in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[offset] |= 1
    assert "'feed.csv' in the zip archive is encrypted" in refused(bytes(data))


@pytest.mark.parametrize(
    ("archive", "member", "format"),
    [
        ("feed.zip", "products.jsonl", "jsonl"),
        ("feed.csv.zip", "products.jsonl", "csv"),
        ("feed", "a/products.tsv", "tsv"),
    ],
)
def test_the_name_in_a_zip_archive_tells_the_format_where_that_of_the_archive_does_not(
    feeds, archive, member, format
):
    path = feeds.write(archive, zipped(TABLE.encode(), name=member))
    assert open_source(path).format.name == format


def test_an_empty_archive_is_an_empty_feed():
    for compress in KINDS.values():
        assert refused(compress(b"")) == "feed is empty"


@pytest.mark.parametrize("extension", [".bz2", ".xz", ".zst", ".zip"])
def test_only_gzip_is_written(extension):
    for find in (find_writable, find_failed_out):
        with pytest.raises(UsageError, match=f"{extension} can be read but not written") as caught:
            find(f"x.csv{extension}")
        assert ".gz" in caught.value.hint
