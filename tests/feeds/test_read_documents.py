"""JSON, JSON Lines and YAML: records, lines and errors."""

import json

import pytest
import yaml

from ads_cli.config.strict_yaml import MAX_DEPTH, load
from ads_cli.errors import ContentError
from tests.effort import tries

JSON, LINES, YAML = "f.json", "f.jsonl", "f.yaml"
every_format = pytest.mark.parametrize("name", [JSON, LINES, YAML])
either_json = pytest.mark.parametrize("name", [JSON, LINES])


def of(name: str, *records: str) -> str:
    """Make a document of records that are written in JSON, which is YAML too."""
    if name == JSON:
        return "[" + ",\n".join(records) + "]"
    return "".join(("- " if name == YAML else "") + record + "\n" for record in records)


@every_format
def test_keys_are_stripped_renamed_and_the_columns_that_failed_out_adds_ignored(feeds, name):
    rows = feeds.rows(name, of(name, '{" sku ": "1", "_line": "3", "_error": "x", "title": "a"}'), sku="id")
    assert [row.values for row in rows] == [{"id": "1", "title": "a"}]
    assert (rows.columns, rows.fields) == (("sku", "title"), ("id", "title"))


@every_format
def test_two_keys_for_one_field_are_a_problem_of_their_row(feeds, name):
    first, second = feeds.read(name, of(name, '{"sku": "1", "id": "2"}', '{"sku": "3", "id": ""}'), sku="id")
    assert "'id'" in first[2]
    assert second == (2, {"id": "3"}, "")


@every_format
def test_columns_grow_with_the_keys_of_each_record(feeds, name):
    rows = feeds.rows(name, of(name, '{"id": "1"}', '{"title": " ", "id": "2"}'))
    assert [row.values for row in rows] == [{"id": "1"}, {"id": "2"}]
    assert rows.columns == ("id", "title")


@every_format
@pytest.mark.parametrize("content", ["[1]", '"text"', "12", "null"])
def test_a_record_that_is_not_an_object_is_a_problem_of_its_row(feeds, name, content):
    first, second = feeds.read(name, of(name, content, '{"id": "2"}'))
    assert first[:2] == (1, {}) and first[2]
    assert second == (2, {"id": "2"}, "")


@every_format
def test_another_encoding_of_a_document_is_named_with_the_line_and_the_option(feeds, name):
    records = ['{"id": "1"}', '{"id": "Café"}', *(f'{{"id": "{n}"}}' for n in range(9))]
    error = feeds.error(name, of(name, *records).encode("cp1252"))
    assert error.startswith(f"{name}:2: ") and "Café" in error and "--encoding cp1252" in error


@either_json
def test_a_lone_surrogate_is_a_problem_of_its_row(feeds, name):
    first, second = feeds.read(name, of(name, r'{"id": "\ud83d!"}', r'{"id": "\ud83d\ude00"}'))
    assert first[2] == "contains a lone surrogate"
    assert second == (2, {"id": "😀"}, "")


def test_a_repeated_key_is_a_problem_of_its_row(feeds):
    for name in (LINES, YAML):
        first, second = feeds.read(name, of(name, '{"id": "1", "id": "2"}', '{"id": "3"}'))
        assert "'id'" in first[2] and second == (2, {"id": "3"}, "")
    assert feeds.error(JSON, of(JSON, '{"id": "1"}', '{"id": "1", "id": "2"}')).startswith("f.json:2: ")


def test_a_line_that_is_not_json_is_a_problem_of_its_row(feeds):
    first, second = feeds.read(LINES, '{"id": 1,}\n\n{"id": "2"}\n')
    assert first[0] == 1 and "column" in first[2]
    assert second == (3, {"id": "2"}, "")


def test_a_unicode_line_separator_does_not_end_a_line(feeds):
    assert feeds.values(LINES, '{"id": "a\u2028b\u0085c"}\n') == [{"id": "a\u2028b\u0085c"}]


