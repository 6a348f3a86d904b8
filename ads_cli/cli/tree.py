"""The command tree: groups that load their commands on first use, with the common options."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from typing import Any, cast

from typer import Exit
from typer.core import TyperGroup

from .. import __version__
from ..config.settings import Settings
from ..console.help_texts import (
    CONTEXT_SETTINGS,
    FunctionCommand,
    Parsing,
    WithExample,
    show_help,
    summary_line,
)
from ..console.host import out_of
from ..console.options import (
    CHOICES,
    IN_ROOT_HELP,
    CommandLine,
    common_options,
    shown_options,
    store_common_option,
)
from ..console.parameters import Option, unknown_command, words_left
from ..errors import NotFoundError, UsageError
from ..lean_imports import import_msgspec
from .command_index import CUSTOM_COMMANDS, GROUPS, ROOT_SECTIONS, ROOT_SUMMARIES


def common_parameters(path: tuple[str, ...], shown: Collection[str] = ()) -> list[Option]:
    """Build the common options of the command at `path`; each stores its value for the command that runs."""
    return [
        Option(
            *option.names,
            option.name,
            help=option.help,
            metavar=option.metavar,
            is_flag=not option.metavar,
            expose_value=False,
            callback=store_common_option,
            hidden=option.name not in (shown if path else IN_ROOT_HELP),
            offers=tuple(CHOICES.get(option.name, ())),
        )
        for option in common_options(path)
    ]


PROGRAM = "adsctl"


class LazyCommands(Mapping[str, Any]):
    """The commands and groups directly inside a group; a custom command is imported by itself."""

    def __init__(self, path: tuple[str, ...]) -> None:
        if path:  # what is in a group needs it, and the root's help does not
            import_msgspec()
        self._path = path
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def _load(self, name: str) -> Any:
        words = (*self._path, name)
        command = " ".join(words)
        if command in GROUPS:
            kind = CommandGroup if command in CUSTOM_COMMANDS else Group
            return kind(*words, help=GROUPS[command])
        loaded: Any
        if command in CUSTOM_COMMANDS:
            loaded, shown = function_command(words), shown_options(words)
        else:
            from ..api.registry import requests_named
            from .request_commands import RequestCommand

            loaded = RequestCommand(*requests_named(words))
            shown = loaded.common
        loaded.params += common_parameters(words, shown)
        return loaded

    def summary(self, name: str) -> str:
        """Return the first sentence of a command's help; those that the root shows are known before."""
        command = " ".join((*self._path, name))
        return GROUPS.get(command) or ROOT_SUMMARIES.get(command) or summary_line(self[name])

    @cached_property
    def _names(self) -> list[str]:
        """Name the groups, the generated and the custom commands, in the order of the help."""
        if not self._path:
            return [name for names in ROOT_SECTIONS.values() for name in names]
        from ..api.registry import modules_of, requests_of

        requests = (request for module in modules_of(self._path) for request in requests_of(module))
        declared = dict.fromkeys(request.endpoint.command for request in requests)
        generated = [command for command in declared if command not in CUSTOM_COMMANDS]
        paths = (command.split() for command in dict.fromkeys((*GROUPS, *generated, *CUSTOM_COMMANDS)))
        return [name for *group, name in paths if tuple(group) == self._path]


