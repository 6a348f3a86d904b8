"""Convert the rows of a feed, step by step, between reading and validation."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Protocol, runtime_checkable

import msgspec

from ...errors import UsageError
from ...output.text import listed
from ...suggestions import suggestion
from ..rows import Row, Rows

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


class Conversion:
    """The steps that convert the rows of one feed, in their order; picklable."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._bound = self.steps

    @property
    def digest(self) -> str:
        """Return what identifies the steps and their settings."""
        settings = [(type(step).__name__, step) for step in self.steps]
        return blake2b(msgspec.json.encode(settings, order="deterministic"), digest_size=16).hexdigest()

    def bind(self, rows: Rows) -> None:
        """Find the columns that steps name; raise UsageError for one that a table does not have."""

        def key_of(column: str) -> str:
            return str(rows.rename.get(column, column))

        self._bound = tuple(
            step.bound(key_of) if isinstance(step, ColumnStep) else step for step in self.steps
        )
        if rows.has_header:
            self.require_columns(rows)

    def require_columns(self, rows: Rows) -> None:
        """Raise UsageError where a step names what is neither a column, a field of one, nor filled before.

        Records need not have every known field.
        """
        known = {*rows.columns, *rows.fields, *(() if rows.has_header else rows.known)}
        for step in self.steps:
            if isinstance(step, ColumnStep):
                for column in step.columns:
                    if column not in known:
                        meant = suggestion(column, rows.columns) or suggestion(column, known)
                        raise UsageError(
                            f"{step.option}: no column {column!r}{meant}",
                            hint=f"columns: {listed(rows.columns)}",
                        )
                known.update(step.fields)

    def apply(self, row: Row) -> Row:
        """Convert a row in place and return it; one that could not be read stays as it is."""
        if not row.problem:
            for step in self._bound:
                step.apply(row)
                if row.left_out:
                    break
        return row
