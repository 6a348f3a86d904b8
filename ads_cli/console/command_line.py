"""The command line: its words, and the common options found among them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, TextIO

from ..masking import Mask
from .options import ALL_OPTIONS, CommonOption

if TYPE_CHECKING:
    from ..output import Presentation, ResultShape

LONG_OPTIONS = {name: option for option in ALL_OPTIONS for name in option.names if name.startswith("--")}
SHORT_OPTIONS = {name[1]: option for option in ALL_OPTIONS for name in option.names if len(name) == 2}
SEVERAL = frozenset("*?[,")  # in the names of profiles


class CommandLine:
    """The words after `adsctl`, and what parsing has found in them so far."""

    def __init__(self, words: Sequence[str], fixed: Mapping[str, Any] | None = None) -> None:
        self.words = tuple(words)
        self.fixed = fixed or {}  # common options that outrank those of the words; None: not given
        # Values of common options, by name.
        self.parsed_options = {name: value for name, value in self.fixed.items() if value is not None}
        self.is_parsed = False
        self.presentation: Presentation | None = None  # set when the invocation has resolved it
        self.open_result: Callable[[], AbstractContextManager[TextIO]] | None = None  # the file of --to
        self.mask = Mask()  # of the secrets that were read
        self.summary: dict[str, Any] | None = None  # of a push, or of the file that it did not send
        self.task_words: tuple[str, ...] = ()  # of the tasks of a fleet, whose variables are secret too
        self.secret_files: dict[str, str] = {}  # their contents, since a pipe can be read only once
        self.shape: ResultShape | None = None  # of the result, for who shows it with others
        self.by: str | None = None  # what runs this in place of a person or a script, such as mcp
        self.job: str | None = None  # the id of what this is part of, for the log of changes
        self.is_plan = False  # a dry run that tells its questions, and is judged by the guard
        self.is_guard_check = False  # a dry run that only asks what the guard refuses
        self.locks = ExitStack()  # closed when the command has ended, however it did
        self.resources = ExitStack()  # closed when the command has ended without an error

    @property
    def names_profiles(self) -> bool:
        """Whether --profile seems to name several profiles: by a pattern, or one by one."""
        named = (value for name, value in find_common_options(self.words) if name == "profile")
        return "profile" not in self.fixed and any(not SEVERAL.isdisjoint(value) for value in named)

    def note_shape(self, shape: "ResultShape") -> None:
        """Note how the result is shown, for a fleet that shows it with others."""
        self.shape = shape

    @property
    def options(self) -> dict[str, Any]:
        """Values of the common options; read from the words where parsing failed or never began."""
        if self.is_parsed:
            return self.parsed_options
        found = dict(find_common_options(self.words))
        return {name: found[name] for name in found.keys() - self.fixed.keys()} | self.parsed_options


def find_common_options(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Find common options without knowing the command: `-o json`, `-ojson`, `-qo json`, `--output=json`.

    Nothing is read after `--`. An option of the command itself ends a cluster of short options, since
    the rest of the word may be its value.
    """
    rest = iter(words)
    for word in rest:
        if word == "--":
            return
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            if option := LONG_OPTIONS.get(name):
                yield from _found(option, value if equals else None, rest)
        elif word.startswith("-"):
            for position, letter in enumerate(word[1:], start=2):
                option = SHORT_OPTIONS.get(letter)
                if option is None:
                    break
                yield from _found(option, word[position:] or None, rest)
                if option.metavar:
                    break


def _found(option: CommonOption, value: str | None, rest: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield an option with its value, which is the next word if the word itself has none."""
    if not option.metavar:
        yield option.name, True
    elif (value := next(rest, None) if value is None else value) is not None:
        yield option.name, value
