"""Plan a fleet: parse the command lines of its tasks with the real command tree, and run nothing."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from typer import Exit
from typer.core import TyperGroup

from ...api.record_names import cannot_be_id
from ...config.settings import Settings
from ...console.host import SilentHost
from ...console.invocation import Invocation
from ...console.options import HANDED_ON, CommandLine, words_of
from ...console.parameters import words_left
from ...errors import AccessError, ContentError, NotFoundError, StateError, UnavailableError, UsageError
from ...feeds.locations import RemoteAccess, expand_files
from ...feeds.text_rows import read_text_rows
from ...fleet.check import (
    Parsed,
    ParsedLine,
    Parser,
    ProfileError,
    SignedOut,
    check_feeds,
    check_folders,
    check_grants,
    check_guard,
    error_of_file,
    find_signed_out,
    problem,
    with_account,
)
from ...fleet.commands import FleetCommands
from ...fleet.conflicts import check_catalogs, check_conflicts
from ...fleet.engine import TaskResult
from ...fleet.expansion import Expansion
from ...fleet.file import TaskProblem, read_fleet
from ...fleet.tasks import Task
from ...numbers import parse_size
from ...spelling import comma_list, suggestion

BRIEFLY = {"max_attempts": "1", "timeout": "10s"}  # how the service is asked about a profile
# The options of `fleet run` that are those of each task, unless its line has them too.
INHERITED = (*HANDED_ON, "yes", "dry_run", "verbose", "debug")
MAX_BYTES = parse_size("2GiB", "")


def parse_line(root: Any, words: Sequence[str], fixed: Mapping[str, Any] | None = None) -> ParsedLine:
    """Parse a command line; raise UsageError as running it would, and where it only shows a help text."""
    line, path = CommandLine(words, fixed, SilentHost()), list[str]()
    try:
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


class FleetPlan(NamedTuple):
    """The tasks of a fleet that run, and the results of those that are left out."""

    tasks: list[Task]
    left_out: list[TaskResult]
    may_be_left_out: frozenset[str] = frozenset()  # tasks


def plan_fleet(
    call: Invocation,
    root: Any,
    file: str,
    only: str | None,
    *,
    here: bool = True,
    asks: bool = False,
    skips: bool = False,
    may_be_signed_out: str | None = None,
) -> FleetPlan:
    """Return the tasks of a file that --only names; raise AdsctlError with everything that is wrong.

    The file is checked whole, what a task needs only for tasks that run: whether profiles are signed in and
    feeds can be read is checked where they run `here`. `asks` has the service look at each token; `skips`
    leaves the tasks out whose profiles are not signed in, as those that `may_be_signed_out` names are anyhow.
    """
    path, problems = Path(file), list[TaskProblem]()
    names, parsed = _parse(call, root, path, problems)
    chosen, left_out = _chosen(names, only, parsed), list[TaskResult]()
    excused = _named(names, may_be_signed_out, "--may-be-signed-out") if may_be_signed_out else set[str]()
    if not here:
        problems += check_grants(chosen)
    else:
        signed_out = find_signed_out(chosen, partial(_ask, call) if asks or skips or excused else None)
        for profile in signed_out:
            skipped = {single.task.name for single in profile.tasks if skips or single.task.name in excused}
            left_out += [
                TaskResult.skipped(single.task, profile.error)
                for single in profile.tasks
                if single.task.name in skipped
            ]
            chosen = [single for single in chosen if single.task.name not in skipped]
        if left_out and not chosen:
            raise signed_out[0].error
        still_due = {single.task.name for single in chosen}
        signed_out = [
            profile._replace(tasks=due)
            for profile in signed_out
            if (due := [single for single in profile.tasks if single.task.name in still_due])
        ]
        problems += problems_here(call, chosen, signed_out)
        chosen = _with_accounts(call, chosen, problems)
    if problems:
        raise error_of_file(path, problems)
    return FleetPlan([parsed_task.task for parsed_task in chosen], left_out, frozenset(excused))


def _parse(
    call: Invocation, root: Any, path: Path, problems: list[TaskProblem]
) -> tuple[list[str], list[Parsed]]:
    """Return the names of all tasks of a file, and those that could be parsed; add what is wrong."""
    commands = FleetCommands(root)
    access = partial(call.remote_access, MAX_BYTES)
    expansion = Expansion(
        read_fleet(path, commands, problems),
        list(call.settings.read_config().get("profiles") or ()),
        partial(expand_files, access=access, are_patterns=True),
        lambda table: read_text_rows(table, table, access),
    )
    lines = expansion.lines()
    call.parsed.task_words = tuple(word for line in lines for word in line.words)
    parser = Parser(partial(parse_line, root), commands, words_of(call.flags, INHERITED))
    parsed = parser.tasks(lines)
    problems += [*expansion.problems, *parser.problems, *check_conflicts(parsed)]
    return [line.name for line in lines], parsed


def _ask(call: Invocation, settings: Settings) -> None:
    """Ask the service for an account, once and briefly; raise AccessError where it refuses the token."""
    from ...api.accounts import ListAccounts

    call.with_flags({**settings.flags, **BRIEFLY}).client.call(ListAccounts(count=1))


def _with_accounts(call: Invocation, parsed: list[Parsed], problems: list[TaskProblem]) -> list[Parsed]:
    """Look up accounts that are given by name, so that tasks of one run in order; add what is wrong."""
    ids: dict[object, str] = {}
    tasks = list[Parsed]()
    for single in parsed:
        settings, name = single.settings, single.task.account
        if cannot_be_id(name):
            key = settings.profile, settings.flags.get("env_file"), settings.flags.get("service"), name
            try:
                ids[key] = ids.get(key) or call.with_flags({**settings.flags, **BRIEFLY}).account
                single = with_account(single, ids[key])
            except (NotFoundError, UsageError) as error:
                kind = ContentError if "account" in settings.flags else ProfileError
                problems.append(problem(single.line, kind(error.message, hint=error.hint)))
            except (AccessError, StateError, UnavailableError):
                pass  # who is signed out was reported; the task itself says what else is in the way
        tasks.append(single)
    return tasks


def problems_here(
    call: Invocation, parsed: Sequence[Parsed], signed_out: Sequence[SignedOut]
) -> list[TaskProblem]:
    """Return what prevents tasks from running on this machine."""
    problems = [problem(profile.tasks[0].line, profile.error) for profile in signed_out]
    problems += [*check_guard(parsed), *check_catalogs(parsed), *check_folders(parsed)]

    def access_of(settings: Settings) -> RemoteAccess:
        return call.remote_access(MAX_BYTES)._replace(environ=settings.environ)

    return [*problems, *check_feeds(parsed, access_of)]


def _chosen(names: Sequence[str], only: str | None, parsed: Sequence[Parsed]) -> list[Parsed]:
    """Return the tasks that --only names; raise UsageError for a name without a task."""
    if only is None:
        return [*parsed]
    if not only.replace(",", "").strip():
        raise UsageError("--only names no task", hint="without it all tasks are run")
    chosen_names = _named(names, only, "--only")
    return [parsed_task for parsed_task in parsed if parsed_task.task.name in chosen_names]


def _named(names: Sequence[str], patterns: str, option: str) -> set[str]:
    """Return the names of tasks that patterns match; raise UsageError for one that matches none."""
    chosen: set[str] = set()
    for pattern in [patterns] if patterns in names else comma_list(patterns):
        matching = [pattern] if pattern in names else [name for name in names if fnmatchcase(name, pattern)]
        if not matching:
            raise UsageError(f"{option}: no task is named {pattern!r}{suggestion(pattern, names)}")
        chosen.update(matching)
    return chosen
