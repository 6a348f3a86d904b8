"""Small files that took minutes: they are refused, or read in linear time."""

import gzip
import json
import subprocess
import sys

import pytest

from ads_cli.audiences.columns import encode_column
from ads_cli.audiences.identifiers import IDENTIFIERS, MAX_LENGTH, identifier_types, is_identifier
from ads_cli.audiences.phones import read_phone_number
from ads_cli.feeds.formats import is_web_page
from ads_cli.feeds.formats.workbook import _failed_cells
from ads_cli.products.normal_form import normal_form
from tests.conftest import PRODUCT
from tests.feeds.test_hostile_feeds import is_read
from tests.growth import assert_linear, is_linear


def test_comments_before_the_root_of_xml_do_not_slow_it_down(adsctl, service):
    assert is_linear(is_web_page, lambda length: b"<!---->" * length)
    product = "".join(f"<{name}>{value}</{name}>" for name, value in PRODUCT.items())
    adsctl.file("feed.xml", f"{'<!-- x -->' * 60}<products><product>{product}</product></products>")
    done = adsctl("products", "push", "feed.xml", "-o", "json")
    assert json.loads(done.stdout)["created"] == 1


def test_a_web_page_below_comments_is_recognized():
    assert is_web_page(b"<!-- a --> <!-- b -->\n<!DOCTYPE html>")
    assert not is_web_page(b"<!-- <html> --><products>") and not is_web_page(b"<!-- never closed <html>")


@pytest.mark.parametrize(
    ("name", "line"),
    [("feed.csv.gz", b"\n"), ("feed.csv.gz", b",\n"), ("feed.tsv.gz", b"\r\n"), ("feed.tsv.gz", b"#\n")],
)
def test_a_header_is_looked_for_in_the_first_10000_lines_only(adsctl, name, line):
    adsctl.file(name, gzip.compress(line * 60_000))
    error = adsctl("products", "check", name, code=3).stderr
    assert "feed" in error and ":10001: no header in the first 10,000 lines" in error


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_blank_lines_before_and_below_a_header_are_skipped(adsctl, format):
    delimiter = "\t" if format == "tsv" else ","
    lines = [
        "\n" * 9000,
        delimiter.join(PRODUCT),
        "\n" * 9000,
        delimiter.join(str(value).replace(",", " ") for value in PRODUCT.values()),
    ]
    adsctl.file(f"feed.{format}", "\n".join(lines))
    assert json.loads(adsctl("products", "check", f"feed.{format}", "-o", "json").stdout)["valid"] == 1


FEEDS = {
    "csv": ("id,title\n", "a,b\n"),
    "tsv": ("id\ttitle\n", "a\tb\n"),
    "jsonl": ('{"id": "a"}\n', '{"id": "b"}\n'),
    "json": ('[{"id": "a"},', '{"id": "b"}]'),
    "yaml": ("- id: a\n", "- id: b\n"),
    "xml": ("<products><product><id>a</id></product>", "<product><id>b</id></product></products>"),
}


@pytest.mark.parametrize(
    ("format", "encoding"), [*((format, "utf-8") for format in FEEDS), ("csv", "utf-16"), ("json", "utf-16")]
)
def test_more_blank_lines_than_a_sheet_has_are_refused_in_every_format(adsctl, format, encoding):
    begin, end = FEEDS[format]
    content = "".join([begin, "\n" * 1_500_000, end]).encode(encoding)
    adsctl.file(f"feed.{format}.gz", gzip.compress(content, 1))
    error = adsctl("products", "check", f"feed.{format}.gz", code=3).stderr
    assert f"feed.{format}.gz:" in error and "more than 1,048,576 blank lines in a row" in error


