"""A service that echoes tokens: no result shows them, in any format or file."""

import base64
import json
from urllib.parse import quote

import pytest
from pytest_httpserver import HTTPServer

from tests.workbooks import sheet_of


def secrets_of(adsctl) -> list[str]:
    return [value for name, value in adsctl.env.items() if not name.endswith("URL") and len(value) >= 8]


def echo(httpserver: HTTPServer, adsctl) -> str:
    secrets = secrets_of(adsctl)
    assert len(secrets) == 4
    echoed = [text for secret in secrets for text in (secret, quote(quote(secret, safe="")), f"x{secret}y")]
    coded = base64.b64encode(secrets[0].encode()).decode()
    text = " ".join([*echoed, coded])
    record = {
        "id": "1",
        "name": text,
        secrets[1]: "of a key",
        "deep": [{"url": f"https://a.example/?{text}"}],
    }
    httpserver.expect_request("/12/accounts").respond_with_json({"data": [record], "next_cursor": None})
    return coded


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "json", "jsonl", "yaml", "ids"])
@pytest.mark.parametrize("words", [("accounts", "list"), ("api", "GET", "/12/accounts")])
def test_no_format_shows_an_echoed_secret(remote, httpserver, words, format):
    coded = echo(httpserver, remote)
    for options in ((), ("--query", "[].{id: id, name: name, d: deep}"), ("--envelope",)):
        written = remote(*words, "-o", format, *options, code=None).stdout
        assert written and ("***" in written or format in ("ids", "table", "tsv", "csv"))
        for secret in (*secrets_of(remote), coded):
            assert secret not in written and quote(secret, safe="") not in written


def test_no_workbook_has_an_echoed_secret(remote, httpserver):
    echo(httpserver, remote)
    remote("accounts", "list", "--to", "out.xlsx")
    written = json.dumps(sheet_of(remote.home / "out.xlsx"), default=str)
    assert "***" in written and not any(secret in written for secret in secrets_of(remote))


def escaped(text: str) -> str:
    return "".join(f"\\u{ord(character):04x}" for character in text)


def percent(text: str) -> str:
    return "".join(f"%{ord(character):02X}" for character in text)


ESCAPES = {
    "all": escaped,
    "the first": lambda text: escaped(text[0]) + text[1:],
    "one in it": lambda text: text[:5] + escaped(text[5]) + text[6:],
    "the last": lambda text: text[:-1] + escaped(text[-1]),
    "as percent, all": percent,
    "as percent of that": lambda text: percent(text).replace("%", "%25"),
    "as HTML, all": lambda text: "".join(f"&#{ord(character)};" for character in text),
    "as JSON of percent": lambda text: escaped(percent(text)),
}


@pytest.mark.parametrize("escape", ESCAPES.values(), ids=[*ESCAPES])
def test_no_result_shows_a_secret_of_which_the_answer_escapes_characters(remote, httpserver, escape):
    secrets = secrets_of(remote)
    coded = [*map(escape, secrets)]
    records = ", ".join(f'{{"id": "{text}", "name": "{text}", "{text}": 1}}' for text in coded)
    body = f'{{"data": [{records}], "next_cursor": "{coded[0]}"}}'
    httpserver.expect_request("/12/accounts").respond_with_data(body, content_type="application/json")
    for options in ("-ojson", "-otsv", "-ocsv", "-oids", "-ojson --envelope", "-ojsonl --debug"):
        done = remote("accounts", "list", *options.split(), code=None)
        assert not {*secrets, *coded} & {*done.stdout.replace('"', " ").split(), *done.stderr.split()}
        assert not any(secret in done.stdout + done.stderr for secret in secrets)
