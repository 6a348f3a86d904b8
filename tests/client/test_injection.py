"""What is typed is a value: never another path, another host or another header."""

import os

import pytest
from pytest_httpserver import HTTPServer

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
def test_an_id_can_be_no_other_path_and_no_header(remote, httpserver: HTTPServer, words, identifier):
    remote(*words, identifier, code=2)
    assert not httpserver.log


@pytest.mark.parametrize("path", ["/a\r\nX: y", "//evil.example/", "evil", "/a#b", "https://evil.example/"])
def test_a_path_of_ones_own_is_a_path_and_nothing_else(remote, httpserver: HTTPServer, path):
    remote("api", "GET", path, code=2)
    assert not httpserver.log


@pytest.mark.parametrize(
    "header", ["X: a\r\nY: b", "X\r\nY: b", "Authorization: OAuth x", "Host: evil.example"]
)
def test_a_header_of_ones_own_is_one_header_and_none_of_ours(remote, httpserver: HTTPServer, header):
    remote("api", "GET", "/12/accounts", "-H", header, code=2)
    assert not httpserver.log


@pytest.mark.parametrize("words", [("--q", b"\xff"), ("-A", b"\xff\xfe")])
def test_what_is_typed_and_is_no_text_is_told(remote, httpserver: HTTPServer, words):
    remote("accounts", "list" if words[0] == "--q" else "features", words[0], os.fsdecode(words[1]), code=2)
    assert not httpserver.log
