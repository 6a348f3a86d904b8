"""The fixes that options name; they are loaded with the first row that may need one."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ....errors import UsageError
from ....feeds import DUPLICATES
from ....spelling import suggestion

if TYPE_CHECKING:
    from ....feeds.rows import Row
    from .fix import Fix, TextFix

ALL = "all"
NAMES = (
    "availability",
    "category",
    "condition",
    DUPLICATES,
    "gtin",
    "html",
    "https",
    "image",
    "length",
    "price",
    "whitespace",
)


def parse_fixes(lists: Iterable[str]) -> tuple[str, ...]:
    """Return the names in lists such as `html,price`, or all names; raise UsageError for an unknown one."""
    names = {name.strip() for text in lists for name in text.split(",")}
    if unknown := sorted(names.difference(NAMES, (ALL,))):
        raise UsageError(
            f"--fix: {unknown[0]!r} is not a fix{suggestion(unknown[0], (*NAMES, ALL))}",
            hint=f"all, or some of {', '.join(NAMES)}",
        )
    return NAMES if ALL in names else tuple(sorted(names))


CATEGORIES = ("product_type", "store_product_category")
# The fixes of texts, and bytes in UTF-8 without which they need not be asked; of white space and controls
# beyond ASCII, the first one.
TRIGGERS = {"whitespace": bytes(range(0x20)) + b"\x7f\xc2\xe2\xef", "html": b"<&", "category": b""}
MAX_SPACED = 10_000  # categories that are remembered


def is_spaced(category: str) -> bool:
    """Tell whether the levels of a category are as far apart as they should be."""
    return ">" not in category.replace(" > ", "") and " - " not in category


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several

    def may_fix_texts(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether a text of some rows may have to be fixed; asked of all, and nearly always false."""
        if TRIGGERS.keys().isdisjoint(self.names):
            return False
        try:
            text = f" {' '.join(chain.from_iterable(map(dict.values, rows)))} "
            plain = text.encode().translate(self._is_plain)
        except (TypeError, UnicodeEncodeError):  # numbers and lists; lone surrogates
            return True
        # A space at either end of a value is one of two here; `rfind` is twice as fast as `in`.
        has_blanks = "whitespace" in self.names and text.rfind("  ") >= 0
        if 0 not in plain and not has_blanks and self._are_spaced(rows):
            return False
        return len(rows) > 1 or any(fix.may_apply(text, rows[0]) for fix in self._text_fixes)

    def _are_spaced(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether no category of some rows is to be fixed."""
        spaced = self._spaced
        for field in CATEGORIES if "category" in self.names else ():
            if not (found := {values.get(field, "") for values in rows}) <= spaced:
                if not all(map(is_spaced, found)):
                    return False
                if len(spaced) < MAX_SPACED:
                    spaced |= found
        return True

    def fix_texts(self, row: "Row") -> None:
        """Fix the texts of a row, which may break no rule."""
        _apply(self._text_fixes, row)

    def fix_rules(self, row: "Row") -> None:
        """Fix the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _is_plain(self) -> bytes:
        """A translation table that gives 0 for each byte that triggers a fix."""
        triggers = b"".join(TRIGGERS.get(name, b"") for name in self.names)
        return bytes(byte not in triggers for byte in range(256))

    @cached_property
    def _spaced(self) -> set[str]:
        return set()  # categories with nothing to fix; most products share theirs

    @cached_property
    def _text_fixes(self) -> "list[TextFix]":
        from .fixes import text_fixes

        return text_fixes(self.names)

    @cached_property
    def _rule_fixes(self) -> "list[Fix]":
        from .fixes import rule_fixes

        return rule_fixes(self.names, self.currency)


def _apply(fixes: "Iterable[Fix]", row: "Row") -> None:
    """Apply fixes to a row, and note what they change."""
    from ....feeds.rows import AppliedFix

    for fix in fixes:
        if edits := fix.apply(row.values):
            row.changes += tuple(AppliedFix(fix.name, *edit) for edit in edits)
