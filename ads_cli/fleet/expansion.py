"""The loops of a fleet's file, written out: a task for each profile, file, or row of a table."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from typing import NamedTuple

from ..config.settings import LOCAL, SEVERAL_PROFILES
from ..errors import AdsctlError
from ..feeds.text_rows import TextRow, read_text_rows
from ..masking import mask_address
from ..output.text import is_safe
from ..spelling import suggestion
from .file import FleetFile, TaskEntry, TaskProblem

MAX_TASKS = 10_000
MAX_NAME = 200  # characters
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")
NO_NAMES = frozenset("\"':,[]")  # characters of JSON, which no loop fills in
CUT_PLACEHOLDER = re.compile(r"\{[^{}]*$")
VALUE_START = re.compile(r"(?:--[\w-]+=)?")  # before the value of an option or argument

ExpandFiles = Callable[[list[str]], list[str]]
ReadTable = Callable[[str], Iterable[TextRow]]


class Turn(NamedTuple):
    """The values of a row in one turn of a loop, and where they were read; none without a loop over rows."""

    values: dict[str, str]
    where: str = ""


NO_TURN = Turn({})


class TaskLine(NamedTuple):
    """A task as the file of a fleet has it, with its loop's values filled in."""

    line: int
    name: str
    profile: str  # empty: that of the invocation
    command: str
    words: tuple[str, ...]  # after `adsctl`
    looped_file: str = ""  # that a loop has listed, so that it is there
    patterns: tuple[str, ...] = ()  # by which it has


def read_table(name: str) -> Iterable[TextRow]:
    """Read a table of this machine."""
    return read_text_rows(name, name)


class Expansion:
    """Writes out the entries of a fleet."""

    def __init__(
        self,
        fleet: FleetFile,
        profiles: Collection[str],
        expand_files: ExpandFiles,
        read_table: ReadTable = read_table,
    ) -> None:
        self._fleet, self._profiles = fleet, profiles
        self._expand_files, self._read_table = expand_files, read_table
        self.problems: list[TaskProblem] = []

    def lines(self) -> list[TaskLine]:
        """Return the lines of all tasks, and note what is wrong with their names."""
        lines: dict[str, TaskLine] = {}
        every = (line for entry in self._fleet.entries for line in self._lines(entry))
        for count, line in enumerate(every, 1):
            if count > MAX_TASKS:
                self.note(line.line, f"the file makes more than {MAX_TASKS:,} tasks")
                break
            if problem := _name_problem(line.name):
                self.note(line.line, problem)
            elif line.name in lines:
                hint = "; a loop makes names with name: '{profile}-{number}', or with a word of its own"
                earlier = lines[line.name].line
                self.note(line.line, f"the name {line.name!r} is that of the task of line {earlier}{hint}")
            else:
                lines[line.name] = line
        return list(lines.values())

    def _lines(self, entry: TaskEntry) -> Iterator[TaskLine]:
        loops = self._profiles_of(entry), self._files_of(entry), self._turns_of(entry)
        for number, (named, file, turn) in enumerate(product(*loops), 1):
            filling = _Filling(self, entry, turn)
            profile = filling.profile(named)
            base = re.split(r"[/\\]", mask_address(file))[-1]
            of_file = {"file": file} if entry.files else {}
            of_base = {"file": base} if entry.files else {}
            values = {"file": "", **turn.values, "profile": profile, **of_file}
            words = [*self._fleet.defaults.get(entry.command, ()), *entry.words]
            filled = tuple(filling.word(word, values) for word in words)
            shown = profile if entry.profiles or "profile" in turn.values else ""
            first = next((value for name, value in turn.values.items() if name != "profile"), "")
            name = " ".join(filter(None, (shown, base, "" if shown and not entry.profiles else first)))
            if entry.name:
                in_name = {"file": "", "number": str(number), **turn.values, "profile": profile, **of_base}
                name = filling.filled(entry.name, in_name, is_name=True)
            typed = (*entry.command.split(), *filled)
            yield TaskLine(entry.line, name, profile, entry.command, typed, file, tuple(entry.files))

    def _turns_of(self, entry: TaskEntry) -> Sequence[Turn]:
        if not entry.rows:
            return [NO_TURN]
        turns = list[Turn]()
        looped = {"profile": entry.profiles, "file": entry.files}
        for table in entry.rows:
            try:
                for row in self._read_table(table):
                    turns.append(Turn(row.values, f"{mask_address(table)}:{row.line}"))
                    if len(turns) > MAX_TASKS:
                        break
            except AdsctlError as error:
                self.problems.append(TaskProblem(entry.line, f"for: rows: {error.message}", type(error)))
        for name in (name for name, values in looped.items() if values):
            if any(name in turn.values for turn in turns):
                self.note(
                    entry.line, f"for: rows: a column is called {name}, as what for: {name}s loops over"
                )
        return turns

    def _profiles_of(self, entry: TaskEntry) -> Sequence[str]:
        names: dict[str, None] = {}
        for pattern in entry.profiles:
            matching = matching_profiles(self._profiles, pattern)
            if not matching:
                near = suggestion(pattern, self._profiles)
                self.note(entry.line, f"for: profiles: {pattern!r} matches no profile{near}")
            names |= dict.fromkeys(matching)
        return list(names) if entry.profiles else [entry.profile]

    def _files_of(self, entry: TaskEntry) -> Sequence[str]:
        if not entry.files:
            return [""]
        try:
            return [_as_word(file) for file in self._expand_files(list(entry.files))]
        except AdsctlError as error:
            self.problems.append(TaskProblem(entry.line, f"for: files: {error.message}", type(error)))
            return []

    def note(self, line: int, text: str) -> None:
        """Note a mistake."""
        self.problems.append(TaskProblem(line, text))


