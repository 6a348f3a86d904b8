"""Records in the formats that stream: a header where there is one, then a line a record."""

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import IO, Any, Literal

from .text import as_json, cell, safe

Record = Mapping[str, Any]
FORMULAS = ("=", "+", "-", "@", "\t", "\r")  # what a formula begins with, for one spreadsheet or another
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
GAP = 2  # blanks between the columns of a table
READABLE = 12  # a column that is cut further than this says nothing any more


def write_tsv(stream: IO[str], records: Iterable[Record], columns: Sequence[str]) -> None:
    """Write tab-separated lines under a header; control characters are shown, so that a line is a record."""
    stream.write("\t".join(map(safe, columns)) + "\n")
    for record in records:
        stream.write("\t".join(safe(cell(record.get(name))) for name in columns) + "\n")


def write_csv(
    stream: IO[str], records: Iterable[Record], columns: Sequence[str], *, without_formulas: bool = False
) -> None:
    """Write comma-separated lines under a header; cells carry what they carry, but never to a terminal."""
    write_row = csv_rows(stream)
    shown = safe if stream.isatty() else str
    written = _as_text if without_formulas else str
    write_row([shown(written(name)) for name in columns])
    for record in records:
        write_row([shown(written(cell(record.get(name)))) for name in columns])


def _as_text(value: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula; numbers are none."""
    if not value.startswith(FORMULAS) or NUMBER.fullmatch(value):
        return value
    return f"'{value}"


def csv_rows(stream: IO[str], delimiter: str = ",") -> Callable[[Sequence[str]], None]:
    """Make what writes rows of cells, so that any reader of CSV finds the same cells again."""
    plain = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(cells: Sequence[str]) -> None:
        # Left to itself, the writer quotes a line feed but not a carriage return.
        (quoted if any("\r" in cell for cell in cells) else plain).writerow(cells)

    return write


def write_jsonl(stream: IO[str], records: Iterable[Any]) -> None:
    """Write a line of JSON for each record."""
    stream.writelines(as_json(record) + "\n" for record in records)


def write_ids(stream: IO[str], records: Iterable[Record], key: str) -> None:
    """Write what identifies each record, a line each, ready for the next command."""
    stream.writelines(safe(cell(record.get(key))) + "\n" for record in records)


def write_table(
    stream: IO[str], records: Iterable[Record], columns: Sequence[str], *, color: bool
) -> Sequence[str]:
    """Draw a table as wide as the terminal; give the columns that had no room on it.

    Away from a terminal a table is as wide as its cells, and nothing is cut.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    found = list(records)
    rows = [[safe(cell(record.get(name))) for name in columns] for record in found]
    if not rows:
        return ()
    natural = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    room = None if stream.isatty() else sum(natural) + GAP * len(natural)
    console = Console(file=stream, width=room, force_terminal=color, no_color=not color, highlight=False)
    widths = fitting(natural, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for name, width in zip(columns, widths, strict=False):
        numbers = all(type(record.get(name)) in (int, float, NoneType) for record in found)
        justify: Literal["right", "left"] = "right" if numbers else "left"
        table.add_column(Text(name.upper()), width=width, no_wrap=True, overflow="ellipsis", justify=justify)
    for row in rows:
        table.add_row(*map(Text, row[: len(widths)]))
    console.print(table)
    return columns[len(widths) :]


def fitting(natural: Sequence[int], room: int) -> list[int]:
    """Give the widths of the leading columns that fit: the widest are cut, but none until it is unreadable.

    The first column identifies a record and is copied into the next command, so it is never cut.
    """
    widths: list[int] = []
    for position, width in enumerate(natural):
        least = [widths[0] if widths else width, *(min(w, READABLE) for w in natural[1 : position + 1])]
        if position and sum(least) + GAP * position > room:
            break
        widths.append(width)
    while len(widths) > 1 and sum(widths) + GAP * (len(widths) - 1) > room:
        widest = max(range(1, len(widths)), key=widths.__getitem__)
        widths[widest] -= 1
    return widths
