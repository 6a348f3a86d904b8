"""Write records as tsv, csv, jsonl, ids or a table."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import IO, TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, cast

from . import table_view
from .text import as_json, as_yaml, cell, safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Record = Mapping[str, Any]
# How a formula begins in one spreadsheet or another: some drop blanks, and some read full-width signs.
FORMULA = "[\t\r\n]|[\\s\0\ufeff\u200b-\u200f\u2060]*[=+\\-@\uff1d\uff0b\uff0d\uff20]"
NUMBER = r" *[+-]?[0-9]+(\.[0-9]+)?"
COLUMN_GAP = 2  # blanks between the columns of a table
MIN_COLUMN_WIDTH = 12  # a column is not cut further than this
MAX_WHOLE_WORD = 24  # characters of an id, a status or a time, which is of no use if it is cut


class WriteOptions(NamedTuple):
    """What a format may need to know beside the records."""

    columns: Sequence[str] = ()
    key: str = "id"  # the field that holds their id
    csv_safe: bool = False  # no cell is a formula
    noun: str = "results"  # what they are


NO_OPTIONS = WriteOptions()


def write_tsv(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a header and tab-separated lines. Control characters are escaped: a line is a record."""
    stream.write("\t".join(map(safe, options.columns)) + "\n")
    for record in records:
        stream.write("\t".join(safe(cell(record.get(name))) for name in options.columns) + "\n")


