"""Rows that come as columns, packed by what each column is."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..output.text import cell
from .answers import CellAnswers, Condition
from .consent import count_answers
from .operation_params import PARAMS_FIELDS, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow, Purpose, pack_rows

Cells = Sequence[Sequence[Any]]  # by column


class ColumnRoles(NamedTuple):
    """What the columns of a table, or of some records, are."""

    identifiers: Sequence[str]  # that the endpoint takes
    fields: tuple[str, ...]  # of each column; "" where it is not sent
    country: int | None  # the column that tells the country of national phone numbers
    answers: dict[int, str]  # columns that tell who may be contacted, and are not used
    conditions: list[
        tuple[int | None, Condition]
    ]  # which rows must meet; None for a column that is not there

    def pack(
        self,
        cells: Cells,
        rows: int,
        resolver: ParamsResolver,
        options: PackingOptions,
        problems: ProblemsByRow,
    ) -> PackedRows:
        """Pack rows; those with `problems` are not packed."""
        left_out = self._left_out(cells, rows) - problems.keys()
        if left_out:
            cells = [["" if n in left_out else value for n, value in enumerate(column)] for column in cells]
        columns: dict[str, list[Sequence[Any]]] = {}
        for name, column in zip(self.fields, cells, strict=False):
            if name:
                columns.setdefault(name, []).append(column)
        own = {name: columns.pop(name)[0] for name in PARAMS_FIELDS if name in columns}
        params, params_problems = resolver.resolve(own)
        for row, found in params_problems.items():
            problems.setdefault(row, []).extend(found)
        countries = None if self.country is None or not cells else cells[self.country]
        columns = columns or {self.identifiers[0]: [[""] * rows]}
        packed = pack_rows(columns, params, options, problems, countries=countries, left_out=left_out)
        if options.purpose is not Purpose.SEND and cells:
            packed.answers = {name: count_answers(cells[at]) for at, name in self.answers.items()}
            for answers in packed.answers.values():
                answers[""] -= len(left_out)
        return packed

    def find_answers(self, cells: Cells, rows: int, unread: Collection[int]) -> dict[str, CellAnswers]:
        """Return what the columns of conditions say, but for rows that are `unread`."""
        columns = {condition.column: _texts(cells, at, rows) for at, condition in self.conditions}
        for texts in columns.values():
            for row in unread:
                texts[row] = ""
        return {name: CellAnswers.of(texts) for name, texts in columns.items()}

    def _left_out(self, cells: Cells, rows: int) -> set[int]:
        """Return the rows that do not meet the conditions."""
        left_out: set[int] = set()
        for at, condition in self.conditions:
            column = _texts(cells, at, rows)
            failing = {text for text in {*column} if not condition.holds(text)}
            left_out.update(row for row, text in enumerate(column) if text in failing)
        return left_out


def _texts(cells: Cells, at: int | None, rows: int) -> list[str]:
    """Return the cells of a column as texts, empty where it is not there."""
    return [cell(value).strip() for value in cells[at]] if at is not None and cells else [""] * rows
