"""Every row against every rule, before the first request goes."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

from ..api.check import Problem
from ..errors import ContentError
from ..nearest import closest
from ..output.text import counted
from .findings import Findings
from .judge import Checked, Judge, Verdict, judged_block
from .read import Row, Rows, map_hint
from .read_csv import BLOCK, CsvRows
from .repeats import Repeats
from .upload import Batch, Batches, RowUpload
from .workers import Workers

FIRST_COLUMNS = 5
SOME = 1000  # rows that are judged at once, where they come one by one

Refuse = Callable[[Row, str], None]  # hears of a row that is not sent, and why


class UnreadableError(Exception):
    """A block cannot be read; who reads row by row says why, or reads on."""


def _no_problems(item: Any) -> list[Problem]:
    return []


class Check:
    """Checks the rows of a file, as often as they are read, always with the same verdict."""

    tells_late = False  # whether batches hold no rows, so that those refused are looked up at the end
    packing = ""  # what else decides which rows are sent

    def __init__(self, rows: Rows, upload: type[RowUpload]) -> None:
        self.rows = rows
        self.upload = upload
        self.judge = Judge(upload)

    def run(self, tick: Callable[[int], None] = lambda rows: None) -> Findings:
        """Read everything and say what is wrong; `tick` hears the count of rows now and then."""
        self._tick = tick
        try:
            verdicts = self._by_blocks(self.rows) if isinstance(self.rows, CsvRows) else self.in_turn()
            repeats = self.sum_up(verdicts)
        except UnreadableError:
            repeats = self.sum_up(self.in_turn())
        if (candidates := repeats.found()) and (places := self._places(candidates)):
            self.judge.repeated, self.judge.crowded = places, self.rows.crowded
            self.sum_up(self.in_turn())
        return self.findings

    def sum_up(self, verdicts: Iterable[Verdict]) -> Repeats:
        """Add verdicts up; give what may not repeat."""
        self.findings, repeats = Findings(), Repeats()
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

    def note(self, verdict: Verdict) -> None:
        """Take in what a verdict says beside what is wrong."""

    def _by_blocks(self, rows: CsvRows) -> Iterator[Verdict]:
        """Judge a table block by block, in several processes where that pays."""
        blocks = rows.blocks(BLOCK)
        first = next(blocks, None)  # with which the header is known
        self._demand_columns()
        workers = Workers(partial(judged_block, self.judge, rows), rows.source.size)
        try:
            for _, verdict in workers.each(chain([first] if first else [], blocks)):
                if verdict is None:
                    raise UnreadableError
                yield verdict
        finally:
            workers.close()
        if not self.findings.rows:
            raise UnreadableError

    def in_turn(self) -> Iterator[Verdict]:
        """Judge rows of any format as they come."""
        rows = self._read()
        while some := list(islice(rows, SOME)):
            yield self.judge.verdict(some)

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
        return self.batches(lambda row, reason: None)

    def batches(self, refuse: Refuse) -> Batches:
        """Cut the valid rows into batches, the same ones each time."""
        number = 0
        rows: list[Row] = []
        items: list[Any] = []
        # Where no row is invalid, each has stood up to every rule.
        rules = self.judge.broken if self.findings.invalid else _no_problems
        for checked in self.judge.judged(self.to_send(), rules):
            if checked.item is None:
                refuse(checked.row, checked.reasons)
                continue
            rows.append(checked.row)
            items.append(checked.item)
            if len(items) == self.upload.size:
                yield Batch(number, rows, items)
                rows, items, number = [], [], number + 1
        if items:
            yield Batch(number, rows, items)

    def __iter__(self) -> Iterator[Checked]:
        """Read the file anew and check each row."""
        return self.judge.judged(self._read(), self.judge.broken)

    def to_send(self) -> Iterable[Row]:
        """Read the file anew, and give at least the rows that are to be sent or to be refused."""
        return self.rows

    def _demand_columns(self) -> None:
        """Refuse a table that has no column for what every row needs."""
        if not self.rows.has_header:
            return
        missing = [name for name in self.upload.required if name not in self.rows.fields]
        if missing:
            strange = [name for name in self.rows.columns if name not in self.upload.known]
            hints = (meant for name in missing if (meant := map_hint(name, strange)))
            raise ContentError(
                f"{self.rows.source.name}: no column {', '.join(map(repr, missing))}",
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
