"""A list that is read and packed: a table block by block, other formats some rows at a time."""

import csv
import io
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.formats.csv import read_cells
from ..feeds.header import Header, width_problem
from ..feeds.row import Row
from ..feeds.rows import Block, FileRows, Rows, TableRows
from ..parallel import batched
from ..validation import CheckedRow
from ..validation.validator import BlockRunner, UnreadableError
from .consent import CellAnswers, is_text
from .list_columns import ColumnRoles, ListColumns, UndecidedColumns
from .operations import Operations, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow, Purpose
from .user_rows import UserRows

if TYPE_CHECKING:
    import _csv


class TableLayout(NamedTuple):
    """How the rows of a table are written."""

    delimiter: str
    width: int  # cells of a row
    header: Header

    @classmethod
    def of(cls, rows: TableRows) -> "TableLayout":
        """Return the layout of a table whose header was read."""
        return cls(rows.delimiter, len(rows.cell_fields), rows.header)


class UserLayout(NamedTuple):
    """How the rows of a table become users."""

    table: TableLayout
    roles: ColumnRoles
    resolver: ParamsResolver


class AnswersInBlock(NamedTuple):
    """What undecided columns say in a block."""

    answers: dict[str, CellAnswers]
    lines: dict[int, int]  # of the rows that they name, counted from 0
    rows: int


class PackedBlock(NamedTuple):
    """The packed rows of a block, numbered from 0 as they were packed."""

    packed: PackedRows
    rows: int
    blank: list[int]  # rows without any value, which are not counted as records; repeated headers too
    lines: dict[int, int]  # of rows with problems and headers, counted from 0 in what was packed
    headers: Sequence[int] = ()  # rows that repeat the header

    def records(self, before: int) -> Sequence[int]:
        """Return the record of each row, after `before` records. A blank row is not a record."""
        if not self.blank:
            return range(before + 1, before + 1 + self.rows)
        blank, records = {*self.blank}, []
        for row in range(self.rows):
            before += row not in blank
            records.append(before)
        return records


def pack_block(layout: UserLayout, block: Block, options: PackingOptions) -> PackedBlock | None:
    """Pack the rows of a block. Return None if it cannot be parsed: reading it by lines tells why."""
    if (parsed := _parse_block(layout.table, block)) is None:
        return None
    text, cells, problems, headers = parsed
    rows = len(cells[0]) if cells else 0
    packed = layout.roles.pack(cells, rows, layout.resolver, options, problems)
    not_packed = [*packed.problems, *packed.left_out]
    # A blank row was packed as a row without an identifier. Nothing of that is kept.
    blank = [row for row in not_packed if not any(column[row].strip() for column in cells)]
    packed.left_out = {*packed.left_out}.difference(blank)
    for row in blank:
        packed.problems.pop(row, None)
    packed.answers = layout.roles.count_answers(cells, options, [*packed.left_out, *blank])
    reported = {*packed.problems, *packed.partial, *packed.doubts, *headers}
    lines = _find_lines(layout.table, text, reported) if reported else {}
    return PackedBlock(packed, rows, blank, lines, headers)


def find_answers(table: TableLayout, undecided: UndecidedColumns, block: Block) -> AnswersInBlock | None:
    """Find what undecided columns say in a block; return None where it cannot be parsed."""
    if (parsed := _parse_block(table, block)) is None:
        return None
    text, cells, problems, _ = parsed
    rows = len(cells[0]) if cells else 0
    answers = undecided.find_answers(cells, rows, problems.keys())
    named = {row for own in answers.values() for row in own.rows}
    return AnswersInBlock(answers, _find_lines(table, text, named) if named else {}, rows)


def _parse_block(
    table: TableLayout, block: Block
) -> tuple[str, list[Sequence[str]], ProblemsByRow, list[int]] | None:
    """Return the text of a block and what `_parse` does; None where it cannot be parsed."""
    try:
        text = block.data.decode()
        return None if "\0" in text else (text, *_parse(table, text))
    except (ValueError, csv.Error):  # it is not UTF-8, or has the header of another table
        return None


def _parse(table: TableLayout, text: str) -> tuple[list[Sequence[str]], ProblemsByRow, list[int]]:
    """Return the columns of a block, the rows with too many cells, and those that repeat the header.

    The cells of a repeated header are empty. Raises ValueError for the header of another table.
    """
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


def _read_csv(table: TableLayout, text: str) -> "_csv.Reader":
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

# What columns say in some rows, and what names one of these.
FoundAnswers = tuple[dict[str, CellAnswers], Callable[[int], str]]


class ListPart(NamedTuple):
    """Some packed rows of a list."""

    packed: PackedRows
    records: Sequence[int]  # the number of each row in the file
    lines: dict[int, int]  # of rows with problems
    last: int  # the number of its last record

    def place(self, row: int) -> Row:
        """Return the place of a row in the file."""
        return Row(self.lines.get(row, 0), {}, record=self.records[row])

    @property
    def operations(self) -> Iterator[Operations]:
        """Yield the operations, with record numbers in place of rows."""
        return (operations.with_records(self.records) for operations in self.packed.operations if operations)


