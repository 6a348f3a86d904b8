"""What a conversion consists of."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from ..rows import Row

KeyOf = Callable[[str], str]  # the key in `Row.values` of a column, as the file names it, or of a field


class Step(Protocol):
    """Converts a row; a Struct whose fields are its settings, since they are part of a job's identity.

    It must be picklable: worker processes convert rows too.
    """

    def apply(self, row: Row) -> None:
        """Change `row.values` in place, or set `row.left_out`."""


@runtime_checkable
class ColumnStep(Step, Protocol):
    """A step whose settings name columns."""

    @property
    def option(self) -> str:
        """Return the option that the step comes from."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the columns that it reads, as the file does, or fields."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Name the fields that it fills; later steps can read them."""

    def bound(self, key_of: KeyOf) -> Step:
        """Return the step with the key in `Row.values` in place of each column."""
