"""Take only some rows of a feed."""

import re
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple

import msgspec

from ...errors import UsageError
from ..rows import Row
from .step import KeyOf
from .text import text_of

CONDITION = re.compile(r"(?P<column>.+?)(?P<operator>!=|!~|==|>=|<=|=|>|<|~)(?P<value>.*)", re.DOTALL)
COMPARISONS = {"=": eq, "!=": ne, ">": gt, "<": lt, ">=": ge, "<=": le}
# A leading zero makes digits a code, such as an id, and not a number.
AMOUNT = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?: ?([A-Z]{3}))?")


class Amount(NamedTuple):
    """A number, and its currency if it has one."""

    number: Decimal
    currency: str

    @classmethod
    def parse(cls, text: str) -> "Amount | None":
        """Return the amount that a text is, or None."""
        found = AMOUNT.fullmatch(text)
        return cls(Decimal(found[1]), found[2] or "") if found else None


class Where(msgspec.Struct, frozen=True):
    """Leave out the rows that a condition does not hold for."""

    column: str
    operator: str  # of COMPARISONS, or ~ and !~ for a regular expression
    value: str  # empty for an empty cell

    option = "--where"
    fields = ()

    @classmethod
    def parse(cls, text: str) -> "Where":
        """Parse COLUMN=VALUE and its variants; raise UsageError."""
        found = CONDITION.fullmatch(text)
        if not found or not found["column"].strip():
            hint = "as in --where Status=active; also != > < >= <= and ~ for a regular expression"
            raise UsageError(f"--where: {text!r} is not COLUMN=VALUE", hint=hint)
        operator = "=" if found["operator"] == "==" else found["operator"]
        where = cls(found["column"].strip(), operator, found["value"].strip())
        if not where.value and operator not in ("=", "!="):
            raise UsageError(f"--where: {text!r} has no value after {operator}")
        if operator.endswith("~"):
            try:
                re.compile(where.value)
            except re.error as error:
                raise UsageError(f"--where: {where.value!r} is not a regular expression: {error}") from None
        return where

    @property
    def columns(self) -> tuple[str, ...]:
        """Name the column."""
        return (self.column,)

    def bound(self, key_of: KeyOf) -> "Where":
        """Return the condition on the key of the column."""
        return Where(key_of(self.column), self.operator, self.value)

    def apply(self, row: Row) -> None:
        """Leave the row out unless the condition holds."""
        row.left_out = not self.holds(text_of(row.values.get(self.column)).strip())

    def holds(self, text: str) -> bool:
        """Tell whether the condition holds for the text of a cell."""
        if self.operator.endswith("~"):
            return bool(re.search(self.value, text)) == (self.operator == "~")
        compare = COMPARISONS[self.operator]
        if self.operator not in ("=", "!=") and not text:
            return False
        if wanted := Amount.parse(self.value):
            amount = Amount.parse(text)
            if amount and wanted.currency in ("", amount.currency):
                return bool(compare(amount.number, wanted.number))
            return self.operator == "!="
        return bool(compare(text, self.value))
