"""Text of the service is escaped: for the terminal, for Rich and for the log."""

import csv
import io
import json
import re
import shlex

import pexpect
import pytest
import yaml
from pytest_httpserver import HTTPServer

from ads_cli.output.text import UNSAFE, safe
from tests.conftest import feed
from tests.stored import stored

ACCOUNTS = "/12/accounts"
NAMES = {
    "escape": "a\x1b[31mred\x1b]0;title\x07\x1b[2J",
    "eight bits": "a\x9b31mred\x9d0;title\x9c",
    "bidi": "abc\u202egnp.exe\u2066\u2069\u200f",
    "markup": "[bold]loud[/bold] [link=https://evil.example]x[/link] [/]",
    "NUL": "a\x00b",
    "zero width": "pay\u200bpal\u2060 a\u200cb c\u200dd\ufeff sh\xady",
    "tags": "\U000e0001a\U000e0041\U000e007fb",
    "lines": "a\r\nb\u2028c\u2029d\x85e\x0bf",
    "half": "a\ud800b",
    "wide": "椅子🪑" * 10,
    "formula": "=cmd|' /C calc'!A0",
}
FORMATS = ("table", "tsv", "csv", "json", "jsonl", "yaml", "ids", "none")
CONTROL_NAMES = ("escape", "eight bits", "bidi", "NUL", "zero width", "tags", "lines")


def serve(httpserver: HTTPServer, *names: str, status: int = 200) -> None:
    """Serve a record of each name, or an error of each."""
    body = {"data": [{"id": name, "name": name, "created_at": name} for name in names]}
    if status >= 400:
        body = {"errors": [{"code": name, "message": name} for name in names]}
    httpserver.expect_request(ACCOUNTS).respond_with_data(
        json.dumps(body), status=status, content_type="application/json"
    )


def test_csv_safe_output_holds_no_formulas(remote, httpserver):
    formulas = [
        "=1+1",
        "+cmd",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "\n1",
        " =1",
        " \xa0\u3000@A",
        "\ufeff=1",
    ]
    formulas += ["\uff1d1+1", "\uff0bcmd", "\uff0d2+3", "\uff20SUM(A1)", " \uff1d1", "\u200b=1", "\0=1"]
    kept = ["-12.50", "+49", "a=b", "", "'=1", " -12.50", " a", "a \uff1d b", "\u2013 a"]
    serve(httpserver, *formulas, *kept)
    words = ("accounts", "list", "-o", "csv", "--columns", "name")

    def cells(*more: str) -> list[str]:
        shown = remote(*words, *more).stdout
        return [row[0] if row else "" for row in csv.reader(io.StringIO(shown, newline=""))][1:]

    assert cells() == [*formulas, *kept]
    assert cells("--csv-safe") == [*(f"'{value}" for value in formulas), *kept]
    httpserver.clear()
    httpserver.expect_request(ACCOUNTS).respond_with_json({"data": [{"=1+1": "a"}]})
    assert remote("accounts", "list", "-o", "csv", "--query", "[]", "--csv-safe").stdout == "'=1+1\na\n"


def is_safe(text: str) -> bool:
    return not re.search(UNSAFE, text.replace("\n", "").replace("\t", ""))


READ_WITH_JOINERS = (
    "\u0646\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian
    "\u0915\u094d\u200d\u0937 \u0915\u094d\u200c\u0937",  # Devanagari
    "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f3f3\ufe0f\u200d\U0001f308",  # a family, a flag
    "\U0001f477\U0001f3fd\u200d\u2640\ufe0f",
)
OUT_OF_PLACE = (
    "a\u200db",
    "\u200d",
    "\u200c\u0646",
    "\u0646\u200c",
    "\u0646\u200c\u200c\u0646",
    "\U0001f468\u200d",
    "1\u200c2",
)


@pytest.mark.parametrize("format", [format for format in FORMATS if format not in ("none", "csv")])
def test_joiners_are_left_where_they_are_part_of_what_is_read(remote, httpserver, format):
    serve(httpserver, *READ_WITH_JOINERS)
    shown = remote("accounts", "list", "-o", format).stdout
    assert all(name in shown for name in READ_WITH_JOINERS)
    httpserver.clear()
    serve(httpserver, *OUT_OF_PLACE)
    shown = remote("accounts", "list", "-o", format).stdout
    escaped = shown.count(r"\u200c") + shown.count(r"\u200d")
    assert escaped >= len(OUT_OF_PLACE) and is_safe(shown)


@pytest.mark.parametrize("format", ["json", "jsonl", "yaml"])
def test_what_is_escaped_is_read_as_it_was(remote, httpserver, format):
    names = [NAMES[name] for name in CONTROL_NAMES] + [*READ_WITH_JOINERS, *OUT_OF_PLACE]
    serve(httpserver, *names)
    shown = remote("accounts", "list", "-o", format).stdout
    if format == "jsonl":
        read = [*map(json.loads, shown.splitlines())]
    else:
        read = json.loads(shown) if format == "json" else yaml.safe_load(shown)
    assert [record["name"] for record in read] == names


def test_no_unsafe_character_is_printable_and_each_is_escaped():
    unsafe = re.findall(UNSAFE, "".join(map(chr, range(0x110000))))
    assert {"\x1b", "\x7f", "\x9b", "\u202e", "\u2069", "\ud800"} <= {*unsafe}
    assert not any(map(str.isprintable, unsafe))
    assert all(safe(f"a{character}b").isprintable() for character in unsafe)