class ListPacker:
    """Packs a list as often as it is read, into the same parts each time."""

    def __init__(self, rows: FileRows, columns: ListColumns, resolver: ParamsResolver) -> None:
        rows.sensitive = rows.numbers_repeated_columns = True
        self.rows: Rows = UserRows(rows)
        self.columns = columns
        self.resolver = resolver
        self._reader = rows
        self._blocks = self._new_runner(self._packing_task) if rows.table else None

    @property
    def notes(self) -> list[str]:
        """Return the remarks of the reader about the file."""
        return self._reader.notes

    @property
    def warnings(self) -> list[str]:
        """Return what the reader left out."""
        return self._reader.skipped

    def resolve_with(self, resolver: ParamsResolver) -> None:
        """Resolve parameters with another resolver from the next reading on."""
        self.resolver = resolver
        self.end_processes()  # their task has the earlier one

    def end_processes(self) -> None:
        """End the worker processes; the next reading starts others."""
        if self._blocks:
            self._blocks.close()

    def close(self) -> None:
        """End the worker processes, and close the file."""
        self.end_processes()
        self._reader.source.close()

    def parts(self, options: PackingOptions, before: int = 0) -> Iterator[ListPart]:
        """Read the list and yield it packed; its records are numbered after those `before` it."""
        if self._blocks:
            yield from self._pack_blocks(self._blocks, options, before)
            return
        for rows in self._chunks():
            lines = {number: row.line for number, row in enumerate(rows)}
            packed = self._pack(rows, options)
            yield ListPart(packed, [before + row.record for row in rows], lines, before + rows[-1].record)
        self.columns.check_options(self.rows)

    def add_answers(self, answers_by_column: dict[str, CellAnswers]) -> None:
        """Read what undecided columns say, until each is known to be text."""
        undecided = self.columns.undecided
        with closing(self._block_answers() if self._reader.table else self._chunk_answers()) as parts:
            for answers, place_of in parts:
                for column, own in answers.items():
                    answers_by_column[column].add(own, map(place_of, own.rows))
                if all(is_text(where.column, answers_by_column[where.column]) for where in undecided):
                    break

    def _block_answers(self) -> Generator[FoundAnswers, None, None]:
        runner = self._new_runner(self._answers_task)
        try:
            for block, in_block in runner.run():
                yield in_block.answers, partial(self._name_row, block, in_block)
        except UnreadableError:
            self._raise_content_error()
        finally:
            runner.close()

    def _chunk_answers(self) -> Generator[FoundAnswers, None, None]:
        for rows in self._chunks():
            names, cells = self._columns_of(rows)
            unread = {number for number, row in enumerate(rows) if row.problem}
            answers = self.columns.undecided_in(names).find_answers(cells, len(rows), unread)
            yield answers, partial(self._name_record, rows)
        self.columns.check_options(self.rows)

    def _name_record(self, rows: list[Row], row: int) -> str:
        return self.rows.place(rows[row].line, rows[row].record)

    def _name_row(self, block: Block, in_block: AnswersInBlock, row: int) -> str:
        return self.rows.place(block.line + in_block.lines[row], 0)

    def checked_rows(self, options: PackingOptions) -> Iterator[CheckedRow]:
        """Read the list and yield each row with its problems."""
        options = options._replace(purpose=Purpose.VALIDATE)
        for rows in self._chunks():
            packed = self._pack(rows, options)
            for number, row in enumerate(rows):
                yield CheckedRow(
                    row, None, [Problem(*problem) for problem in packed.problems.get(number, [])]
                )

    def _pack_blocks(self, blocks: BlockRunner, options: PackingOptions, before: int) -> Iterator[ListPart]:
        try:
            for block, packed_block in blocks.run(options):
                lines = {row: block.line + line for row, line in packed_block.lines.items()}
                records = packed_block.records(before)
                before += packed_block.rows - len(packed_block.blank)
                self._reader.repeated_headers += [lines[row] for row in packed_block.headers]
                yield ListPart(packed_block.packed, records, lines, before)
        except UnreadableError:
            self._raise_content_error()

    def _new_runner(self, make_task: Callable[[TableRows], Callable[..., Any]]) -> BlockRunner:
        """Return what runs a task on blocks of the table."""
        reader = self._reader
        assert reader.table
        return BlockRunner(
            reader.table,
            make_task,
            on_header=lambda: self.columns.check_header(reader),
            block_bytes=BLOCK_BYTES,
        )

    def _packing_task(self, rows: TableRows) -> Callable[..., Any]:
        return partial(pack_block, self._layout(rows))

    def _answers_task(self, rows: TableRows) -> Callable[..., Any]:
        return partial(find_answers, TableLayout.of(rows), self.columns.undecided_in(rows.cell_fields))

    def _layout(self, rows: TableRows) -> UserLayout:
        return UserLayout(TableLayout.of(rows), self.columns.roles(rows.cell_fields), self.resolver)

    def _chunks(self) -> Iterator[list[Row]]:
        return batched(self.rows, CHUNK_ROWS)

    def _pack(self, rows: list[Row], options: PackingOptions) -> PackedRows:
        names, cells = self._columns_of(rows)
        problems = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        roles = self.columns.roles(names)
        packed = roles.pack(cells, len(rows), self.resolver, options, problems)
        packed.answers = roles.count_answers(cells, options, packed.left_out)
        return packed

    def _columns_of(self, rows: list[Row]) -> tuple[list[str], list[list[Any]]]:
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        self.columns.check_names(names, self._reader)
        return names, [[row.values.get(name, "") for row in rows] for name in names]

    def _raise_content_error(self) -> NoReturn:
        """Read by lines what could not be packed, which raises the error with its line."""
        for _ in self._reader:
            pass
        source = self._reader.source
        raise ContentError(f"{source.label} cannot be read as {source.format_name}")
