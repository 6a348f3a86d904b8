"""Lay records out as a table that fits the terminal."""

from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from typing import IO, TYPE_CHECKING, Literal, NamedTuple

from ..api.metrics import is_metric
from . import table_view
from .column_types import base_of, type_of
from .table_view import Record
from .text import cell, safe

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

COLUMN_GAP = 2  # blanks between columns
MIN_COLUMN_WIDTH = 12  # a column is not cut further than this
MIN_NAME_WIDTH = 16  # nor is what a record is called
MAX_NAME_WIDTH = 26  # a name is whole up to here before another column is shown
MAX_WHOLE_WORD = 24  # characters of an id, a status or a time, which is of no use if it is cut


class TableColumn(NamedTuple):
    """A column with its cells, made safe to show."""

    name: str
    header: str
    cells: Sequence[str]
    is_number: bool
    natural: int  # the width of its widest cell
    least: int  # how far it may be cut


def write_table(
    stream: IO[str],
    records: Iterable[Record],
    columns: Sequence[str],
    *,
    key: str = "id",
    asked: Sequence[str] = (),
    is_chosen: bool = False,
    zone: Callable[[], tzinfo | None] = lambda: None,
    color: bool,
    is_one: bool,
) -> Sequence[str]:
    """Write a table as wide as the terminal; return the columns that did not fit.

    The columns that were asked for are all shown, in several tables below each other where one is too narrow.
    Columns that were chosen one by one stay in their order, even without a value. If the stream is not a
    terminal, the table is as wide as its cells and nothing is cut. A document that is one record is written
    as a line for each column, where its table would be cut. `zone` is that of the account.
    """
    from rich.console import Console

    records = list(records)
    if not records:
        return ()
    names = [*columns] if is_chosen else table_view.columns_for_people(columns, records, key, asked)
    totals = [table_view.is_total(record) for record in records]
    records = [
        table_view.named_total(record, names) if is_total else record
        for record, is_total in zip(records, totals, strict=True)
    ]
    local = _local_zone(names, records, zone)
    laid = [
        _column(name, records, local, is_first=at == 0, is_key=name == key) for at, name in enumerate(names)
    ]
    natural = _width(laid, [column.natural for column in laid])
    console = Console(
        file=stream,
        width=None if stream.isatty() else natural + COLUMN_GAP,
        force_terminal=color,
        no_color=not color,
        highlight=False,
    )
    if is_one and natural > console.width:
        _write_lines(console, laid)
        return ()
    kept = {*names} if is_chosen else {*asked}
    blocks = arranged(laid, kept, key, console.width)
    for number, block in enumerate(blocks):
        if number:
            console.print()
        _print_block(console, block, totals)
    fitting = {column.name for block in blocks for column in block}
    return [name for name in names if name not in fitting]


def _local_zone(
    names: Sequence[str], records: Sequence[Record], zone: Callable[[], tzinfo | None]
) -> tzinfo | None:
    """Return the zone in which times are shown, None for UTC. It is asked for where there is a time."""
    times = [name for name in names if type_of(name) == "time"]
    return (
        zone() if any(str(record.get(name)).endswith("Z") for name in times for record in records) else None
    )


def has_clock(shown: object) -> bool:
    """Tell whether a time is shown with the time of day."""
    return isinstance(shown, str) and " " in shown


def _column(
    name: str, records: Sequence[Record], zone: tzinfo | None, *, is_first: bool, is_key: bool
) -> TableColumn:
    from rich.cells import cell_len

    is_time = type_of(name) == "time"
    values = [table_view.shown(name, record, zone=zone) for record in records]
    if is_time and any(map(has_clock, values)):
        values = [table_view.shown(name, record, zone=zone, with_clock=True) for record in records]
    cells = [safe(cell(value)) for value in values]
    header = safe(table_view.header(name))
    is_number = table_view.is_number(name, records)
    longest = max(map(cell_len, cells))
    is_words = longest <= MAX_WHOLE_WORD and not any(" " in text for text in cells)
    least = MIN_NAME_WIDTH if is_first else MIN_COLUMN_WIDTH
    if is_key or is_number or is_time or is_words:  # a number that is cut is another one
        least = max(longest, least)
    natural = max(longest, cell_len(header))
    return TableColumn(name, header, cells, is_number, natural, min(natural, least))