def write_csv(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a header and comma-separated lines; control characters are escaped on a terminal only."""
    write_row = csv_rows(stream)
    shown = safe if stream.isatty() else str
    written = without_formula if options.csv_safe else str
    write_row([shown(written(name)) for name in options.columns])
    for record in records:
        write_row([shown(written(cell(record.get(name)))) for name in options.columns])


def write_workbook(stream: IO[Any], records: Iterable[Record], options: WriteOptions) -> None:
    """Write a workbook with one sheet."""
    from .workbook import write_records

    binary = cast(TextIO, stream).buffer
    write_records(binary, records, options.columns, name=options.noun)


def without_formula(value: str) -> str:
    """Prefix an apostrophe to a cell that a spreadsheet would take for a formula, which numbers are not."""
    if not re.match(FORMULA, value) or re.fullmatch(NUMBER, value):
        return value
    return f"'{value}"


def csv_rows(stream: IO[str], delimiter: str = ",") -> Callable[[Sequence[object]], None]:
    """Return a function that writes a row of cells; every CSV reader reads the same cells."""
    import csv

    plain = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    quoted = csv.writer(stream, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)

    def write(cells: Sequence[object]) -> None:
        # The csv module quotes a line feed, but not a carriage return.
        (quoted if any("\r" in str(value) for value in cells) else plain).writerow(cells)

    return write


def write_jsonl(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write one line of JSON for each record."""
    stream.writelines(as_json(record) + "\n" for record in records)


def write_json(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write a list of records one by one, as if it were written as a whole."""
    written = False
    for record in records:
        text = as_json(record, indent=2).replace("\n", "\n  ")
        stream.write(f"{',' if written else '['}\n  {text}")
        written = True
    stream.write("\n]\n" if written else "[]\n")


def write_yaml(stream: IO[str], records: Iterable[Any], options: WriteOptions = NO_OPTIONS) -> None:
    """Write a list of records one by one, as if it were written as a whole."""
    written = False
    for record in records:
        stream.write(as_yaml([record]))
        written = True
    if not written:
        stream.write(as_yaml([]))


def write_ids(stream: IO[str], records: Iterable[Record], options: WriteOptions) -> None:
    """Write the id of each record that has one, one per line."""
    ids = (safe(cell(record.get(options.key))) for record in records)
    stream.writelines(id + "\n" for id in ids if id)


def write_nothing(stream: IO[str], result: Any, options: WriteOptions = NO_OPTIONS) -> None:
    """Write neither records nor documents."""


def write_as_json(stream: IO[str], document: Any) -> None:
    """Write a whole document."""
    stream.write(as_json(document, indent=2) + "\n")


def write_as_jsonl(stream: IO[str], document: Any) -> None:
    """Write a line for each item of a list, or one for any other document."""
    write_jsonl(stream, document if isinstance(document, list) else [document])


def write_as_yaml(stream: IO[str], document: Any) -> None:
    """Write a whole document."""
    stream.write(as_yaml(document))


def write_table(
    stream: IO[str], records: Iterable[Record], columns: Sequence[str], *, color: bool, is_one: bool
) -> Sequence[str]:
    """Write a table as wide as the terminal; return the columns that did not fit.

    If the stream is not a terminal, the table is as wide as its cells and nothing is cut. A document that is
    one record is written as a line for each column, where its table would be cut.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    records = list(records)
    rows = [[safe(cell(table_view.shown(name, record))) for name in columns] for record in records]
    if not rows:
        return ()

    def styled(cells: Sequence[str]) -> list[Text]:
        return [Text(text, table_view.style(name, text)) for name, text in zip(columns, cells, strict=True)]

    headers = [safe(table_view.header(name)) for name in columns]
    natural = [max(map(cell_len, cells)) for cells in zip(headers, *rows, strict=True)]
    width = None if stream.isatty() else sum(natural) + COLUMN_GAP * len(natural)
    console = Console(file=stream, width=width, force_terminal=color, no_color=not color, highlight=False)
    widths = fit_columns(natural, [_least_width(cells) for cells in zip(*rows, strict=True)], console.width)
    if is_one and widths != natural:
        _write_lines(console, headers, styled(rows[0]))
        return ()
    table = Table(box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0), header_style="bold")
    # widths are those of the columns that fit
    for name, header, column_width in zip(columns, headers, widths, strict=False):
        numbers = all(type(record.get(name)) in (int, float, NoneType) for record in records)
        justify: Literal["right", "left"] = "right" if numbers else "left"
        table.add_column(
            Text(header.upper()), width=column_width, no_wrap=True, overflow="ellipsis", justify=justify
        )
    for row in rows:
        table.add_row(*styled(row)[: len(widths)])
    console.print(table)
    return columns[len(widths) :]


def _write_lines(console: "Console", headers: Sequence[str], cells: Sequence["Text"]) -> None:
    """Write the values of one record below each other, empty ones only where all are.

    The terminal wraps long ones, which stay whole.
    """
    from rich.text import Text

    pairs = [*zip(headers, cells, strict=True)]
    lines = [pair for pair in pairs if pair[1]] or pairs
    width = max(len(header) for header, _ in lines) + COLUMN_GAP
    for header, value in lines:
        console.print(Text.assemble((f"{header:{width}}", "bold"), value), soft_wrap=True)


def _least_width(cells: Sequence[str]) -> int:
    """Return how far a column may be cut. Words such as ids, which go into the next command, are whole."""
    from rich.cells import cell_len

    longest = max(map(cell_len, cells))
    is_words = longest <= MAX_WHOLE_WORD and not any(" " in text for text in cells)
    return max(longest, MIN_COLUMN_WIDTH) if is_words else MIN_COLUMN_WIDTH


def fit_columns(natural: Sequence[int], least: Sequence[int], total: int) -> list[int]:
    """Return the widths of the leading columns that fit; the widest are cut, down to their least width.

    The first column is the id, which is copied into the next command, so it is never cut.
    """
    least = [*natural[:1], *map(min, natural[1:], least[1:])]
    count = len(natural)
    while count > 1 and sum(least[:count]) + COLUMN_GAP * (count - 1) > total:
        count -= 1
    widths = [*natural[:count]]
    while sum(widths) + COLUMN_GAP * (count - 1) > total and widths != least[:count]:
        widest = max(
            (column for column in range(count) if widths[column] > least[column]), key=widths.__getitem__
        )
        widths[widest] -= 1
    return widths
