"""Help texts: a command's summary line, and the example that ends its help."""

import re
import textwrap
from typing import Any

from typer.core import TyperCommand
from typer.exceptions import TyperException

EXAMPLE_MARK = "\n\nFor example: "
# One word of a shell command; an option and its value stay together.
WORD = r"(?:--?[a-z-]+ (?!-))?(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+"
EXAMPLE_WIDTH = 76
CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
HELP_OPTION_TEXT = "Show this help"


class HelpOption:
    """A mixin that describes --help in our words, and says to which command an error of parsing belongs."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the words of a command line; an error knows its command."""
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except TyperException as error:
            if getattr(error, "ctx", ctx) is None:
                error.ctx = ctx  # type: ignore[attr-defined]
            raise

    def get_help_option(self, ctx: Any) -> Any:
        """Return the option, described."""
        option: Any = super().get_help_option(ctx)  # type: ignore[misc]
        option.help = HELP_OPTION_TEXT
        return option


class Example:
    """A mixin that writes an example below the options of a help."""

    example: str

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example below the options."""
        with formatter.section("For example"):
            for line in continued(self.example, formatter.width - 4):
                formatter.write(f"  {line}\n")
        super().format_epilog(ctx, formatter)  # type: ignore[misc]


class ExampleCommand(Example, HelpOption, TyperCommand):
    """A command whose help text ends in an example: `For example: adsctl catalog list`."""

    def __init__(self, name: str | None = None, *, help: str | None = None, **settings: Any) -> None:
        text, _, self.example = (help or "").strip().partition(EXAMPLE_MARK)
        settings |= {"rich_markup_mode": None, "epilog": "Options of every command: adsctl help options"}
        super().__init__(name, help=text, **settings)
        for param in self.params:
            describe_value(param)

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Parse the command line; from here on its common options are known."""
        context = super().make_context(*args, **settings)
        if context.obj is not None:
            context.obj.is_parsed = True
        return context

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """List the parts of the usage line; a required argument is bare."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


def describe_value(param: Any) -> None:
    """Describe the values of an option as those of declared requests: `[A|B]`, `1 to 32`."""
    kind = param.type
    if getattr(kind, "choices", None) and param.metavar is None and param.param_type_name == "option":
        param.metavar = f"[{'|'.join(kind.choices)}]"
    elif hasattr(kind, "_describe_range"):
        kind._describe_range = lambda: described_range(kind.min, kind.max)


def described_range(least: int | None, most: int | None) -> str:
    """Say between what a number is."""
    if least is not None and most is not None:
        return f"{least} to {most}"
    return f"at least {least}" if least is not None else ""


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
