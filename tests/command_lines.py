"""Run many command lines in this process and print what each ends with; needs only what a user has installed.

python -m tests.command_lines FOLDER        # in which they run, and which is also their home
"""

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from ads_cli.__main__ import main
from ads_cli.cli.tree import root
from ads_cli.reference import CommandDoc, describe_commands

VALUES = ("zzz", "", "1.5", "-3", "0", "99999999999", "1_0", "\N{ARABIC-INDIC DIGIT THREE}", "\x1b")
WAITING = (
    "emulator serve",
    "emulator exec",
    "webhooks serve",
    "events listen",
)  # commands that wait, or run what they are given
FEED = "id,title\n1,Chair\n"
WHOLE_RUNS = (
    ("--version",),
    ("-q", "--version"),
    ("-oids", "--profile", "local", "accounts", "list", "-q"),
    ("--profile=local", "accounts", "list", "-q", "--output", "ids", "--sort-by", "name-asc", "--all"),
    ("--profile", "local", "accounts", "list", "--account-ids", "a,b", "--no-with-deleted", "--dry-run"),
    (
        "products",
        "check",
        "feed.csv",
        "--keep",
        "last",
        "--max-rows",
        "10",
        "--set",
        "price=1",
        "--set",
        "a=b",
    ),
    ("products", "check", "feed.csv", "--keep", "LAST"),
    ("products", "check", "--", "feed.csv", "feed.csv"),
    ("api", "get", "/12/accounts", "-f", "a=1", "-f", "b=2", "--as-curl", "--profile", "local"),
    ("targeting", "search", "--q"),
    ("targeting", "search", "--q", "x", "locations"),
    ("completion", "bash"),
    ("help", "products", "push"),
)


def wrong_lines(command: CommandDoc) -> Iterator[tuple[str, ...]]:
    """Yield lines of a command that its parsing refuses, or most of them."""
    path = command.path
    yield (*path, "--no-such")
    if command.subcommands:
        first = command.subcommands[0][0]
        yield from ((*path, "-Z"), (*path, "--output"), (*path, "--quiet=1"))
        rests = ((), ("nope",), ("--", "--foo"), ("-q",), (first[:-1],), ("--", first, "--nope"))
        yield from ((*path, *rest) for rest in rests)
        return
    words = [argument.names[0].strip("[].") for argument in command.arguments if argument.required]
    if words:
        yield path
    if path != ("help",) and not any(argument.is_repeated for argument in command.arguments):
        yield (*path, *words, *["x"] * len(command.arguments), "extra\x1b[1m", "more")
    for option in command.options:
        if option.is_common:
            continue
        yield (*path, f"{option.names[0]}=x") if not option.completes_from else (*path, option.names[0])
        if option.metavar.startswith("[") or option.metavar == "N":
            yield from ((*path, *words, f"{option.names[0]}={value}", "extra") for value in VALUES)


def run(*words: str) -> None:
    """Run a command line; print its words, exit code and output."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    print(json.dumps([words, code, out.getvalue(), err.getvalue()]))


if __name__ == "__main__":
    home = Path(sys.argv[1])
    folders = {"ADSCTL_STATE_DIR": str(home / "state"), "ADSCTL_CONFIG_DIR": str(home / "config")}
    os.environ.update(folders, HOME=str(home), COLUMNS="80")
    os.chdir(home)
    Path("feed.csv").write_text(FEED)
    for words in WHOLE_RUNS:
        run(*words)
    for command in describe_commands(root()):
        run(*command.path, "--help")
        if command.key not in WAITING:
            for words in wrong_lines(command):
                run(*words)
    heavy = {"pydantic", "pydantic_core", "click", "rich"}
    print(json.dumps([["loaded"], 0, " ".join(sorted(heavy & sys.modules.keys())), ""]))
