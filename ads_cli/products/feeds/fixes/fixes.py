"""The fixes of values, in the order that they are applied in."""

from collections.abc import Collection

from . import NAMES
from .fix import Fix, TextFix
from .money import Price
from .texts import Html, Whitespace
from .values import CONDITIONS, Availability, CategoryFix, ChoiceFix, Gtin, Https, ImageFix, Length

# White space may hide HTML, and HTML the levels of a category.
TEXT_FIXES: tuple[TextFix, ...] = (Whitespace(), Html(), CategoryFix())
RULE_FIXES: tuple[Fix, ...] = (
    *(Price(), Length(), Https(), Availability(), ChoiceFix("condition", CONDITIONS), Gtin(), ImageFix()),
)


def text_fixes(names: Collection[str]) -> list[TextFix]:
    """Return the fixes of these names that every row is shown to."""
    return [fix for fix in TEXT_FIXES if fix.name in names]


def rule_fixes(names: Collection[str], currency: str = "") -> list[Fix]:
    """Return the fixes of these names for rows that break a rule; `currency` is that of bare prices."""
    return [Price(currency) if fix.name == Price.name else fix for fix in RULE_FIXES if fix.name in names]


def all_fixes(currency: str = "") -> list[Fix]:
    """Return every fix."""
    return [*text_fixes(NAMES), *rule_fixes(NAMES, currency)]
