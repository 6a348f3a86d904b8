"""Feeds that are wrong: each is refused whole, with what, where and what to do; nothing is sent."""

import gzip
import json
import os
import subprocess

import pytest

from tests.conftest import PRODUCT, feed
from tests.products.large import ROWS, large, share_smaller_tables
from tests.products.refusals import HEADER, refused, row


def test_a_missing_file(adsctl):
    done = adsctl.local("products", "push", "nowhere.csv", code=2)
    assert "nowhere.csv cannot be opened: No such file or directory" in done.stderr


def test_a_directory(adsctl):
    (adsctl.home / "folder.csv").mkdir()
    message = adsctl.local("products", "push", "folder.csv", code=2).stderr
    assert "Is a directory" in message and "name a file in it" in message


def test_no_permission(adsctl):
    adsctl.file("feed.csv", feed(1)).chmod(0)
    # The superuser may read everything, unless that power is given up.
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    words = [*powerless, *adsctl.command("-p", "local", "products", "push", "feed.csv")]
    done = subprocess.run(words, env=adsctl.environment, cwd=adsctl.home, capture_output=True, text=True)
    assert done.returncode == 2
    assert "feed.csv cannot be opened: Permission denied" in done.stderr


def test_an_empty_file(adsctl):
    assert "feed.csv is empty" in refused(adsctl, "")


def test_a_file_of_white_space(adsctl):
    assert "no header" in refused(adsctl, "\n \n\n")


def test_a_header_and_nothing_else(adsctl):
    assert "feed.csv:1: no row below the header" in refused(adsctl, HEADER + "\n")


def test_an_unknown_extension_of_a_content_that_tells_nothing(adsctl):
    assert "--format" in refused(adsctl, "id\n1\n", name="feed.dat", code=2)


def test_another_encoding_is_named_with_the_line(adsctl):
    content = (HEADER + "\n" + row() + row(id="2", title="Café")).encode("cp1252")
    said = refused(adsctl, content)
    assert "feed.csv:3: not UTF-8" in said and "Café" in said and "--encoding cp1252" in said
    adsctl.local("products", "push", "feed.csv", "--encoding", "cp1252")
    assert "Café" in adsctl.local("products", "list").stdout


def test_a_nul_byte(adsctl):
    assert "feed.csv:3: a NUL byte" in refused(adsctl, HEADER + "\n" + row() + row(id="2", title="a\0b"))


def test_a_quote_never_closed_names_the_line_where_the_row_begins(adsctl):
    text = HEADER + "\n" + row() + row(id="2").replace('"Enamel mug"', '"Enamel mug') + row(id="3")
    said = refused(adsctl, text)
    assert "feed.csv:3: " in said and "quote" in said


def test_a_field_of_megabytes(adsctl):
    said = refused(adsctl, HEADER + "\n" + row() + row(id="2", description="x" * 3_000_000))
    assert "feed.csv:3: " in said and "longer than" in said and len(said) < 2000


def test_a_row_with_too_many_cells(adsctl):
    said = refused(adsctl, HEADER + "\n" + row() + row(id="2").strip() + ",more\n")
    assert "feed.csv:3: has 10 cells, and the header has 9" in said


