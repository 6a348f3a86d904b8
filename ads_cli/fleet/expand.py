"""The loops of a fleet, written out: one command line for each task."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from typing import NamedTuple

from ..config.settings import LOCAL
from ..errors import AdsctlError
from ..masking import mask_address
from ..output.text import is_safe
from ..spelling import suggestion
from .file import FleetFile, TaskEntry, TaskProblem

MAX_TASKS = 10_000
MAX_NAME = 200  # characters
IN_WORDS = re.compile(r"\{(profile|file)\}")
IN_NAMES = re.compile(r"\{(profile|file|number)\}")

ExpandFiles = Callable[[list[str]], list[str]]


class TaskLine(NamedTuple):
    """A task as the file of a fleet has it, with its loop's values filled in."""

    line: int
    name: str
    profile: str  # empty: that of the invocation
    command: str
    words: tuple[str, ...]  # after `adsctl`
    looped_file: str = ""  # that a loop has listed, so that it is there


class Expansion:
    """Writes out the entries of a fleet."""

    def __init__(self, fleet: FleetFile, profiles: Collection[str], expand_files: ExpandFiles) -> None:
        self._fleet, self._profiles, self._expand_files = fleet, profiles, expand_files
        self.problems: list[TaskProblem] = []

    def lines(self) -> list[TaskLine]:
        """Return the lines of all tasks, and note what is wrong with their names."""
        found: dict[str, TaskLine] = {}
        every = (line for entry in self._fleet.entries for line in self._lines(entry))
        for count, line in enumerate(every, 1):
            if count > MAX_TASKS:
                self._note(line.line, f"the file makes more than {MAX_TASKS:,} tasks")
                break
            if problem := _name_problem(line.name):
                self._note(line.line, problem)
            elif line.name in found:
                hint = "; a loop makes names with name: '{profile}-{number}', or with a word of its own"
                earlier = found[line.name].line
                self._note(line.line, f"the name {line.name!r} is that of the task of line {earlier}{hint}")
            else:
                found[line.name] = line
        return list(found.values())

    def _lines(self, entry: TaskEntry) -> Iterator[TaskLine]:
        profiles, files = self._profiles_of(entry), self._files_of(entry)
        for number, (profile, file) in enumerate(product(profiles, files), 1):
            base = re.split(r"[/\\]", mask_address(file))[-1]
            values = {"profile": profile, "file": file}
            in_name = {"profile": profile, "file": base, "number": str(number)}
            words = [*self._fleet.defaults.get(entry.command, ()), *entry.words]
            if missing := [key for key in _placeholders(words) if not values[key]]:
                self._note(entry.line, f"{{{missing[0]}}} stands for nothing: the task has no {missing[0]}")
            name = entry.name or " ".join(filter(None, (profile if entry.profiles else "", base)))
            name = _filled(IN_NAMES, name, in_name)
            filled = tuple(_filled(IN_WORDS, word, values) for word in words)
            typed = (*entry.command.split(), *filled)
            yield TaskLine(entry.line, name, profile, entry.command, typed, file)

    def _profiles_of(self, entry: TaskEntry) -> Sequence[str]:
        found: dict[str, None] = {}
        for pattern in entry.profiles:
            matching = matching_profiles(self._profiles, pattern)
            if not matching:
                near = suggestion(pattern, self._profiles)
                self._note(entry.line, f"for: profiles: {pattern!r} matches no profile{near}")
            found |= dict.fromkeys(matching)
        return list(found) if entry.profiles else [entry.profile]

    def _files_of(self, entry: TaskEntry) -> Sequence[str]:
        if not entry.files:
            return [""]
        try:
            return [_as_word(file) for file in self._expand_files(list(entry.files))]
        except AdsctlError as error:
            self.problems.append(TaskProblem(entry.line, f"for: files: {error.message}", type(error)))
            return []

    def _note(self, line: int, text: str) -> None:
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


def _filled(placeholders: re.Pattern[str], text: str, values: Mapping[str, str]) -> str:
    """Fill in values, once: a value that looks like a placeholder stays as it is."""
    return placeholders.sub(lambda found: values[found[1]], text)


def _as_word(file: str) -> str:
    """Write the name of a file so that it is neither an option nor the name of a variable."""
    return f"./{file}" if file.startswith(("-", "@")) else file


def _placeholders(words: Sequence[str]) -> list[str]:
    return [found[1] for word in words for found in IN_WORDS.finditer(word)]


def _name_problem(name: str) -> str:
    """Say what is wrong with the name of a task; empty where it is right."""
    if not is_safe(name):
        return f"the name {name!r} has a character that cannot be seen"
    if not name or len(name) > MAX_NAME:
        return f"the name of a task has 1 to {MAX_NAME} characters"
    return ""
