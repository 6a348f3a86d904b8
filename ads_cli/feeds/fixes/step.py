"""Apply fixes to rows, after every other step of their conversion."""

from functools import cached_property

import msgspec

from ..rows import Change, Row
from .fix import Fix
from .registry import make_fixes


class ApplyFixes(msgspec.Struct, frozen=True, dict=True):
    """Mend the values of rows, and note each change."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several

    def apply(self, row: Row) -> None:
        """Mend the values of a row."""
        values = row.values
        for fix in self._fixes:
            if edits := fix.apply(values):
                row.changes += tuple(Change(fix.name, *edit) for edit in edits)

    @cached_property
    def _fixes(self) -> list[Fix]:
        return make_fixes(self.names, currency=self.currency)
