"""A list that is read and packed: a table block by block, other formats some rows at a time."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.rows import Block, Row, Rows, TableRows
from ..validation.block_runner import BlockRunner, UnreadableError
from ..validation.result import CheckedRow
from .answers import CellAnswers, is_text
from .blocks import AnswersInBlock, PackedBlock, TableLayout, find_answers, pack_block
from .list_columns import ListColumns
from .operation_params import ParamsResolver
from .operations import Operations
from .packing import PackedRows, PackingOptions, Purpose
from .rows import UserRows

CHUNK_ROWS = 5000  # rows packed at once where they are read one by one
BLOCK_BYTES = 384 * 1024  # of a table, packed at once

# What columns say in some rows, and what names one of these.
FoundAnswers = tuple[dict[str, CellAnswers], Callable[[int], str]]


class Part(NamedTuple):
    """Some packed rows of a list."""

    packed: PackedRows
    records: Sequence[int]  # the number of each row in the file
    lines: dict[int, int]  # of rows with problems

    def place(self, row: int) -> Row:
        """Return the place of a row in the file."""
        return Row(self.lines.get(row, 0), {}, record=self.records[row])

    @property
    def operations(self) -> Iterator[Operations]:
        """Yield the operations, with record numbers in place of rows."""
        return (each.with_records(self.records) for each in self.packed.operations if each)


class ListPacker:
    """Packs a list, as often as it is read; the parts are the same each time."""

    def __init__(self, rows: Rows, columns: ListColumns, resolver: ParamsResolver) -> None:
        rows.sensitive = rows.numbers_repeated_columns = True
        self.rows: Rows = UserRows(rows)
        self.columns = columns
        self.resolver = resolver
        self._reader = rows
        self._blocks = self._new_runner(pack_block) if rows.table else None

    @property
    def notes(self) -> list[str]:
        """Return the remarks of the reader about the file."""
        return self._reader.notes

    def resolve_with(self, resolver: ParamsResolver) -> None:
        """Resolve parameters with another resolver from the next reading on."""
        self.resolver = resolver
        if self._blocks:
            self._blocks.close()  # its task has the earlier one

    def close(self) -> None:
        """End the worker processes, and close the file."""
        if self._blocks:
            self._blocks.close()
        self._reader.source.close()

    def parts(self, options: PackingOptions) -> Iterator[Part]:
        """Read the list and yield it packed."""
        if self._blocks:
            yield from self._pack_blocks(self._blocks, options)
            return
        for rows in self._chunks():
            lines = {number: row.line for number, row in enumerate(rows)}
            yield Part(self._pack(rows, options), [row.record for row in rows], lines)
        self.columns.check_options(self.rows)

    def add_answers(self, found: dict[str, CellAnswers]) -> None:
        """Read what the columns say that conditions ask for yes or no, until each is known to be text."""
        asking = self.columns.asking
        with closing(self._block_answers() if self._reader.table else self._chunk_answers()) as parts:
            for answers, place_of in parts:
                for column in {where.column for where in asking}:
                    found[column].add(answers[column], map(place_of, answers[column].rows))
                if all(is_text(where.column, found[where.column]) for where in asking):
                    break

    def _block_answers(self) -> Generator[FoundAnswers, None, None]:
        runner = self._new_runner(find_answers)
        try:
            for block, found in runner.run():
                yield found.answers, partial(self._name_row, block, found)
        except UnreadableError:
            self._raise_content_error()
        finally:
            runner.close()

    def _chunk_answers(self) -> Generator[FoundAnswers, None, None]:
        for rows in self._chunks():
            names, cells = self._columns_of(rows)
            unread = {number for number, row in enumerate(rows) if row.problem}
            answers = self.columns.roles(names).find_answers(cells, len(rows), unread)
            yield answers, partial(self._name_record, rows)
        self.columns.check_options(self.rows)

    def _name_record(self, rows: list[Row], row: int) -> str:
        return self.rows.place(rows[row].line, rows[row].record)

    def _name_row(self, block: Block, found: AnswersInBlock, row: int) -> str:
        return self.rows.place(block.line + found.lines[row], 0)

    def checked_rows(self, options: PackingOptions) -> Iterator[CheckedRow]:
        """Read the list and yield each row with its problems."""
        options = options._replace(purpose=Purpose.VALIDATE)
        for rows in self._chunks():
            packed = self._pack(rows, options)
            for number, row in enumerate(rows):
                yield CheckedRow(row, None, [Problem(*found) for found in packed.problems.get(number, [])])

    def _pack_blocks(self, blocks: BlockRunner, options: PackingOptions) -> Iterator[Part]:
        before = 0
        try:
            for block, result in blocks.run(options):
                records = _record_numbers(before, result)
                before += result.rows - len(result.blank)
                lines = {row: block.line + at for row, at in result.lines.items()}
                yield Part(result.packed, records, lines)
        except UnreadableError:
            self._raise_content_error()

    def _new_runner(self, task: Callable[..., Any]) -> BlockRunner:
        """Return what runs a task on blocks of the table; it gets what the columns are."""

        def make_task(rows: TableRows) -> Callable[..., Any]:
            roles = self.columns.roles(rows.cell_fields)
            return partial(task, TableLayout(rows.delimiter, roles, self.resolver))

        reader = self._reader
        assert reader.table
        return BlockRunner(
            reader.table,
            make_task,
            on_header=lambda: self.columns.check_header(reader),
            block_bytes=BLOCK_BYTES,
        )

    def _chunks(self) -> Iterator[list[Row]]:
        rows = iter(self.rows)
        while chunk := list(islice(rows, CHUNK_ROWS)):
            yield chunk

    def _pack(self, rows: list[Row], options: PackingOptions) -> PackedRows:
        names, cells = self._columns_of(rows)
        problems = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        return self.columns.roles(names).pack(cells, len(rows), self.resolver, options, problems)

    def _columns_of(self, rows: list[Row]) -> tuple[list[str], list[list[Any]]]:
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        self.columns.check_names(names, self._reader)
        return names, [[row.values.get(name, "") for row in rows] for name in names]

    def _raise_content_error(self) -> NoReturn:
        """Read by lines what could not be packed, which raises the error with its line."""
        for _ in self._reader:
            pass
        source = self._reader.source
        raise ContentError(f"{source.label} cannot be read as {source.format.name}")


def _record_numbers(before: int, block: PackedBlock) -> Sequence[int]:
    """Number the rows of a block as records of the file; blank rows are not counted."""
    if not block.blank:
        return range(before + 1, before + 1 + block.rows)
    blank, records = set(block.blank), []
    for row in range(block.rows):
        before += row not in blank
        records.append(before)
    return records