@pytest.mark.parametrize(
    "content", ['{"users": []}', '"x"', "12", "{}", '{"products": {}}', '{"a": 1, "products": []}']
)
@pytest.mark.parametrize("name", [JSON, YAML])
def test_a_document_of_another_shape_is_refused_naming_the_expected_one(feeds, name, content):
    error = feeds.error(name, content)
    assert error.startswith(f"{name}:1:") and "'products'" in error and "list" in error


def test_a_truncated_document_is_refused_wherever_it_ends(feeds):
    content = json.dumps({"products": [{"id": "1", "n": [1.5, True, None, "é\\"]}, {"id": "2"}]}, indent=1)
    for cut in range(1, len(content)):
        assert feeds.error(JSON, content[:cut]).startswith("f.json:")


@pytest.mark.parametrize("rest", ["x", '{"id": "2"}]', "}]"])
def test_what_stands_where_a_list_should_go_on_is_shown_from_its_first_character(feeds, rest):
    error = feeds.error(JSON, '[{"id": "1"}\n' + rest)
    assert error.startswith(f"f.json:2: {rest!r} where a comma or the end of the list should be")


@pytest.mark.parametrize("before", [0, 70_000])
def test_a_syntax_error_in_json_names_line_and_column(feeds, before):
    content = '[\n {"id": "' + "x" * before + '"},\n {"id": x}\n]'
    assert feeds.error(JSON, content).startswith("f.json:3:9: ")


def test_line_numbers_do_not_depend_on_the_chunks_that_are_read(feeds):
    records = [{"id": str(n), "title": "é😀\n" * (n % 300 + 1)} for n in range(1_000)]
    content = of(JSON, *(json.dumps(record, ensure_ascii=n % 2 == 0) for n, record in enumerate(records)))
    assert feeds.read(JSON, content) == [(n, record, "") for n, record in enumerate(records, 1)]


