"""A list that is read and packed: a table block by block, other formats some rows at a time."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from ..api.problems import Problem
from ..errors import ContentError
from ..feeds.rows import Row, Rows, TableRows
from ..validation.block_runner import BlockRunner, UnreadableError
from ..validation.result import CheckedRow
from .blocks import PackedBlock, TableLayout, pack_block
from .list_columns import ListColumns
from .operation_params import ParamsResolver
from .operations import Operations
from .packing import PackedRows, PackingOptions, Purpose
from .rows import UserRows

CHUNK_ROWS = 5000  # rows packed at once where they are read one by one
BLOCK_BYTES = 384 * 1024  # of a table, packed at once


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
        self._blocks = rows.table and BlockRunner(
            rows.table, self._make_task, on_header=lambda: columns.check_header(rows), block_bytes=BLOCK_BYTES
        )

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

    def _make_task(self, rows: TableRows) -> Callable[..., PackedBlock | None]:
        roles = self.columns.roles(rows.cell_fields)
        return partial(pack_block, TableLayout(rows.delimiter, roles, self.resolver))

    def _chunks(self) -> Iterator[list[Row]]:
        rows = iter(self.rows)
        while chunk := list(islice(rows, CHUNK_ROWS)):
            yield chunk

    def _pack(self, rows: list[Row], options: PackingOptions) -> PackedRows:
        names = list(dict.fromkeys(name for row in rows for name in row.values))
        self.columns.check_names(names, self._reader)
        cells: list[list[Any]] = [[row.values.get(name, "") for row in rows] for name in names]
        problems = {number: [("", row.problem)] for number, row in enumerate(rows) if row.problem}
        return self.columns.roles(names).pack(cells, len(rows), self.resolver, options, problems)

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
