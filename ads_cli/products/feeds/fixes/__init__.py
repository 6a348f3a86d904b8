"""The fixes that options name; they are loaded with the first row."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from ....errors import UsageError
from ....feeds import DUPLICATES
from ....spelling import suggestion

if TYPE_CHECKING:
    from ....feeds.row import Row
    from .fix import Fix

ALL = "all"
NAMES = (
    "availability",
    "category",
    "condition",
    "date",
    DUPLICATES,
    "gtin",
    "html",
    "https",
    "image",
    "length",
    "price",
    "sale_price",
    "spreadsheet",
    "url",
    "whitespace",
)


def parse_fixes(lists: Iterable[str]) -> tuple[str, ...]:
    """Return the names in lists such as `html,price`, or all names. Raise UsageError if one is unknown."""
    names = {name.strip() for text in lists for name in text.split(",")}
    if unknown := sorted(names.difference(NAMES, (ALL,))):
        raise UsageError(
            f"--fix: {unknown[0]!r} is not a fix{suggestion(unknown[0], (*NAMES, ALL))}",
            hint=f"all, or some of {', '.join(NAMES)}",
        )
    return NAMES if ALL in names else tuple(sorted(names))


TEXT_FIXES = ("whitespace", "html", "category", "spreadsheet")  # of what may break no rule


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several
    time_zone: str = ""  # of dates that name none; else UTC

    def fix_texts(self, row: "Row") -> None:
        """Fix the texts of a row, which may break no rule."""
        _apply(self._text_fixes, row)

    def fix_rules(self, row: "Row") -> None:
        """Fix the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _text_fixes(self) -> "list[Fix]":
        return text_fixes(self.names)

    @cached_property
    def _rule_fixes(self) -> "list[Fix]":
        return rule_fixes(self.names, self.currency, self.time_zone)


def _apply(fixes: "Iterable[Fix]", row: "Row") -> None:
    """Apply fixes to a row, and note what they change."""
    from ....feeds.row import AppliedFix

    for fix in fixes:
        if edits := fix.apply(row.values):
            row.changes += tuple(AppliedFix(fix.name, *edit) for edit in edits)


def text_fixes(names: Collection[str]) -> "list[Fix]":
    """Return the fixes of these names that every row is shown to, in the order that they are applied in."""
    from .texts import Html, Spreadsheet, Whitespace
    from .values import CategoryFix

    # White space may hide HTML, HTML the levels of a category, and any of them an apostrophe.
    return [fix for fix in (Whitespace(), Html(), CategoryFix(), Spreadsheet()) if fix.name in names]


def rule_fixes(names: Collection[str], currency: str = "", time_zone: str = "") -> "list[Fix]":
    """Return the fixes of these names for rows that break a rule.

    `currency` is that of bare prices, `time_zone` that of dates without one.
    """
    from .links import Https, Url
    from .money import Price, SalePrice
    from .values import CONDITIONS, Availability, ChoiceFix, Date, Gtin, ImageFix, Length

    choices = Availability(), ChoiceFix("condition", CONDITIONS)
    fixes: tuple[Fix, ...] = (
        *(Price(currency), SalePrice(), Date(time_zone), Length()),
        *(Https(), Url(), *choices, Gtin(), ImageFix()),
    )
    return [fix for fix in fixes if fix.name in names]


def all_fixes(currency: str = "") -> "list[Fix]":
    """Return every fix."""
    return [*text_fixes(NAMES), *rule_fixes(NAMES, currency)]
