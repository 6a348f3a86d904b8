"""Every row against every rule, before the first request goes."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any, cast

from ..errors import ContentError
from ..feeds.formats.csv import BLOCK_BYTES
from ..feeds.rows import Block, Row, Rows, TableRows, map_hint
from ..output.text import counted
from ..suggestions import closest
from ..uploads.upload import Batch, Batches, EncodedRows, RowUpload
from .duplicates import Duplicates
from .process_pool import ProcessPool
from .report import ValidationReport
from .row_validator import Checked, RowValidator, ValidationResult, work_on

FIRST_COLUMNS = 5
SOME = 1000  # rows that are judged at once, where they come one by one


class UnreadableError(Exception):
    """A block cannot be read; who reads row by row says why, or reads on."""


class Validator:
    """Checks the rows of a file, as often as they are read, always with the same verdict."""

    packing = ""  # what else decides which rows are sent
    sends_all = True  # of the rows that are valid
    block = BLOCK_BYTES  # bytes of a table that are worked on at once

    def __init__(self, rows: Rows, upload: type[RowUpload]) -> None:
        self.rows = rows
        self.upload = upload
        self.judge = RowValidator(upload)
        self._table = rows.table  # where it can be cut into blocks
        self._workers: ProcessPool[Any] | None = None

    def run(self, tick: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read everything and say what is wrong; `tick` hears the count of rows now and then."""
        self._tick = tick
        try:
            repeats = self.sum_up(self._of_blocks("verdict") if self._table else self.in_turn())
            if self._table and not self.findings.rows:
                raise UnreadableError
        except UnreadableError:
            self._table = None
            repeats = self.sum_up(self.in_turn())
        if (candidates := repeats.found()) and (places := self._places(candidates)):
            self.judge.repeated, self.judge.crowded = places, self.rows.several_per_line
            self._dismiss()  # they have a judge who does not know
            self.sum_up(self.in_turn())
        return self.findings

    def sum_up(self, verdicts: Iterable[ValidationResult]) -> Duplicates:
        """Add verdicts up; give what may not repeat."""
        self.findings, repeats = ValidationReport(), Duplicates()
        for verdict in verdicts:
            verdict.moved(self.findings.rows)
            self.findings.rows += verdict.rows
            for line, record, problems in verdict.wrong:
                self.findings.add(Row(line, {}, record=record), problems)
            repeats.update(verdict.uniques)
            self.note(verdict)
            self._tick(self.findings.rows)
        self.findings.warnings = [*self.rows.notes, *self._unknown_columns()]
        return repeats

    def note(self, verdict: ValidationResult) -> None:
        """Take in what a verdict says beside what is wrong."""

    def by_blocks(self, *how: Any) -> Iterator[tuple[Block, Any]]:
        """Have the table worked on block by block, in several processes where that pays.

        Gives each block with what came of it; raises UnreadableError.
        """
        rows = cast(TableRows, self._table)
        blocks = rows.blocks(self.block)
        first = next(blocks, None)  # with which the header is known
        self._demand_columns()
        if self._workers is None:
            self._workers = ProcessPool(self.work(rows), rows.source.size)
        for block, made in self._workers.each(chain([first] if first else [], blocks), *how):
            if made is None:
                raise UnreadableError
            yield block, made

    def work(self, rows: TableRows) -> Callable[..., Any]:
        """Make what is done with a block of these rows, and gives None where it cannot be read."""
        return partial(work_on, self.judge, rows)

    def _of_blocks(self, *how: Any) -> Iterator[Any]:
        return (made for _, made in self.by_blocks(*how))

    def _dismiss(self) -> None:
        if self._workers:
            self._workers.close()
            self._workers = None

    def in_turn(self) -> Iterator[ValidationResult]:
        """RowValidator rows of any format as they come."""
        return map(self.judge.verdict, _some(self._read()))

    def _read(self) -> Iterator[Row]:
        """Read the file anew; of a table, demand the columns that every row needs."""
        rows = iter(self.rows)
        first = list(islice(rows, 1))
        self._demand_columns()
        return chain(first, rows)

    @property
    def due(self) -> int:
        """Count the rows of a file that was checked that are to be sent."""
        return self.findings.valid

    @property
    def batch_count(self) -> int:
        """Count the batches of a file that was checked."""
        return -(-self.due // self.upload.size)

    @staticmethod
    def begun(threads: int) -> int:
        """Say how many batches may be under way or wait for a thread."""
        return 2 * threads

    def rehearsal(self) -> Iterable[Batch]:
        """Give the batches that a dry run writes down."""
        return self.batches()

    def batches(self) -> Batches:
        """Cut the valid rows into batches, the same ones each time."""
        number, left, size = 0, EncodedRows(), self.upload.size
        for ready in self._ready():
            left.extend(ready)
            whole = len(left) - len(left) % size
            for at in range(0, whole, size):
                part = left.part(at, at + size)
                yield Batch(number, part, part.places)
                number += 1
            left = left.part(whole, len(left))
        if left.uniques:
            yield Batch(number, left, left.places)

    def _ready(self) -> Iterator[EncodedRows]:
        """Make the valid rows ready to be sent."""
        all_sound = not self.findings.invalid
        if not (self._table and self.sends_all):
            yield from (self.judge.ready(some, all_sound) for some in _some(iter(self.to_send())))
            return
        before = 0
        for ready in self._of_blocks("ready", all_sound):
            ready.moved(before)
            before += ready.rows
            yield ready
        self._dismiss()

    def __iter__(self) -> Iterator[Checked]:
        """Read the file anew and check each row."""
        return self.judge.judged(self._read(), self.judge.broken)

    def to_send(self) -> Iterable[Row]:
        """Read the file anew, and give at least the rows that are to be sent or to be refused."""
        return self.rows

    def again(self) -> Iterator[Checked]:
        """Check those rows once more."""
        return self.judge.judged(self.to_send(), self.judge.broken)

    def _demand_columns(self) -> None:
        """Refuse a table that has no column for what every row needs."""
        if not self.rows.has_header:
            return
        missing = [name for name in self.upload.required if name not in self.rows.fields]
        if missing:
            strange = [name for name in self.rows.columns if name not in self.upload.known]
            hints = (meant for name in missing if (meant := map_hint(name, strange)))
            raise ContentError(
                f"{self.rows.source.label}: no column {', '.join(map(repr, missing))}",
                hint="; ".join(hints) or f"the file's columns are: {', '.join(self.rows.columns)}",
            )

    def _unknown_columns(self) -> list[str]:
        """Tell of columns that are left out, those first that may be meant for another."""
        columns = zip(self.rows.columns, self.rows.fields, strict=True)
        known = self.upload.known
        told = []
        for column, name in columns:
            if name not in known:
                meant = closest(name.removeprefix("g:"), known)
                told.append(f"{column!r} (did you mean {meant!r}?)" if meant else repr(column))
        if not told:
            return []
        first = sorted(told, key=lambda text: not text.endswith("?)"))[:FIRST_COLUMNS]
        more = f", and {len(told) - len(first)} more" if len(told) > len(first) else ""
        are = "is" if len(told) == 1 else "are"
        return [f"{counted(len(told), 'column')} {are} not known and left out: {', '.join(first)}{more}"]

    def _places(self, candidates: set[int]) -> dict[str, list[tuple[int, int]]]:
        """Find the places of the ids that repeat; hashes may agree by chance, ids do not."""
        places: dict[str, list[tuple[int, int]]] = {}
        for row in self.rows:
            unique = row.values.get(self.upload.unique)
            if isinstance(unique, str) and hash(unique) in candidates:
                places.setdefault(unique, []).append((row.line, row.record))
        return {unique: found for unique, found in places.items() if len(found) > 1}


def _some(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while some := list(islice(rows, SOME)):
        yield some
