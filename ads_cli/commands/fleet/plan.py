"""Parse the command line of a task with the real command tree, and run nothing."""

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from typer import Exit
from typer.core import TyperGroup

from ...config.settings import Settings
from ...console.invocation import Invocation
from ...console.options import CommandLine, words_of
from ...console.parameters import words_left
from ...console.remote_access import make_access
from ...errors import AdsctlError, ContentError, GuardError, UsageError
from ...feeds.locations import RemoteAccess, expand_files
from ...fleet.check import (
    Parsed,
    Parser,
    SignedOut,
    check_catalogs,
    check_conflicts,
    check_feeds,
    check_folders,
    check_grants,
    check_guard,
    count_problems,
    find_signed_out,
    problem,
)
from ...fleet.commands import FleetCommands
from ...fleet.engine import NAMED_TASKS, TaskResult, equal_texts, worst
from ...fleet.file import Expansion, TaskProblem, read_fleet
from ...fleet.tasks import Task
from ...masking import mask_address
from ...numbers import parse_size
from ...output.text import listed
from ...spelling import comma_list, suggestion


class ParsedLine(NamedTuple):
    """What a command line says."""

    params: dict[str, Any]  # of the command, by the names of its function
    options: dict[str, Any]  # the common ones
    command: str = ""


def parse_line(root: Any, words: Sequence[str], fixed: Mapping[str, Any] | None = None) -> ParsedLine:
    """Parse a command line; raise UsageError as running it would, and where it only shows a help text."""
    line, path = CommandLine(words, fixed), list[str]()
    try:
        with redirect_stdout(io.StringIO()):
            context = root.make_context(root.name, list(words), obj=line)
            while isinstance(group := context.command, TyperGroup) and (left := words_left(context)):
                name, command, rest = group.resolve_command(context, left)
                assert command
                path.append(str(name))
                context = command.make_context(name, rest, parent=context)
    except UsageError as error:
        raise UsageError(error.message) from None
    except Exit:
        raise UsageError("it shows a text, and does nothing") from None
    return ParsedLine(context.params, line.parsed_options, " ".join(path))


MAX_PROBLEMS = 50  # that are reported
ASKING_TIMEOUT = "10s"
# The options of `fleet run` that are those of each task, unless its line has them too.
INHERITED = (
    *("profile", "service", "env_file", "account", "sandbox", "yes", "dry_run"),
    *("timeout", "max_attempts", "max_wait", "verbose", "debug"),
)
MAX_BYTES = parse_size("2GiB", "")


class FleetPlan(NamedTuple):
    """The tasks of a fleet that run, and the results of those that are left out."""

    tasks: list[Task]
    left_out: list[TaskResult]


def plan_fleet(
    call: Invocation,
    root: Any,
    file: str,
    only: str | None,
    *,
    here: bool = True,
    asks: bool = False,
    skips: bool = False,
) -> FleetPlan:
    """Return the tasks of a file; raise AdsctlError with everything that is wrong.

    Whether profiles are signed in and feeds can be read is checked where the tasks run `here`. `asks` has the
    service look at each token; `skips` leaves the tasks out whose profiles are not signed in.
    """
    path, problems, commands = Path(file), list[TaskProblem](), FleetCommands(root)
    fleet = read_fleet(path, commands, problems)
    access = partial(make_access, call, MAX_BYTES)
    expansion = Expansion(
        fleet,
        list(call.settings.read_config().get("profiles") or ()),
        partial(expand_files, access=access, are_patterns=True),
    )
    lines = expansion.lines()
    call.note_task_words(word for line in lines for word in line.words)
    parser = Parser(lambda words: parse_line(root, words)[:2], commands, words_of(call.flags, INHERITED))
    parsed = parser.tasks(lines)
    problems += [*expansion.problems, *parser.problems, *check_conflicts(parsed)]
    names = _chosen([line.name for line in lines], only)
    chosen = [each for each in parsed if each.task.name in names]
    left_out: list[TaskResult] = []
    if here:
        signed_out = find_signed_out(chosen, partial(_ask, call) if asks or skips else None)
        if skips:
            left_out = [
                TaskResult.skipped(each.task, found.error) for found in signed_out for each in found.tasks
            ]
            names -= {result.task for result in left_out}
            if left_out and not names:
                raise signed_out[0].error
            chosen, signed_out = [each for each in chosen if each.task.name in names], []
        problems += problems_here(call, chosen, signed_out)
    else:
        problems += check_grants(chosen)
    if problems:
        raise _error(path, problems)
    return FleetPlan([each.task for each in chosen], left_out)


