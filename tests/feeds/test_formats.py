"""What is written in any format is read back as it was; what is read twice is the same twice."""

import gzip
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.config.atomic_files import atomic
from ads_cli.errors import ContentError
from ads_cli.feeds.location import InMemory
from ads_cli.feeds.reader import open_source, read_rows
from ads_cli.feeds.registry import FORMATS, writable_formats
from ads_cli.feeds.source import BLOCK_BYTES, Source
from ads_cli.feeds.writer import open_writer
from ads_cli.validation.ordered_map import map_ordered

COLUMNS = ("id", "title", "color")
quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)

# Any text that is not blank: quotes, line breaks, leading zeros, "no", "null", emoji, control characters.
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40),
    st.sampled_from(
        [
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
    ),
).filter(lambda text: not text.isspace())
records = st.lists(
    st.fixed_dictionaries({"id": texts}, optional={"title": texts, "color": texts}), min_size=1, max_size=8
)


def source_of(content: bytes, format: str) -> Source:
    return Source(InMemory(content, f"feed.{format}"), FORMATS[format])


def read(content: bytes, format: str) -> list[dict[str, object]]:
    return [row.values for row in read_rows(source_of(content, format), roots=("products",), known=COLUMNS)]


@pytest.mark.parametrize("format", writable_formats())
@given(records=records)
@quick
def test_what_is_written_is_read_back(format: str, records: list[dict[str, str]]):
    stream = io.StringIO(newline="")
    writer = open_writer(stream, FORMATS[format], COLUMNS)
    for record in records:
        writer.write(record)
    writer.close()
    content = stream.getvalue().encode()
    assert read(content, format) == records
    assert read(gzip.compress(content), format) == records


@pytest.mark.parametrize("format", writable_formats())
@given(content=st.binary(max_size=300))
@quick
def test_whatever_the_bytes_are_the_reader_answers_or_explains(format: str, content: bytes):
    try:
        read(content, format)
    except ContentError as error:
        assert error.message


@given(
    before=st.integers(0, 5), quoted=st.text(st.sampled_from('a,"\n'), max_size=10), after=st.integers(1, 3)
)
@quick
def test_every_row_knows_the_line_where_it_begins(before: int, quoted: str, after: int):
    lines = ["id,title", *["x,y"] * before, 'x,"' + quoted.replace('"', '""') + '"', *["z,y"] * after]
    found = [
        row.line
        for row in read_rows(source_of("\n".join(lines).encode(), "csv"), roots=("p",), known=COLUMNS)
    ]
    breaks = quoted.count("\n")
    expected = [*range(2, before + 3), *range(before + 3 + breaks, before + 3 + breaks + after)]
    assert found == expected


@pytest.mark.parametrize("format", ["json", "yaml", "jsonl"])
def test_documents_name_the_line_of_each_record(format: str):
    texts = {
        "json": '{"products":\n[\n{"id": "1",\n "title": "x"},\n\n{"id": "2"}\n]}',
        "yaml": "# comment\nproducts:\n- id: 1\n  title: x\n\n- id: 2\n",
        "jsonl": '\n\n{"id": "1"}\n\n\n{"id": "2"}\n',
    }
    found = read_rows(source_of(texts[format].encode(), format), roots=("products",), known=COLUMNS)
    assert [row.line for row in found] == [3, 6]


@pytest.mark.parametrize("format", ["json", "jsonl", "yaml"])
def test_scalars_stay_the_text_they_are_written_as(format: str):
    texts = {
        "json": '[{"id": 0.10, "title": 12345678901234567890, "color": null}]',
        "jsonl": '{"id": 0.10, "title": 12345678901234567890, "color": null}',
        "yaml": "- {id: 0.10, title: 12345678901234567890, color: ~}",
    }
    assert read(texts[format].encode(), format) == [{"id": "0.10", "title": "12345678901234567890"}]


def test_long_items_are_read_whole_however_the_file_is_cut_into_blocks():
    import json

    items = [{"id": str(n), "title": "x" * (n * 40_000)} for n in range(12)]
    assert read(json.dumps(items).encode(), "json") == [
        {k: v for k, v in item.items() if v} for item in items
    ]


def test_a_source_is_the_same_each_time_it_is_read(tmp_path):
    path = tmp_path / "feed.csv"
    path.write_bytes(b"id\n" + b"x\n" * BLOCK_BYTES)
    source = open_source(str(path))
    first = source.stream().read()
    assert source.stream().read() == first
    path.write_bytes(b"id\n" + b"x\n" * (BLOCK_BYTES - 1) + b"y\n")
    with pytest.raises(ContentError, match="changed while it was being read"):
        source.stream().read()


@pytest.mark.parametrize("size", [BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1])
@pytest.mark.parametrize("change", [b"more", b""])
def test_a_file_that_grows_or_shrinks_is_noticed(tmp_path, size, change):
    path = tmp_path / "feed.csv"
    path.write_bytes(b"x" * size)
    source = open_source(str(path))
    source.stream().read()
    path.write_bytes(b"x" * size + change if change else b"x" * (size - 1))
    with pytest.raises(ContentError):
        source.stream().read()


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("before")

    def break_off():
        with atomic(path) as stream:
            stream.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    with atomic(path) as stream:
        stream.write("after")
    assert path.read_text() == "after" and path.stat().st_mode & 0o777 == 0o600


@given(st.lists(st.integers(), max_size=50), st.integers(1, 8), st.integers(1, 16))
@quick
def test_results_come_in_the_order_of_their_tasks(tasks: list[int], threads: int, waiting: int):
    assert list(map_ordered(lambda n: n * 2, tasks, threads, waiting)) == [n * 2 for n in tasks]


def test_an_error_comes_in_its_turn_and_what_was_begun_is_finished():
    finished = []

    def work(n: int) -> int:
        if n == 3:
            raise ValueError(n)
        finished.append(n)
        return n

    results = map_ordered(work, range(100), 4, 8)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError):
        next(results)
    assert len(finished) < 20
