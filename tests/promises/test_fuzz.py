"""Any input, from a file or the network, is read or refused with a message."""

import io
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.api.accounts import ListAccounts
from ads_cli.client.response import Response, follow, read_response
from ads_cli.config.settings import Settings
from ads_cli.config.strict_yaml import load
from ads_cli.console.request_input import request_from_input
from ads_cli.console.results import show_pages
from ads_cli.errors import AdsctlError, ContentError, StateError
from ads_cli.feeds.locations import InMemory
from ads_cli.feeds.reader import read_rows
from ads_cli.feeds.registry import FORMATS, readable_formats
from ads_cli.feeds.rows import Rows
from ads_cli.feeds.source import Source
from ads_cli.http.response_body import parse_form, parse_json
from ads_cli.http.retry import clock_hint, requested_delay
from ads_cli.output import Presentation
from ads_cli.output.messages import Messages
from ads_cli.output.printer import Printer
from ads_cli.output.text import MAX_MESSAGE_LENGTH

often = settings(
    max_examples=int(os.environ.get("FUZZ", "15")),  # `make chaos` wants more
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# Pieces of nearly valid texts.
WORDS = """id id,title "" " ' [ ] { } {} [] , : ; - -- # & &a *a !!int !t ? | > ~ null true 00123 1e999 é 椅
<<: %YAML --- ... @ ` {"id": [{"id": products: {"products": \ud800 9999999999999999999999""".split()  # noqa: SIM905
PIECES = [*WORDS, *["\n", "\r\n", "\n- ", "\n\t", " ", "\ud800", "\x00", "\ufeff"]]
nearly = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=25).map("".join)
files = st.binary(max_size=200) | nearly.map(lambda text: text.encode("utf-8", "surrogatepass"))
leaves = st.none() | st.booleans() | st.integers() | st.floats() | nearly
documents = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = ["errors", "operation_errors", "message", "detail", "code", "title", "type", "status", "index"]
NAMES += ["parameter", "parameters", "data", "next_cursor", "total_count", "request"]
bodies = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=12,
)


@contextmanager
def allowed(kind: type[AdsctlError]) -> Iterator[None]:
    """Accept an error of a kind that says what is wrong; any other exception fails the test."""
    try:
        yield
    except kind as error:
        assert error.message.strip()
        json.dumps(error.as_dict())


def rows_of(content: bytes, format: str, *known: str) -> Rows:
    source = Source(InMemory(content, "feed"), FORMATS[format])
    return read_rows(source, roots=("products",), known=known)


# A workbook is read in a process of its own: tests/feeds/test_hostile_feeds.py reads it without one.
@pytest.mark.parametrize("format", [name for name in readable_formats() if name != "xlsx"])
@given(content=files)
@often
def test_a_feed_is_read_or_refused(format, content):
    with allowed(ContentError):
        for row in rows_of(content, format, "id", "title"):
            json.dumps(row.values)


@given(content=files | documents.map(lambda value: json.dumps(value).encode()))
@often
def test_a_document_is_read_or_refused(content):
    with allowed(ContentError):
        json.dumps(load(content, "file"))


@given(
    values=st.dictionaries(st.sampled_from(["q", "count", "cursor", "account_ids"]), documents, max_size=3)
)
@often
def test_a_request_file_is_read_or_refused(tmp_path, values):
    path = tmp_path / "request.yaml"
    path.write_text(json.dumps(values))
    with allowed(AdsctlError):
        request_from_input(ListAccounts, {}, str(path))


def test_a_lone_surrogate_is_refused_in_a_nested_field(adsctl):
    adsctl.file("f.yaml", r'{"name": {"a": "\ud800"}, "kind": "x"}')
    message = adsctl.local("cards", "create", "--file", "f.yaml", code=3).stderr
    assert "f.yaml:1:19: not YAML: found invalid Unicode character escape code" in message


@given(
    content=files | bodies.map(lambda value: json.dumps(value).encode()),
    status=st.integers(100, 599),
    parse=st.sampled_from([parse_json, parse_form]),
)
@often
def test_a_response_is_read_or_refused(content, status, parse):
    try:
        response = read_response(status, {"content-type": "application/json"}, content, parse)
        _ = response.data, response.next_cursor
    except AdsctlError as error:
        assert len(error.message) < MAX_MESSAGE_LENGTH + 200
        json.dumps(error.as_dict())


