"""Every command gives a program what it prints as JSON, and prints nothing there."""

import json
import re
import shlex
from typing import Any

import pytest

import ads_cli
from ads_cli.cli.command_index import CUSTOM_COMMANDS
from ads_cli.cli.tree import root
from ads_cli.commands.fleet.plan import parse_line
from ads_cli.emulator import identity
from ads_cli.library.command_words import REFUSED
from ads_cli.spelling import as_name
from tests.adsctl import ROOT
from tests.command_tree import COMMANDS
from tests.effort import every
from tests.library.conftest import program
from tests.promises.test_examples import (  # noqa: F401
    BEFORE,
    ENDS_WITH,
    EXAMPLES,
    IN_A_SHELL,
    LINES,
    SENDING,
    at_home,
    move_clock,
)

CALLED = sorted(
    command
    for command in LINES.keys() - IN_A_SHELL - {"guard set"}  # of another profile
    if not any(f"{command} ".startswith(f"{refused} ") for refused in REFUSED)
)
OF_TERMINAL = {"output", "columns", "query"}


def keywords_of(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the name of a command line, and its options as a program names them."""
    parsed = parse_line(root(), words)
    node: Any = root()
    for word in parsed.command.split():
        node = node.commands[word]
    named = {}
    for param in node.params:
        value = parsed.params.get(param.name)
        if value not in (None, param.default):
            is_argument = param.param_type_name == "argument"
            named[param.name if is_argument else as_name(max(param.opts, key=len))] = value
    common = {name: value for name, value in parsed.options.items() if name != "yes"}
    return parsed.command, named | common


def shape(value: Any, name: str = "") -> Any:
    """Return a record without what differs in each run: times, ids, digests and durations."""
    if isinstance(value, dict):
        return {name: shape(inner, name) for name, inner in sorted(value.items())}
    if isinstance(value, list):
        return [shape(inner, name) for inner in value]
    if isinstance(value, str):
        return "#" if name.endswith(("id", "uri")) or any(map(str.isdigit, value)) else value
    return type(value).__name__


# Generated commands are much alike.
TRIED = sorted([*every(3, [command for command in CALLED if command in SENDING]), *({*CALLED} - {*SENDING})])


@pytest.mark.parametrize("command", TRIED)
def test_a_call_gives_the_records_that_the_command_prints(at_home, time_machine, monkeypatch, command):  # noqa: F811
    move_clock(time_machine, command)
    monkeypatch.setattr(identity, "START_TIMEOUT_SECONDS", 0.3)
    *before, line = LINES[command].split(" && ")
    words = shlex.split(line)[1:]

    def begin() -> None:
        for file in (at_home.home / "state").glob("*"):
            file.unlink() if file.is_file() else None
        at_home.copy_emulator()
        for earlier in before:
            at_home.local("--yes", *shlex.split(earlier)[1:])

    files = {*at_home.home.glob("*.*")}
    begin()
    done = at_home.local("--yes", *words, "-o", "json", code=None)
    if "--output has no effect" in done.stderr or done.returncode == 2:
        begin()
        done = at_home.local("--yes", *words)
    for path in {*at_home.home.glob("*.*")} - files:
        path.unlink()
    begin()
    name, named = keywords_of(words)
    with program(at_home), ads_cli.connect(profile="local", confirm=True) as ads:
        if done.returncode not in (0, 10):
            with pytest.raises(ads_cli.AdsctlError) as failed:
                ads.call(name, **named)
            assert failed.value.exit_code == done.returncode == ENDS_WITH.get(command)
            return
        for option in OF_TERMINAL & named.keys():
            with pytest.raises(ads_cli.UsageError, match="terminal"):
                ads.call(name, **{option: named[option]})
        rows = ads.call(name, **{key: named[key] for key in named.keys() - OF_TERMINAL})
    if OF_TERMINAL & named.keys():
        return
    assert rows.exit_code == done.returncode
    if rows.text:
        assert not rows and done.stdout.startswith(rows.text[:20])
        return
    document = json.loads(done.stdout) if done.stdout else []
    document = document if isinstance(document, list) else [document]
    key = rows[0].keys() if rows else ()
    document = [record if isinstance(record, dict) else dict.fromkeys(key, record) for record in document]
    if command != "profile show":  # which shows the options, too
        assert sorted(map(repr, map(shape, rows))) == sorted(map(repr, map(shape, document)))


def test_what_is_refused_is_a_command_or_a_group_and_says_why(ads):
    for name, why in REFUSED.items():
        with pytest.raises(ads_cli.UsageError, match=why):
            ads.call(name)
    assert {*REFUSED} - CUSTOM_COMMANDS.keys() == {"fleet"}


def test_no_option_has_the_name_of_a_parameter_of_calls():
    options = {name for command in COMMANDS.values() for param in command.parameters for name in param.names}
    assert not {"--confirm", "--progress"} & options and "--name" in options


# Where a process is used that only a command line has, and why no call comes there.
OF_A_PROCESS = {
    "cli/added_commands.py": "refused: programs of the user",
    "cli/error_boundary.py": "around a command line",
    "console/completion_ids.py": "for a shell",
    "console/host.py": "the host of a command line",
    "console/invocation.py": "a person types the answer",
    "console/programs.py": "programs that are refused, and those of --on-failure",
    "commands/auth/login.py": "refused",
    "commands/emulator/__init__.py": "refused: exec, serve",
    "commands/fleet/several.py": "refused: a connection has one profile",
    "commands/fleet/view.py": "refused",
    "commands/help.py": "refused",
    "commands/mcp/__init__.py": "refused",
    "commands/mcp/query.py": "a process of a server",
    "commands/mcp/server.py": "refused",
    "commands/mcp/skill.py": "refused",
    "commands/products/questions.py": "a person at a terminal is asked",
    "commands/receiving/handing.py": "refused",
}
USES = re.compile(r"sys\.std(in|out)\b|\bprint\((?!.*file=)|\bredirect_std|os\.(chdir|environ\[)|sys\.exit")


def test_commands_print_to_their_host_and_change_nothing_of_their_process():
    package = ROOT / "ads_cli"
    using = {
        str(path.relative_to(package))
        for folder in ("cli", "commands", "console", "output", "library")
        for path in (package / folder).rglob("*.py")
        if USES.search(re.sub(r"console\.print\(", "", path.read_text()))
    }
    assert using == OF_A_PROCESS.keys()
