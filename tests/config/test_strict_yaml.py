"""What is read quickly is what the parser of YAML reads, or is left to it."""

import json
import random

import pytest

from ads_cli.campaigns.writer import as_json, as_yaml
from ads_cli.config.strict_yaml import fast_loader, load, load_plain
from ads_cli.errors import ContentError
from tests.effort import tries

PARTS = (
    *("a", "b", "name", "y", "EXCLUDE LOCATION", ":", ": ", "- ", "-", "  ", " ", "\n", "\n", "\n  ", "\n- "),
    *("null", "~", '"', '"x"', '"a\\n"', "'q'", '"\\', "\\", "\\u2028", "#", " # no", "[", "]"),
    *("[a, b]", "[null, x]", "[-a]", "{}"),
    *("{c: d}", "1e5", "0012", "12:30", "2031-12-01", "2031-12-01T08:00:00Z", "&", "&a", "*a", "!", "|", ">"),
    *("---", "...", "%", "<<", "\t", "\r", "\x00", "\x85", "\u2028", "\ufeff", "ü", "本", "😀", ",", "?"),
    "=",
)
VALUES = (
    None,
    True,
    5,
    1.5,
    "x",
    "",
    "a b",
    "null",
    " pad ",
    "# no",
    "a: b",
    "日本",
    "\u2028",
    "\x07\\n'\n",
    '"',
    ["A", "b"],
)


def read(content: bytes):
    try:
        return load(content, "file", loader=fast_loader())
    except ContentError:
        return ContentError


def random_record(rng: random.Random, depth: int = 0) -> dict:
    values = {f"key{n}": rng.choice(VALUES) for n in range(rng.randint(1, 4))}
    if depth < 3:
        values["below"] = [random_record(rng, depth + 1) for _ in range(rng.randint(1, 3))]
    return values


@pytest.mark.parametrize("seed", range(tries(3, 100)))
def test_what_is_read_quickly_is_what_the_parser_reads(seed):
    rng = random.Random(seed)
    for _ in range(1500):
        document = "".join(rng.choices(PARTS, k=rng.randint(1, 14))).encode()
        if rng.random() < 0.5:
            document = b"a: x\nlist:\n- " + document
        values = load_plain(document)
        assert values is None or values == read(document), document


@pytest.mark.parametrize("seed", range(tries(3, 100)))
def test_what_programs_write_is_read_quickly(seed):
    record = random_record(random.Random(seed))
    for text in (as_json(record), json.dumps(record), as_yaml(record)):
        assert load_plain(text.encode()) == read(text.encode()) != ContentError


@pytest.mark.parametrize(
    "document",
    [
        '{"a": 1, "a": 2}',
        '{"a": "\\ud800"}',
        '{"a": NaN}',
        '["a"]',
        "a: 1\na: 2",
        "a: b\n  c",
        "a: b\n  c: d",
        "a:\n  b: c",
        "a:",
        "a: [b, &c]",
        "a: b\n---\nc: d",
        "",
    ],
)
def test_what_only_the_parser_can_tell_is_left_to_it(document):
    assert load_plain(document.encode()) is None


def test_a_remark_and_a_repeated_list_are_read_as_the_parser_reads_them():
    document = b"# all\na: b  # one\nc:\n- d: e\n  f:\n  - g: h\n\n  i: [j, k]\n- d: [j, k]\nl: null\n"
    assert load_plain(document) == read(document) != ContentError
