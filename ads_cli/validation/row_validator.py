"""Rows held against the declared rules."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import msgspec

from ..api.problems import Problem
from ..api.validation import Rules, broken_rules, check, compile_once, errors_in
from ..feeds import DUPLICATES
from ..feeds.row import AppliedFix, DuplicatePolicy, Row, RowTransform
from ..feeds.rows import FIRST_LINES, Block, RowNames, TableRows, UnreadableBlockError
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
    count_changes,
)

PARTITIONS = 64  # hashes are compared partition by partition, which keeps the peak of memory low


def kept_positions(positions: list[RowPosition], keep: DuplicatePolicy | None) -> list[RowPosition]:
    """Return those of the rows with the same id that are kept; `positions` are in the order of the file."""
    if keep == "first":
        return positions[:1]
    if keep == "last":
        return positions[-1:]
    if keep == "identical":
        first_by_content = {position.content: position for position in reversed(positions)}
        return [position for position in positions if first_by_content[position.content] is position]
    return positions


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


class RepeatedIds:
    """The ids that several rows have, or that the service may take for one. Known after the last row."""

    def __init__(self, schema: RowSchema, rows: RowNames, keep: DuplicatePolicy | None = None) -> None:
        self._schema, self._keep = schema, keep
        self._name_position = rows.name_place  # where a line does not say which file
        self._several_per_line = rows.several_per_line  # so that numbers are those of records
        self._repeated: dict[str, list[RowPosition]] = {}  # by id, the rows that have it and are kept
        self._alike: dict[str, list[RowPosition]] = {}  # by id, where rows have it in another form
        self._identical: set[str] = set()  # ids of which all kept rows are the same
        self._dropped: set[int] = set()  # numbers of the rows that are left out for others with the same id

    def add(self, positions: Mapping[str, list[RowPosition]]) -> None:
        """Add the rows of ids that are forms of one, in the order of the file."""
        remaining = {
            id: kept_positions(positions_of_row, self._keep) for id, positions_of_row in positions.items()
        }
        for row_id, kept in remaining.items():
            self._dropped.update(map(self._number, {*positions[row_id]}.difference(kept)))
            if len(kept) > 1:
                self._repeated[row_id] = kept
            if len(positions[row_id]) > 1 and len({position.content for position in kept}) == 1:
                self._identical.add(row_id)
            if len(remaining) > 1:
                others = (positions_of_id for id, positions_of_id in remaining.items() if id != row_id)
                self._alike[row_id] = [*islice(chain.from_iterable(others), FIRST_LINES + 1)]

    def drops(self, row: Row) -> bool:
        """Tell whether a row is left out for another one."""
        return bool(self._dropped) and self._number(row) in self._dropped

    def has(self, row_id: Any) -> bool:
        """Tell whether an id has problems."""
        return isinstance(row_id, str) and (row_id in self._repeated or row_id in self._alike)

    def problems(self, row: Row) -> Iterator[Problem]:
        """Yield the problems of the id of a row."""
        name, advises = self._schema.id_field, self._schema.advisor is not None
        row_id = row.values.get(name)
        if not isinstance(row_id, str):
            return
        if positions := self._repeated.get(row_id):
            others = [position for position in positions if self._number(position) != self._number(row)]
            message = f"{row_id!r} is also {self._where(others)}; {self._schema.duplicate_message}"
            fix = DUPLICATES if advises and row_id in self._identical else ""
            if advises and not fix:
                message += "; they differ: --set id=… tells them apart,"
                message += " --keep first or --keep last takes one of them"
            yield Problem(name, message, rule="repeated", fix=fix)
        if alike := self._alike.get(row_id):
            message = (
                f"{row_id!r} and the id {self._where(alike)} differ only in case, blanks, normalization or "
                "the form of a number; the service may take both for one product"
            )
            yield Problem(name, message, "warning", "alike")

    def _number(self, position: Row | RowPosition) -> int:
        """Return what tells rows apart; the rows of a block of a table have no record numbers."""
        return position.record if self._several_per_line else position.line

    def _where(self, positions: list[RowPosition]) -> str:
        """Name the first of some positions."""
        name = self._name_position or self._number
        first = [str(name(position)) for position in positions[:FIRST_LINES]]
        first += ["…"] * (len(positions) > FIRST_LINES)
        preposition = "in" if self._name_position else "in record" if self._several_per_line else "on line"
        return f"{preposition} {', '.join(first)}"


@dataclass
class RowValidator:
    """Validate rows; picklable, so that each worker process has a copy."""

    schema: RowSchema
    selector: RowSelector | None
    transform: RowTransform  # that of the rows, and in a worker process the same copy of it
    strict: bool  # warnings are errors
    make_keeper: Callable[[], RowKeeper] | None = None  # makes what keeps rows for later
    make_stats: Callable[[], FeedStats] | None = None  # makes what statistics of rows are gathered in
    repeated: RepeatedIds | None = None  # once all rows were read, where there are any
    unsent: frozenset[str] = frozenset()  # columns that may be empty in every row

    @property
    def rules(self) -> Rules:
        """Return the function that finds the rules an item breaks."""
        if self.strict or (self.selector and self.transform.fixes):
            return self._all_rules
        return self.selector.broken_rules if self.selector else broken_rules

    def _all_rules(self, item: Any) -> list[Problem]:
        """Find the rules that an item breaks, even an acknowledged one, since they may be fixed."""
        if self.selector:
            self.selector.broken_rules(item)  # looks the item up
        problems = broken_rules(item)
        return [problem.as_error() for problem in problems] if self.strict else problems

    def validate(self, rows: Iterable[Row]) -> ValidationResult:
        """Validate a run of rows."""
        result, id_field, id_form = ValidationResult(), self.schema.id_field, self.schema.id_form
        keeper = self.make_keeper() if self.make_keeper else None
        stats = result.stats = self.make_stats() if self.make_stats else None
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
                count_changes(result.fixed, row, result.rows)
            problems = self._advised(checked) if checked.problems else []
            if problems:
                result.problems.add(RowPosition(row.line, result.rows), problems)
            if stats is not None:
                stats.note(row, problems, result.rows)
            if keeper is not None and (self.selector is None or self.selector.is_due):
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
        convert_item, struct, repeated = msgspec.convert, self.schema.struct, self.repeated
        fixes_texts = self.transform.fixes is not None
        compile_once(struct)
        for row in rows:
            if fixes_texts and not (row.left_out or row.problem):
                self.transform.fix_texts(row)
            if repeated and repeated.drops(row):
                self._drop(row)
            if row.left_out:
                yield CheckedRow(row, None, [])
                continue
            if not row.problem and not (repeated and repeated.has(row.values.get(self.schema.id_field))):
                try:  # the fast path, for nearly every row
                    item = convert_item(row.values, struct, strict=False)
                except msgspec.ValidationError:
                    pass
                else:
                    broken = rules(item)
                    if row.has_signs and rules is not _no_problems:
                        broken = [*broken, *self._signs(row)]
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
            if row.has_signs:
                problems = [*problems, *self._signs(row)]
        if self.repeated:
            problems = [*problems, *self.repeated.problems(row)]
        if self.strict:
            problems = [problem.as_error() for problem in problems]
        return CheckedRow(row, None if errors_in(problems) else item, problems)

    def _signs(self, row: Row) -> list[Problem]:
        """Find what spreadsheets and HTML have left in a row."""
        problems = self.schema.sign_rules(row.values) if self.schema.sign_rules else []
        return [problem.as_error() for problem in problems] if self.strict else problems

    def _drop(self, row: Row) -> None:
        """Leave out a row for another one with the same id."""
        row.left_out = True
        is_fix = self.transform.keep == "identical"
        name, row_id = self.schema.id_field, row.values.get(self.schema.id_field)
        row.changes = (AppliedFix(DUPLICATES, name, row_id, None),) if is_fix else ()


def run_on_block(validator: RowValidator, rows: TableRows, block: Block, method: str, *args: Any) -> Any:
    """Call `validate` or `encode` with the rows of a block; return None where they cannot be parsed.

    Nor where the header is repeated: such rows are counted where all are read one by one.
    """
    try:
        result = getattr(validator, method)(rows.parse_block(block), *args)
    except UnreadableBlockError:
        return None
    return None if rows.repeated_headers else result


def _no_problems(item: Any) -> list[Problem]:
    return []