def _ask(call: Invocation, settings: Settings) -> None:
    """Ask the service for an account, once and briefly; raise AccessError where it refuses the token."""
    from ...api.accounts import ListAccounts

    limits = {"max_attempts": "1", "timeout": ASKING_TIMEOUT}
    call.with_flags({**settings.flags, **limits}).client.call(ListAccounts(count=1))


def problems_here(
    call: Invocation, parsed: Sequence[Parsed], signed_out: Sequence[SignedOut] | None = None
) -> list[TaskProblem]:
    """Return what prevents tasks from running on this machine."""
    found = find_signed_out(parsed) if signed_out is None else signed_out
    problems = [problem(each.tasks[0].line, each.error) for each in found]
    problems += [*check_guard(parsed), *check_catalogs(parsed)]
    problems += check_folders(parsed)

    def access_of(settings: Settings) -> RemoteAccess:
        return make_access(call, MAX_BYTES)._replace(environ=settings.environ)

    return [*problems, *check_feeds(parsed, access_of)]


def _chosen(names: Sequence[str], only: str | None) -> set[str]:
    """Return the tasks that --only names; raise UsageError for a name without a task."""
    if only is None:
        return set(names)
    found: set[str] = set()
    if not only.replace(",", "").strip():
        raise UsageError("--only names no task", hint="without it all tasks are run")
    for pattern in comma_list(only):
        matching = [name for name in names if fnmatchcase(name, pattern)]
        if not matching:
            raise UsageError(f"--only: no task is named {pattern!r}{suggestion(pattern, names)}")
        found.update(matching)
    return found


def _error(path: Path, problems: list[TaskProblem]) -> Exception:
    """Return the error that names all problems, by their lines: a mistake of the file, or else the worst."""
    ordered = sorted(problems, key=lambda each: each.line)
    groups = equal_texts((each.text, each) for each in ordered)
    lines = [f"{path}:{line}" for text, group in groups[:MAX_PROBLEMS] for line in _described(text, group)]
    if left := sum(len(group) for _, group in groups[MAX_PROBLEMS:]):
        lines.append(f"and {left:,} more")
    is_of_file = any(each.error is ContentError for each in problems)
    kind = ContentError if is_of_file else worst_of(problems)
    return kind("\n".join([*lines, f"{path}: {count_problems(problems)}; nothing was run"]))


def worst_of(problems: Sequence[TaskProblem]) -> type[AdsctlError]:
    """Return the worst error of problems."""
    kinds = {each.error for each in problems}
    kind = worst([kind.exit_code for kind in kinds])
    # The guard shares its exit code with its parent, by which `worst` knows it.
    return GuardError if GuardError in kinds and issubclass(GuardError, kind) else kind


def _described(text: str, group: Sequence[TaskProblem]) -> Iterator[str]:
    """Yield one line for a mistake of several tasks, and one for each that is none of a task."""
    tasks = [each for each in group if each.task]
    if tasks:
        lines = [*dict.fromkeys(str(each.line) for each in tasks)]
        where = f" (lines {listed(lines, NAMED_TASKS)})" if len(lines) > 1 else ""
        names = listed([each.task for each in tasks], NAMED_TASKS)
        yield f"{lines[0]}: " + mask_address(f"{names}{where}: {text}")
    yield from (f"{each.line}: {mask_address(each.text)}" for each in group if not each.task)
