"""Filters of product sets.

The specification only names the operators. Here EQUAL_TO compares numbers as numbers and other text
exactly, MATCH compares text in any case, CONTAINS finds a part in any case, and GREATER_THAN and LESS_THAN
compare numbers; a price counts as its number. A product without the attribute matches NOT_CONTAINS only.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from ...api.product_sets import Filter

NUMERIC_OPERATORS = ("GREATER_THAN", "LESS_THAN")


def is_valid(operator: str, value: str) -> bool:
    """Return whether a filter can be evaluated: numeric operators need a number."""
    return operator not in NUMERIC_OPERATORS or _number(value) is not None


def matches(product: dict[str, Any], condition: Filter) -> bool:
    """Return whether a product matches a filter."""
    value = product.get(condition.attribute)
    if value is None:
        return condition.operator == "NOT_CONTAINS"
    return COMPARISONS[condition.operator](str(value), condition.value)


def _number(text: str) -> Decimal | None:
    """Parse a number, or the number of a price."""
    try:
        number = Decimal(text.split(" ")[0])
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[str, str], bool]:
    def compare_texts(value: str, operand: str) -> bool:
        left, right = _number(value), _number(operand)
        return left is not None and right is not None and compare(left, right)

    return compare_texts


def _equal(value: str, operand: str) -> bool:
    left, right = _number(value), _number(operand)
    return value == operand if left is None or right is None else left == right


COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "GREATER_THAN": _numeric(lambda left, right: left > right),
    "LESS_THAN": _numeric(lambda left, right: left < right),
    "EQUAL_TO": _equal,
    "MATCH": lambda value, operand: value.casefold() == operand.casefold(),
    "CONTAINS": lambda value, operand: operand.casefold() in value.casefold(),
    "NOT_CONTAINS": lambda value, operand: operand.casefold() not in value.casefold(),
}
