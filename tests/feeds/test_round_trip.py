"""Every writable format returns the rows that were written."""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.feeds.formats.writers import open_writer
from ads_cli.feeds.formats.xml_writer import BEGIN, END, NOT_XML
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS, find_failed_out, find_writable, writable_formats
from ads_cli.feeds.source import Source

COLUMNS = ("id", "title", "color")
each_format = pytest.mark.parametrize("format", writable_formats())
AMBIGUOUS = [
    "00123",
    "no",
    "null",
    "~",
    "12:30",
    "1e3",
    "- a",
    "a: b",
    "#x",
    '"',
    "'",
    "a\r\nb",
    "\u2028",
    "é🦊椅",
]
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40),
    st.sampled_from(AMBIGUOUS),
).filter(lambda text: not text.isspace())
records = st.lists(
    st.fixed_dictionaries({"id": texts}, optional={"title": texts, "color": texts}), min_size=1, max_size=8
)


def written(format: str, records: list[dict[str, str]]) -> bytes:
    stream = io.StringIO(newline="")
    writer = open_writer(stream, FORMATS[format], COLUMNS)
    for record in records:
        writer.write(record)
    writer.close()
    assert writer.count == len(records)
    return stream.getvalue().encode()


def read(content: bytes, format: str) -> list[dict[str, object]]:
    source = Source(InMemory(content, "feed"), FORMATS[format])
    return [row.values for row in read_rows(source, roots=("products",), known=COLUMNS)]


@each_format
@given(records=records)
def test_rows_that_were_written_are_read_back_equal(format, records):
    if format == "xml":  # which does not allow all characters
        records = [{name: NOT_XML.sub("\ufffd", text) for name, text in each.items()} for each in records]
    content = written(format, records)
    assert read(content, format) == records
    assert read(gzip.compress(content), format) == records


@each_format
def test_no_rows_are_written_as_an_empty_document(format):
    empty = {"xml": BEGIN + END, "csv": "id,title,color\n", "tsv": "id\ttitle\tcolor\n", "jsonl": ""}
    assert written(format, []).decode() == empty.get(format, "[]\n")


@each_format
def test_each_extension_of_a_format_names_its_writer(format):
    for extension in FORMATS[format].extensions:
        for name in (f"x{extension}", f"x{extension.upper()}", f"x{extension}.gz"):
            assert find_writable(name).name == find_failed_out(name).name == format
