"""Apply fixes to rows: those of texts to each, the others to those that break a rule."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import msgspec

from ..rows import Change, Row
from .fix import Fix, TextFix
from .registry import rule_fixes, text_fixes

# Translates UTF-8: zero for control characters, < and &, and bytes that begin white space beyond ASCII.
IS_PLAIN = bytes(0x20 <= byte != 0x7F and byte not in b"<&\xc2\xe2\xef" for byte in range(256))
MAX_CATEGORIES = 10_000  # different ones that are remembered


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several

    def may_fix_texts(self, values: dict[str, Any]) -> bool:
        """Tell whether a text may have to be fixed; called for each row, and nearly always false."""
        try:
            text = f" {' '.join([*values.values()])} "
            plain = text.encode().translate(IS_PLAIN)
        except (TypeError, UnicodeEncodeError):  # numbers and lists; lone surrogates
            return True
        product_type, category = values.get("product_type"), values.get("store_product_category")
        seen = self._seen_categories
        is_known = product_type in seen and category in seen
        if is_known and 0 not in plain and text.rfind("  ") < 0:  # which is twice as fast as `in`
            return False
        if any(fix.may_apply(text, values) for fix in self._text_fixes):
            return True
        if len(seen) < MAX_CATEGORIES:
            seen.update((product_type, category))
        return False

    def fix_texts(self, row: Row) -> None:
        """Fix the texts of a row, which may break no rule."""
        _apply(self._text_fixes, row)

    def fix_rules(self, row: Row) -> None:
        """Fix the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _text_fixes(self) -> list[TextFix]:
        return text_fixes(self.names)

    @cached_property
    def _seen_categories(self) -> set[str | None]:
        return {None}  # with nothing to fix; most products share theirs

    @cached_property
    def _rule_fixes(self) -> list[Fix]:
        return rule_fixes(self.names, self.currency)


def _apply(fixes: Iterable[Fix], row: Row) -> None:
    """Apply fixes to a row, and note what they change."""
    for fix in fixes:
        if edits := fix.apply(row.values):
            row.changes += tuple(Change(fix.name, *edit) for edit in edits)