def matching_profiles(profiles: Collection[str], pattern: str) -> list[str]:
    """Return the profiles that a pattern names; the emulator is no shop, and must be named as it is."""
    return [
        name
        for name in dict.fromkeys((*profiles, LOCAL))
        if name == pattern or (name != LOCAL and fnmatchcase(name, pattern))
    ]


def words_for(profile: str, words: Sequence[str]) -> tuple[str, ...]:
    """Fill a profile into the words of a command line."""
    return tuple(word.replace("{profile}", profile) for word in words)


class _Filling:
    """Fills the values of one turn into texts, and notes what stands for nothing."""

    def __init__(self, expansion: Expansion, entry: TaskEntry, turn: Turn) -> None:
        self._expansion, self._entry, self._turn = expansion, entry, turn

    def filled(self, text: str, values: Mapping[str, str], *, is_name: bool = False) -> str:
        """Fill in values, once: a value that looks like a placeholder stays as it is."""
        return PLACEHOLDER.sub(lambda match: self._value(match, values, is_name=is_name), text)

    def profile(self, named: str) -> str:
        """Return the profile of the task: the one that it or its loop names, or that of the row."""
        columns = self._turn.values
        if not named and "profile" in columns:
            named = "{profile}"
        profile = self.filled(named, columns) if columns else named
        if columns and not SEVERAL_PROFILES.isdisjoint(profile):
            self._note(f"{self._turn.where}: {profile!r} is not the name of one profile")
        return profile

    def word(self, word: str, values: Mapping[str, str]) -> str:
        """Fill values into a word of a command line, of which they remain a part.

        A value of a row is never an option, nor the name of a file or variable: it may come from anybody.
        """
        start = VALUE_START.match(word)
        if self._turn.where and (cut := CUT_PLACEHOLDER.search(word)):
            self._note(f"{cut[0]!r} is not closed in its word; quote a placeholder that has blanks")
        if start and (match := PLACEHOLDER.match(word, start.end())) and match[1] in self._turn.values:
            self._check_start(match[1], is_word=not start[0])
        return self.filled(word, values)

    def _value(self, match: re.Match[str], values: Mapping[str, str], *, is_name: bool) -> str:
        name = match[1]
        if name not in values:
            if self._turn.where and NO_NAMES.isdisjoint(name):
                known = suggestion(name, values) or f"; it has {', '.join(self._turn.values)}"
                self._note(f"{match[0]} is not a column of the table{known}")
            return match[0]
        if not values[name] and name in self._turn.values:
            self._note(f"{self._turn.where}: {match[0]} is empty")
        elif not (values[name] or is_name):
            self._note(f"{match[0]} stands for nothing: the task has no {name}")
        return values[name]

    def _check_start(self, name: str, *, is_word: bool) -> None:
        sign, where = self._turn.values[name][:1], f"{self._turn.where}: {{{name}}} begins with"
        if sign == "-" and is_word:
            self._note(f"{where} '-' and would be an option; write --OPTION={{{name}}}")
        elif sign == "@":
            self._note(f"{where} '@' and would name a file or a variable; where it may, write @{{{name}}}")

    def _note(self, text: str) -> None:
        self._expansion.note(self._entry.line, text)


def _as_word(file: str) -> str:
    """Write the name of a file so that it is neither an option nor the name of a variable."""
    return f"./{file}" if file.startswith(("-", "@")) else file


def _name_problem(name: str) -> str:
    """Say what is wrong with the name of a task; empty where it is right."""
    if not is_safe(name):
        return f"the name {name!r} has a character that cannot be seen"
    if not name or len(name) > MAX_NAME:
        return f"the name of a task has 1 to {MAX_NAME} characters"
    return ""