class Group(Parsing, TyperGroup):
    """A group of commands that are loaded on first use."""

    is_command = False

    def __init__(self, *path: str, help: str, **settings: Any) -> None:
        super().__init__(
            name=path[-1] if path else PROGRAM,
            help=help,
            rich_markup_mode=None,
            params=list(common_parameters(path)),
            commands=cast(Any, LazyCommands(path)),
            **settings,
        )
        self.path = path

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the options of the group; without a word, show its help."""
        if not args:
            show_help(ctx)
        if not (self.is_command or args[0].startswith("-")):  # no option: Typer's parser takes a while
            ctx._protected_args, ctx.args = args[:1], args[1:]
            return ctx.args
        rest = super().parse_args(ctx, args)
        if not (self.is_command or words_left(ctx)):
            raise UsageError("Missing command.", hint=f"{ctx.command_path} --help")
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a word; raise UsageError with the nearest one."""
        if args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_command(args[0], self.commands, ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names in the order of the help."""
        return list(self.commands)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands first, then the options."""
        self.format_commands(ctx, formatter)
        rows = [row for param in self.get_params(ctx) if (row := param.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl(rows)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with whole summaries; the base class cuts them."""
        self.write_section(formatter, "Commands", self.commands)

    def write_section(self, formatter: Any, heading: str, names: Collection[str]) -> None:
        """Write some of the commands under a heading."""
        width = max(map(len, self.commands))  # the sections of one help are aligned
        with formatter.section(heading):
            summary = cast(LazyCommands, self.commands).summary
            formatter.write_dl([(name.ljust(width), summary(name)) for name in names])


class CommandGroup(WithExample, Group):
    """A group that is a command too; its function receives which other command in it is named."""

    is_command = True

    def __init__(self, *path: str, help: str) -> None:
        super().__init__(*path, help=help)
        self.own = function_command(path)
        self.params = [*self.own.params, *self.params]
        self.example = self.own.example

    def invoke(self, ctx: Any) -> None:
        """Run the function of the group, then the command that is named."""
        words = words_left(ctx)
        if not words or words[0] in self.commands:
            ctx.invoked_subcommand = words[0] if words else None
            self.own.invoke(ctx)
        if words:
            super().invoke(ctx)


class Root(Group):
    """The root of the tree: its help shows the commands by subject, then the main common options."""

    def __init__(self) -> None:
        super().__init__(
            help="Manage an advertising service from the terminal.", context_settings=CONTEXT_SETTINGS
        )
        self.params.append(
            Option(
                "--version",
                is_flag=True,
                expose_value=False,
                callback=_show_version,
                is_eager=True,
                help="Show the version",
            )
        )

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by subject."""
        from .added_commands import programs

        for heading, names in ROOT_SECTIONS.items():
            self.write_section(formatter, heading, names)
        if found := programs():
            with formatter.section("Programs of yours"):
                formatter.write_dl(sorted(found.items()))

    def added(self, settings: Settings) -> dict[str, str]:
        """Describe the aliases of the profile and the programs of the user, by their names."""
        from .added_commands import added_commands

        return added_commands(settings)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Name the ways to more help."""
        from ..console.help_topics import ALL_TOPICS

        with formatter.section("More help"):
            formatter.write_dl(
                [
                    (f"{PROGRAM} COMMAND -h", "the options and examples of a command"),
                    (f"{PROGRAM} help options", "the options that every command accepts"),
                    (f"{PROGRAM} help TOPIC", ", ".join(name for name in ALL_TOPICS if name != "options")),
                ]
            )


@cache
def root() -> Root:
    """Build the root of the tree, whose commands keep nothing of a run."""
    return Root()


def function_command(path: tuple[str, ...]) -> FunctionCommand:
    """Import the function of a custom command, and make it one."""
    module, function = CUSTOM_COMMANDS[" ".join(path)].split(":")
    return FunctionCommand(path[-1], getattr(import_module(f"..commands.{module}", __package__), function))


def _show_version(ctx: Any, param: Any, value: Any) -> None:
    if value:
        print(f"{PROGRAM} {__version__}", file=out_of(ctx))
        raise Exit


def run(command_line: CommandLine) -> int:
    """Run a command line and return the exit code; raise AdsctlError on failure.

    After an error, threads may still use what the command opened: it stays open until the process ends.
    """
    with running(command_line):
        code = invoke(command_line)
    command_line.resources.close()
    return code


@contextmanager
def running(command_line: CommandLine) -> Iterator[None]:
    """Hold the locks that a command takes; an error says what is named as an id that does not exist."""
    with command_line.locks:
        try:
            yield
        except NotFoundError as error:
            error.hint = "; ".join(filter(None, (error.hint, command_line.not_found_hint(error.message))))
            raise


def invoke(command_line: CommandLine) -> int:
    """Parse a command line, run its command and return the exit code."""
    tree = root()
    try:
        at = command_line.command_at if command_line.is_typed else None
        if at is not None and command_line.words[at] not in tree.commands:
            from .added_commands import run_added

            if (code := run_added(command_line, at)) is not None:
                return code
        if command_line.names_profiles and not command_line.by:
            from ..commands.fleet.several import run_under_profiles

            if run_under_profiles(tree, command_line):
                return 0
        with tree.make_context(PROGRAM, list(command_line.words), obj=command_line) as ctx:
            tree.invoke(ctx)
        if (to := command_line.parsed_options.get("to")) and not command_line.open_result:
            from ..console.named_files import not_written

            raise not_written(to)  # by a command that only prints a text
    except Exit as ended:
        return ended.exit_code
    return 0
