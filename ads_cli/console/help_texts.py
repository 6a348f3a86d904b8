"""Help texts: a command's summary line, and the example that ends its help."""

import re
import textwrap
from typing import Any

from typer.core import TyperCommand

EXAMPLE_MARK = "\n\nFor example: "
# One word of a shell command; an option and its value stay together.
WORD = re.compile(r"(?:--?[a-z-]+ (?!-))?(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")
EXAMPLE_WIDTH = 76
CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
HELP_OPTION_TEXT = "Show this help"


class HelpOption:
    """A mixin that describes --help in our words."""

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

    def make_context(self, *args: Any, **settings: Any) -> Any:
        """Parse the command line; from here on its common options are known."""
        context = super().make_context(*args, **settings)
        if context.obj is not None:
            context.obj.is_parsed = True
        return context


def summary_line(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return str(command.get_short_help_str(1000)).rstrip(".")


def continued(command: str, width: int = EXAMPLE_WIDTH) -> list[str]:
    """Wrap a command line with backslashes, so that a shell reads the lines as one."""
    words = (word.replace(" ", "\0") for word in WORD.findall(command))
    lines = textwrap.wrap(
        " ".join(words), width - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return " \\\n".join(lines).replace("\0", " ").splitlines()
