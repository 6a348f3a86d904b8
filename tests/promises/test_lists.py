"""Claims about every command that shows a list: it is narrowed by --where, and sorted by --sort."""

import json
import shlex

import pytest

from tests.command_tree import COMMANDS
from tests.promises.test_every_command import MUTATIONS
from tests.promises.test_examples import (  # noqa: F401
    BEFORE,
    DECLARED,
    ENDS_WITH,
    EXAMPLES,
    IN_A_SHELL,
    LINES,
    at_home,
    move_clock,
)

NOT_LISTS = {  # what they print in a list, and what says which records these are
    "accounts features list": "names without fields",
    "ads create": "what it created",
    "audiences combine": "rows of files",
    "audiences diff": "differences; --where is that of the rows of the file",
    "audiences do-not-reach diff": "differences; --where is that of the rows of the file",
    "campaigns activate": "records that were changed",
    "campaigns apply": "what it changed",
    "campaigns copy": "what it created",
    "campaigns pause": "records that were changed",
    "campaigns plan": "differences between a file and an account",
    "campaigns tree": "a tree",
    "campaigns why": "the reasons of one record",
    "cards fetch": "the card of an address",
    "changes undo": "what it has taken back",
    "emulator trigger": "what it sent",
    "line-items activate": "records that were changed",
    "line-items pause": "records that were changed",
    "mirror run": "the accounts that it has written",
    "media check": "the findings of the files that are named",
    "media library clean": "what it deleted",
    "media lookup": "the media that are named",
    "media upload": "what it uploaded",
    "overview": "one account",
    "products check": "the problems of a file; --where is that of its rows",
    "products convert": "rows of a file",
    "products diff": "differences; --where is that of the rows of the feed",
    "products get": "the products that are named",
    "products pull": "a file",
    "products sync": "what it changed",
    "stats export": "rows of a query, which has filters of its own",
    "stats get": "rows of a query, which has filters of its own",
    "stats jobs get": "rows of a job",
    "watch apply": "what it has changed",
    "targeting search": "a group, whose commands have both",
}
READING = sorted(LINES.keys() - IN_A_SHELL - {*MUTATIONS} - {"help", "api"})
NARROWED = [
    key
    for key, command in COMMANDS.items()
    if {"--where", "--sort"} <= {name for parameter in command.parameters for name in parameter.names}
]


def shown(at_home, command):  # noqa: F811
    """Return what the example of a command prints as JSON."""
    for line in filter(None, [BEFORE.get(command)]):
        at_home.local("--yes", *shlex.split(line)[1:])
    done = at_home.local("--yes", *shlex.split(EXAMPLES[command])[1:], "-o", "json", code=None)
    assert done.returncode == ENDS_WITH.get(command, 0), done.stderr
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return None  # a page, a script, a file of media
    key = DECLARED[command].data_key if command in DECLARED else ""
    return document.get(key, document) if isinstance(document, dict) else document


@pytest.mark.parametrize("command", [command for command in READING if command not in NOT_LISTS])
def test_whatever_shows_a_list_is_narrowed_and_sorted(at_home, time_machine, command):  # noqa: F811
    move_clock(time_machine, command)
    result = shown(at_home, command)
    if isinstance(result, list | dict):
        assert (command in NARROWED) == isinstance(result, list)
