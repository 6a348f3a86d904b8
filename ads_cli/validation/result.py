"""The results of validating rows."""

from typing import Any

import msgspec

from ..api.problems import Problem
from ..api.validation import errors_in
from ..feeds.rows import Row
from .facts import Facts
from .fixed import FixedRows


class CheckedRow(msgspec.Struct, gc=False):
    """A row, the item it was converted to, and its problems.

    The item is None where one of them is an error, or the row is left out.
    """

    row: Row
    item: msgspec.Struct | None
    problems: list[Problem]

    @property
    def errors(self) -> str:
        """Join the errors to one line; empty where the row is valid."""
        return "; ".join(map(str, errors_in(self.problems)))


class ValidationResult(msgspec.Struct):
    """The result of validating a run of rows."""

    rows: int = 0
    left_out: int = 0  # of them, by conversion
    problems: list[tuple[int, int, list[Problem]]] = []  # line, record number within the run, problems
    id_forms: list[str | None] = []  # of the field that is unique within a file, see `RowSchema.id_form`
    with_values: frozenset[str] = frozenset()  # those of the columns that are not sent
    fixed: FixedRows = {}  # what fixes changed
    selection: Any = None  # what a RowSelector noted
    kept: bytes = b""  # of the rows, where anything is
    facts: Facts | None = None  # where they are gathered

    def renumber(self, offset: int) -> None:
        """Add the number of records that precede this run in the file."""
        self.problems = [(line, record + offset, problems) for line, record, problems in self.problems]
        for numbered in (self.selection, self.facts, *self.fixed.values()):
            if numbered is not None:
                numbered.renumber(offset)
