"""What is said to the person: notes, warnings and errors, all on stderr."""

import os
import sys
from contextlib import suppress
from typing import IO

from ..errors import Interrupted, ReportedError
from .text import safe_lines

COLORS = {"error": "31", "warning": "33", "hint": "36", "note": "2"}


class Messages:
    """Says things on stderr; `quiet` leaves only errors, `verbose` adds what is done."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, color: str = "auto") -> None:
        self.quiet = quiet
        self.is_verbose = verbose
        self.color = uses_color(sys.stderr, color)

    def say(self, text: str) -> None:
        """Say something worth knowing."""
        if not self.quiet:
            _print(safe_lines(text))

    def detail(self, text: str) -> None:
        """Say what is done, to those who asked with --verbose."""
        if self.is_verbose:
            _print(safe_lines(text))

    def show(self, text: str) -> None:
        """Show what was asked for with --debug, --quiet or not."""
        _print(safe_lines(text))

    def warn(self, text: str) -> None:
        """Say that something is probably not as it was meant."""
        if not self.quiet:
            _print(_labelled("warning", text, self.color))


def error_lines(error: ReportedError, argv: list[str]) -> str:
    """Write an error for a person: what happened, and what to do next."""
    when = next((w.removeprefix("--color=") for w in argv if w.startswith("--color=")), "auto")
    color = uses_color(sys.stderr, when)
    stopped = isinstance(error, Interrupted)  # which is no mistake of anybody's
    lines = (safe_lines(error.message) if stopped else _labelled("error", error.message, color)) + "\n"
    return lines + (_labelled("hint", error.hint, color) + "\n" if error.hint else "")


def uses_color(stream: IO[str], when: str) -> bool:
    """Decide on color for `stream`: --color, then NO_COLOR, then whether it is a terminal."""
    if when != "auto":
        return when == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def _labelled(label: str, text: str, color: bool) -> str:
    shown = f"\x1b[{COLORS[label]}m{label}:\x1b[0m" if color else f"{label}:"
    return f"{shown} {safe_lines(text)}"


def _print(text: str) -> None:
    with suppress(OSError):  # nobody may be listening
        print(text, file=sys.stderr, flush=True)
