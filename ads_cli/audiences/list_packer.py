"""A list that is read and packed: a table block by block, other formats some rows at a time."""

import _csv
import csv
import io
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, NamedTuple

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.formats.csv_header import read_cells
from ..feeds.header import Header, width_problem
from ..feeds.row import Row
from ..feeds.rows import Block, Rows, TableRows
from ..parallel import batched
from ..validation import CheckedRow
from ..validation.validator import BlockRunner, Task, UnreadableError
from .consent import CellAnswers, is_text
from .list_columns import ColumnRoles, ListColumns
from .operations import Operations, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow


class TableLayout(NamedTuple):
    """How the rows of a table are written, and how they become users."""

    delimiter: str
    width: int  # cells of a row
    header: Header
    roles: ColumnRoles
    resolver: ParamsResolver


@dataclass
class ListPart:
    """Some packed rows of a list, counted from 0: a block of a table, or rows that were read one by one."""

    packed: PackedRows
    rows: int
    lines: dict[int, int]  # of rows with problems and headers; of a block, counted from 0 until it is placed
    blank: Sequence[int] = ()  # rows without any value, which are no records; repeated headers too
    headers: Sequence[int] = ()  # rows that repeat the header
    before: int = 0  # records of the list before these rows

    @cached_property
    def records(self) -> Sequence[int]:
        """The number of each row in the list."""
        if not self.blank:
            return range(self.before + 1, self.before + 1 + self.rows)
        blank = {*self.blank}
        return [*accumulate((row not in blank for row in range(self.rows)), initial=self.before)][1:]

    @property
    def last(self) -> int:
        """Return the number of the last record."""
        return self.before + self.rows - len(self.blank)

    @property
    def taken(self) -> int:
        """Count the rows that are not left out."""
        return self.rows - len(self.blank) - len(self.packed.left_out)

    def place(self, row: int) -> Row:
        """Return the place of a row in the list."""
        return Row(self.lines.get(row, 0), {}, record=self.records[row])

    @property
    def operations(self) -> Iterator[Operations]:
        """Yield the operations, with record numbers in place of rows."""
        return (operations.with_records(self.records) for operations in self.packed.operations if operations)


def pack_block(table: TableLayout, block: Block, options: PackingOptions) -> ListPart | None:
    """Pack the rows of a block. Return None if it cannot be parsed: reading it by lines tells why."""
    try:
        text = block.data.decode()
        cells, problems, headers = _parse(table, text)
    except (ValueError, csv.Error):  # it is not UTF-8, or has the header of another table
        return None
    rows = len(cells[0]) if cells else 0
    packed = table.roles.pack(cells, rows, table.resolver, options, problems)
    not_packed = [*packed.problems, *packed.left_out]
    # A blank row was packed as a row without an identifier. Nothing of that is kept.
    blank = [row for row in not_packed if not any(column[row].strip() for column in cells)]
    packed.left_out = {*packed.left_out}.difference(blank)
    for row in blank:
        packed.problems.pop(row, None)
    packed.answers = table.roles.count_answers(cells, options, [*packed.left_out, *blank])
    named = (row for asked in packed.asked.values() for row in asked.rows)
    reported = {*packed.problems, *packed.partial, *packed.doubts, *headers, *named}
    lines = _find_lines(table, text, reported) if reported else {}
    return ListPart(packed, rows, lines, blank, headers)


def _parse(table: TableLayout, text: str) -> tuple[list[Sequence[str]], ProblemsByRow, list[int]]:
    """Return the columns of a block, the rows with too many cells, and those that repeat the header.

    The cells of a repeated header are empty. Raises ValueError for a NUL, and the header of another table.
    """
    if "\0" in text:
        raise ValueError
    width, first_cells = table.width, table.header.first_cells
    if width == 1 and not any(sign in text for sign in ('"', "\r", table.delimiter)):
        values = text.removesuffix("\n").split("\n")  # one value a line, which is common
        if first_cells.isdisjoint(values):
            return [values], {}, []
    rows = list(_read_csv(table, text))
    problems: ProblemsByRow = {}
    if any(len(row) != width for row in rows):
        for number, row in enumerate(rows):
            if len(row) == width:
                continue
            if problem := width_problem(row, width):
                problems[number] = [("", problem)]
            row[:] = [*row, *[""] * width][:width]
    columns: list[Sequence[str]] = list(zip(*rows, strict=True))
    if not columns or first_cells.isdisjoint(columns[0]):
        return columns, problems, []
    headers = [number for number, row in enumerate(rows) if table.header.is_repeated_by(row)]
    for number in headers:
        rows[number] = [""] * width
        problems.pop(number, None)
    if any(map(table.header.is_another, rows)):
        raise ValueError
    return list(zip(*rows, strict=True)), problems, headers


def _read_csv(table: TableLayout, text: str) -> _csv.Reader:
    """Read rows. A line ends with a line feed, and a carriage return alone is part of a quoted cell."""
    return read_cells(io.StringIO(text, newline="\n"), table.delimiter)


