"""A result without records: nothing in a pipe, and a word about it on a terminal."""

import shlex

import pexpect
import pytest

from tests.stored import stored


def said_on_a_terminal(adsctl, *words: str) -> str:
    session = adsctl.terminal("--profile", "local", *words)
    session.expect(pexpect.EOF)
    session.close()
    assert session.exitstatus == 0
    return session.before


def test_a_terminal_is_told_once_a_day_that_the_emulator_is_used(adsctl):
    command = f"{shlex.join(adsctl.forked())} --profile local accounts list -o ids"
    for _ in range(2):  # terminals
        shell = pexpect.spawn("sh", ["-c", f"{command}; {command}"], env=adsctl.environment, encoding="utf-8")
        shell.expect(pexpect.EOF)
        assert shell.before.count("using the emulator") == 1 and shell.before.count("18ce54d4x5t") == 2
    assert "using the emulator" in adsctl.local("accounts", "list").stderr  # in a pipe always
    assert stored(adsctl, "SELECT count(*) FROM notes WHERE kind = 'terminals'") == [2]
    stored(adsctl, "UPDATE notes SET value = '\"2026-01-01\"'")
    said_on_a_terminal(adsctl, "accounts", "list")
    assert stored(adsctl, "SELECT count(*) FROM notes WHERE value != '\"2026-01-01\"'") == [1]


@pytest.mark.parametrize("format", ["table", "tsv", "csv", "ids", "jsonl"])
def test_a_query_without_a_match_prints_nothing_in_a_pipe(adsctl, format):
    for query in ("[?name=='absent']", "[?name=='absent'].{id: id, name: name}", "[?name=='absent'].id"):
        done = adsctl.local("campaigns", "list", "--query", query, "-o", format)
        assert done.stdout == ""
    assert adsctl.local("campaigns", "list", "--query", "[?name=='absent']", "-o", "json").stdout == "[]\n"


def test_a_terminal_is_told_that_nothing_matches(adsctl):
    assert "no campaigns match" in said_on_a_terminal(adsctl, "campaigns", "list", "--q", "absent")
    assert "no campaigns match" in said_on_a_terminal(
        adsctl, "campaigns", "list", "--q", "absent", "-o", "csv"
    )
    query = ("campaigns", "list", "--query", "[?name=='absent']")
    assert "nothing matches --query" in said_on_a_terminal(adsctl, *query)
    assert "match" not in said_on_a_terminal(adsctl, *query, "-q")


def test_a_list_that_is_empty_in_a_pipe_has_its_header_and_says_nothing(adsctl):
    done = adsctl.local("campaigns", "list", "--q", "absent", "-q")
    assert done.stdout.startswith("id\t") and done.stderr == ""