@pytest.mark.parametrize("command", ["products", "audiences"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.tsv"])
def test_rows_are_grouped_by_how_many_cells_they_have(adsctl, command, name):
    sign = "\t" if name.endswith("tsv") else ","
    header = ["id", "title", "email", "description"]
    lines = [header, ["1"], ["2", "b"], ["3"], ["4", "d", "d@x.de", "d", "d"]]
    adsctl.file(name, "".join(f"{sign.join(line)}\n" for line in lines))
    done = adsctl(command, "check", name, "-o", "json", code=3)
    findings = json.loads(done.stdout)["findings"]
    lines = {finding["problem"]: finding["lines"] for finding in findings if "cells" in finding["problem"]}
    # Of a list no cell is required, and empty cells at the end of a row are none.
    short = [(1, [2, 4]), (2, [3])] if command == "products" else []
    assert lines == {f"has {n} cells, and the header has 4": at for n, at in [*short, (5, [5])]}


def test_yaml_with_exponential_aliases_is_refused(adsctl):
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"] + [
        f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefg", "bcdefgh", strict=True)
    ]
    assert "neither a list nor a mapping" in refused(adsctl, "\n".join(lines), name="feed.yaml")
    inside = "products:\n- id: &a [x,x,x,x]\n  title: [*a,*a]\n"
    assert "feed.yaml:2:7: anchors and aliases are not read" in refused(adsctl, inside, name="feed.yaml")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("feed.yaml", "items:\n- id: 1\n"),
        ("feed.json", "12"),
    ],
)
def test_a_document_that_is_neither_a_list_nor_the_mapping(adsctl, name, content):
    assert f"{name}:1" in (said := refused(adsctl, content, name=name)) and "'products'" in said


@pytest.mark.parametrize(
    ("name", "content"), [("feed.json", "[]"), ("feed.yaml", "products: []"), ("feed.jsonl", "\n")]
)
def test_a_document_without_a_record(adsctl, name, content):
    refused(adsctl, content, name=name)


@pytest.mark.parametrize("cut", [1, 20, -3])
def test_json_cut_off_in_the_middle(adsctl, cut):
    text = json.dumps({"products": [PRODUCT, PRODUCT | {"id": "2"}]}, indent=1)
    assert "cut off in the middle" in refused(adsctl, text[:cut], name="feed.json")


def test_json_with_a_mistake_names_line_and_column(adsctl):
    assert "feed.json:3:8: not JSON" in refused(adsctl, '[{"id": "1"},\n{\n"id":  x}]', name="feed.json")


def test_json_with_something_after_its_end(adsctl):
    text = json.dumps([PRODUCT]) + "\n[1]"
    assert "feed.json:2: '[1]' where the end of the file should be" in refused(adsctl, text, name="feed.json")


def test_yaml_with_a_mistake_names_line_and_column(adsctl):
    assert "feed.yaml:2:" in refused(adsctl, "- id: 1\n  title: [a\n", name="feed.yaml").replace(
        "feed.yaml:3:", "feed.yaml:2:"
    )


def test_yaml_with_tags_and_depth(adsctl):
    assert "tag" in refused(adsctl, "- id: !!python/object:os.system x\n", name="feed.yaml")
    assert "nested more than 64 deep" in refused(adsctl, "- id: " + "[" * 70 + "]" * 70, name="feed.yaml")


def test_a_line_of_jsonl_that_is_not_json_is_reported(adsctl):
    text = json.dumps(PRODUCT) + '\n{"id": \n[1]\n'
    said = refused(adsctl, text, name="feed.jsonl")
    assert "feed.jsonl:2: not JSON at column" in said and "feed.jsonl:3: must be an object" in said


def test_gzip_that_was_cut_off(adsctl):
    assert "is not a complete gzip file" in refused(
        adsctl, gzip.compress(feed(1000).encode())[:-20], name="feed.csv.gz"
    )


def test_a_value_that_is_not_a_number_is_reported(adsctl):
    said = refused(adsctl, feed(1, inventory="five") + feed(1, id="x", inventory="-1").splitlines()[1])
    assert "inventory: 'five' is not a whole number (at least 0)" in said
    assert "inventory: '-1' is not allowed: at least 0" in said


def test_every_problem_of_every_row_is_reported_with_file_line_and_field(adsctl):
    text = (
        feed(1)
        + row(id="2", availability="in_stock", price="19,90 EUR")
        + row(id="3", link="http://shop.example/")
    )
    said = refused(adsctl, text)
    assert "feed.csv:3: availability: 'in_stock' is not one of" in said and "did you mean 'in stock'?" in said
    assert "feed.csv:3: price: '19,90 EUR' is not allowed: a number, a space and a currency code" in said
    assert "feed.csv:4: link: 'http://shop.example/' is not allowed: a URL that starts with https://" in said
    assert "2 of 3 rows invalid" in said


