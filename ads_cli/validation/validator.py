"""Validate every row of a file, before the first request is sent."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from hashlib import blake2b
from itertools import chain
from typing import Any

import msgspec

from ..api.validation import can_warn
from ..feeds.row import Row
from ..feeds.rows import Block, Rows, TableRows
from ..parallel import batched
from ..parallel.process_pool import ProcessPool, uses_processes
from . import (
    CheckedRow,
    EncodedRows,
    FeedStats,
    KeptRun,
    RowEncoder,
    RowKeeper,
    RowPosition,
    RowSchema,
    RowSpool,
    Selection,
    ValidationResult,
    add_changes,
    unpack,
)
from .report import ValidationReport, missing_columns, unknown_columns, unsent_columns, unused_mapping
from .row_validator import Duplicates, RepeatedIds, RowValidator, run_on_block

CHUNK_ROWS = 1000  # rows validated at once where they are read one by one

OnProgress = Callable[[int], None]  # called now and then with the number of rows read


Task = Callable[..., Any]  # called with a block and further arguments; returns None where it is unreadable


class UnreadableError(Exception):
    """A block cannot be parsed; reading row by row tells why, or succeeds."""


class BlockRunner:
    """Run a task on each block of a table, as often as the table is read."""

    block_bytes = 256 * 1024

    def __init__(
        self,
        rows: TableRows,
        make_task: Callable[[TableRows], Task],
        *,
        on_header: Callable[[], None],
        block_bytes: int | None = None,
    ) -> None:
        self._rows = rows
        self._make_task = make_task  # called once the header is known
        self._on_header = on_header
        if block_bytes is not None:
            self.block_bytes = block_bytes
        self._pool: ProcessPool[Any] | None = None

    def run(self, *args: Any) -> Iterator[tuple[Block, Any]]:
        """Yield each block with the result of the task; raise UnreadableError."""
        blocks = self._rows.blocks(self.block_bytes)
        first = next(blocks, None)  # the header is known from here on
        self._on_header()
        if self._pool is None:
            self._pool = ProcessPool(self._make_task(self._rows), self._rows.source.size)
        for block, result in self._pool.each(chain([first] if first else [], blocks), *args):
            if result is None:
                raise UnreadableError
            yield block, result

    def results(self, *args: Any) -> Iterator[Any]:
        """Yield the results alone."""
        return (result for _, result in self.run(*args))

    def close(self) -> None:
        """End the worker processes; the next run starts new ones, with a new task."""
        if self._pool:
            self._pool.close()
            self._pool = None


class Validator:
    """Validates the rows of a file as often as it is read, always with the same result."""

    def __init__(
        self,
        rows: Rows,
        schema: RowSchema,
        selection: Selection | None = None,
        *,
        strict: bool = False,
        for_sending: bool = False,
    ) -> None:
        self.rows = rows
        self.schema = schema
        self.selection = selection
        self.strict = strict  # warnings are errors
        self.report = ValidationReport()
        self.stats: FeedStats | None = None  # gathered from the rows, once all were read
        selector = selection.selector if selection else None
        self._row_validator = RowValidator(schema, selector, rows.transform, strict)
        # A large table is not kept: several processes read it again, while requests are on their way.
        is_large = rows.table and uses_processes(rows.source.size)
        if for_sending and (not is_large or (selection and selection.selects_few)):
            self.keep(partial(RowEncoder, schema))
        self.kept: RowSpool | None = None  # what `keep` asked for
        self._with_values: dict[str, Any] = {}  # columns that are not sent, with a value of each
        self._on_progress: OnProgress = lambda rows: None
        if rows.table:
            rows.table.required = {*schema.required} - rows.transform.fields
        self._blocks = rows.table and BlockRunner(
            rows.table, self._make_task, on_header=self._require_columns
        )

    def gather(self, make_stats: Callable[[], FeedStats]) -> None:
        """Gather statistics of the rows of each run in what this makes."""
        self._row_validator.make_stats = make_stats

    def keep(self, make_keeper: Callable[[], RowKeeper]) -> None:
        """Keep of the rows of each run what the picklable `make_keeper` makes collects."""
        self._row_validator.make_keeper = make_keeper

    def validate(self, on_progress: OnProgress = lambda rows: None) -> ValidationReport:
        """Read the whole file and return the report; raise ContentError where it cannot be read."""
        self._on_progress = on_progress
        try:
            duplicates = self._collect(self._validate())
        except UnreadableError:
            self._blocks = None
            duplicates = self._collect(self._validate())
        if (hashes := duplicates.repeated()) and (forms := self._positions(hashes)):
            repeated = RepeatedIds(self.schema, self.rows, self.rows.transform.keep)
            for positions in forms:
                repeated.add(positions)
            self._row_validator.repeated = repeated
            self._close()  # the worker processes have a validator that knows of no duplicates
            self._collect(self._validate())
        if self.kept:
            self._close()  # the file is not read again
        return self.report

    def select_again(self) -> None:
        """Validate every row again, after the selection's rule has changed."""
        self._collect(self._validate_rows())

    def encoded_rows(self) -> Iterator[EncodedRows]:
        """Read the file again and yield the rows to send, encoded."""
        all_valid = not self.report.invalid
        if self.kept and self.kept.are_complete:
            yield from map(unpack, self.kept)
            return
        if not self._blocks or (self.selection and self.selection.selects_few):
            for rows in batched(self._rows_to_send(), CHUNK_ROWS):
                yield self._row_validator.encode(rows, all_valid)
            return
        before = 0
        for encoded in self._blocks.results("encode", all_valid):
            encoded.renumber(before)
            before += encoded.rows
            yield encoded
        self._close()

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems, but for skipped rows."""
        return self._row_validator.check(self._rows_to_send(), self._row_validator.rules)

    def fixed_rows(self) -> Iterator[Row]:
        """Read the file again and yield the rows that fixes have changed."""
        checked_rows = self._row_validator.check(self.rows, self._row_validator.rules)
        return (checked.row for checked in checked_rows if checked.row.changes)

    def _rows_to_send(self) -> Iterable[Row]:
        return self.selection.rows_to_send(self.rows) if self.selection else self.rows

    def _collect(self, results: Iterable[ValidationResult]) -> Duplicates:
        """Add the results to a new report; return the ids that were seen."""
        transform, duplicates = self.rows.transform, Duplicates()
        self.report = ValidationReport(
            can_leave_out=transform.leaves_out,
            can_warn=can_warn(self.schema.struct),
            can_fix=bool(transform.fixes),
        )
        if self.selection:
            self.selection.clear()
        stats = self._row_validator.make_stats() if self._row_validator.make_stats else None
        self.stats = None
        self._with_values = {}
        self.kept = RowSpool() if self._row_validator.make_keeper else None
        for result in results:
            before = self.report.rows
            if self.kept:
                self.kept.add(KeptRun(result.kept, before))
            self.report.add_later(result.problems, before)
            self.report.rows += result.rows
            self.report.left_out += result.left_out
            add_changes(self.report.fixed, result.fixed, before)
            duplicates.update(result.id_forms)
            self._with_values = result.with_values | self._with_values
            if stats is not None:
                stats.add(result.stats, before)
            if self.selection:
                self.selection.add(result.selection)
            self._on_progress(self.report.rows)
        if self.report.rows and self.rows.columns:
            self.report.report_missing(self._missing_columns())
        unknown = unknown_columns(
            self.rows, self.schema.known, self._with_values, self.schema.advisor, self.report.missing
        )
        self.report.notes = [*self.rows.notes, *unknown]
        self.report.warnings = [*self.rows.warnings, *unused_mapping(self.rows)]
        if self.report.left_out == self.report.rows:
            self.report.warnings.append("every row is left out")
        self.stats = stats
        return duplicates

    def _validate(self) -> Iterator[ValidationResult]:
        return self._validate_blocks() if self._blocks else self._validate_rows()

    def _validate_blocks(self) -> Iterator[ValidationResult]:
        """Validate a table by blocks. Raise UnreadableError if one cannot be read, or none has a row."""
        assert self._blocks
        any_row = False
        for result in self._blocks.results("validate"):
            any_row = any_row or bool(result.rows)
            yield result
        if not any_row:
            raise UnreadableError

    def _validate_rows(self) -> Iterator[ValidationResult]:
        """Validate rows of any format as they are read."""
        for rows in batched(self._read(), CHUNK_ROWS):
            self._find_unsent()
            yield self._row_validator.validate(rows)

    def _read(self) -> Iterator[Row]:
        """Read the file again; require the columns of a table."""
        rows = iter(self.rows)
        first = next(rows, None)  # the header is known from here on
        self._require_columns()
        return chain([first] if first else [], rows)

    def _require_columns(self) -> None:
        if self.rows.has_header:  # records may each have other fields
            self.report.missing = self._missing_columns()
        self._find_unsent()

    def _missing_columns(self) -> dict[str, str]:
        schema = self.schema
        return missing_columns(self.rows, schema.required, schema.known, schema.advisor, self._with_values)

    def _find_unsent(self) -> None:
        """Name the columns that are not sent and have no value so far. Later records may have new columns."""
        self._row_validator.unsent = unsent_columns(self.rows, self.schema.known).difference(
            self._with_values
        )

    def _make_task(self, rows: TableRows) -> Callable[..., Any]:
        return partial(run_on_block, self._row_validator, rows)

    def _close(self) -> None:
        if self._blocks:
            self._blocks.close()

    def _positions(self, hashes: set[int]) -> list[dict[str, list[RowPosition]]]:
        """Find the rows of ids that are repeated, or alike, by form. Different forms may share a hash."""
        transform, id_form = self.rows.transform, self.schema.id_form
        positions: dict[str, dict[str, list[RowPosition]]] = {}
        for row in self.rows:
            transform.fix_texts(row)
            row_id = row.values.get(self.schema.id_field)
            if isinstance(row_id, str) and hash(form := id_form(row_id)) in hashes and not row.left_out:
                transform.fix_rules(row)  # rows may be identical then
                position = RowPosition(row.line, row.record, self._content(row))
                positions.setdefault(form, {}).setdefault(row_id, []).append(position)
        return [by_id for by_id in positions.values() if sum(map(len, by_id.values())) > 1]

    @cached_property
    def _tells_apart(self) -> Callable[[str], bool]:
        """Tells whether rows that differ in a column, which is not sent, are no duplicates."""
        return self.schema.advisor().tells_apart if self.schema.advisor else lambda column: False

    def _content(self, row: Row) -> bytes:
        compared = [name for name in self.schema.known if name in row.values]
        compared += sorted(name for name in row.values.keys() - {*compared} if self._tells_apart(name))
        content = [(name, row.values[name]) for name in compared]
        return blake2b(msgspec.msgpack.encode((content, row.problem)), digest_size=16).digest()
