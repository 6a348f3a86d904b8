"""How differences are shown: on a terminal, in every format, however many they are."""

import csv
import io
import json
import re

import pytest
import yaml

from tests.conftest import PRODUCT

HOSTILE = "\x1b[31mred\x1b[0m\u202e\n'quoted' | \"x\""
STYLE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def differing(differ):
    """A catalog and a feed with a difference of each kind."""
    differ.catalog({"id": "a", "title": HOSTILE}, {"id": "gone"}, {"id": "b"})
    differ.feed({"id": "a", "title": "Mug", "price": "9.00 EUR"}, {"id": "new"}, {"id": "b"})
    return differ


def shown(differing, *words: str, code: int = 10) -> str:
    return differing.adsctl("products", "diff", "feed.jsonl", "--prune", "-q", *words, code=code).stdout


def test_every_format_has_the_same_records(differing):
    records = json.loads(shown(differing, "-o", "json"))
    assert [record["action"] for record in records] == ["update", "create", "delete"]
    assert yaml.safe_load(shown(differing, "-o", "yaml")) == records
    assert [*map(json.loads, shown(differing, "-o", "jsonl").splitlines())] == records
    for output, delimiter in (("csv", ","), ("tsv", "\t")):
        rows = [*csv.DictReader(io.StringIO(shown(differing, "-o", output)), delimiter=delimiter)]
        assert [row["action"] for row in rows] == ["update", "create", "delete"]
    rows = csv.DictReader(io.StringIO(shown(differing, "-o", "csv")))
    assert [json.loads(row["fields"]) for row in rows] == [record["fields"] for record in records]
    assert shown(differing, "-o", "ids").split() == ["a", "new", "gone"]
    assert shown(differing, "-o", "none") == ""


@pytest.mark.parametrize(("output", "nothing"), [("json", "[]\n"), ("yaml", "[]\n"), ("jsonl", "")])
def test_no_difference_is_an_empty_list(differ, output, nothing):
    differ.catalog({"id": "a"})
    differ.feed({"id": "a"})
    assert shown(differ, "-o", output, code=0) == nothing


def test_queries_and_columns_choose_what_is_shown(differing):
    query = "[?action=='update'].fields.price.new"
    assert shown(differing, "--query", query, "-o", "json") == '[\n  "9.00 EUR"\n]\n'
    assert shown(differing, "--columns", "id,action", "-o", "csv").splitlines()[:2] == [
        "id,action",
        "a,update",
    ]
    assert shown(differing, "--columns", "id,action", "-o", "table").splitlines()[0].split() == [
        "ID",
        "ACTION",
    ]


def test_the_names_of_the_fields_that_differ_are_a_column_to_be_chosen(differing):
    header, *rows = csv.reader(io.StringIO(shown(differing, "--columns", "action,id,changed", "-o", "csv")))
    assert header == ["action", "id", "changed"]
    assert rows[0] == ["update", "a", "title, price"]
    assert [row[:2] for row in rows[1:]] == [["create", "new"], ["delete", "gone"]]
    assert "changed" not in shown(differing, "-o", "csv") + shown(differing, "-o", "json")


def test_a_pipe_shows_whole_values_without_color(differing):
    escaped = r"\x1b[31mred\x1b[0m\u202e\n'quoted' | \"x\"".replace('\\"', '"')
    assert shown(differing, "-o", "table").splitlines() == [
        "~ a",
        f"    title: {escaped} → Mug",
        "    price: 12.50 EUR → 9.00 EUR",
        f"+ new  {PRODUCT['title']}  12.50 EUR  in stock",
        f"- gone  {PRODUCT['title']}  12.50 EUR  in stock",
    ]


@pytest.mark.parametrize("width", [80, 200])
def test_a_terminal_shows_a_diff_in_color_no_wider_than_it_is(differing, width):
    long = "A mug for the tent. " * 10
    differing.catalog({"id": "b", "description": f"{long}It is white. 白いマグ {long}"})
    differing.feed(
        {"id": "a", "title": "Mug"}, {"id": "b", "description": f"{long}It is blue. 青いマグ {long}"}
    )
    child = differing.adsctl.terminal("products", "diff", "feed.jsonl", "--prune", width=width)
    output = child.read()
    child.wait()
    assert child.exitstatus == 10
    plain = [STYLE.sub("", line).rstrip() for line in output.replace("\r", "").split("\n")]
    assert "~ b" in plain and "- gone" in "\n".join(plain)
    (old,) = [line for line in plain if line.startswith("      - …")]
    (new,) = [line for line in plain if line.startswith("      + …")]
    assert "It is white. 白" in old and "It is blue. 青" in new and old.endswith("…")
    assert max(len(line) + sum(ord(c) > 0x3000 for c in line) for line in (old, new)) <= width
    assert "\x1b[31m" in output and "\x1b[32m" in output and "\x1b[0m\u202e" not in output
    assert "0 to create, 2 to update, 1 to delete, 0 unchanged" in plain


def test_a_value_that_was_not_there_has_one_line(differ):
    differ.catalog({"id": "a"}, {"id": "b", "color": "red"})
    color = "blue and white " * 8
    differ.feed({"id": "a", "color": color}, {"id": "b"})
    child = differ.adsctl.terminal("products", "diff", "feed.jsonl", "--color", "never", width=80)
    lines = child.read().replace("\r", "").split("\n")
    assert [line[:8] for line in lines if line.startswith("      ")] == ["      + "]
    assert "    color: red → nothing" in lines


def test_a_listing_that_fails_ends_the_command_with_its_error(differ):
    differ.feed({"id": "a"})
    differ.service.fail("GET /12/product_catalogs/* status=403")
    differ.diff(code=4)
    differ.service.fail("GET /12/product_catalogs/* status=503")
    differ.diff("--max-attempts", "1", code=8)


def test_nothing_of_a_comparison_is_left_behind(differing, tmp_path):
    (tmp_path / "temporary").mkdir()
    shown(differing, "-o", "none")
    differing.adsctl.process(
        "products", "diff", "feed.jsonl", "--prune", code=10, TMPDIR=str(tmp_path / "temporary")
    )
    assert [*(tmp_path / "temporary").iterdir()] == []


def test_what_the_feed_lacks_is_counted_where_it_is_not_deleted(differing):
    without = differing.adsctl("products", "diff", "feed.jsonl", code=10).stderr
    assert "0 to delete, 1 unchanged, 1 not in the feed, which --prune deletes" in without
    assert (
        "which --prune" not in differing.adsctl("products", "diff", "feed.jsonl", "--prune", code=10).stderr
    )
    of_part = differing.adsctl("products", "diff", "feed.jsonl", "--where", "id=a", code=10).stderr
    assert "2 not in the feed" in of_part  # as --prune takes it
    dry = differing.adsctl("products", "sync", "feed.jsonl", "--dry-run").stderr
    assert "1 not in the feed, which --prune deletes" in dry
    differing.adsctl.file("prices.csv", "id,price\na,1.00 EUR\n")
    assert "--prune" not in differing.adsctl("products", "update", "prices.csv", "--dry-run").stderr