def arranged(
    columns: Sequence[TableColumn], asked: set[str], key: str, width: int
) -> list[list[TableColumn]]:
    """Return the columns of each table, one below the other, that fit the width by their least widths.

    Those that were asked for are all shown, beside what the records are called. Where these take one table,
    it has the id of the record too, and then of the others as many as fit.
    """
    if not asked and (name := _whole_name(columns[0])).least <= width // 2:
        columns = [name, *columns[1:]]
    first_asked = next((at for at, column in enumerate(columns) if column.name in asked), 0)
    lead = [*columns[: max(first_asked, 1)]]
    blocks = [[*lead]]
    for column in columns[len(lead) :]:
        if column.name not in asked:
            continue
        if not _fits([*blocks[-1], column], width) and len(blocks[-1]) > len(lead):
            blocks.append([*lead])
        blocks[-1].append(column)
    if len(blocks) > 1:
        return blocks
    has_metrics = any(is_metric(base_of(column.name)) for column in columns)
    fits = _fits_uncut if has_metrics else _fits  # names of entities say more than what all have in common
    own = [column for column in columns if column.name == key and column not in lead and not has_metrics]
    rest = [column for column in columns if column not in blocks[0] and column not in own]
    shown = [*blocks[0], *own] if _fits([*blocks[0], *own], width) else blocks[0]
    filled = _filled(shown, rest, fits, width)
    if has_metrics and not any(is_metric(base_of(column.name)) for column in filled):
        filled = _filled(shown, rest, _fits, width)  # names that leave no room for a number are cut
    return [[column for column in columns if column in filled]]


def _filled(
    shown: Sequence[TableColumn],
    rest: Sequence[TableColumn],
    fits: Callable[[Sequence[TableColumn], int], bool],
    width: int,
) -> list[TableColumn]:
    """Return columns with as many of the rest as fit, in their order."""
    filled = [*shown]
    for column in rest:
        if not fits([*filled, column], width):
            break
        filled.append(column)
    return filled


def _whole_name(column: TableColumn) -> TableColumn:
    """Return the column of names, which is cut later than others."""
    return column._replace(least=max(column.least, min(column.natural, MAX_NAME_WIDTH)))


def _fits(columns: Sequence[TableColumn], width: int) -> bool:
    return _width(columns, [column.least for column in columns]) <= width


def _fits_uncut(columns: Sequence[TableColumn], width: int) -> bool:
    return _width(columns, [column.natural for column in columns]) <= width


def _width(columns: Sequence[TableColumn], widths: Sequence[int]) -> int:
    return sum(widths) + COLUMN_GAP * (len(columns) - 1)


def fit_widths(columns: Sequence[TableColumn], total: int) -> list[int]:
    """Return the widths of columns that fit; the widest are cut, down to their least widths."""
    widths, least = [column.natural for column in columns], [column.least for column in columns]
    while _width(columns, widths) > total and widths != least:
        widest = max((at for at, width in enumerate(widths) if width > least[at]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _print_block(console: "Console", columns: Sequence[TableColumn], totals: Sequence[bool]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0), header_style="bold")
    for column, width in zip(columns, fit_widths(columns, console.width), strict=True):
        justify: Literal["right", "left"] = "right" if column.is_number else "left"
        heading, is_cut = Text(column.header.upper()), type_of(column.name) != "words"
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if is_cut else "fold"
        table.add_column(heading, width=width, no_wrap=is_cut, overflow=overflow, justify=justify)
    for at, is_total in enumerate(totals):
        table.add_row(*(_styled(column, at) for column in columns), style="bold" if is_total else None)
    console.print(table)


def _styled(column: TableColumn, at: int) -> "Text":
    from rich.text import Text

    return Text(column.cells[at], table_view.style(column.name, column.cells[at]))


def _write_lines(console: "Console", columns: Sequence[TableColumn]) -> None:
    """Write the values of one record below each other, empty ones only where all are.

    The terminal wraps long ones, which stay whole.
    """
    from rich.text import Text

    lines = [column for column in columns if column.cells[0]] or columns
    width = max(len(column.header) for column in lines) + COLUMN_GAP
    for column in lines:
        heading = f"{column.header:{width}}"
        console.print(Text.assemble((heading, "bold"), _styled(column, 0)), soft_wrap=True)
