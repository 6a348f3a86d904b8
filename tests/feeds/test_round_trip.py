"""Every writable format returns the rows that were written."""

import gzip
import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ads_cli.errors import ContentError, UsageError
from ads_cli.feeds.formats.writers import BEGIN_RSS, END_RSS, NOT_XML, open_writer
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS, find_failed_out, find_writable, writable_formats
from ads_cli.feeds.source import Source

COLUMNS = ("id", "title", "color")
each_format = pytest.mark.parametrize("format", writable_formats())
each_text_format = pytest.mark.parametrize("format", [name for name in writable_formats() if name != "xlsx"])
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
WITHOUT_ESCAPE = re.compile("[\ufffe\uffff]")
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40),
    st.sampled_from(AMBIGUOUS),
).filter(lambda text: not text.isspace())
records = st.lists(
    st.fixed_dictionaries({"id": texts}, optional={"title": texts, "color": texts}), min_size=1, max_size=8
)


def written(format: str, records: list[dict[str, str]]) -> bytes:
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="")
    writer = open_writer(stream, FORMATS[format], COLUMNS)
    for record in records:
        writer.write(record)
    writer.close()
    assert writer.count == len(records)
    stream.flush()
    return stream.buffer.getvalue()


def read(content: bytes, format: str) -> list[dict[str, object]]:
    source = Source(InMemory(content, "feed"), FORMATS[format])
    return [row.values for row in read_rows(source, roots=("products",), known=COLUMNS)]


@each_text_format
@given(records=records)
def test_rows_that_were_written_are_read_back_equal(format, records):
    if format == "xml":  # which does not allow all characters
        records = [{name: NOT_XML.sub("\ufffd", text) for name, text in record.items()} for record in records]
    content = written(format, records)
    assert read(content, format) == records
    assert read(gzip.compress(content), format) == records


LIKE_OTHERS = [
    "=1+1",
    "+1",
    "-1",
    "@a",
    "https://x.example/",
    "<r>a & b</r>",
    "_x0041_",
    " a ",
    "a\x00\x1f\tb",
]
of_workbooks = st.lists(
    st.fixed_dictionaries({name: st.one_of(texts, st.sampled_from(LIKE_OTHERS)) for name in COLUMNS}),
    min_size=40,
    max_size=60,
)


@settings(max_examples=4)  # each is read by a process of its own
@given(records=of_workbooks)
def test_texts_in_a_workbook_are_no_numbers_formulas_or_links_and_are_read_back_equal(records):
    records = [
        {name: WITHOUT_ESCAPE.sub("", text) or "x" for name, text in record.items()} for record in records
    ]
    assert read(written("xlsx", records), "xlsx") == records


@pytest.mark.parametrize("text", ["\ufffe", "\ud800", "x" * 32_768, "\U0001f98a" * 16_384])
def test_a_text_that_no_cell_can_hold_is_refused_with_its_record_and_column(text):
    with pytest.raises(ContentError, match="record 2 cannot be written: 'title' has "):
        written("xlsx", [{"id": "1"}, {"id": "2", "title": text}])
    longest = [{"id": "1", "title": "x" * 32_767}]
    assert read(written("xlsx", longest), "xlsx") == longest


@each_text_format
def test_no_rows_are_written_as_an_empty_document(format):
    empty = {"xml": BEGIN_RSS + END_RSS, "csv": "id,title,color\n", "tsv": "id\ttitle\tcolor\n", "jsonl": ""}
    assert written(format, []).decode() == empty.get(format, "[]\n")


@each_format
def test_each_extension_of_a_format_names_its_writer(format):
    for extension in FORMATS[format].extensions:
        if extension in FORMATS[format].read_only:
            with pytest.raises(UsageError, match=f"{extension} can be read but not written"):
                find_writable(f"x{extension}")
            with pytest.raises(UsageError, match=f"rows cannot be written as {extension}"):
                find_failed_out(f"x{extension}")
            continue
        for name in (f"x{extension}", f"x{extension.upper()}", f"x{extension}.gz"):
            assert find_writable(name).name == find_failed_out(name).name == format
