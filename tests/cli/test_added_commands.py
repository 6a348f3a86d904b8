"""Commands of the user: aliases of a profile, and programs `adsctl-NAME` on the PATH."""

import json
import os
import shlex
import signal

import pytest

from ads_cli.cli.command_index import ROOT_SECTIONS
from ads_cli.config.environment import SECRETS
from ads_cli.spelling import as_variable
from tests.adsctl import wait_until
from tests.commands.test_changes import read_terminal

SECRET = "sesame-0815"
NOTE = """#!/bin/sh
printf '%s\\n' "$@" > "{home}/words"
env > "{home}/environment"
exit 7
"""


def program(adsctl, name, folder="tools", text=NOTE):
    """Put a program into a folder of the home."""
    (adsctl.home / folder).mkdir(exist_ok=True)
    path = adsctl.file(f"{folder}/adsctl-{name}", text.format(home=adsctl.home))
    path.chmod(0o755)
    return path


@pytest.fixture
def person(adsctl):
    """A home with a program of the user on the PATH, in the folder `tools`."""
    program(adsctl, "hello")
    adsctl.env["PATH"] = f"{adsctl.home}/tools{os.pathsep}{os.environ['PATH']}"
    return adsctl


def words(adsctl):
    return (adsctl.home / "words").read_text().splitlines()


def environment(adsctl):
    lines = (adsctl.home / "environment").read_text().splitlines()
    return dict(line.partition("=")[::2] for line in lines if "=" in line)


def test_a_program_gets_the_words_after_its_name_as_they_are_and_its_exit_code_is_its_own(person):
    person("hello", "--yes", "two words", "-o", "json", "--", "--profile", "nobody", code=7)
    assert words(person) == ["--yes", "two words", "-o", "json", "--", "--profile", "nobody"]


def test_a_program_that_a_signal_ends_gives_the_exit_code_of_a_shell(person):
    program(person, "dies", text="#!/bin/sh\nkill -TERM $$\n")
    person("dies", code=128 + signal.SIGTERM)


def test_ctrl_c_reaches_a_program_whose_exit_code_stays_its_own(person):
    program(
        person,
        "waits",
        text="#!/bin/sh\ntrap 'exit 5' INT\ntouch {home}/waits\nwhile :; do sleep 0.05; done\n",
    )
    running = person.beside("waits")
    wait_until((person.home / "waits").exists, "the program has not started")
    running.send_signal(signal.SIGINT)
    assert running.wait() == 5


def test_a_program_gets_no_secret_but_where_to_work(person):
    secrets = {as_variable(name): SECRET for name in SECRETS}
    clouds = {"AWS_SECRET_ACCESS_KEY": SECRET, "AZURE_STORAGE_CONNECTION_STRING": SECRET}
    person.env |= secrets | clouds | {"FEED_URL": f"https://u:{SECRET}@shop.example/f.csv"}
    person("profile", "set", "shop", "ads_url=https://ads.example")
    person("-p", "shop", "--account=18ce54d4x5t", "-o", "json", "hello", "@FEED_URL", code=7)
    got = environment(person)
    assert SECRET not in str(got)
    given = {"ADSCTL_PROFILE": "shop", "ADSCTL_ACCOUNT": "18ce54d4x5t", "ADSCTL_OUTPUT": "json"}
    assert given.items() <= got.items()


@pytest.mark.parametrize("option", [("--dry-run",), ("--env-file", "x.env"), ("-qy",), ("--columns=a",)])
def test_an_option_that_a_program_would_not_get_is_refused(person, option):
    person.file("x.env", "ADSCTL_ACCOUNT=a\n")
    error = person(*option, "hello", code=2).stderr
    assert "does not get it" in error and "after the name" in error
    assert not (person.home / "words").exists()


@pytest.mark.parametrize("path", ["", ".", "tools", "./tools", "{home}", ":", "tools:.:"])
def test_nothing_of_the_working_directory_nor_of_an_empty_or_relative_entry_is_run(adsctl, path):
    program(adsctl, "hello")
    program(adsctl, "hello", folder=".")
    adsctl.env["PATH"] = path.format(home=adsctl.home)
    assert "has no command 'hello'" in adsctl("hello", code=2).stderr
    assert "hello" not in adsctl("--help").stdout
    assert adsctl("__ids", "added", "adsctl").stdout == ""


def test_a_file_that_is_not_executable_and_a_folder_are_no_commands(person):
    program(person, "text").chmod(0o644)
    (person.home / "tools" / "adsctl-folder").mkdir()
    for name in ("text", "folder", "../tools/adsctl-hello", "HELLO.sh"):
        person(name, code=2)


@pytest.mark.parametrize("command", [name for names in ROOT_SECTIONS.values() for name in names])
def test_a_program_never_takes_the_place_of_a_command(person, command):
    program(person, command)
    person(command, "--help")
    person("help", command)
    assert not (person.home / "words").exists()
    assert str(person.home / "tools" / f"adsctl-{command}") not in person("--help").stdout


