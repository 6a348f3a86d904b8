"""Every row against every rule, before the first request goes."""

import dataclasses
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from ..api.check import InvalidError, Problem, broken_rules, convert
from ..errors import ContentError
from ..nearest import closest
from ..output.text import counted
from .read import Row, Rows, map_hint
from .repeats import Repeats
from .upload import Batch, Batches, RowUpload

FIRST_LINES = 5
FIRST_COLUMNS = 5
MOST_KINDS = 1000  # of mistakes, that are kept
# What differs from row to row in messages that tell of the same mistake: quoted values and numbers.
PARTICULAR = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,.]*")


Refuse = Callable[[Row, str], None]  # hears of a row that is not sent, and why


class Checked(msgspec.Struct, gc=False):
    """A row, what it was converted to, and what is wrong with it."""

    row: Row
    item: msgspec.Struct | None
    problems: list[Problem]

    @property
    def reasons(self) -> str:
        """Tell every problem in one line."""
        return "; ".join(map(str, self.problems))


@dataclass
class Finding:
    """One mistake, however many rows make it."""

    field: str
    problem: str
    rows: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    records: list[int] = dataclasses.field(default_factory=list)


@dataclass
class Findings:
    """What a whole file is worth."""

    rows: int = 0
    invalid: int = 0
    warnings: list[str] = dataclasses.field(default_factory=list)
    groups: dict[tuple[str, str], Finding] = dataclasses.field(default_factory=dict)
    most: int = MOST_KINDS
    others: int = 0  # mistakes of further kinds

    @property
    def valid(self) -> int:
        """Count the rows that can be sent."""
        return self.rows - self.invalid

    @property
    def verdict(self) -> str:
        """Say how many rows are invalid."""
        return f"{self.invalid:,} of {counted(self.rows, 'row')} invalid"

    def add(self, row: Row, problems: list[Problem]) -> None:
        """Note the problems of one row."""
        self.invalid += 1
        for path, message in problems:
            key = path, PARTICULAR.sub("…", message)
            found = self.groups.get(key)
            if found is None and len(self.groups) == self.most:
                self.others += 1
                continue
            if found is None:
                found = self.groups[key] = Finding(path, message)
            found.rows += 1
            if len(found.lines) < FIRST_LINES:
                found.lines.append(row.line)
                found.records.append(row.record)


def _no_problems(item: Any) -> list[Problem]:
    return []


class Check:
    """Checks the rows of a file, as often as they are read, always with the same verdict."""

    tells_late = False  # whether batches hold no rows, so that those refused are looked up at the end
    packing = ""  # what else decides which rows are sent
    broken = staticmethod(broken_rules)  # of an item that could be converted

    def __init__(self, rows: Rows, upload: type[RowUpload]) -> None:
        self.rows = rows
        self.upload = upload
        self._repeated: dict[str, list[tuple[int, int]]] = {}  # line and record

    def run(self, tick: Callable[[int], None] = lambda rows: None) -> Findings:
        """Read everything and say what is wrong; `tick` hears the count of rows now and then."""
        self.findings = findings = Findings()
        repeats = Repeats()
        for checked in self:
            findings.rows += 1
            if checked.problems:
                findings.add(checked.row, checked.problems)
            if (unique := checked.row.values.get(self.upload.unique)) is not None:
                repeats.add(unique)
            if not findings.rows % 1000:
                tick(findings.rows)
        findings.warnings = [*self.rows.notes, *self._unknown_columns()]
        if candidates := repeats.found():
            self._repeated = self._places(candidates)
            if self._repeated:
                self.findings = self._again(findings)
        return self.findings

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
        broken = self.broken if self.findings.invalid else _no_problems  # every row stood up to every rule
        for checked in self.judged(self.to_send(), broken):
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
        return self.judged(self.rows, self.broken)

    def to_send(self) -> Iterable[Row]:
        """Read the file anew, and give at least the rows that are to be sent or to be refused."""
        return self.rows

    def judged(self, rows: Iterable[Row], rules: Callable[[Any], list[Problem]]) -> Iterator[Checked]:
        """Check each row; `rules` tells which of them an item breaks."""
        convert_item, kind = msgspec.convert, self.upload.item
        for number, row in enumerate(rows):
            if number == 0:
                self._demand_columns()
            if not row.problem and not self._repeated:
                try:  # the way of nearly every row
                    made = convert_item(row.values, kind, strict=False)
                    broken = rules(made)
                    yield Checked(row, None if broken else made, broken)
                    continue
                except msgspec.ValidationError:
                    pass
            yield self._checked(row)

    def _checked(self, row: Row) -> Checked:
        """Find every problem of a row."""
        made, problems = None, [Problem("", row.problem)] if row.problem else []
        if not row.problem:
            try:
                made = convert(self.upload.item, row.values)
            except InvalidError as error:
                problems = list(error.problems)
        unique = row.values.get(self.upload.unique)
        if isinstance(unique, str) and (places := self._repeated.get(unique)):
            crowded, others = self.rows.crowded, [place for place in places if place[1] != row.record]
            first = ", ".join(str(record if crowded else line) for line, record in others[:FIRST_LINES])
            where = ("in record " if crowded else "on line ") + first
            where += ", …" if len(others) > FIRST_LINES else ""
            problem = f"{unique!r} stands {where} too; {self.upload.repeated}"
            problems.append(Problem(self.upload.unique, problem))
        return Checked(row, None if problems else made, problems)

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

    def _again(self, first: Findings) -> Findings:
        """Judge every row once more, now that the repeated ids are known."""
        findings = Findings(rows=first.rows, warnings=first.warnings)
        for checked in self:
            if checked.problems:
                findings.add(checked.row, checked.problems)
        return findings