@pytest.mark.parametrize("name", IDENTIFIERS)
@pytest.mark.parametrize("unit", ["9", " 9", "a", "\u0315\u0300", "%40a", "(", "x", "-", "'", "<"])
def test_an_identifier_of_400000_characters_is_refused_before_it_is_looked_at(name, unit):
    kind = identifier_types("DE")[name]
    column = encode_column(kind, ["", "x" + unit * (400_000 // len(unit)) + "x"])
    assert column.problems == {1: [f"is longer than {MAX_LENGTH} characters, as no identifier is"]}
    assert is_linear(lambda text: encode_column(kind, [text]), lambda length: "x" + unit * length + "x")


def test_an_identifier_may_have_any_number_of_blanks_around_it():
    column = encode_column(identifier_types()["partner_user_id"], [" " * 5000 + "b-17" + " " * 5000])
    assert column.texts == ["b-17"]


def test_a_list_with_a_long_cell_says_where(adsctl):
    cell = "+ " * 50_000
    adsctl.file("people.csv", f"phone_number,email\n+4915112345678,a@example.com\n{cell},b@example.com\n")
    done = adsctl("audiences", "check", "people.csv", code=3)
    assert (
        f"is longer than {MAX_LENGTH} characters" in done.stdout and "+ + +" not in done.stdout + done.stderr
    )


@pytest.mark.parametrize("unit", ["a ", "x", "'"])
def test_a_tag_of_xml_takes_linear_time_however_long_it_is(unit):
    def make(length: int) -> bytes:
        return f'<products><product a="{(unit * length)[:length]}'.encode()

    assert_linear(lambda content: is_read(content, "xml"), make, 100_000)


def test_failed_cells_of_a_row_are_found_in_linear_time():
    cells = b'<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B1"><v>1</v></c>'
    cells += b'<x:c t="e" r="C1"><x:v>#REF!</x:v></x:c>'
    assert [*_failed_cells(cells)] == [(1, "A1", "#DIV/0!"), (1, "C1", "#REF!")]
    assert not [*_failed_cells(b'<c r="A1" t="e"></c><c r="B1"><v>1</v></c>')]
    for unit in (b'<c t="e" r="A1">', b'<c t="e" r="A1"', b'r="A1"', b"<c ", b'<c t="e" r="A1"><v>'):
        assert_linear(
            lambda row: [*_failed_cells(row)], lambda length, unit=unit: b'<c t="e" ' + unit * length, 5000
        )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("000.500 EUR", "0.5 EUR"),
        ("10.00 EUR", "10 EUR"),
        ("0 EUR", "0 EUR"),
        ("1.05 EUR", "1.05 EUR"),
        ("100 EUR", "100 EUR"),
    ],
)
def test_equal_amounts_have_one_form(text, meant):
    assert normal_form("price", text) == meant


@pytest.mark.parametrize("text", ["a@b.de", "a%40b.de", "a%40b%40c.de", "x:a@b%40c.de"])
def test_an_address_in_the_place_of_a_column_name_is_recognized(text):
    assert is_identifier(text) and not is_identifier(f"mail {text}")


@pytest.mark.parametrize("text", ["0151 1234567 ext. 12", "0151 1234567 ,;x12", "0151 1234567 # 12"])
def test_an_extension_is_no_part_of_a_phone_number(text):
    assert read_phone_number(text, "DE") == read_phone_number("0151 1234567", "DE")


WITHOUT_END = (
    ("campaigns", "plan", "/dev/zero"),
    ("products", "check", "feed.csv", "--recipe", "/dev/zero"),
    ("--env-file", "/dev/zero", "campaigns", "list"),
    ("cards", "create", "--name", "a", "--components", "@/dev/zero"),
    ("api", "POST", "/12/any/thing", "--input", "/dev/zero"),
    ("api", "GET", "/12/any/thing", "-F", "a=@/dev/zero"),
    ("api", "POST", "/12/any/thing", "--form", "a=@/dev/zero"),
)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no /dev/zero")
def test_a_file_without_an_end_is_read_up_to_a_limit(adsctl):
    adsctl.file("feed.csv", "id\n1\n")
    adsctl.copy_emulator()
    limited = (
        "import resource; from tests.command_lines import run\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))\n"
        f"for words in {WITHOUT_END}: run('--profile', 'local', *words)"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited],
        env=adsctl.environment,
        cwd=adsctl.home,
        capture_output=True,
        text=True,
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(WITHOUT_END), done.stderr
    for words, code, _, stderr in results:
        assert code == 3 and "/dev/zero: larger than" in stderr, words


@pytest.mark.parametrize("command", ["campaigns", "cards"])  # with batches, and without
def test_a_record_in_a_file_that_is_too_large_is_refused(adsctl, command):
    adsctl.file("large.yaml", b"name: a\n#" + b"x" * (64 * 2**20))
    error = adsctl.local(command, "create", "-f", "large.yaml", code=3).stderr
    assert "large.yaml: larger than 64 MiB" in error


@pytest.mark.parametrize(
    "line",
    ["campaigns plan none", "campaigns apply none", "--env-file none accounts list", "products check none"],
)
def test_a_missing_file_is_told_with_what_to_check(adsctl, line):
    message = adsctl.local(*line.split(), code=2).stderr
    assert "No such file or directory" in message and "hint: check the path and its permissions" in message
