"""Messages on stderr: notes, warnings and errors."""

import os
import sys
from contextlib import suppress
from typing import IO

from ..errors import Interrupted, ReportedError
from .presentation import Presentation
from .text import safe, safe_lines

LABEL_COLORS = {"error": "31", "warning": "33", "hint": "36"}  # SGR parameters


class Messages:
    """Writes messages to stderr: `quiet` keeps only errors, `verbose` adds details."""

    def __init__(self, presentation: Presentation) -> None:
        self.quiet = presentation.quiet
        self.is_verbose = presentation.verbose
        self.color = uses_color(sys.stderr, presentation.color)

    def say(self, text: str) -> None:
        """Write a note, unless --quiet."""
        if not self.quiet:
            _print(safe_lines(text))

    def detail(self, text: str) -> None:
        """Write a detail, if --verbose."""
        if self.is_verbose:
            _print(safe_lines(text))

    def show(self, text: str) -> None:
        """Write what was asked for explicitly (--debug), even if --quiet."""
        _print(safe_lines(text))

    def ask(self, question: str) -> None:
        """Write a question in one line, even if --quiet; the answer is typed behind it."""
        _print(safe(question), end=" ")

    def warn(self, text: str, *, is_urgent: bool = False) -> None:
        """Write a warning, unless --quiet; an urgent one always."""
        if is_urgent or not self.quiet:
            _print(_labelled("warning", text, self.color))


def error_text(error: ReportedError, presentation: Presentation) -> str:
    """Return the message and the hint of an error, for a terminal."""
    color = uses_color(sys.stderr, presentation.color)
    if isinstance(error, Interrupted):
        message = safe_lines(error.message)
    else:
        message = _labelled("error", error.message, color)
    hint = _labelled("hint", error.hint, color) + "\n" if error.hint else ""
    return f"{message}\n{hint}"


def uses_color(stream: IO[str], when: str) -> bool:
    """Decide on color for a stream: --color, then NO_COLOR, then whether it is a terminal."""
    if when != "auto":
        return when == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def _labelled(label: str, text: str, color: bool) -> str:
    shown = f"\x1b[{LABEL_COLORS[label]}m{label}:\x1b[0m" if color else f"{label}:"
    return f"{shown} {safe_lines(text)}"


def _print(text: str, end: str = "\n") -> None:
    with suppress(OSError):  # stderr may be closed
        print(text, end=end, file=sys.stderr, flush=True)
