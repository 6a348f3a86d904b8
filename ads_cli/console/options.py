"""The common options, accepted by every command, and the words of a command line in which they are found."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from ..api.names import SERVICES
from ..config.settings import SEVERAL_PROFILES
from ..masking import Mask
from ..output import COLORS, FORMATS, Presentation, ResultShape
from .host import PROCESS, Host

if TYPE_CHECKING:
    from ..config.mandate import Mandate
    from ..runs.push import PushResult
    from ..validation.report import ValidationReport


class CommonOption(NamedTuple):
    """An option of every command; without a metavar it is a flag."""

    typed: str  # its names, the long one first
    help: str
    metavar: str = ""

    @property
    def names(self) -> list[str]:
        """The names as they are typed."""
        return self.typed.split()

    @property
    def name(self) -> str:
        """The name of its value."""
        return self.names[0].removeprefix("--").replace("-", "_")


COMMON_OPTIONS = (
    CommonOption("--profile -p", "The profile to use; each of them for 'shop-*' or A,B", "NAME"),
    CommonOption("--service", "The service: generic, or x, the platform's own names and addresses", "NAME"),
    CommonOption("--env-file", "Read ADSCTL_ variables from a file, a NAME=VALUE in each line", "FILE"),
    CommonOption("--account -A", "The advertising account to work in, by its id or name", "ID"),
    CommonOption("--output -o", "Format of results; see 'adsctl help formats'", "FORMAT"),
    CommonOption("--to", "Write the result to this workbook: FILE.xlsx, with types", "FILE.xlsx"),
    CommonOption("--columns", "Columns of table, tsv, csv and xlsx, by commas", "A,B"),
    CommonOption("--csv-safe", "In csv, put ' before cells that a spreadsheet would calculate"),
    CommonOption("--query", "A JMESPath expression, applied to what json would show", "JMESPATH"),
    CommonOption("--sandbox", "Use the profile's sandbox address"),
    CommonOption("--yes -y", "Do not ask for confirmation"),
    CommonOption("--dry-run", "Show what would be sent; change nothing"),
    CommonOption("--quiet -q", "No progress, no notes; errors and warnings of results stay"),
    CommonOption("--verbose -v", "Show progress details on stderr"),
    CommonOption("--debug", "Show all HTTP on stderr, with secrets masked"),
    CommonOption("--timeout", "Longest wait for one response: 30s (default), 500ms, 2m", "DURATION"),
    CommonOption("--max-attempts", "Most attempts of one request (default 6)", "N"),
    CommonOption("--max-wait", "Longest silence of the service, timeouts included (default 15m)", "DURATION"),
    CommonOption("--log-file", "Append a log to a file, as JSON lines", "FILE"),
    CommonOption("--on-failure", "Run this where adsctl fails; it reads the summary as JSON", "CMD"),
    CommonOption("--on-failure-env", "Secret variables that --on-failure gets, by commas", "NAMES"),
    CommonOption("--color", "Use color: auto, always or never", "WHEN"),
)
CATALOG_OPTION = CommonOption("--catalog", "The product catalog to work in, by id or name", "ID")
IN_ROOT_HELP = ("profile", "account", "output", "yes", "dry_run", "quiet")  # `adsctl --help` shows only these
# Where a command works, and for how long it waits: what runs other command lines hands these on to each.
HANDED_ON = (
    *("profile", "service", "env_file", "account", "catalog", "sandbox"),
    *("timeout", "max_attempts", "max_wait"),
)
CATALOG_GROUPS = ("catalog", "products")  # the groups that accept --catalog
ALL_OPTIONS = (*COMMON_OPTIONS, CATALOG_OPTION)
CHOICES = {"service": tuple(SERVICES), "output": FORMATS, "color": COLORS}
FOR_CRON = {"push", "update", "sync", "diff", "run", "plan", "apply"}  # commands that run unattended
NESTED_METAVAR = "JSON|@FILE"
FILE_MARKS = ("FILE", "OUT", "TABLE")  # in the metavar of an option or argument that names a file


def common_options(path: tuple[str, ...]) -> tuple[CommonOption, ...]:
    """List the common options of the command at `path`; the root has the path ()."""
    return ALL_OPTIONS if not path or path[0] in CATALOG_GROUPS else COMMON_OPTIONS


def shown_options(path: tuple[str, ...]) -> set[str]:
    """Name the common options that the help of a custom command shows."""
    shown = {
        "account": path[0] == "cards",
        "catalog": path[0] in CATALOG_GROUPS,
        "on_failure": path[-1] in FOR_CRON,
        "on_failure_env": path[-1] in FOR_CRON,
    }
    return {name for name, is_shown in shown.items() if is_shown}


def names_file(parameter: Any) -> bool:
    """Tell whether the value of an option or argument names a file."""
    return any(mark in (parameter.metavar or "") for mark in FILE_MARKS)


def words_of(flags: Mapping[str, Any], names: Collection[str]) -> list[str]:
    """Write the values of some common options as words of a command line."""
    return [
        f"{option.names[0]}={flags[option.name]}" if option.metavar else option.names[0]
        for option in ALL_OPTIONS
        if option.name in names and flags.get(option.name)
    ]


def store_common_option(context: Any, parameter: Any, value: Any) -> None:
    """Store the value of a common option for the command that will run; the innermost wins."""
    if value not in (None, False) and context.obj is not None and parameter.name not in context.obj.fixed:
        context.obj.parsed_options[parameter.name] = value


LONG_OPTIONS = {name: option for option in ALL_OPTIONS for name in option.names if name.startswith("--")}
SHORT_OPTIONS = {name[1]: option for option in ALL_OPTIONS for name in option.names if len(name) == 2}


def no_hint(message: str) -> str:
    """Add nothing to the hint of an error."""
    return ""


class CommandLine:
    """The words after `adsctl`, and what parsing has found in them so far."""

    def __init__(
        self, words: Sequence[str], fixed: Mapping[str, Any] | None = None, host: Host = PROCESS
    ) -> None:
        self.words = tuple(words)
        self.host = host
        self.fixed = fixed or {}  # common options that outrank those of the words; None: not given
        # Values of common options, by name.
        self.parsed_options = {name: value for name, value in self.fixed.items() if value is not None}
        self.is_parsed = False
        self.presentation: Presentation | None = None  # set when the invocation has resolved it
        self.open_result: Callable[[], AbstractContextManager[TextIO]] | None = None  # the file of --to
        self.side_effects: Callable[[], str] = str  # says what was changed, for errors after it
        self.not_found_hint: Callable[[str], str] = no_hint  # what has the name that an error has for an id
        self.mask = Mask()  # of the secrets that were read
        self.summary: dict[str, Any] | None = None  # of a push, or of the file that it did not send
        self.report: ValidationReport | None = None  # of the file that was read
        self.result: PushResult | None = None  # of a push
        self.task_words: tuple[str, ...] = ()  # of the tasks of a fleet, whose variables are secret too
        self.secret_files: dict[str, str] = {}  # their contents, since a pipe can be read only once
        self.shape: ResultShape | None = None  # of the result, for who shows it with others
        self.by: str | None = None  # what runs this in place of a person or a script, such as mcp
        self.job: str | None = None  # the id of what this is part of, for the log of changes
        self.mandate: Mandate | None = None  # of a command that an assistant runs
        # Answers in place of a person; raises NotConfirmedError unless the answer is yes.
        self.answer: Callable[[str], None] | None = None
        self.is_typed = False  # by a person or a script: it may name commands of the user
        self.is_plan = False  # a dry run that tells its questions, and is judged by the guard
        self.told: list[str] | None = None  # what a dry run would do, where it is collected and not printed
        self.is_guard_check = False  # a dry run that only asks what the guard refuses
        self.locks = ExitStack()  # closed when the command has ended, however it did
        self.resources = ExitStack()  # closed when the command has ended without an error

    @property
    def names_profiles(self) -> bool:
        """Whether --profile seems to name several profiles: by a pattern, or one by one."""
        named = (value for name, value in find_common_options(self.words) if name == "profile")
        return "profile" not in self.fixed and any(not SEVERAL_PROFILES.isdisjoint(value) for value in named)

    @property
    def command_at(self) -> int | None:
        """Where the command stands: the first word that is neither a common option nor the value of one."""
        for position, word in enumerate(self.words):
            before, after = (
                len([*find_common_options(self.words[:end])]) for end in (position, position + 1)
            )
            if not word.startswith("-"):
                if before == after:
                    return position
            elif not [*find_common_options([word, word])]:  # --help, --, or none of ours
                return None
        return None

    def note_shape(self, shape: ResultShape) -> None:
        """Note how the result is shown, for a fleet that shows it with others."""
        self.shape = shape

    @property
    def options(self) -> dict[str, Any]:
        """Values of the common options; read from the words where parsing failed or never began."""
        if self.is_parsed:
            return self.parsed_options
        options = dict(find_common_options(self.words))
        return {name: options[name] for name in options.keys() - self.fixed.keys()} | self.parsed_options


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
                yield from _option_value(option, value if equals else None, rest)
        elif word.startswith("-"):
            for position, letter in enumerate(word[1:], start=2):
                option = SHORT_OPTIONS.get(letter)
                if option is None:
                    break
                yield from _option_value(option, word[position:] or None, rest)
                if option.metavar:
                    break


def _option_value(option: CommonOption, value: str | None, rest: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Yield an option with its value, which is the next word if the word itself has none."""
    if not option.metavar:
        yield option.name, True
    elif (value := next(rest, None) if value is None else value) is not None:
        yield option.name, value
