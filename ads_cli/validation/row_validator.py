"""Rows held to every rule, and what they come to."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from ..api.validation import InvalidError, Problem, broken_rules, convert
from ..feeds.rows import FIRST_LINES, Block, Row, TableRows, UnreadableBlockError
from ..uploads.upload import EncodedRows, RowUpload

Rules = Callable[[Any], list[Problem]]  # tells which rules an item breaks
V = TypeVar("V", bound="ValidationResult")


class Checked(msgspec.Struct, gc=False):
    """A row, what it was converted to, and what is wrong with it."""

    row: Row
    item: msgspec.Struct | None
    problems: list[Problem]

    @property
    def reasons(self) -> str:
        """Tell every problem in one line."""
        return "; ".join(map(str, self.problems))


class ValidationResult(msgspec.Struct):
    """What some rows come to."""

    rows: int = 0
    wrong: list[tuple[int, int, list[Problem]]] = []  # line, number among them from 1, and what is wrong
    uniques: list[Any] = []  # what may not repeat in a file

    def moved(self, records: int) -> None:
        """Number the rows as records of the file, of which so many come before these."""
        self.wrong = [(line, number + records, problems) for line, number, problems in self.wrong]


class RowValidator:
    """Holds rows to every rule, always with the same verdict; each of several processes may have its copy."""

    broken = staticmethod(broken_rules)

    def __init__(self, upload: type[RowUpload]) -> None:
        self.upload = upload
        self.repeated: dict[str, list[tuple[int, int]]] = {}  # line and record
        self.crowded = False  # whether these are told by their records

    def verdict(self, rows: Iterable[Row]) -> ValidationResult:
        """Say what rows come to."""
        return self.summed(ValidationResult(), self.judged(rows, self.broken))

    def summed(self, verdict: V, rows: Iterable[Checked]) -> V:
        """Add rows to a verdict."""
        unique = self.upload.unique
        for checked in rows:
            row = checked.row
            verdict.rows += 1
            verdict.uniques.append(row.values.get(unique))
            if checked.problems:
                verdict.wrong.append((row.line, verdict.rows, checked.problems))
        return verdict

    def ready(self, rows: Iterable[Row], all_sound: bool) -> EncodedRows:
        """Make those ready that are to be sent; where all are known to be sound, no rule is tried again."""
        found, unique, encoded = EncodedRows(), self.upload.unique, self.upload.encoded
        for checked in self.judged(rows, _no_problems if all_sound else self.broken):
            found.rows += 1
            if (item := checked.item) is not None:
                found.uniques.append(getattr(item, unique))
                found.bodies.append(encoded(item))
                found.places.append((checked.row.record or found.rows, checked.row.line))
        return found

    def judged(self, rows: Iterable[Row], rules: Rules) -> Iterator[Checked]:
        """Check each row."""
        convert_item, kind = msgspec.convert, self.upload.item
        for row in rows:
            if not row.problem and not self.repeated:
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
        if isinstance(unique, str) and (places := self.repeated.get(unique)):
            others = [place for place in places if place[1] != row.record]
            first = ", ".join(str(record if self.crowded else line) for line, record in others[:FIRST_LINES])
            where = ("in record " if self.crowded else "on line ") + first
            where += ", …" if len(others) > FIRST_LINES else ""
            problem = f"{unique!r} stands {where} too; {self.upload.repeated}"
            problems.append(Problem(self.upload.unique, problem))
        return Checked(row, None if problems else made, problems)


def work_on(judge: RowValidator, rows: TableRows, block: Block, what: str, *how: Any) -> Any:
    """Have a block judged, or made ready; None where it cannot be read."""
    try:
        return getattr(judge, what)(rows.parse_block(block), *how)
    except UnreadableBlockError:
        return None


def _no_problems(item: Any) -> list[Problem]:
    return []
