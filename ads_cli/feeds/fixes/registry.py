"""The fixes by name, in the order that they are applied in."""

from collections.abc import Collection

from ...errors import UsageError
from ...suggestions import suggestion
from .fix import Fix
from .html import Html
from .links import Https, Image
from .price import Price
from .values import Availability, Category, Gtin, Length
from .whitespace import Whitespace

ALL = "all"
DUPLICATES = "duplicates"  # of whole rows, which no row knows by itself
# White space may hide HTML; what is HTML decides where levels and lengths end.
FIXES: tuple[Fix, ...] = (
    Whitespace(),
    Html(),
    Category(),
    Price(),
    Length(),
    Https(),
    Availability(),
    Gtin(),
    Image(),
)
HELP = {fix.name: fix.help for fix in FIXES} | {DUPLICATES: "keeps one of several rows that are identical"}
NAMES = tuple(sorted(HELP))


def make_fixes(names: Collection[str] = NAMES, *, currency: str = "") -> list[Fix]:
    """Return the fixes of these names, in their order; `currency` is that of prices that name none."""
    return [Price(currency) if fix.name == Price.name else fix for fix in FIXES if fix.name in names]


def parse_fixes(text: str) -> tuple[str, ...]:
    """Return the names of a list such as `html,price`, or all; raise UsageError for an unknown one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*NAMES, ALL):
            raise UsageError(
                f"--fix: {name!r} is not a fix{suggestion(name, (*NAMES, ALL))}",
                hint=f"fixes: {', '.join(NAMES)}, or all",
            )
    if not names:
        raise UsageError("--fix: no name", hint=f"fixes: {', '.join(NAMES)}, or all")
    return NAMES if ALL in names else tuple(sorted({*names}))
