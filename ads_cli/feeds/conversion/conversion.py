"""Convert the rows of a feed, step by step, between reading and validation."""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from ...errors import UsageError
from ...output.text import listed
from ...suggestions import suggestion
from ..rows import Keep, Row, Rows
from .step import ColumnStep, KeyOf, Step
from .where import Where


class Conversion:
    """The steps that convert the rows of one feed, in their order; picklable."""

    def __init__(self, steps: Sequence[Step], keep: Keep | None = None) -> None:
        self.steps = tuple(steps)
        self.keep = keep
        self._bound = self.steps

    @property
    def columns(self) -> set[str]:
        """Name the columns that the steps read."""
        return {column for step in self._column_steps for column in step.columns}

    @property
    def fields(self) -> set[str]:
        """Name the fields that the steps fill."""
        return {field for step in self._column_steps for field in step.fields}

    @property
    def _column_steps(self) -> list[ColumnStep]:
        return [step for step in self.steps if isinstance(step, ColumnStep)]

    @property
    def leaves_out(self) -> bool:
        """Tell whether rows may be left out."""
        return self.keep is not None or any(isinstance(step, Where) for step in self.steps)

    @property
    def digest(self) -> str:
        """Return what identifies the steps and their settings."""
        settings = [self.keep, *((type(step).__name__, step) for step in self.steps)]
        return blake2b(msgspec.json.encode(settings, order="deterministic"), digest_size=16).hexdigest()

    def bind(self, rows: Rows) -> None:
        """Find the columns that steps name; raise UsageError for one that a table does not have."""
        key_of = _keys_of(rows)
        self._bound = tuple(
            step.bound(key_of) if isinstance(step, ColumnStep) else step for step in self.steps
        )
        if rows.has_header:
            self.require_columns(rows)

    def require_columns(self, rows: Rows) -> None:
        """Raise UsageError where a step names what is neither a column, a field of one, nor filled before.

        Records need not have every known field.
        """
        key_of, optional = _keys_of(rows), rows.composed if rows.has_header else rows.known
        known = {*rows.columns, *rows.fields, *optional}
        for step in self._column_steps:
            if missing := [column for column in step.columns if known.isdisjoint((column, key_of(column)))]:
                meant = suggestion(missing[0], rows.columns) or suggestion(missing[0], known)
                raise UsageError(
                    f"{step.option}: no column {missing[0]!r}{meant}",
                    hint=f"columns: {listed(rows.columns)}",
                )
            known.update(step.fields)

    def apply(self, row: Row) -> None:
        """Convert a row in place; one that could not be read stays as it is."""
        if not row.problem:
            for step in self._bound:
                step.apply(row)
                if row.left_out:
                    return


def _keys_of(rows: Rows) -> KeyOf:
    return lambda column: str(rows.rename.get(column, column))
