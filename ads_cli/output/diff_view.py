"""Changes in lines: a line for each record, and below it each field with its values before and after."""

import shutil
from collections.abc import Iterator
from itertools import takewhile
from typing import IO, Any

from .text import SIGNS, cell, safe, wrapped

COLORS = {"create": "32", "update": "33", "delete": "31"}  # SGR parameters
OLD, NEW = COLORS["delete"], COLORS["create"]
CONTEXT = 20  # characters before the first difference of long texts
NOTHING = "nothing"  # in place of a value that there is not


class DiffView:
    """Shows changes in lines of a width; 0 is without a limit."""

    def __init__(self, width: int, *, color: bool) -> None:
        self._width, self._color = width, color

    @classmethod
    def on(cls, stream: IO[str], *, color: bool) -> "DiffView":
        """Return the view for a stream, which has a width where it is a terminal."""
        return cls(shutil.get_terminal_size().columns if stream.isatty() else 0, color=color)

    def text(self, line: str) -> str:
        """Show a line, wrapped at words."""
        return wrapped(line, self._width) if self._width else line

    def record(self, action: str, text: str) -> str:
        """Show a record that is created, updated or deleted."""
        return self._painted(self._cut(f"{SIGNS[action]} {text}"), COLORS[action])

    def replacement(self, start: str, old: str, new: str) -> Iterator[str]:
        """Show a record that takes the place of another one."""
        return self._change(f"{SIGNS['update']} {start}", old, new)

    def field(self, name: str, old: Any, new: Any, indent: str = "    ") -> Iterator[str]:
        """Show a field in one line where it fits, else its values one below the other."""
        return self._change(f"{indent}{name}: ", old, new)

    def _change(self, start: str, before: Any, after: Any) -> Iterator[str]:
        old, new = shown_value(before), shown_value(after)
        if not self._width or self._cells(f"{start}{old} → {new}") <= self._width:
            yield f"{start}{self._painted(old, OLD)} → {self._painted(new, NEW)}"
            return
        yield start.rstrip()
        indent = " " * (len(start) - len(start.lstrip(f"{''.join(SIGNS.values())} ")) + 2)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
        begin = max(0, sum(1 for _ in same) - CONTEXT)
        for mark, value, text, color in (("-", before, old, OLD), ("+", after, new, NEW)):
            if value is not None:
                part = f"…{text[begin:]}" if begin else text
                yield self._painted(self._cut(f"{indent}{mark} {part}"), color)

    def _cut(self, line: str) -> str:
        if not self._width or self._cells(line) <= self._width:
            return line
        from rich.cells import set_cell_size

        return f"{set_cell_size(line, self._width - 1).rstrip()}…"

    @staticmethod
    def _cells(line: str) -> int:
        from rich.cells import cell_len

        return cell_len(line)

    def _painted(self, text: str, color: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self._color else text


def shown_value(value: Any) -> str:
    """Write a value in one line; `nothing` where there is none."""
    return NOTHING if value is None else safe(cell(value))


def with_currency(before: str | None, after: str | None, currency: str) -> tuple[str | None, str | None]:
    """Write both amounts of a change; the last one has their currency."""
    if after is None:
        return before and f"{before} {currency}".rstrip(), None
    return before, f"{after} {currency}".rstrip()
