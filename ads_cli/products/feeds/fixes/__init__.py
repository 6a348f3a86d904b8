"""The fixes that options name; they are loaded with the first row that may need one."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ....errors import UsageError
from ....feeds import DUPLICATES
from ....spelling import suggestion

if TYPE_CHECKING:
    from ....feeds.row import Row
    from .fix import Fix, TextFix

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


CATEGORIES = ("product_type", "store_product_category")
MAX_FINE_VALUES = 10_000  # of a field that are remembered


def is_spaced(category: str) -> bool:
    """Tell whether the levels of a category are as far apart as they should be."""
    return ">" not in category.replace(" > ", "") and " - " not in category


class Triggers(msgspec.Struct, frozen=True):
    """What texts must have before a fix of texts is asked about them; one without any is always asked.

    They are stated here and not by the fix, which is loaded with the first row that has one of them.
    """

    utf8: bytes = b""  # some of these bytes
    phrase: str = ""  # these characters, in the values between spaces
    fields: tuple[str, ...] = ()  # a value of one of these that is not fine
    is_fine: Callable[[str], bool] = bool

    @property
    def first_bytes(self) -> bytes:
        """Return the bytes that trigger the fix: any byte where it has no triggers."""
        return self.utf8 if self.utf8 or self.phrase or self.fields else bytes(range(256))


# The fixes of texts, each with its triggers.
TRIGGERS = {
    # Controls, and the first byte of white space and controls beyond ASCII (`texts.INVISIBLE` and others). A
    # value gets a space at either end, so that two spaces find one there too.
    "whitespace": Triggers(utf8=bytes(range(0x20)) + b"\x7f\xc2\xe2\xef", phrase="  "),
    "html": Triggers(utf8=b"<&"),
    "spreadsheet": Triggers(phrase=" '"),
    "category": Triggers(fields=CATEGORIES, is_fine=is_spaced),
}


class Fixes(msgspec.Struct, frozen=True, dict=True):
    """The fixes that `--fix` names."""

    names: tuple[str, ...]
    currency: str = ""  # of prices that name none, or several
    time_zone: str = ""  # of dates that name none; else UTC

    def may_fix_texts(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether a text of some rows may need a fix, which nearly none of all rows does."""
        if not self._triggers:
            return False
        try:
            text = f" {' '.join(chain.from_iterable(map(dict.values, rows)))} "
            plain = text.encode().translate(self._is_plain)
        except (TypeError, UnicodeEncodeError):  # numbers and lists; lone surrogates
            return True
        # `rfind` is twice as fast as `in`.
        if (
            0 not in plain
            and all(text.rfind(phrase) < 0 for phrase in self._phrases)
            and self._are_fine(rows)
        ):
            return False
        return len(rows) > 1 or any(fix.may_apply(text, rows[0]) for fix in self._text_fixes)

    def _are_fine(self, rows: Sequence[dict[str, Any]]) -> bool:
        """Tell whether no field of some rows has a value that triggers a fix."""
        for field, is_fine, fine in self._fine_values:
            values = {row.get(field, "") for row in rows}
            if not values <= fine:
                if not all(map(is_fine, values)):
                    return False
                if len(fine) < MAX_FINE_VALUES:
                    fine |= values
        return True

    def fix_texts(self, row: "Row") -> None:
        """Fix the texts of a row, which may break no rule."""
        _apply(self._text_fixes, row)

    def fix_rules(self, row: "Row") -> None:
        """Fix the values of a row that breaks a rule."""
        _apply(self._rule_fixes, row)

    @cached_property
    def _triggers(self) -> list[Triggers]:
        return [triggers for name, triggers in TRIGGERS.items() if name in self.names]

    @cached_property
    def _is_plain(self) -> bytes:
        """A translation table that gives 0 for each byte that triggers a fix."""
        triggers = b"".join(trigger.first_bytes for trigger in self._triggers)
        return bytes(byte not in triggers for byte in range(256))

    @cached_property
    def _phrases(self) -> list[str]:
        return [trigger.phrase for trigger in self._triggers if trigger.phrase]

    @cached_property
    def _fine_values(self) -> list[tuple[str, Callable[[str], bool], set[str]]]:
        """Return each field with a trigger, and the values found to be fine: most products share theirs."""
        return [(field, trigger.is_fine, set()) for trigger in self._triggers for field in trigger.fields]

    @cached_property
    def _text_fixes(self) -> "list[TextFix]":
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


def text_fixes(names: Collection[str]) -> "list[TextFix]":
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