def _find_lines(table: TableLayout, text: str, rows: Iterable[int]) -> dict[int, int]:
    """Find the line on which each of some rows begins, counted from 0."""
    numbers, lines, begins = set(rows), {}, 0
    reader = _read_csv(table, text)
    for number, _ in enumerate(reader):
        if number in numbers:
            lines[number] = begins
        begins = reader.line_num
    return lines


CHUNK_ROWS = 5000  # rows packed at once where they are read one by one
BLOCK_BYTES = 384 * 1024  # of a table, packed at once


class ListPacker:
    """Packs a list as often as it is read, into the same parts each time: tables by blocks."""

    def __init__(self, rows: Rows, columns: ListColumns, resolver: ParamsResolver) -> None:
        self.rows = rows
        self.columns = columns
        self.resolver = resolver
        self.taken: list[tuple[Rows, int]] = []  # rows of each file of the last reading that are not left out

    def parts(self, options: PackingOptions) -> Iterator[ListPart]:
        """Read the list and yield it packed; its records are numbered over all files."""
        self.taken = []
        for file, before in self.rows.by_file():
            taken = 0
            for part in self._parts_in(file, options):
                part.before += before
                taken += part.taken
                yield part
            if not file.records:
                raise ContentError(f"{file.source.label}: there is no row of people in it")
            self.taken.append((file, taken))

    def checked_rows(self, options: PackingOptions) -> Iterator[CheckedRow]:
        """Read the list and yield each row with its problems."""
        options = options._replace(sends=False)
        for file, before in self.rows.by_file():
            for rows in batched(file, CHUNK_ROWS):
                packed = self._pack(file, rows, options)
                for number, row in enumerate(rows):
                    row.record += before
                    row.raw = row.raw or (file.by_column(row.unchanged),)
                    problems = [Problem(*problem) for problem in packed.problems.get(number, [])]
                    yield CheckedRow(row, None, problems)

    def decide_conditions(self) -> None:
        """Read, in every file, what the columns say that conditions ask for yes or no; raise ContentError.

        Nothing more is read once each of them is known to be text.
        """
        undecided = self.columns.undecided
        if not undecided:
            return
        answers = {where.column: CellAnswers() for where in undecided}
        for file in self.rows.files:
            with closing(self._parts_in(file, PackingOptions())) as parts:
                for part in parts:
                    for column, asked in part.packed.asked.items():
                        places = map(part.place, asked.rows)
                        answers[column].add(asked, (file.place(row.line, row.record) for row in places))
                    if all(is_text(where.column, answers[where.column]) for where in undecided):
                        break
        self.columns.decide(answers, self.rows.source.label)

    def _parts_in(self, file: Rows, options: PackingOptions) -> Generator[ListPart, None, None]:
        """Read a file and yield it packed; its records are numbered by themselves."""
        if file.table:
            yield from self._packed_blocks(file.table, options)
            return
        for rows in batched(file, CHUNK_ROWS):
            lines = {number: row.line for number, row in enumerate(rows)}
            packed = self._pack(file, rows, options)
            yield ListPart(packed, len(rows), lines, before=rows[0].record - 1)
        self.columns.check_options(file)

    def _packed_blocks(self, table: TableRows, options: PackingOptions) -> Iterator[ListPart]:
        runner = BlockRunner(
            table, self._task, on_header=lambda: self.columns.check_header(table), block_bytes=BLOCK_BYTES
        )
        table.records = 0
        try:
            for block, part in runner.run(options):
                part.lines = {row: block.line + line for row, line in part.lines.items()}
                table.repeated_headers += [part.lines[row] for row in part.headers]
                part.before = table.records
                table.records = part.last
                yield part
        except UnreadableError:
            for _ in table:  # reading by lines raises the error with its line
                pass
            raise ContentError(f"{table.source.label} cannot be read as {table.source.format_name}") from None
        finally:
            runner.close()
        table.warnings += table.skipped

    def _task(self, rows: TableRows) -> Task:
        """Return what packs a block of a table whose header was read."""
        roles, width = self.columns.roles(rows.cell_fields), len(rows.cell_fields)
        return partial(pack_block, TableLayout(rows.delimiter, width, rows.header, roles, self.resolver))

    def _pack(self, file: Rows, rows: list[Row], options: PackingOptions) -> PackedRows:
        names, cells = self._columns_of(file, rows)
        problems = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        roles = self.columns.roles(names)
        packed = roles.pack(cells, len(rows), self.resolver, options, problems)
        packed.answers = roles.count_answers(cells, options, packed.left_out)
        return packed

    def _columns_of(self, file: Rows, rows: list[Row]) -> tuple[list[str], list[list[Any]]]:
        """Return the names of the columns that some rows have, and their cells."""
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        self.columns.check_names(names, file)
        return names, [[row.values.get(name, "") for row in rows] for name in names]
