"""JSON, JSON lines and YAML: what they share, and what each may do wrong."""

import json

import pytest
import yaml

JSON, LINES, YAML = "f.json", "f.jsonl", "f.yaml"
each = pytest.mark.parametrize("name", [JSON, LINES, YAML])
either_json = pytest.mark.parametrize("name", [JSON, LINES])


def of(name: str, *records: str) -> str:
    """Write records in one of the formats; a record of JSON is one of YAML too."""
    if name == JSON:
        return "[" + ",\n".join(records) + "]"
    return "".join(("- " if name == YAML else "") + record + "\n" for record in records)


@each
def test_keys_are_stripped_renamed_and_the_columns_of_a_failed_file_dropped(desk, name):
    found = desk.rows(name, of(name, '{" sku ": "1", "_line": "3", "_error": "x", "title": "a"}'), sku="id")
    assert [row.values for row in found] == [{"id": "1", "title": "a"}]
    assert (found.columns, found.fields) == (("sku", "title"), ("id", "title"))


@each
def test_two_keys_for_one_field_are_a_problem_of_that_row(desk, name):
    first, second = desk.read(name, of(name, '{"sku": "1", "id": "2"}', '{"sku": "3", "id": ""}'), sku="id")
    assert "'id'" in first[2]
    assert second == (2, {"id": "3"}, "")


@each
def test_columns_grow_as_keys_are_seen_empty_ones_too(desk, name):
    found = desk.rows(name, of(name, '{"id": "1"}', '{"title": " ", "id": "2"}'))
    assert [row.values for row in found] == [{"id": "1"}, {"id": "2"}]
    assert found.columns == ("id", "title")


@each
@pytest.mark.parametrize("content", ["[1]", '"text"', "12", "null"])
def test_what_is_no_object_is_a_problem_of_that_row(desk, name, content):
    first, second = desk.read(name, of(name, content, '{"id": "2"}'))
    assert first[:2] == (1, {}) and first[2]
    assert second == (2, {"id": "2"}, "")


@each
def test_another_encoding_is_named_with_the_line_and_the_option(desk, name):
    records = ['{"id": "1"}', '{"id": "Café"}', *(f'{{"id": "{n}"}}' for n in range(9))]
    told = desk.refused(name, of(name, *records).encode("cp1252"))
    assert told.startswith(f"{name}:2: ") and "Café" in told and "--encoding cp1252" in told


@either_json
def test_half_a_character_is_a_problem_of_that_row(desk, name):
    first, second = desk.read(name, of(name, r'{"id": "\ud83d!"}', r'{"id": "\ud83d\ude00"}'))
    assert "half" in first[2]
    assert second == (2, {"id": "😀"}, "")


def test_a_key_that_stands_twice_in_a_line_is_a_problem_of_that_row(desk):
    for name in (LINES, YAML):
        first, second = desk.read(name, of(name, '{"id": "1", "id": "2"}', '{"id": "3"}'))
        assert "'id'" in first[2] and second == (2, {"id": "3"}, "")
    assert desk.refused(JSON, of(JSON, '{"id": "1"}', '{"id": "1", "id": "2"}')).startswith("f.json:2: ")


def test_a_line_that_is_not_json_is_a_problem_and_the_others_go_on(desk):
    first, second = desk.read(LINES, '{"id": 1,}\n\n{"id": "2"}\n')
    assert first[0] == 1 and "column" in first[2]
    assert second == (3, {"id": "2"}, "")


def test_a_line_separator_inside_a_text_does_not_end_the_line(desk):
    assert desk.values(LINES, '{"id": "a\u2028b\u0085c"}\n') == [{"id": "a\u2028b\u0085c"}]


@pytest.mark.parametrize(
    "content", ['{"users": []}', '"x"', "12", "{}", '{"products": {}}', '{"a": 1, "products": []}']
)
@pytest.mark.parametrize("name", [JSON, YAML])
def test_another_shape_says_what_is_expected(desk, name, content):
    told = desk.refused(name, content)
    assert told.startswith(f"{name}:1:") and "'products'" in told and "list" in told


def test_a_document_cut_off_anywhere_is_told(desk):
    content = json.dumps({"products": [{"id": "1", "n": [1.5, True, None, "é\\"]}, {"id": "2"}]}, indent=1)
    for cut in range(1, len(content)):
        assert desk.refused(JSON, content[:cut]).startswith("f.json:")


@pytest.mark.parametrize("before", [0, 70_000])
def test_a_mistake_in_json_is_named_with_line_and_column(desk, before):
    content = '[\n {"id": "' + "x" * before + '"},\n {"id": x}\n]'
    assert desk.refused(JSON, content).startswith("f.json:3:9: ")


def test_lines_are_right_across_blocks_of_reading(desk):
    records = [{"id": str(n), "title": "é😀\n" * (n % 300 + 1)} for n in range(1_000)]
    content = of(JSON, *(json.dumps(each, ensure_ascii=n % 2 == 0) for n, each in enumerate(records)))
    assert desk.read(JSON, content) == [(n, each, "") for n, each in enumerate(records, 1)]


@each
def test_a_record_of_more_than_16_mib_is_refused(desk, name):
    told = desk.refused(name, of(name, '{"id": "1"}', '{"id": "' + "x " * (17 << 20) + '"}'))
    assert told.startswith(f"{name}:2")


def test_yaml_on_a_single_line_is_read_as_it_comes(desk):
    """A reader that wants a whole line would hold the whole file."""
    stream = desk.rows(YAML, "[" + ", ".join(f'{{"id": "{n}"}}' for n in range(400_000)) + "]")
    iterator = iter(stream)
    assert [next(iterator).values["id"] for _ in range(100)] == [str(n) for n in range(100)]
    assert stream._stream.record_bytes < 1 << 20


@pytest.mark.parametrize("text", ["00123", "no", "12:30", "1e5", "2024-01-01", "0x1f", "true", "1_000"])
def test_yaml_scalars_stay_the_text_that_was_written(desk, text):
    assert desk.values(YAML, f"- id: {text}\n") == [{"id": text}]


@pytest.mark.parametrize("text", ["~", "null", "Null", "NULL"])
def test_plain_null_is_absent_and_quoted_null_is_text(desk, text):
    assert desk.values(YAML, f"- id: 1\n  title: {text}\n") == [{"id": "1"}]
    assert desk.values(YAML, f"- id: 1\n  title: '{text}'\n") == [{"id": "1", "title": text}]


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
    ],
)
def test_yaml_that_could_explode_or_mislead_is_refused_with_line_and_column(desk, content):
    _, line, column, *_ = desk.refused(YAML, content).split(":")
    assert line.isdigit() and column.isdigit()


def test_a_control_character_in_yaml_is_named_with_its_line(desk):
    assert desk.refused(YAML, "- id: é\n- id: a\x07b\n").startswith("f.yaml:2: ")


def test_our_yaml_and_that_of_others_agree_on_flow_mappings(desk):
    content = of(YAML, '{"id": "007", "title": "no"}', '{"id": "~"}')
    assert desk.values(YAML, content) == yaml.safe_load(content)
