"""The file of a fleet: strict YAML, whose mistakes are all reported at once."""

import shlex
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from ..config.strict_yaml import LinedBuilder, LinedMapping, load
from ..errors import AdsctlError, ContentError, UsageError
from ..spelling import suggestion
from .commands import FleetCommands

MAX_FILE_BYTES = 1024 * 1024
KEYS = ("defaults", "tasks")
TASK_KEYS = ("name", "profile", "run", "for")
LOOP_KEYS = ("profiles", "files", "rows")


class TaskProblem(NamedTuple):
    """A mistake, or what keeps a task from running."""

    line: int
    text: str
    error: type[AdsctlError] = ContentError
    task: str = ""  # its name, where it is a mistake of one
    of: str = "in the file"  # or one of the others of check.py


class TaskEntry(msgspec.Struct, frozen=True):
    """One element of `tasks`, which may stand for many tasks."""

    line: int
    command: str  # as in "products push"
    words: tuple[str, ...]  # that follow it
    name: str = ""
    profile: str = ""
    profiles: tuple[str, ...] = ()  # patterns
    files: tuple[str, ...] = ()  # patterns
    rows: tuple[str, ...] = ()  # tables

    @property
    def is_loop(self) -> bool:
        """Whether it makes many tasks."""
        return bool(self.profiles or self.files or self.rows)


class FleetFile(msgspec.Struct, frozen=True):
    """What the file of a fleet says."""

    defaults: dict[str, tuple[str, ...]]  # options by command
    entries: list[TaskEntry]


def read_fleet(path: Path, commands: FleetCommands, problems: list[TaskProblem]) -> FleetFile:
    """Read the file of a fleet; raise UsageError or ContentError where it cannot be read at all."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}") from None
    if len(text) > MAX_FILE_BYTES:
        raise ContentError(f"{path}: larger than 1 MB", hint="a loop (for:) stands for many tasks")
    return parse_fleet(text, str(path), commands, problems)


def parse_fleet(
    text: str | bytes, name: str, commands: FleetCommands, problems: list[TaskProblem]
) -> FleetFile:
    """Parse the text of a fleet, and note every mistake; raise ContentError for a text that is none."""
    document = load(text, name, LinedBuilder)
    if not isinstance(document, LinedMapping):
        raise ContentError(f"{name}: not a mapping with tasks", hint="see docs/fleet.md")
    return _Reader(commands, problems).read(document)


class _Reader:
    """Reads a document, and notes every mistake."""

    def __init__(self, commands: FleetCommands, problems: list[TaskProblem]) -> None:
        self._commands, self._problems = commands, problems

    def read(self, document: LinedMapping) -> FleetFile:
        self._check_keys(document, KEYS, "the file")
        defaults, tasks = document.get("defaults") or LinedMapping(), document.get("tasks")
        if not isinstance(defaults, LinedMapping):
            self._note(document.line, "defaults must be a mapping of commands to options")
            defaults = LinedMapping()
        if not isinstance(tasks, list) or not tasks:
            self._note(document.line, "tasks must be a list of at least one task")
            tasks = []
        return FleetFile(dict(self._defaults(defaults)), list(self._entries(document.line, tasks)))

    def _defaults(self, defaults: LinedMapping) -> Iterator[tuple[str, tuple[str, ...]]]:
        for command, options in defaults.items():
            line = defaults.lines.get(command, defaults.line)
            if self._command_in(line, tuple(command.split()), "defaults: ") not in ("", command):
                self._note(line, f"defaults: {command!r} is a command with options")
            yield command, self._words(line, f"defaults: {command}", options)

    def _entries(self, line: int, tasks: list[Any]) -> Iterator[TaskEntry]:
        for number, task in enumerate(tasks, 1):
            if not isinstance(task, LinedMapping):
                self._note(line, f"task {number} must be a mapping with {', '.join(TASK_KEYS)}")
                continue
            self._check_keys(task, TASK_KEYS, "a task")
            words = self._words(task.line, "run", task.get("run"))
            command = self._command_in(task.line, words)
            loop = task.get("for")
            if "for" in task and not (loop and isinstance(loop, LinedMapping)):
                self._note(task.line, f"for must be a mapping with {' or '.join(LOOP_KEYS)}")
            loop = loop if isinstance(loop, LinedMapping) else LinedMapping()
            self._check_keys(loop, LOOP_KEYS, "for")
            entry = TaskEntry(
                task.line,
                command,
                words[len(command.split()) :],
                self._text(task, "name"),
                self._text(task, "profile"),
                self._patterns(loop, "profiles"),
                self._patterns(loop, "files"),
                self._patterns(loop, "rows"),
            )
            if entry.profile and entry.profiles:
                self._note(task.line, "profile and for: profiles exclude each other")
            if not (entry.name or entry.is_loop):
                self._note(task.line, "the task has no name; add a line such as name: feed")
            elif command:
                yield entry

    def _command_in(self, line: int, words: tuple[str, ...], where: str = "") -> str:
        """Return the command that words begin with; note why a fleet runs none of them."""
        try:
            return self._commands.name_in(words) if words else ""
        except UsageError as error:
            self._note(line, f"{where}{error.message}")
            return ""

    def _words(self, line: int, key: str, text: Any) -> tuple[str, ...]:
        """Part a command line into words, as a shell does."""
        if not isinstance(text, str) or not text.strip():
            self._note(line, f"{key} must be a command line, such as products push feed.csv")
            return ()
        try:
            return tuple(shlex.split(text))
        except ValueError as error:
            self._note(line, f"{key} cannot be parted into words: {str(error).lower()}")
            return ()

    def _text(self, task: LinedMapping, key: str) -> str:
        value = task.get(key)
        if key in task and not (isinstance(value, str) and value):
            self._note(task.lines.get(key, task.line), f"{key} must be a text")
        return value if isinstance(value, str) else ""

    def _patterns(self, loop: LinedMapping, key: str) -> tuple[str, ...]:
        value = loop.get(key, [])
        patterns = [value] if isinstance(value, str) else value
        if not isinstance(patterns, list) or not all(
            isinstance(pattern, str) and pattern for pattern in patterns
        ):
            what = "table" if key == "rows" else "pattern"
            self._note(loop.lines.get(key, loop.line), f"for: {key} must be a {what}, or a list of {what}s")
            return ()
        if key in loop and not patterns:
            self._note(loop.lines.get(key, loop.line), f"for: {key} names nothing")
        return tuple(cast(list[str], patterns))

    def _check_keys(self, mapping: LinedMapping, known: Collection[str], where: str) -> None:
        for key in mapping:
            if key not in known:
                keys = suggestion(key, known) or f"; it has {', '.join(known)}"
                self._note(mapping.lines.get(key, mapping.line), f"{key!r} is not a key of {where}{keys}")

    def _note(self, line: int, text: str) -> None:
        self._problems.append(TaskProblem(line, text))
