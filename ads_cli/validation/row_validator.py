"""Rows held against the declared rules."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from ..api.problems import Problem
from ..api.validation import Rules, broken_rules, check, errors_in
from ..feeds import DUPLICATES
from ..feeds.row import AppliedFix, DuplicatePolicy, Row, RowTransform
from ..feeds.rows import FIRST_LINES, Block, TableRows, UnreadableBlockError
from . import (
    CheckedRow,
    EncodedRows,
    FeedStats,
    RowEncoder,
    RowKeeper,
    RowPosition,
    RowSchema,
    RowSelector,
    ValidationResult,
    note,
)

PARTITIONS = 64  # hashes are compared partition by partition, which keeps the peak of memory low


def kept_places(places: list[RowPosition], keep: DuplicatePolicy | None) -> list[RowPosition]:
    """Return those of the rows with the same id that are kept; `places` are in the order of the file."""
    if keep == "first":
        return places[:1]
    if keep == "last":
        return places[-1:]
    if keep == "identical":
        first_by_content = {place.content: place for place in reversed(places)}
        return [place for place in places if first_by_content[place.content] is place]
    return places


class Duplicates:
    """Finds repeated ids by their hashes."""

    def __init__(self) -> None:
        self._partitions = [array("q") for _ in range(PARTITIONS)]

    def update(self, ids: Iterable[Any]) -> None:
        """Add ids; values that are not text are ignored."""
        partitions = self._partitions
        for number in (hash(value) for value in ids if isinstance(value, str)):
            partitions[number % PARTITIONS].append(number)

    def repeated(self) -> set[int]:
        """Return the hashes that were added more than once."""
        repeated: set[int] = set()
        for partition in self._partitions:
            if len(set(partition)) < len(partition):
                repeated.update(number for number, count in Counter(partition).items() if count > 1)
        return repeated


class RowValidator:
    """Validate rows; picklable, so that each worker process has a copy."""

    def __init__(
        self,
        schema: RowSchema,
        selector: RowSelector | None,
        transform: RowTransform,
        *,
        strict: bool = False,
    ) -> None:
        self.schema = schema
        self.selector = selector
        self.transform = transform  # that of the rows, and in a worker process the same copy of it
        self.strict = strict  # warnings are errors
        self.make_keeper: Callable[[], RowKeeper] | None = None  # makes what keeps rows for later
        self.make_facts: Callable[[], FeedStats] | None = None  # makes what facts about rows are gathered in
        self.duplicates: dict[str, list[RowPosition]] = {}  # of ids that are repeated
        self.alike: dict[
            str, list[RowPosition]
        ] = {}  # of ids that others have in another form: where those are
        self.identical: set[str] = set()  # ids of which all rows are the same
        self.dropped: set[int] = set()  # rows that are left out for others with the same id, by number
        self.unsent: frozenset[str] = frozenset()  # columns that may be empty in every row
        self.name_place: Callable[[RowPosition], str] | None = None  # where a line does not say which file
        self.several_per_line = False  # records share lines, so that their numbers are those of records

    @property
    def rules(self) -> Rules:
        """Return the function that finds the rules an item breaks."""
        if self.strict or (self.selector and self.transform.fixes):
            return self._all_rules
        return self.selector.broken_rules if self.selector else broken_rules

    def _all_rules(self, item: Any) -> list[Problem]:
        """Find the rules an item breaks; those of acknowledged items too, which may be fixed."""
        if self.selector:
            self.selector.broken_rules(item)  # looks the item up
        problems = broken_rules(item)
        return [problem.as_error() for problem in problems] if self.strict else problems

    def validate(self, rows: Iterable[Row]) -> ValidationResult:
        """Validate a run of rows."""
        result, id_field, id_form = ValidationResult(), self.schema.id_field, self.schema.id_form
        keeper = self.make_keeper() if self.make_keeper else None
        facts = result.facts = self.make_facts() if self.make_facts else None
        empty, checked_rows = set(self.unsent), self.check(rows, self.rules)
        if self.selector:
            checked_rows = self.selector.select(checked_rows, result)
        for checked in checked_rows:
            row = checked.row
            if empty and not empty.isdisjoint(row.values):
                result.with_values |= {column: row.values[column] for column in empty & row.values.keys()}
                empty.difference_update(row.values)
            result.rows += 1
            result.left_out += row.left_out
            id = None if row.left_out else row.values.get(id_field)
            result.id_forms.append(id_form(id) if isinstance(id, str) else None)
            if row.changes:
                note(result.fixed, row, result.rows)
            problems = self._advised(checked) if checked.problems else []
            if problems:
                result.problems.add(RowPosition(row.line, result.rows), problems)
            if facts is not None:
                facts.note(row, problems, result.rows)
            if keeper is not None:
                keeper.add(checked, result.rows)
        result.kept = keeper.packed() if keeper else b""
        return result

    def _advised(self, checked: CheckedRow) -> list[Problem]:
        """Return the problems of a row, with the fixes for them."""
        if self.schema.advisor is None:
            return checked.problems
        advise = self.schema.advisor().advise
        return [advise(problem, checked.row.values) for problem in checked.problems]

    def encode(self, rows: Iterable[Row], all_valid: bool) -> EncodedRows:
        """Encode the valid rows of a run; where all are known to be valid, no rule is applied again."""
        rules = _no_problems if all_valid and not self.transform.fixes else self.rules
        encoder = RowEncoder(self.schema)
        for number, checked in enumerate(self.check(rows, rules), 1):
            encoder.rows.rows = number
            encoder.add(checked, checked.row.record or number)
        return encoder.rows

    def check(self, rows: Iterable[Row], rules: Rules) -> Iterator[CheckedRow]:
        """Convert each row and apply the rules."""
        convert_item, struct, dropped = msgspec.convert, self.schema.struct, self.dropped
        for row in self.transform.with_fixed_texts(rows):
            if dropped and self.number(row) in dropped:
                self._drop(row)
            if row.left_out:
                yield CheckedRow(row, None, [])
                continue
            if not row.problem and not self.duplicates and not (self.alike and self._alike(row)):
                try:  # the fast path, for nearly every row
                    item = convert_item(row.values, struct, strict=False)
                except msgspec.ValidationError:
                    pass
                else:
                    broken = rules(item)
                    if not (broken and self.transform.fix_rules(row)):
                        yield CheckedRow(row, None if broken and errors_in(broken) else item, broken)
                        continue
            yield self._check_fully(row, rules)

    def _check_fully(self, row: Row, rules: Rules) -> CheckedRow:
        """Find every problem of a row."""
        item, problems = None, [Problem("", row.problem, rule=row.problem_rule)]
        if not row.problem:
            item, problems = check(self.schema.struct, row.values, rules)
            if problems and self.transform.fix_rules(row):
                item, problems = check(self.schema.struct, row.values, rules)
            if self.strict:
                problems = [problem.as_error() for problem in problems]
        row_id = row.values.get(self.schema.id_field)
        if isinstance(row_id, str) and (places := self.duplicates.get(row_id)):
            fix = DUPLICATES if self.schema.advisor and row_id in self.identical else ""
            message = self._duplicate(row, row_id, places)
            if self.schema.advisor and not fix:
                message += "; they differ: --keep first or --keep last takes one of them"
            problems.append(Problem(self.schema.id_field, message, rule="repeated", fix=fix))
        if alike := self._alike(row):
            problem = Problem(self.schema.id_field, self._said_alike(row_id, alike), "warning", "alike")
            problems.append(problem.as_error() if self.strict else problem)
        return CheckedRow(row, None if errors_in(problems) else item, problems)

    def _drop(self, row: Row) -> None:
        """Leave out a row for another one with the same id."""
        row.left_out = True
        is_fix = self.transform.keep == "identical"
        name, row_id = self.schema.id_field, row.values.get(self.schema.id_field)
        row.changes = (AppliedFix(DUPLICATES, name, row_id, None),) if is_fix else ()

    def number(self, place: Row | RowPosition) -> int:
        """Return what tells rows apart; the rows of a block of a table have no record numbers."""
        return place.record if self.several_per_line else place.line

    def _alike(self, row: Row) -> list[RowPosition]:
        """Return the rows whose ids the service may take for that of a row."""
        row_id = row.values.get(self.schema.id_field)
        return self.alike.get(row_id, []) if isinstance(row_id, str) else []

    def _said_alike(self, row_id: Any, places: list[RowPosition]) -> str:
        return (
            f"{row_id!r} and the id {self._where(places)} differ only in case, blanks, normalization or the "
            "form of a number; the service may take both for one product"
        )

    def _duplicate(self, row: Row, row_id: str, places: list[RowPosition]) -> str:
        own = self.number(row)
        others = [place for place in places if self.number(place) != own]
        return f"{row_id!r} is also {self._where(others)}; {self.schema.duplicate_message}"

    def _where(self, places: list[RowPosition]) -> str:
        """Name the first of some places."""
        name = self.name_place or self.number
        first = [*(str(name(place)) for place in places[:FIRST_LINES]), *["…"] * (len(places) > FIRST_LINES)]
        return ("in " if self.name_place else "in record " if self.several_per_line else "on line ") + (
            ", ".join(first)
        )


def run_on_block(validator: RowValidator, rows: TableRows, block: Block, method: str, *args: Any) -> Any:
    """Call `validate` or `encode` with the rows of a block; return None where they cannot be parsed."""
    try:
        return getattr(validator, method)(rows.parse_block(block), *args)
    except UnreadableBlockError:
        return None


def _no_problems(item: Any) -> list[Problem]:
    return []
