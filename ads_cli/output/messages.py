"""Messages on stderr: notes, warnings and errors."""

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO

from ..errors import Interrupted, ReportedError
from . import Presentation, Progress
from .text import path_once, safe, safe_lines, wrapped

LABEL_COLORS = {"error": "31", "warning": "33", "hint": "36", "note": "36"}  # SGR parameters


class Messages:
    """Writes messages to stderr: `quiet` hides progress and notes, `verbose` adds details.

    A warning says that a result is incomplete, or not what was asked for: nothing hides it. Everything else
    that is worth knowing is a note.
    """

    # Receives progress in place of what draws it.
    on_progress: "Callable[[Progress], None] | None" = None

    def __init__(self, presentation: Presentation) -> None:
        self.quiet = presentation.quiet
        self.is_verbose = presentation.verbose
        self.color = uses_color(sys.stderr, presentation.color)

    def say(self, text: str) -> None:
        """Write what is being done or was done, unless --quiet."""
        if not self.quiet:
            self.write("", text)

    def draw(self, lines: Iterable[str]) -> None:
        """Write lines that are safe, and may have colors, unless --quiet."""
        if not self.quiet:
            for line in lines:
                _print(line)

    def note(self, text: str, label: str = "note") -> None:
        """Write a note, unless --quiet. A note says that nothing is missing and all is as requested."""
        if not self.quiet:
            self.write(label, text)

    def detail(self, text: str) -> None:
        """Write a detail, if --verbose."""
        if self.is_verbose:
            self.show(text)

    def show(self, text: str) -> None:
        """Write what was asked for explicitly (--debug), even if --quiet."""
        _print(safe_lines(text))

    def ask(self, question: str) -> None:
        """Write a question in one line, even if --quiet; the answer is typed behind it."""
        _print(safe(question), end=" ")

    def warn(self, text: str) -> None:
        """Write a warning, even if --quiet: a result is incomplete, or not what was asked for."""
        self.write("warning", text)

    def write(self, label: str, text: str) -> None:
        """Write a text with its label, if it has one."""
        if label:
            _print(_labelled(label, text, self.color))
        else:
            _print(fitted(safe_lines(text), sys.stderr))


def error_text(error: ReportedError, presentation: Presentation) -> str:
    """Return the message and the hint of an error, for a terminal."""
    color = uses_color(sys.stderr, presentation.color)
    if isinstance(error, Interrupted):
        message = fitted(safe_lines(error.message), sys.stderr)
    else:
        message = _labelled("error", error.message, color)
    hint = _labelled("hint", error.hint, color) + "\n" if error.hint else ""
    return f"{message}\n{hint}"


def uses_color(stream: IO[str], when: str) -> bool:
    """Decide on color for a stream: --color, then NO_COLOR, then whether it is a terminal."""
    if when != "auto":
        return when == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def fitted(text: str, stream: IO[str], label: str = "") -> str:
    """Wrap a message with its label where a stream is a terminal; what programs read is not changed."""
    if not stream.isatty():
        return label + text
    return wrapped(label + path_once(text), terminal_width(stream))


def terminal_width(stream: IO[str]) -> int:
    """Return the columns of a stream: COLUMNS, then those of its own terminal, then 80."""
    columns = os.environ.get("COLUMNS", "")
    with suppress(OSError, ValueError):
        return (
            (int(columns) if columns.isdecimal() else 0)
            or os.get_terminal_size(stream.fileno()).columns
            or 80
        )
    return 80


def _labelled(label: str, text: str, color: bool) -> str:
    shown = f"\x1b[{LABEL_COLORS[label]}m{label}:\x1b[0m" if color else f"{label}:"
    return shown + fitted(safe_lines(text), sys.stderr, f"{label}: ").removeprefix(f"{label}:")


def _print(text: str, end: str = "\n") -> None:
    with suppress(OSError):  # stderr may be closed
        print(text, end=end, file=sys.stderr, flush=True)
