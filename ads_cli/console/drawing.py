"""What commands share that draw for people: texts with styles, and the command to type next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..output.text import shell_command
from .invocation import Invocation
from .options import words_of

if TYPE_CHECKING:
    from rich.console import Console

PLACE = ("profile", "service", "env_file", "account", "sandbox")  # options that a next command is given


def console_of(call: Invocation) -> "Console":
    """Return what prints texts with styles, as wide as a terminal; what is no terminal wraps nothing."""
    from rich.console import Console

    stream, color = call.printer.stream, call.printer.color
    width = None if stream.isatty() else 10_000
    return Console(file=stream, width=width, force_terminal=color, no_color=not color, highlight=False)


def next_command(call: Invocation, words: Sequence[str]) -> str:
    """Write a command to be typed next, for the same profile and account."""
    return shell_command(["adsctl", *words_of(call.flags, PLACE), *words])