@pytest.mark.parametrize("format", FORMATS)
def test_names_are_escaped_in_every_format(remote, httpserver, format):
    serve(httpserver, *NAMES.values())
    done = remote("accounts", "list", "-o", format, "-v")
    assert is_safe(done.stderr)
    if format == "csv":  # which carries to a program what there is
        cells = [row[0] for row in csv.reader(io.StringIO(done.stdout, newline=""))]
        assert cells[1:] == [name.replace("\ud800", "\ufffd") for name in NAMES.values()]
    else:
        assert is_safe(done.stdout)
    if format in ("table", "tsv", "jsonl", "ids"):  # a record is a line, whatever is in it
        assert len(done.stdout.splitlines()) == len(NAMES) + (format in ("table", "tsv"))
    assert format == "none" or "[bold]loud[/bold]" in done.stdout


@pytest.mark.parametrize(
    "words", [(), ("--debug",), ("-o", "json"), ("--color=always",), ("--log-file", "log")]
)
def test_an_error_is_escaped(remote, httpserver, words):
    serve(httpserver, *NAMES.values(), status=400)
    shown = remote("accounts", "list", *words, code=6).stderr
    plain = re.sub(r"\x1b\[\d*m", "", shown) if "--color=always" in words else shown
    assert is_safe(plain) and "Traceback" not in plain
    if "log" in words:
        assert is_safe((remote.home / "log").read_text())


def test_debug_escapes_headers_and_bodies_that_are_not_text(remote, httpserver):
    headers = {"X-Strange": "a\x1b[31m\x9b", "Content-Type": "application/json"}
    httpserver.expect_request(ACCOUNTS).respond_with_data(b"\xff\xfe\x1b[2J\x00", headers=headers)
    done = remote("accounts", "list", "--debug", "--max-attempts", "1", code=8)
    assert is_safe(done.stderr) and r"\x1b[2J" in done.stderr


@pytest.mark.parametrize("format", ["table", "tsv", "json"])
def test_a_name_of_a_megabyte_is_shown_whole(remote, httpserver, format):
    serve(httpserver, "x" * 1_000_000)
    assert len(remote("accounts", "list", "-o", format).stdout) > 2_000_000


def test_a_message_of_a_megabyte_is_cut(remote, httpserver):
    serve(httpserver, "x" * 400_000, status=400)
    assert len(remote("accounts", "list", code=6).stderr) < 5000


def test_reasons_of_a_megabyte_are_cut_in_messages_and_in_what_is_remembered(remote, httpserver):
    entries = [
        {"id": f"sku-{n}", "status": "ERROR", "errors": ["\x1b[31m" + "x" * 1_000_000]} for n in (1, 2)
    ]
    httpserver.expect_request("/12/product_catalogs/7/products").respond_with_json(
        {"data": {"products_response": entries}}
    )
    remote.file("feed.csv", feed(2))
    done = remote("products", "push", "feed.csv", "--catalog", "7", "-v", "--failed-out", "f.csv", code=9)
    assert len(done.stderr) < 20_000 and is_safe(done.stderr)
    assert all(len(answer) < 20_000 for answer in stored(remote, "SELECT answer FROM sends"))


@pytest.mark.parametrize(("width", "format"), [(1, "table"), (20, "table"), (80, "table"), (20, "csv")])
def test_a_terminal_of_any_width_gets_no_escape_sequence_of_the_service(remote, httpserver, width, format):
    serve(httpserver, "".join(NAMES[name] for name in CONTROL_NAMES) + NAMES["wide"])
    words = ("accounts", "list", "-o", format, "--color", "never")
    terminal = remote.terminal(*words, width=width, TERM="xterm")
    shown = terminal.read()
    terminal.close()
    assert terminal.exitstatus == 0 and is_safe(shown.replace("\r\n", ""))


ASCII = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.parametrize(
    ("env", "format"), [(ASCII, "table"), ({"PYTHONIOENCODING": "ascii"}, "csv"), (ASCII, "yaml")]
)
def test_characters_outside_the_encoding_are_escaped(remote, httpserver, env, format):
    serve(httpserver, NAMES["wide"] + "é" + NAMES["half"])
    done = remote.process("accounts", "list", "-o", format, **env)
    assert "Traceback" not in done.stderr and done.stdout.isascii()


@pytest.mark.parametrize(("width", "columns"), [(160, ""), (50, ""), (160, "60")])
def test_messages_fit_their_terminal_where_the_result_is_in_a_file(adsctl, width, columns):
    words = ("accounts", "list", "--color", "never")  # which is not signed in: with a long hint
    child = pexpect.spawn(
        "/bin/sh",
        ["-c", f"{shlex.join(adsctl.forked(*words))} > result.txt"],
        env=adsctl.environment | ({"COLUMNS": columns} if columns else {}),
        cwd=str(adsctl.home),
        dimensions=(50, width),
        encoding="utf-8",
    )
    longest = max(map(len, child.read().splitlines()))
    child.close()
    limit = int(columns or width)
    assert limit - len(" set ADSCTL_ADS_URL;") <= longest <= limit
