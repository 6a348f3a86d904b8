"""Apply fixes to rows: those of texts to each, the others to those that break a rule."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import msgspec

from ..rows import Change, Row
from .fix import Fix, TextFix
from .registry import rule_fixes, text_fixes

Guard = Callable[[str, dict[str, Any]], bool]


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several

    def mend_texts(self, row: Row) -> None:
        """Mend the texts of a row, which may break no rule."""
        values = row.values
        try:
            text = f" {' '.join([*values.values()])} "
        except TypeError:  # numbers and lists, of a format that has more than text
            _apply(self._text_fixes, row)
            return
        for may_apply, fix in self._guarded_fixes:
            if may_apply(text, values):
                _apply((fix,), row)

    def mend_rules(self, row: Row) -> None:
        """Mend the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _text_fixes(self) -> list[TextFix]:
        return text_fixes(self.names)

    @cached_property
    def _guarded_fixes(self) -> list[tuple[Guard, Fix]]:
        return [(fix.may_apply, fix) for fix in self._text_fixes]  # looked up once, and not for each row

    @cached_property
    def _rule_fixes(self) -> list[Fix]:
        return rule_fixes(self.names, self.currency)


def _apply(fixes: Iterable[Fix], row: Row) -> None:
    """Apply fixes to a row, and note what they change."""
    for fix in fixes:
        if edits := fix.apply(row.values):
            row.changes += tuple(Change(fix.name, *edit) for edit in edits)
