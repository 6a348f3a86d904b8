"""Convert the rows of a feed, step by step, between reading and validation."""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from ...errors import UsageError
from ...output.text import listed
from ...suggestions import suggestion
from ..fixes.fixes import Fixes
from ..rows import Keep, MayFix, Row, Rows
from .fields import DefaultField
from .step import ColumnStep, KeyOf, Step
from .where import Where


class Conversion:
    """The steps that convert the rows of one feed, in their order; picklable."""

    def __init__(self, steps: Sequence[Step], keep: Keep | None = None, fixes: Fixes | None = None) -> None:
        self.steps = tuple(steps)
        self.keep = keep
        self.fixes = fixes
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
        return self.keep in ("first", "last") or any(isinstance(step, Where) for step in self.steps)

    @property
    def has_steps(self) -> bool:
        """Tell whether rows are converted before they are validated."""
        return bool(self.steps)

    @property
    def has_fixes(self) -> bool:
        """Tell whether there are fixes."""
        return self.fixes is not None

    @property
    def digest(self) -> str:
        """Return what identifies the steps and their settings."""
        settings = [self.keep, self.fixes, *((type(step).__name__, step) for step in self.steps)]
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

    @property
    def may_fix_texts(self) -> MayFix | None:
        """Return what tells of values whether they may have to be fixed; None where there is no fix."""
        return self.fixes.may_fix_texts if self.fixes else None

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row in place, which may break no rule."""
        if self.fixes:
            self.fixes.fix_texts(row)
            if row.changes:
                self._fill_again(row)

    def fix_rules(self, row: Row) -> bool:
        """Fix a row that breaks a rule, in place; tell whether anything was changed."""
        before = len(row.changes)
        if self.fixes:
            self.fixes.fix_rules(row)
        if len(row.changes) == before:
            return False
        self._fill_again(row)
        return True

    def _fill_again(self, row: Row) -> None:
        """Apply defaults again to what a fix has emptied."""
        for step in self._bound:
            if isinstance(step, DefaultField):
                step.apply(row)


def _keys_of(rows: Rows) -> KeyOf:
    return lambda column: str(rows.rename.get(column, column))
