"""Records in the formats that stream: a header where there is one, then a line a record."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from .text import as_json, cell, safe

Record = Mapping[str, Any]


def write_tsv(stream: IO[str], records: Iterable[Record], columns: Sequence[str]) -> None:
    """Write tab-separated lines under a header; control characters are shown, so that a line is a record."""
    stream.write("\t".join(map(safe, columns)) + "\n")
    for record in records:
        stream.write("\t".join(safe(cell(record.get(name))) for name in columns) + "\n")


def write_csv(stream: IO[str], records: Iterable[Record], columns: Sequence[str]) -> None:
    """Write comma-separated lines under a header; cells carry what they carry."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([cell(record.get(name)) for name in columns] for record in records)


def write_jsonl(stream: IO[str], records: Iterable[Any]) -> None:
    """Write a line of JSON for each record."""
    stream.writelines(as_json(record) + "\n" for record in records)


def write_ids(stream: IO[str], records: Iterable[Record], key: str) -> None:
    """Write what identifies each record, a line each, ready for the next command."""
    stream.writelines(safe(cell(record.get(key))) + "\n" for record in records)


def write_table(stream: IO[str], records: Iterable[Record], columns: Sequence[str], *, color: bool) -> None:
    """Draw a table as wide as the terminal; elsewhere as wide as its cells."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    found = list(records)
    rows = [[safe(cell(record.get(name))) for name in columns] for record in found]
    if not rows:
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", highlight=False)
    for position, name in enumerate(columns):
        number = all(type(record.get(name)) in (int, float) for record in found)
        table.add_column(
            Text(name.upper()),
            no_wrap=True,
            overflow="ellipsis",
            justify="right" if number else "left",
            # What identifies a record is copied into the next command, so it is never cut.
            min_width=max(len(row[0]) for row in rows) if position == 0 else None,
        )
    for row in rows:
        table.add_row(*map(Text, row))
    # Away from a terminal nothing is cut; twice its length is more than any cell can be wide.
    width = (
        None
        if stream.isatty()
        else sum(2 * max(map(len, column)) + 2 for column in zip(columns, *rows, strict=True))
    )
    console = Console(
        file=stream, width=width, force_terminal=color, no_color=not color, highlight=False, soft_wrap=False
    )
    console.print(table)
