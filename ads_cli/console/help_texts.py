"""Help: the line that names a command in a list, and the example that ends its page."""

import re
import textwrap
from typing import Any

from typer.core import TyperCommand

LEAD = "\n\nFor example: "
# A word of a shell; an option and its value are one.
WORD = re.compile(r"(?:--?[a-z-]+ (?!-))?(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")
WIDTH = 76


class ExampleCommand(TyperCommand):
    """A command with an example: the last paragraph of its help, as in `For example: adsctl catalog list`."""

    def __init__(self, name: str | None = None, *, help: str | None = None, **settings: Any) -> None:
        text, _, self.example = (help or "").strip().partition(LEAD)
        settings |= {"rich_markup_mode": None, "epilog": "Options of every command: adsctl help options"}
        super().__init__(name, help=text, **settings)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Show the example where the eye rests, below the options."""
        with formatter.section("For example"):
            for line in continued(self.example, formatter.width - 4):
                formatter.write(f"  {line}\n")
        super().format_epilog(ctx, formatter)


def line_of(command: Any) -> str:
    """Give the first sentence of a command's help."""
    return str(command.get_short_help_str(1000)).rstrip(".")


def continued(command: str, width: int = WIDTH) -> list[str]:
    """Break a command into lines that a shell reads as one."""
    words = (word.replace(" ", "\0") for word in WORD.findall(command))
    lines = textwrap.wrap(
        " ".join(words), width - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return " \\\n".join(lines).replace("\0", " ").splitlines()
