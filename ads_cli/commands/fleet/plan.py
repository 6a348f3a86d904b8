"""Parse the command line of a task with the real command tree, and run nothing."""

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ...config.settings import Settings
from ...console.command_line import CommandLine
from ...console.invocation import Invocation
from ...console.options import COMMON_OPTIONS
from ...console.remote_access import make_access
from ...errors import ContentError, GuardError, UsageError
from ...feeds.locations.locate import expand_files
from ...fleet.check import (
    Parser,
    check_catalogs,
    check_feeds,
    check_folders,
    check_guard,
    check_places,
    check_signed_in,
)
from ...fleet.engine import worst
from ...fleet.expand import Expansion
from ...fleet.file import TaskProblem, read_fleet
from ...fleet.tasks import Task
from ...masking import mask_address
from ...numbers import parse_size
from ...output.text import counted, first_of
from ...spelling import suggestion


class ParsedLine(NamedTuple):
    """What a command line says."""

    params: dict[str, Any]  # of the command, by the names of its function
    options: dict[str, Any]  # the common ones


def parse_line(root: Any, words: Sequence[str]) -> ParsedLine:
    """Parse a command line; raise UsageError as running it would, and where it only shows a help text."""
    from typer import Exit
    from typer.core import TyperGroup

    from ...console.parameters import words_left

    line = CommandLine(words)
    try:
        with redirect_stdout(io.StringIO()):
            context = root.make_context(root.name, list(words), obj=line)
            while isinstance(group := context.command, TyperGroup) and (left := words_left(context)):
                name, command, rest = group.resolve_command(context, left)
                assert command
                context = command.make_context(name, rest, parent=context)
    except UsageError as error:
        raise UsageError(error.message) from None
    except Exit:
        raise UsageError("it shows a text, and does nothing") from None
    return ParsedLine(context.params, line.parsed_options)


MAX_PROBLEMS = 50  # that are told
MAX_NAMED = 10  # tasks of one problem
# The options of `fleet run` that are those of each task, unless its line has them too.
INHERITED = (
    *("profile", "service", "env_file", "account", "sandbox", "yes", "dry_run"),
    *("timeout", "max_attempts", "max_wait", "verbose", "debug"),
)
MAX_BYTES = parse_size("2GiB", "")


def plan_fleet(call: Invocation, root: Any, file: str, only: str | None, *, here: bool = True) -> list[Task]:
    """Return the tasks of a file; raise AdsctlError with everything that is wrong.

    Whether profiles are signed in and feeds can be read is checked where the tasks run `here`.
    """
    path, problems = Path(file), list[TaskProblem]()
    fleet = read_fleet(path, problems)
    access = partial(make_access, call, MAX_BYTES)
    expansion = Expansion(
        fleet,
        list(call.settings.read_config().get("profiles") or ()),
        partial(expand_files, access=access, are_patterns=True),
    )
    lines = expansion.lines()
    call.note_task_words(word for line in lines for word in line.words)
    parser = Parser(partial(parse_line, root), inherited_options(call))
    parsed = parser.tasks(lines)
    problems += [*expansion.problems, *parser.problems, *check_places(parsed)]
    names = _chosen([line.name for line in lines], only)
    chosen = [each for each in parsed if each.task.name in names]
    if here:
        problems += check_guard(chosen)
        problems += [*check_signed_in(chosen), *check_catalogs(chosen), *check_folders(chosen)]
        problems += check_feeds(chosen, lambda settings: _access_of(call, settings))
    if problems:
        raise _error(path, problems)
    return [each.task for each in chosen]


def inherited_options(call: Invocation) -> list[str]:
    """Return the options of this invocation that every task has."""
    return [
        f"{option.names[0]}={value}" if option.metavar else option.names[0]
        for option in COMMON_OPTIONS
        if option.name in INHERITED and (value := call.flags.get(option.name))
    ]


def _access_of(call: Invocation, settings: Settings) -> Any:
    return make_access(call, MAX_BYTES)._replace(environ=settings.environ)


def _chosen(names: Sequence[str], only: str | None) -> set[str]:
    """Return the tasks that --only names; raise UsageError for a name without a task."""
    if only is None:
        return set(names)
    found: set[str] = set()
    if not only.replace(",", "").strip():
        raise UsageError("--only names no task", hint="without it all tasks are run")
    for pattern in filter(None, map(str.strip, only.split(","))):
        matching = [name for name in names if fnmatchcase(name, pattern)]
        if not matching:
            raise UsageError(f"--only: no task is named {pattern!r}{suggestion(pattern, names)}")
        found.update(matching)
    return found


def _described(path: Path, equal: list[TaskProblem]) -> str:
    """Tell a mistake that several tasks may have, as a check tells one of several rows."""
    first = equal[0]
    own = mask_address(f"{first.task or 'x'}: {first.text}")
    text = mask_address(f"x: {first.text}").removeprefix("x: ")
    if len(equal) == 1:
        return f"{path}:{first.line}: {own if first.task else text}"
    named = [f"{mask_address(each.task)} (line {each.line})" for each in equal]
    return f"{path}:{first.line}: {text}\n    {counted(len(equal), 'task')}: {first_of(named, MAX_NAMED)}"


def _error(path: Path, problems: list[TaskProblem]) -> Exception:
    """Return the error that tells all problems, by their lines: a mistake of the file, or else the worst."""
    groups: dict[str, list[TaskProblem]] = {}
    for problem in sorted(problems, key=lambda problem: problem.line):
        groups.setdefault(problem.text if problem.task else f"{problem.line} {problem.text}", []).append(
            problem
        )
    lines = [_described(path, equal) for equal in islice(groups.values(), MAX_PROBLEMS)]
    if (more := sum(map(len, islice(groups.values(), MAX_PROBLEMS, None)))) > 0:
        lines.append(f"and {more:,} more")
    kinds = {problem.error for problem in problems}
    kind = ContentError if ContentError in kinds else worst([kind.exit_code for kind in kinds])
    kind = GuardError if GuardError in kinds and issubclass(GuardError, kind) else kind
    return kind("\n".join([*lines, f"{path}: {counted(len(problems), 'mistake')}; nothing was run"]))
