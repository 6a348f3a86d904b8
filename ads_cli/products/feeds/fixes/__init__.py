"""The names of the fixes, which options and completion need without the fixes themselves."""

from collections.abc import Iterable

from ....errors import UsageError
from ....feeds import DUPLICATES
from ....spelling import suggestion

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
