"""Help texts: a command's summary line, and the example that ends its help."""

import re
import textwrap
from collections.abc import Callable, Iterable
from inspect import getdoc
from typing import Any

from typer import Exit
from typer.core import TyperCommand
from typer.exceptions import TyperException

from .host import out_of
from .parameters import Option, parameters_of, unexpected_arguments, usage_error

EXAMPLE_MARK = "\n\nFor example: "
# One word of a shell command; an option and its value stay together.
WORD = r"(?:--?[a-z-]+ (?!-))?(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+"
EXAMPLE_WIDTH = 76
OPTION_WIDTH = 26  # to which the names of options are aligned
CONTEXT_SETTINGS = {"max_content_width": 100}


def show_help(ctx: Any, param: Any = None, wanted: Any = True) -> None:
    """Print the help of a command, and end it."""
    if wanted:
        print(ctx.get_help(), file=out_of(ctx))
        raise Exit


HELP = Option(
    *("-h", "--help"),
    help="Show this help",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=show_help,
)


class Parsing:
    """A mixin that adds --help to a command, and puts errors of parsing in our words."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words of a command line; raise UsageError."""
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except TyperException as error:
            raise usage_error(error, ctx) from None

    def get_help_option(self, ctx: Any) -> Option:
        """Return the option, which all commands share."""
        return HELP


class WithExample:
    """A mixin that writes an example below the options of a help."""

    example: str

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example below the options."""
        with formatter.section("For example"):
            for line in continued(self.example, formatter.width - 4):
                formatter.write(f"  {line}\n")
        super().format_epilog(ctx, formatter)  # type: ignore[misc]


# Sections of a help with many options, by the names of these; the others come first.
MIN_OPTIONS_FOR_SECTIONS = 15
ROWS, COMMON = "Choosing and changing rows", "Common options"
SECTIONS = {
    "Reading the file": "file format encoding map record max-size sheet max-rows from recipe",
    ROWS: "split where set default currency time-zone base-url keep fix scope ignore region "
    "region-column keep-partial allow-empty images images-sample allow-private strict",
    "Sending": "concurrency max-errors resume skip-invalid job changed verify min-rows prune max-delete "
    "sample uncertain",
    "Results": "failed-out force report on-failure on-failure-env envelope diff write-recipe "
    "interactive into plot raw",
}
SECTION_OF = {f"--{name}": section for section, names in SECTIONS.items() for name in names.split()}
READS_ROWS = "--encoding"  # an option of every command that reads rows, whose values others change


def sections_of(params: Iterable[Any], ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """Return the lines of options by the section of the help that they are in."""
    shown = [(param, line) for param in params if (line := param.get_help_record(ctx))]
    options = [(param, line) for param, line in shown if isinstance(param, Option)]
    has_sections = len(options) >= MIN_OPTIONS_FOR_SECTIONS
    reads_rows = any(READS_ROWS in param.opts for param, _ in options)
    sections: dict[str, list[tuple[str, str]]] = {name: [] for name in ("Options", *SECTIONS, COMMON)}
    for param, line in options:
        section = next(filter(None, map(SECTION_OF.get, param.opts)), "Options")
        if not has_sections or (section == ROWS and not reads_rows):
            section = "Options"
        elif not param.expose_value:
            section = COMMON
        sections[section].append(line)
    arguments = [line for param, line in shown if not isinstance(param, Option)]
    return {section: lines for section, lines in ({"Arguments": arguments} | sections).items() if lines}


class ExampleCommand(WithExample, Parsing, TyperCommand):
    """A command whose help text ends in an example: `For example: adsctl catalog list`."""

    def __init__(self, name: str | None = None, *, help: str | None = None, **settings: Any) -> None:
        text, _, self.example = (help or "").strip().partition(EXAMPLE_MARK)
        settings |= {"rich_markup_mode": None, "epilog": "Options of every command: adsctl help options"}
        settings["context_settings"] = {"allow_extra_args": True}  # which are reported in our words
        super().__init__(name, help=text, **settings)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, in sections where they are many."""
        sections = sections_of(self.get_params(ctx), ctx)
        width = max((len(name) for lines in sections.values() for name, _ in lines), default=0)
        for section, lines in sections.items():
            with formatter.section(section):
                own = 0 if section == "Arguments" else min(width, OPTION_WIDTH)
                formatter.write_dl([(name.ljust(own), text) for name, text in lines])

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Parse the command line; from here on its common options are known."""
        context = super().make_context(*args, **settings)
        if context.args:
            raise unexpected_arguments(context)
        if context.obj is not None:
            context.obj.is_parsed = True
        return context


class FunctionCommand(ExampleCommand):
    """The command of a function, whose parameters are declared as Typer documents it."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        super().__init__(name, help=getdoc(function), params=list(parameters_of(function)))
        self.function = function

    def invoke(self, ctx: Any) -> None:
        """Call the function."""
        self.function(ctx=ctx, **ctx.params)


def summary_line(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return str(command.get_short_help_str(1000)).rstrip(".")


def continued(command: str, width: int = EXAMPLE_WIDTH) -> list[str]:
    """Wrap a command line with backslashes, so that a shell reads the lines as one."""
    words = (word.replace(" ", "\0") for word in re.findall(WORD, command))
    lines = textwrap.wrap(
        " ".join(words), width - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return " \\\n".join(lines).replace("\0", " ").splitlines()
