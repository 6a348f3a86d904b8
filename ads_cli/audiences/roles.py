"""Rows that come as columns, packed by what each column is."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .consent import count_answers
from .operation_params import PARAMS_FIELDS, ParamsResolver
from .packing import PackedRows, PackingOptions, ProblemsByRow, Purpose, pack_rows


class ColumnRoles(NamedTuple):
    """What the columns of a table, or of some records, are."""

    identifiers: Sequence[str]  # that the endpoint takes
    fields: tuple[str, ...]  # of each column; "" where it is not sent
    country: int | None  # the column that tells the country of national phone numbers
    answers: dict[int, str]  # columns that tell who may be contacted, and are not used

    def pack(
        self,
        cells: Sequence[Sequence[Any]],
        rows: int,
        resolver: ParamsResolver,
        options: PackingOptions,
        problems: ProblemsByRow,
    ) -> PackedRows:
        """Pack rows; those with `problems` are not packed."""
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
        packed = pack_rows(columns, params, options, problems, countries=countries)
        if options.purpose is not Purpose.SEND and cells:
            packed.answers = {name: count_answers(cells[at]) for at, name in self.answers.items()}
        return packed
