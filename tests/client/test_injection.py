"""No value can change the path, the host or the headers of a request."""

import os

import pytest
from pytest_httpserver import HTTPServer

from ads_cli.spelling import as_variable
from tests.products.stopping import list_jobs

STRANGE_IDS = [
    "a\r\nX: y",
    "..",
    ".",
    "../../12",
    "%2e%2e",
    "a?b=c",
    "a#b",
    "a/b",
    "a\x7f",
    "a%0d%0aX: y",
]


COMMANDS = [
    ("accounts", "features", "list", "--account"),
    ("products", "list", "--catalog"),
    ("accounts", "get"),
    ("cards", "get", "--account", "1"),
]


@pytest.mark.parametrize(
    ("words", "identifier"),
    [(COMMANDS[0], strange) for strange in STRANGE_IDS] + [(words, "../../12") for words in COMMANDS[1:]],
)
def test_an_id_cannot_change_the_path_or_add_a_header(remote, httpserver: HTTPServer, words, identifier):
    remote(*words, identifier, code=2)
    assert not httpserver.log


PUSHES = [
    ("--catalog", "products", "push"),
    ("--catalog", "products", "delete", "--yes", "--from"),
    ("--audience", "audiences", "push", "--account", "1"),
    ("--account", "audiences", "push", "--audience", "1"),
    ("--list", "audiences", "do-not-reach", "push", "--account", "1"),
    ("--account", "audiences", "do-not-reach", "push", "--list", "1"),
]


@pytest.mark.parametrize(
    ("words", "identifier"),
    [(words, "..") for words in PUSHES] + [(PUSHES[2], strange) for strange in STRANGE_IDS],
)
def test_a_push_rejects_an_invalid_id_before_it_reads_the_file(remote, httpserver, words, identifier):
    option, *command = words
    file = remote.file("feed.csv", "nonsense\nmore nonsense\n")
    done = remote(*command, file, option, identifier, code=2)
    assert f"{option}: {identifier!r} is not a valid id" in done.stderr
    assert not httpserver.log and not list_jobs(remote)


def test_a_push_escapes_an_id_in_the_path(remote, httpserver):
    file = remote.file("people.csv", "email\nann@shop.example\n")
    done = remote("audiences", "push", file, "--audience", "1", "--account", "a;b&c", "--dry-run")
    assert f"{httpserver.url_for('')}12/accounts/a%3Bb%26c/custom_audiences/1/users" in done.stderr


@pytest.mark.parametrize("identifier", STRANGE_IDS)
@pytest.mark.parametrize(("field", "name"), [("account_id", "account"), ("product_catalog_id", "catalog")])
def test_a_placeholder_of_the_api_command_rejects_an_invalid_id(remote, httpserver, field, name, identifier):
    done = remote("api", "GET", f"/12/{{{field}}}/x", code=2, **{as_variable(name): identifier})
    assert f"--{name}: {identifier!r} is not a valid id" in done.stderr
    assert not httpserver.log


@pytest.mark.parametrize("path", ["/a\r\nX: y", "//evil.example/", "evil", "/a#b", "https://evil.example/"])
def test_the_api_command_accepts_only_a_path(remote, httpserver: HTTPServer, path):
    remote("api", "GET", path, code=2)
    assert not httpserver.log


@pytest.mark.parametrize(
    "header", ["X: a\r\nY: b", "X\r\nY: b", "Authorization: OAuth x", "Host: evil.example"]
)
def test_the_api_command_rejects_headers_that_break_the_request(remote, httpserver: HTTPServer, header):
    remote("api", "GET", "/12/accounts", "-H", header, code=2)
    assert not httpserver.log


@pytest.mark.parametrize("words", [("--q", b"\xff"), ("-A", b"\xff\xfe")])
def test_an_option_that_is_not_utf_8_is_rejected(remote, httpserver: HTTPServer, words):
    remote("accounts", "list" if words[0] == "--q" else "features", words[0], os.fsdecode(words[1]), code=2)
    assert not httpserver.log
