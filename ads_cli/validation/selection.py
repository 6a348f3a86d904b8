"""Which valid rows are to be sent; by default all of them."""

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from ..api.problems import Problem
from ..feeds.rows import Row, Rows
from .result import CheckedRow, ValidationResult


class RowSelector(Protocol):
    """Selects rows while they are validated; picklable, since worker processes have a copy."""

    def broken_rules(self, item: Any) -> list[Problem]:
        """Return the rules that an item breaks."""

    def select(self, rows: Iterable[CheckedRow], result: ValidationResult) -> Iterator[CheckedRow]:
        """Yield the rows as they are, and note in `result.selection` which of them are to be sent."""


class Selection(Protocol):
    """The rows of a whole file that are to be sent."""

    @property
    def selector(self) -> RowSelector:
        """Return what selects rows while they are validated."""

    @property
    def read_in(self) -> str | None:
        """Return the generation of the place in which rows were selected; None if it does not matter."""

    @property
    def due(self) -> int:
        """Count the rows to be sent."""

    @property
    def skips_rows(self) -> bool:
        """Tell whether valid rows are left out."""

    @property
    def digest(self) -> str:
        """Return what identifies the selected rows; empty where all are selected."""

    def totals(self) -> dict[str, int]:
        """Return counts for the summary."""

    def clear(self) -> None:
        """Forget everything: the file is validated again."""

    def add(self, noted: Any) -> None:
        """Append what a selector noted of a run of rows."""

    def rows_to_send(self, rows: Rows) -> Iterable[Row]:
        """Return the rows that are to be sent, and those that are invalid."""