@every_format
def test_a_record_of_more_than_16_mib_is_refused(feeds, name, monkeypatch):
    limits = ("json.MAX_ITEM_CHARACTERS", "json.MAX_LINE_BYTES", "yaml.MAX_RECORD_BYTES")
    limit = tries(1 << 20, 16 << 20)
    for constant in limits:
        monkeypatch.setattr(f"ads_cli.feeds.formats.{constant}", limit)
    error = feeds.error(name, of(name, '{"id": "1"}', '{"id": "' + "x " * (limit + limit // 16) + '"}'))
    assert error.startswith(f"{name}:2")


def test_yaml_on_a_single_line_is_streamed(feeds):
    stream = feeds.rows(YAML, "[" + ", ".join(f'{{"id": "{n}"}}' for n in range(400_000)) + "]")
    iterator = iter(stream)
    assert [next(iterator).values["id"] for _ in range(100)] == [str(n) for n in range(100)]
    assert stream._stream.record_bytes < 1 << 20


@pytest.mark.parametrize(
    "text", ["00123", "no", "12:30", "1e5", "2024-01-01", "0x1f", "true", "1_000", "0.10"]
)
def test_yaml_scalars_stay_text(feeds, text):
    assert feeds.values(YAML, f"- id: {text}\n") == [{"id": text}]


@pytest.mark.parametrize("text", ["~", "null", "Null", "NULL"])
def test_plain_null_is_absent_and_quoted_null_is_text(feeds, text):
    assert feeds.values(YAML, f"- id: 1\n  title: {text}\n") == [{"id": "1"}]
    assert feeds.values(YAML, f"- id: 1\n  title: '{text}'\n") == [{"id": "1", "title": text}]


@pytest.mark.parametrize(
    "content",
    [
        "- &a {id: 1}\n- *a\n",
        "- id: &x 1\n",
        "- id: 1\n  a: *x\n",
        "- id: !!python/object:os.system x\n",
        "- id: 1\n---\n- id: 2\n",
        "products: [{id: 1}]\nusers: []\n",
        "- id: 1\n  a: " + "[" * 70 + "]" * 70 + "\n",
        "- id: 1\n  *k : b\n",
        "- id: [1\n- id: 3\n",
        "- id: 'x\n",
        "products: &x [{id: 1}]\n",
        "--- &x\nproducts: [{id: 1}]\n",
        "&x products: [{id: 1}]\n",
        "--- !!set\nproducts: [{id: 1}]\n",
        "!shop [{id: 1}]\n",
    ],
)
def test_yaml_that_could_expand_or_mislead_is_refused_with_line_and_column(feeds, content):
    _, line, column, *_ = feeds.error(YAML, content).split(":")
    assert line.isdigit() and column.isdigit()


def test_a_second_key_beside_the_list_is_named_as_what_is_wrong(feeds):
    error = feeds.error(YAML, "products: [{id: 1}]\nusers: []\n")
    assert error.startswith("f.yaml:2:1: 'products' must be the only key")


def test_a_feed_of_small_records_may_be_larger_than_the_largest_record(feeds, monkeypatch):
    monkeypatch.setattr("ads_cli.feeds.formats.yaml.MAX_RECORD_BYTES", 200_000)
    rows = feeds.values(YAML, of(YAML, *(json.dumps({"id": str(n), "title": "x" * 900}) for n in range(600))))
    assert len(rows) == 600


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_lines_of_yaml_end_where_editors_end_them(feeds, start, loader, monkeypatch):
    count = 1_000
    if loader == "SafeLoader":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
        count = 100  # it is slow
    records = [f'- id: "{n}"\n  title: "Zoë\u2028a\u2029b\x85c"\n' for n in range(count)]
    content = start + "".join(records)
    assert [line for line, *_ in feeds.read(YAML, content)] == [*range(1, 2 * count, 2)]
    for wrong in ("- id: *x\n", "- id: 'x\u2028"):
        assert feeds.error(YAML, content + wrong).startswith(f"f.yaml:{2 * count + 1}:")


def test_a_control_character_in_yaml_names_its_line(feeds):
    assert feeds.error(YAML, "- id: é\n- id: a\x07b\n").startswith("f.yaml:2: ")


def test_flow_mappings_are_read_as_pyyaml_reads_them(feeds):
    content = of(YAML, '{"id": "007", "title": "no"}', '{"id": "~"}')
    assert feeds.values(YAML, content) == yaml.safe_load(content)


def test_feeds_and_request_files_share_the_depth_that_is_read(feeds):
    def nested(depth: int) -> str:
        return "{id: " + "[" * (depth - 1) + "x" + "]" * (depth - 1) + "}"

    assert feeds.values(YAML, f"- {nested(MAX_DEPTH)}\n") == [load(nested(MAX_DEPTH), "f")]
    message = f"nested more than {MAX_DEPTH} deep"
    assert message in feeds.error(YAML, f"- {nested(MAX_DEPTH + 1)}\n")
    with pytest.raises(ContentError, match=message):
        load(nested(MAX_DEPTH + 1), "f")


def test_records_have_the_line_where_they_begin(feeds):
    documents = {
        JSON: '{"products":\n[\n{"id": "1",\n "title": "x"},\n\n{"id": "2"}\n]}',
        YAML: "# comment\nproducts:\n- id: 1\n  title: x\n\n- id: 2\n",
        LINES: '\n\n{"id": "1"}\n\n\n{"id": "2"}\n',
    }
    for name, document in documents.items():
        assert [line for line, *_ in feeds.read(name, document)] == [3, 6]


@either_json
def test_numbers_in_json_stay_the_text_that_was_written(feeds, name):
    content = of(name, '{"id": 0.10, "title": 12345678901234567890, "image_link": null}')
    assert feeds.values(name, content) == [{"id": "0.10", "title": "12345678901234567890"}]


def test_items_that_are_longer_than_a_chunk_are_read_whole(feeds):
    items = [{"id": str(n), "title": "x" * (n * 40_000)} for n in range(1, 12)]
    assert feeds.values(JSON, json.dumps(items)) == items