@given(
    responses=st.lists(bodies, min_size=1, max_size=4),
    envelope=st.booleans(),
    all=st.booleans(),
    output=st.sampled_from(["table", "tsv", "csv", "json", "jsonl", "yaml", "ids"]),
)
@often
def test_pages_of_any_shape_are_shown_or_refused(responses, envelope, all, output):
    def nothing(*arguments):
        return ""

    class Call:
        printer = Printer(
            io.StringIO(),
            Presentation(output),
            columns=None,
            query=None,
            csv_safe=False,
            say=nothing,
            side_effects=nothing,
            note_shape=nothing,
            open_file=None,
            zone=lambda: None,
        )

        messages = Messages(Presentation(output))

    remaining = iter([*responses, {}])
    pages = follow(lambda cursor: Response(200, {}, next(remaining)))
    with allowed(AdsctlError):
        show_pages(Call, pages, ("id", "name"), envelope=envelope, all=all)


RATE_HEADERS = [
    "retry-after",
    "x-rate-limit-reset",
    "x-rate-limit-remaining",
    "x-account-rate-limit-reset",
    "date",
]


@given(
    st.dictionaries(
        st.sampled_from(RATE_HEADERS),
        st.text(max_size=12) | st.sampled_from(["9" * 5000, "²", "٣", "-1", "Mon, 99 Foo 2020"]),
    )
)
@often
def test_rate_limit_headers_give_a_bounded_delay_or_none(headers):
    delay = requested_delay(headers, time.time())
    assert delay is None or 0 <= delay <= 24 * 3600
    assert clock_hint(headers)


@given(
    content=files | documents.map(lambda value: json.dumps({"profiles": value, "profile": "shop"}).encode())
)
@often
def test_a_configuration_is_read_or_refused(tmp_path, content):
    (tmp_path / "config.yaml").write_bytes(content)
    settings = Settings({}, {"ADSCTL_CONFIG_DIR": str(tmp_path)})
    with allowed(AdsctlError):
        _ = settings.profile, settings.get("account"), settings.unknown_keys(), settings.flag("sandbox")
        settings.address("ads")


ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join(['*' + before] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BOMBS = {
    "anchor": "a: &a x",
    "aliases": ALIASES,
    "itself": "a: &a [*a]",
    "merge": "a: &a {x: 1}\nb: {<<: *a}",
    "brackets": "[" * 100_000,
    "braces": "{a: " * 50_000,
    "dashes": "- " * 50_000,
    "questions": "? " * 50_000,
    "steps": "".join(" " * depth + "a:\n" for depth in range(2000)),
    "tag": "a: !!int x",
    "python": "a: !!python/object/apply:os.system [id]",
    "binary": "a: !!binary x",
    "key": "{[a]: b}",
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_yaml_that_could_expand_is_refused_before_it_does(tmp_path, bomb):
    (tmp_path / "config.yaml").write_text(bomb)
    for refused, read_it in (
        (ContentError, lambda: load(bomb, "file")),
        (StateError, Settings({}, {"ADSCTL_CONFIG_DIR": str(tmp_path)}).read_config),
        (ContentError, lambda: list(rows_of(bomb.encode(), "yaml"))),
    ):
        with pytest.raises(refused):
            read_it()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("format", ["json", "jsonl", "yaml"])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"id":'])
def test_endless_nesting_is_refused_or_a_problem_of_its_row(format, opening):
    content = b"[" * (format != "jsonl") + opening.encode() * 100_000
    try:
        problems = [row.problem for row in rows_of(content, format)]
    except ContentError as error:
        problems = [error.message]
    assert problems and all(problems)


def test_an_endlessly_nested_argument_is_refused(adsctl):
    deep = "[" * 100_000
    for words in (
        ("catalog", "sets", "create", "--name", "x", "--type", "FILTERED", "--filters", deep),
        ("api", "GET", "/x", "-F", f"a={deep}"),
    ):
        done = adsctl.local(*words, code=2)
        assert "bug" not in done.stderr and len(done.stderr) < 5000