def test_programs_and_aliases_are_listed_and_completed(person):
    person("profile", "set", "shop", "alias.spend=stats get --since 7d")
    assert "Programs of yours:\n  hello " in person("--help").stdout
    listed = person("help").stdout
    assert "Programs of yours" in listed and "spend  stats get --since 7d" in listed
    assert person("help", "spend").stdout == "spend  Alias: stats get --since 7d\n"
    assert person("help", "hello").stdout == f"hello  {person.home}/tools/adsctl-hello\n"
    completed = [line.split("\t")[0] for line in person("__ids", "added", "adsctl").stdout.splitlines()]
    assert completed == ["spend", "hello"]
    assert "spend" not in person("__ids", "added", "adsctl", "-p", "local").stdout


def test_an_alias_stands_for_a_command_line_and_takes_further_words(adsctl):
    person = adsctl
    person("profile", "set", "shop", "alias.mine=help fields products -o", "alias.top=-q help formats")
    assert json.loads(person("mine", "json").stdout) == json.loads(
        person("help", "fields", "products", "-o", "json").stdout
    )
    assert person("-p", "shop", "top").stdout == person("help", "formats").stdout
    assert "has no command 'mine'" in person("-p", "local", "mine", code=2).stderr
    assert "alias.mine\thelp fields products -o" in person("profile", "show").stdout
    person("profile", "set", "shop", "alias.mine=")
    person("mine", code=2)


def test_an_alias_keeps_words_in_quotes_together(adsctl):
    adsctl("profile", "set", "shop", f"alias.word={shlex.join(['help', 'two words'])}")
    assert "'two words'" in adsctl("word", code=2).stderr


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        ("alias.stats=campaigns list", "'stats' is a command of adsctl"),
        ("alias.help=campaigns list", "'help' is a command of adsctl"),
        ("alias.loop=loop", "begins with 'loop'"),
        ("alias.loop=-q -o json other", "begins with 'other'"),
        ("alias.run=hello", "begins with 'hello'"),
        ("alias.x=-q", "names no command"),
        ("alias.x=stats 'get", "cannot be parted into words"),
        ("alias.-x=stats get", "cannot be the name of an alias"),
        ("alias.=stats get", "cannot be the name of an alias"),
        ("alias.a/b=stats get", "cannot be the name of an alias"),
    ],
)
def test_an_alias_replaces_no_command_and_stands_for_no_other_alias_nor_a_program(person, pair, reason):
    assert reason in person("profile", "set", "shop", pair, code=2).stderr
    assert not (person.home / "config" / "config.yaml").exists()


def test_an_alias_that_was_written_by_hand_is_held_to_the_same(person):
    person("profile", "set", "shop", "alias.ok=help formats")
    path = person.home / "config" / "config.yaml"
    path.write_text(path.read_text().replace("ok: help formats", "ok: ok\n      stats: help formats"))
    error = person("ok", code=11).stderr
    assert "profile shop: the alias ok begins with 'ok'" in error
    assert "no other alias and no program" in error
    assert "Usage: adsctl stats" in person("stats", "--help").stdout


def test_an_alias_outranks_a_program_of_its_name(person):
    person("profile", "set", "shop", "alias.hello=help formats")
    assert person("hello").stdout == person("help", "formats").stdout
    person("-p", "local", "hello", code=7)


def test_no_fleet_runs_a_command_of_the_user(person):
    person("profile", "set", "shop", "ads_url=https://ads.example", "alias.spend=help formats")
    for name in ("hello", "spend"):
        person.file("fleet.yaml", f"tasks:\n- {{name: a, profile: shop, run: {name}}}\n")
        assert f"{name!r}" in person("fleet", "check", "fleet.yaml", code=3).stderr
        assert (
            "has no command" in person("--profile", "shop,shop", name, code=2).stderr
            if name == "spend"
            else 1
        )
    assert not (person.home / "words").exists()


def test_no_assistant_runs_or_finds_a_command_of_the_user(person):
    requests = [
        {"method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}
        }},
        {"method": "tools/call", "params": {"name": "find_commands", "arguments": {}}},
        {"method": "tools/call", "params": {"name": "read", "arguments": {"command": "hello"}}},
    ]  # fmt: skip
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, **request}) for number, request in enumerate(requests)
    ]
    done = person.process("--profile", "local", "mcp", input="\n".join(lines) + "\n")
    _, found, refused = sorted(map(json.loads, done.stdout.splitlines()), key=lambda answer: answer["id"])
    assert "campaigns list" in str(found) and "hello" not in str(found)
    assert refused.get("error") or refused["result"]["isError"]
    assert not (person.home / "words").exists()


def test_a_program_that_cannot_be_run_is_named(person):
    program(person, "broken", text="#!/nowhere/at/all\n")
    assert "adsctl-broken" in person("broken", code=2).stderr


def test_what_a_program_prints_stands_where_it_was_asked_for(person):
    program(person, "prints", text="#!/bin/sh\necho out; echo err >&2\n")
    shown = read_terminal(person.terminal("prints"))
    assert shown.split() == ["out", "err"]
