"""Commands of the user: aliases of the profile, and programs `adsctl-NAME` on the PATH.

The commands of the tree are looked for first, so that none of these takes their place. Neither the command
lines of fleets nor those of assistants come here: they are read by the tree alone.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from ..config.settings import Settings
from ..console.aliases import ALIAS_MARK, NAME, alias_words
from ..console.options import ALL_OPTIONS, CommandLine, find_common_options
from ..errors import AdsctlError, StateError, UsageError
from ..spelling import as_variable
from .command_index import ROOT_SECTIONS

PREFIX = "adsctl-"
COMMANDS = frozenset(chain.from_iterable(ROOT_SECTIONS.values()))
IN_VARIABLES = ("profile", "service", "account", "catalog", "output")  # options that a program gets so


def run_added(command_line: CommandLine, at: int) -> int | None:
    """Run the program that the word at `at` names, and return its exit code; None where there is none.

    An alias is expanded in place, for the tree to read.
    """
    name, words = command_line.words[at], command_line.words
    if text := _aliases_of(command_line).get(name):
        try:
            expanded = alias_words(name, text, COMMANDS)
        except UsageError as error:  # written into the file by hand
            settings = Settings(command_line.options)
            message = f"{settings.config_file}: profile {settings.profile}: {error.message}"
            raise StateError(message, hint=error.hint) from None
        command_line.words = (*words[:at], *expanded, *words[at + 1 :])
        return None
    program = programs().get(name)
    return None if program is None else _run(command_line, at, program)


def programs() -> dict[str, str]:
    """Return the programs of the user on the PATH, by their names without the prefix; the first one counts.

    None is taken from the working directory, from an empty entry, nor from a relative one: whoever unpacks an
    archive does not thereby choose what runs.
    """
    return {name: path for name, path in reversed([*_on_path()]) if name not in COMMANDS}


def _on_path() -> Iterator[tuple[str, str]]:
    for folder in map(Path, filter(None, os.environ.get("PATH", "").split(os.pathsep))):
        with suppress(OSError):
            if folder.is_absolute() and not folder.samefile(Path.cwd()):
                for path in sorted(folder.glob(f"{PREFIX}*")):
                    name = (path.stem if sys.platform == "win32" else path.name).removeprefix(PREFIX)
                    if NAME.fullmatch(name) and path.is_file() and os.access(path, os.X_OK):
                        yield name, str(path)


def added_commands(settings: Settings) -> dict[str, str]:
    """Describe the commands of the user, by their names: aliases of the profile, then programs."""
    aliases = {name: f"{ALIAS_MARK}{text}" for name, text in settings.aliases.items() if name not in COMMANDS}
    return aliases | {name: path for name, path in sorted(programs().items()) if name not in aliases}


def print_completions(typed: list[str]) -> int:
    """Print the names of the commands of the user, for the shell to complete. Errors print nothing."""
    profile = dict(find_common_options(typed)).get("profile")
    with suppress(AdsctlError, OSError):
        for name, description in added_commands(Settings({"profile": profile} if profile else {})).items():
            if NAME.fullmatch(name):
                print(f"{name}\t{' '.join(description.split())}")
    return 0


def _aliases_of(command_line: CommandLine) -> dict[str, str]:
    """Return the aliases of the one profile that a command line works under."""
    return {} if command_line.names_profiles else Settings(command_line.options).aliases


def _run(command_line: CommandLine, at: int, program: str) -> int:
    """Run a program with the words after its name, and without secrets in its environment."""
    from ..console.programs import environment_without, run_child, secret_variables

    name, options = command_line.words[at], dict(find_common_options(command_line.words[:at]))
    if lost := [option.names[0] for option in ALL_OPTIONS if option.name in options.keys() - {*IN_VARIABLES}]:
        raise UsageError(
            f"{lost[0]}: {name} is a program of yours, which does not get it",
            hint=f"write it after the name, if {Path(program).name} takes it",
        )
    environment = environment_without({*secret_variables(command_line)})
    given = {as_variable(option): str(value) for option, value in options.items()}
    sys.stdout.flush()
    code, _ = run_child([program, *command_line.words[at + 1 :]], environment | given)
    return code
