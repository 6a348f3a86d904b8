"""Parquet: typed columns, read by row group."""

import io
import json
import resource
import sys
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow
import pytest
from pyarrow import parquet

from ads_cli.feeds.formats import parquet as reader
from tests.conftest import PRODUCT

FEED = "feed.parquet"


def table(columns: dict[str, list], **options) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), stream, **options)
    return stream.getvalue()


def test_a_parquet_file_is_pushed(adsctl, service):
    columns = {name: [value] * 40 for name, value in PRODUCT.items()} | {
        "id": [f"sku-{n}" for n in range(40)]
    }
    adsctl.file(FEED, table(columns, row_group_size=7))
    assert json.loads(adsctl("products", "push", FEED, "-o", "json").stdout)["created"] == 40


def test_typed_values_are_text_and_nested_ones_keep_their_form(feeds):
    moment = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
    cells = {
        "id": (12345678901234, "12345678901234"),
        "title": ("a\nb", "a\nb"),
        "price": (Decimal("19.90"), "19.90"),
        "weight": (0.25, "0.25"),
        "whole": (3.0, "3"),
        "day": (date(2026, 7, 1), "2026-07-01"),
        "moment": (moment, "2026-07-01T12:30:00+00:00"),
        "yes": (True, "true"),
        "sizes": (["S", "M"], ["S", "M"]),
        "shipping": ({"price": Decimal("3.0"), "country": None}, {"price": "3.0", "country": None}),
        "bytes": (b"caf\xc3\xa9", "café"),
    }
    content = table({name: [value, None] for name, (value, _) in cells.items()})
    first, second = feeds.read(FEED, content)
    assert first == (1, {name: text for name, (_, text) in cells.items()}, "")
    assert second == (2, {}, "")


def test_a_floating_point_number_that_is_rounded_is_a_problem_of_its_row(feeds):
    content = table({"id": [1.2345678901234567e18, 123.0], "price": [0.1 + 0.2, 1e14], "x": [1e20, 1e20]})
    first, second = feeds.read(FEED, content)
    assert first[2].startswith("'id' has more than 15 digits") and "x" not in second[2]
    assert second[2] == "" and second[1]["id"] == "123"


def test_bytes_that_are_not_utf_8_are_a_problem_of_their_row_and_sent_by_no_push(adsctl, service):
    good, bad = (PRODUCT | {"id": id} for id in ("1", "2"))
    columns = {name: [good[name].encode(), bad[name].encode()] for name in PRODUCT}
    columns |= {"title": ["Mütze".encode(), b"M\xfctze"], "unknown": [b"\xfc", b""]}
    adsctl.file(FEED, table(columns))
    done = adsctl("products", "push", FEED, "--skip-invalid", "-o", "json", code=9)
    assert "'title' is not UTF-8; write the column as text" in done.stderr
    assert [product["title"] for product in service.emulator.data.products()][
        -1
    ] == "Mütze" and service.puts == [["1"]]


def test_a_map_is_a_mapping_and_a_rounded_number_in_a_list_a_problem(feeds):
    maps = pyarrow.array([[("price", "3"), ("country", "DE")], []], pyarrow.map_("string", "string"))
    content = table({"id": ["1", "2"], "title": [[1.0], [1e18, 2e18]], "image_link": maps})
    first, second = feeds.read(FEED, content)
    assert first[1]["image_link"] == {"price": "3", "country": "DE"} and first[2] == ""
    assert second[2].count("'title' has more than 15 digits") == 1


def test_columns_are_mapped_and_rows_numbered_through_all_row_groups(feeds):
    content = table({"sku": list(range(3000)), "_line": ["x"] * 3000}, row_group_size=1100)
    rows = feeds.rows(FEED, content, sku="id")
    assert [(row.line, row.values["id"]) for row in rows] == [(n + 1, str(n)) for n in range(3000)]
    assert rows.columns == ("sku",)


@pytest.mark.parametrize("name", ["feed.csv", "feed", "feed.parquet.gz"])
def test_the_content_tells_that_a_file_is_parquet(feeds, name):
    import gzip

    content = table({"id": ["1"]})
    assert feeds.values(name, gzip.compress(content) if name.endswith("gz") else content) == [{"id": "1"}]


def test_a_parquet_file_that_is_cut_off_is_refused_wherever_it_ends(feeds):
    content = table({"id": list(range(500))})
    for cut in (5, 20, len(content) // 2, len(content) - 3):
        assert feeds.error(FEED, content[:cut]).startswith("feed.parquet:1: not a complete parquet file")


def test_a_parquet_file_without_rows_or_with_a_repeated_column_is_refused(feeds):
    assert "no rows" in feeds.error(FEED, table({"id": []}))
    repeated = pyarrow.Table.from_arrays([pyarrow.array([1])] * 2, names=["id", "id"])
    stream = io.BytesIO()
    parquet.write_table(repeated, stream)
    assert "'id' is repeated" in feeds.error(FEED, stream.getvalue())


def test_a_parquet_file_that_is_a_bomb_is_refused(feeds, monkeypatch):
    monkeypatch.setattr(reader, "MAX_DECOMPRESSED_BYTES", 100)
    assert "decompresses to more than 100 bytes" in feeds.error(FEED, table({"id": list(range(500))}))


@pytest.mark.skipif(sys.platform != "linux", reason="nothing limits the memory of a process there")
def test_a_parquet_file_is_decoded_in_limited_memory(feeds, monkeypatch):
    limits, decoded, before = [], reader._decoded, resource.getrlimit(resource.RLIMIT_AS)

    def measured(column):
        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
        return decoded(column)

    monkeypatch.setattr(reader, "_decoded", measured)
    assert len(feeds.read(FEED, table({"id": ["1"]}))) == 1
    assert limits and before[0] not in limits and resource.RLIM_INFINITY not in limits
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def in_dictionary(text: str, count: int) -> pyarrow.DictionaryArray:
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * count, pyarrow.int32()), [text])


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (["y" * 35_000_000] * 2, "2 rows of "),
        (pyarrow.nulls(2_000_000, pyarrow.string()), "more than 10 rows for each byte"),
        (in_dictionary("x" * 4_000_000, 1000), "not a complete parquet file: "),  # no memory
        (in_dictionary("x" * 100_000, 1000), "1,000 rows of 100,00"),
    ],
)
def test_a_small_file_that_becomes_many_or_long_rows_is_refused(feeds, column, reason):
    content = table({"id": column}, compression="zstd", row_group_size=2_000_000)
    assert len(content) < 100_000
    error = feeds.error(FEED, content)
    assert error.startswith("feed.parquet:1: ") and reason in error


def test_more_columns_than_the_records_of_a_feed_may_have_are_refused(feeds):
    content = table({f"c{number}": ["a"] for number in range(10_001)})
    assert "more than 10,000 columns" in feeds.error(FEED, content)