def test_repeated_ids_are_found_across_the_whole_file(adsctl):
    text = feed(2500) + row(id="sku-7") + row(id="sku-7")
    said = refused(adsctl, text)
    assert (
        "feed.csv:8: id: 'sku-7' is also on line 2502, 2503; the service ignores all rows with the same id"
        in said
    )
    assert "3 of 2,502 rows invalid" in said


@pytest.mark.parametrize("name", ["feed.json", "feed.yaml"])
def test_records_on_one_line_are_named_by_their_numbers(adsctl, name):
    prices = ["1.00 EUR", "cheap", "2.00 EUR", "dear"]
    products = [PRODUCT | {"id": f"sku-{n}", "price": price} for n, price in enumerate(prices)]
    said = refused(adsctl, json.dumps(products), name=name)
    assert f"{name}:1, record 2: price: 'cheap'" in said and "2 rows: records 2, 4" in said
    said = refused(adsctl, json.dumps([PRODUCT] * 3), name=name)
    assert "'sku-1' is also in record 2, 3" in said
    done = adsctl.local("products", "check", name, "-o", "json", code=3)
    assert json.loads(done.stdout)["findings"][0]["records"] == [1, 2, 3]
    twice = json.dumps([PRODUCT, PRODUCT | {"id": "2"}]).replace('"brand"', '"title"')[1:-1].split("}, ")[1]
    assert "record 2" in refused(adsctl, f"[{json.dumps(PRODUCT)}, {twice}]", name=name)


def test_a_repeated_mistake_is_reported_once(adsctl):
    adsctl.file("feed.csv", feed(1_000, availability="plenty", gtin="4.00E+12"))
    done = adsctl.local("products", "check", "feed.csv", "-o", "table", code=3)
    assert len(done.stdout.splitlines()) <= 6
    assert "1,000 rows: lines 2, 3, 4, 5, 6, …" in done.stdout
    report = json.loads(adsctl.local("products", "check", "feed.csv", "-o", "json", code=3).stdout)
    assert {(finding["field"], finding["rows"]) for finding in report["findings"]} == {
        ("availability", 1_000),
        ("gtin", 1_000),
    }


def test_a_large_file_that_changes_while_it_is_pushed_stops_the_run(adsctl, service, monkeypatch):
    share_smaller_tables(monkeypatch)
    rows = 3 * ROWS
    adsctl.file("feed.csv", large(rows))
    changed = large(rows, title="Enamel cup")
    service.before = lambda put: put == 0 and adsctl.file("feed.csv", changed)
    done = adsctl("products", "push", "feed.csv", "--concurrency", "1", code=3)
    assert "changed while it was being read" in done.stderr
    assert len(service.puts) < rows // 25 and f"sku-{rows - 1}" not in service.stored


def test_of_a_small_file_that_changes_while_it_is_pushed_is_sent_what_was_validated(adsctl, service):
    adsctl.file("feed.csv", feed(200))
    service.before = lambda put: put == 0 and adsctl.file("feed.csv", feed(200, title="Enamel cup"))
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    assert "Enamel cup" not in {product["title"] for product in service.emulator.data.products()}


def test_an_invalid_failed_out_path_is_reported_before_a_job_starts(adsctl):
    content = "id,title,description,availability,condition,price,link,image_link\n1,a,b,c,d,e,f,g\n"
    adsctl.file("feed.csv", content)
    places = {"feed.csv": "is the input file", "nowhere/x.csv": "the folder nowhere does not exist"}
    for place, message in places.items():
        for words in (("push", "--skip-invalid"), ("check",)):
            said = adsctl.local("products", *words, "feed.csv", "--failed-out", place, code=2).stderr
            assert message in said
    assert (adsctl.home / "feed.csv").read_text() == content
    assert json.loads(adsctl("jobs", "list", "-o", "json").stdout) == []
