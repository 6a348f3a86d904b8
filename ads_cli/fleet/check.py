"""Everything that can be said of the tasks of a fleet before anything runs."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from ..auth.secrets import Secrets, refuse_grant
from ..config.addresses import canonical_address
from ..config.guard import read_guard
from ..config.settings import EMULATOR_URL, Settings
from ..errors import (
    AccessError,
    AdsctlError,
    ContentError,
    GuardError,
    StateError,
    UnavailableError,
    UsageError,
)
from ..feeds.locations import RemoteAccess, expand_files, parse_location
from ..feeds.locations.remote import RemoteLocation
from ..http.retry import CopyLimits
from ..masking import Mask, address_passwords, mask_address
from ..output.text import Lines, counted, listed
from ..parallel.ordered_map import map_ordered
from ..store.epochs import UploadTarget
from .commands import (
    IN_ACCOUNT,
    SHARED,
    WRITTEN,
    FleetCommands,
    TaskCommand,
    is_creation,
    is_of_one,
    is_write,
    other_reads,
    values,
)
from .engine import NAMED_TASKS, equal_texts, worst
from .expansion import TaskLine
from .file import TaskProblem
from .tasks import Task

NOT_IN_LINES = {
    "profile": "the task's profile: names it",
    "output": "the fleet reads the result as JSON",
    "to": "the fleet reads the result as JSON",
    "query": "the fleet reads the whole result",
    "columns": "the fleet reads the whole result",
}
STANDARD = "-"  # input or output
THREADS = 8
MAX_PROBLEMS = 50  # that are reported
OF_PROFILE = "of the profile "  # a catalog that is not named


class ParsedLine(NamedTuple):
    """What a command line says."""

    params: Mapping[str, Any]  # of the command, by the names of its function
    options: Mapping[str, Any]  # the common ones
    command: str = ""


class Parsed(NamedTuple):
    """A task, with what its command line says."""

    line: TaskLine
    task: Task
    command: TaskCommand
    settings: Settings
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    reads: tuple[str, ...]  # the inputs, and whatever else it reads of this machine
    shared: tuple[str, ...]  # files that it writes beside other tasks
    operation: str  # whether people are added or removed
    is_write: bool


@dataclass
class Parser:
    """Parses the lines of tasks with the command tree, which is handed in."""

    parse: Callable[[Sequence[str]], ParsedLine]
    commands: FleetCommands
    inherited: Sequence[str] = ()  # options of every task
    problems: list[TaskProblem] = field(default_factory=list)

    def tasks(self, lines: Sequence[TaskLine]) -> list[Parsed]:
        """Return the tasks whose lines are right, and note what is wrong with the others."""
        checked = []
        for line in lines:
            try:
                checked.append(self._task(line))
            except UsageError as error:  # the command line is the content of a file
                self.problems.append(problem(line, error)._replace(error=ContentError))
            except AdsctlError as error:
                self.problems.append(problem(line, error))
        return checked

    def _task(self, line: TaskLine) -> Parsed:
        _refuse_secrets((line.name, *line.words))  # first: an error of the parser would quote it
        typed = self.parse(line.words).options
        if option := next((name for name in NOT_IN_LINES if name in typed), ""):
            raise UsageError(f"--{option} has no place here: {NOT_IN_LINES[option]}")
        profile = (f"--profile={line.profile}",) if line.profile else ()
        words = (*self.inherited, *profile, *line.words)
        return parsed_task(line, self.commands[line.command], self.parse(words), words)


def parsed_task(
    line: TaskLine,
    command: TaskCommand,
    parsed: ParsedLine,
    words: Sequence[str],
    **fixed: str | bool | None,
) -> Parsed:
    """Return a task, whose `fixed` options outrank those of its words; raise UsageError for what it lacks."""
    params, settings = parsed.params, Settings(parsed.options)
    writes = is_write(line.command, command, params)
    target = _target(command, settings, params)
    needs_account = command.needs_account or (target is not None and target.kind in IN_ACCOUNT)
    account = settings.get("account") or ""
    if needs_account and not settings.is_local:
        try:
            account = settings.require_account()
        except UsageError as error:
            raise ProfileError(error.message, hint=error.hint) from None
    task = Task(
        line.name,
        settings.profile,
        tuple(words),
        _lane(settings, account, target) if command.uses_account and (command.is_job or writes) else "",
        target,
        is_part=bool(command.target) and not params.get(command.exclusive_with),
        can_resume="resume" in params and not is_of_one(line.command, params),
        is_once=command.is_once,
        is_creation=is_creation(line.command, command, params),
        is_job=command.is_job,
        uses_account=command.uses_account,
        account=account,
        fixed=fixed,
    )
    inputs = tuple(values(params, command.inputs))
    outputs = tuple(values(params, (*command.outputs, *WRITTEN)))
    if command.rewrites and params.get(command.rewrites):
        outputs += inputs
    if STANDARD in inputs:
        raise UsageError("a task has no standard input; name a file")
    results = (*command.outputs, *command.shared_outputs)
    if STANDARD in outputs or (command.is_job and results and not any(values(params, results))):
        raise UsageError("standard output is the result of a task; name a file to write")
    operation = "".join(values(params, ("operation",)))
    reads = (*inputs, *values(params, command.mirrors), *other_reads(params, parsed.options, settings))
    shared = (*values(params, command.shared_outputs), *values(parsed.options, SHARED))
    return Parsed(line, task, command, settings, inputs, outputs, reads, shared, operation, writes)


class ProfileError(UsageError):
    """A profile lacks what a task needs."""


# What has a mistake, by its error; any other one is of a feed.
OF_FEEDS = "of feeds"
KINDS: dict[type[AdsctlError], str] = {
    ProfileError: "of profiles",
    AccessError: "of profiles",
    StateError: "of profiles",
    ContentError: "in the file",
    UsageError: "in the file",
    GuardError: "that a guard refuses",
}


class SignedOut(NamedTuple):
    """A profile that cannot be used, and its tasks."""

    error: AdsctlError
    tasks: Sequence[Parsed]


def find_signed_out(
    parsed: Sequence[Parsed], ask: Callable[[Settings], None] | None = None
) -> list[SignedOut]:
    """Return the profiles that are not signed in; with `ask`, those too whose tokens the service refuses.

    `ask` raises AccessError where it does.
    """
    profiles: dict[object, list[Parsed]] = {}
    for item in parsed:
        settings = item.settings
        if not settings.is_local and item.command.uses_account:
            key = settings.profile, settings.flags.get("env_file"), settings.flags.get("service")
            profiles.setdefault(key, []).append(item)

    def look(tasks: list[Parsed]) -> SignedOut | None:
        settings = tasks[0].settings
        try:
            settings.address("ads")
            Secrets(settings, Mask(), {}).user()
            if ask:
                with suppress(UnavailableError):  # which says nothing of the token
                    ask(settings)
        except AdsctlError as error:
            return SignedOut(error, tasks)
        return None

    return list(filter(None, map_ordered(look, profiles.values(), THREADS, THREADS)))


def check_grants(parsed: Sequence[Parsed]) -> Iterator[TaskProblem]:
    """Yield the tasks of other machines whose profiles are signed in on this one alone."""
    for item in parsed:
        try:
            if item.command.uses_account:
                refuse_grant(item.settings)
        except AdsctlError as error:
            yield problem(item.line, error)


def check_guard(parsed: Sequence[Parsed]) -> Iterator[TaskProblem]:
    """Yield the tasks that the guard refuses, as far as their command lines tell."""
    from ..client.spending_limits import refused
    from ..client.writes import subject_of

    for item in parsed:
        command = item.line.command
        if not item.is_write or item.settings.flags.get("dry_run"):
            continue
        deletes = command.endswith("delete") or item.operation.lower() == "delete"
        words = {subject_of(command), *(["delete"] if deletes else [])}
        try:
            for limit in read_guard(item.settings).limits:
                is_refused = limit.key == "read_only" and limit.value
                if is_refused or (limit.key == "deny" and limit.value & words):
                    raise refused(f"adsctl {command}", limit)
        except AdsctlError as error:
            yield problem(item.line, error)


def check_folders(parsed: Sequence[Parsed]) -> Iterator[TaskProblem]:
    """Yield the tasks that would write into a folder which does not exist."""
    for item in parsed:
        for name in item.outputs:
            if not Path(name).parent.is_dir():
                yield problem(item.line, UsageError(f"the folder of {name} does not exist"))


def problem(line: TaskLine, error: AdsctlError) -> TaskProblem:
    """Return what an error says of a task."""
    hint = f" ({error.hint})" if error.hint else ""
    mistake = TaskProblem(line.line, f"{error.message}{hint}", type(error), line.name)
    return mistake._replace(of=next((of for kind, of in KINDS.items() if isinstance(error, kind)), OF_FEEDS))


def count_problems(problems: Sequence[TaskProblem]) -> str:
    """Count mistakes by what has them: `2 mistakes in the file, 1 of a profile`."""
    counts = Counter(problem.of for problem in problems)
    order = [TaskProblem._field_defaults["of"], *KINDS.values(), OF_FEEDS]
    (of, first), *others = [(of, counts[of]) for of in dict.fromkeys(order) if counts[of]]
    return ", ".join([f"{counted(first, 'mistake')} {of}", *(f"{count:,} {of}" for of, count in others)])


def error_of_file(path: Path, problems: list[TaskProblem]) -> Exception:
    """Return the error that names all problems of a fleet, by their lines: a mistake of it, or the worst."""
    problems = [*dict.fromkeys(problems)]  # a mistake of a loop is noted for each of its tasks
    ordered = sorted(problems, key=lambda problem: problem.line)
    groups = equal_texts((problem.text, problem) for problem in ordered)
    lines = [f"{path}:{line}" for text, group in groups[:MAX_PROBLEMS] for line in _described(text, group)]
    if left := sum(len(group) for _, group in groups[MAX_PROBLEMS:]):
        lines.append(f"and {left:,} more")
    is_of_file = any(problem.error is ContentError for problem in problems)
    kind = ContentError if is_of_file else worst_of(problems)
    return kind(Lines([*lines, f"{path}: {count_problems(problems)}; nothing was run"]))


def worst_of(problems: Sequence[TaskProblem]) -> type[AdsctlError]:
    """Return the worst error of problems."""
    kinds = {problem.error for problem in problems}
    kind = worst([kind.exit_code for kind in kinds])
    # The guard shares its exit code with its parent, by which `worst` knows it.
    return GuardError if GuardError in kinds and issubclass(GuardError, kind) else kind


def _described(text: str, group: Sequence[TaskProblem]) -> Iterator[str]:
    """Yield one line for a mistake of several tasks, and one for each that is none of a task."""
    tasks = [problem for problem in group if problem.task]
    if tasks:
        lines = [*dict.fromkeys(str(problem.line) for problem in tasks)]
        where = f" (lines {listed(lines, NAMED_TASKS)})" if len(lines) > 1 else ""
        names = listed([problem.task for problem in tasks], NAMED_TASKS)
        yield f"{lines[0]}: " + mask_address(f"{names}{where}: {text}")
    yield from (f"{problem.line}: {mask_address(problem.text)}" for problem in group if not problem.task)


def _target(command: TaskCommand, settings: Settings, params: Mapping[str, Any]) -> UploadTarget | None:
    """Return what a task changes; where no parameter names it, that is the catalog of its profile."""
    if command.changes is None:
        return None
    catalog = settings.get("catalog") or f"{OF_PROFILE}{settings.profile}"
    id = str(params[command.target]) if command.target else catalog
    return UploadTarget(service_of(settings), command.changes, id)


def _lane(settings: Settings, account: str, target: UploadTarget | None) -> str:
    """Name what runs one after another: the jobs of an account; where none is set, those of what changes."""
    if account or settings.is_local:
        return f"{service_of(settings)} {account or 'its account'}"
    return f"{target.service} {target.kind} {target.id}" if target else ""


def service_of(settings: Settings) -> str:
    """Return the address of the service of a profile, in one form."""
    return EMULATOR_URL if settings.is_local else canonical_address(settings.address("ads"))


def _refuse_secrets(words: Sequence[str]) -> None:
    """Raise UsageError for the password of an address: the file, and what is made of it, hold no secret."""
    for word in words:
        if address_passwords(word):
            raise UsageError(
                f"{mask_address(word)} holds a password; put the address into a variable, and write @NAME",
                hint="what takes no @NAME can call a script or read a file that has the password",
            )


MAX_ATTEMPTS = 2  # a task itself has more patience
MAX_WAIT_SECONDS = 30.0

AccessOf = Callable[[Settings], RemoteAccess]


class _Reached(Exception):
    """The first bytes have come."""


def check_feeds(parsed: Sequence[Parsed], access_of: AccessOf) -> Iterator[TaskProblem]:
    """Yield the tasks whose feeds cannot be read; each feed is looked at once."""
    due: dict[tuple[str, object], tuple[Parsed, str]] = {}
    for parsed_task in parsed:
        for name in parsed_task.inputs:
            if name != parsed_task.line.looped_file:  # which has just been listed
                due.setdefault((name, parsed_task.settings.flags.get("env_file")), (parsed_task, name))

    def reach(item: tuple[Parsed, str]) -> TaskProblem | None:
        parsed_task, name = item
        try:
            _reach(name, _with_low_limits(access_of(parsed_task.settings)))
        except AdsctlError as error:
            return problem(parsed_task.line, error)
        return None

    yield from filter(None, map_ordered(reach, due.values(), THREADS, THREADS))


def _with_low_limits(access: RemoteAccess) -> RemoteAccess:
    limits = access.limits
    patience = min(limits.max_attempts, MAX_ATTEMPTS), min(limits.max_wait, MAX_WAIT_SECONDS)
    return access._replace(limits=CopyLimits(limits.timeout, *patience, max_bytes=sys.maxsize))


def _reach(file: str, access: RemoteAccess) -> None:
    """Read the first bytes of a feed; raise AdsctlError."""
    for name in expand_files([file], lambda: access):
        location = parse_location(name, lambda: access)
        if isinstance(location, RemoteLocation):
            with suppress(_Reached), tempfile.TemporaryFile() as copy:
                location.copy_to(cast(BinaryIO, copy), _stop)
        elif not Path(name).is_fifo():  # which could be read only once
            location.open().close()


def _stop(received: int, total: int | None) -> None:
    if received:
        raise _Reached
