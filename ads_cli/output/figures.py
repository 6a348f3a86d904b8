"""Numbers as people read them: amounts with their currency, rates and changes in percent."""

from decimal import Decimal, InvalidOperation
from typing import Any

from ..api.amounts import as_amount, decimals_of

Number = int | float | Decimal
MAX_DECIMALS = 6


def number_of(value: Any) -> Decimal | None:
    """Return a finite number, or the one that a text states; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def fixed(value: Number, decimals: int, *, sign: str = "") -> str:
    """Write a number with so many decimals; what is rounded to zero has no sign."""
    text = f"{value:{sign},.{decimals}f}"
    return text if text.strip("+-0.,") else text.lstrip("+-")


def amount_text(value: Number, currency: str) -> str:
    """Write an amount with the decimals of its currency. What is less than its smallest coin has more."""
    decimals = decimals_of(currency)
    while value and decimals < MAX_DECIMALS and not fixed(value, decimals).strip("-0.,"):
        decimals += 2
    return f"{fixed(value, min(decimals, MAX_DECIMALS))} {currency}".rstrip()


def micro_text(micros: int, currency: str) -> str:
    """Write micro-units as an amount, with all its decimals."""
    return f"{as_amount(micros, currency)} {currency}".rstrip()


def percent_text(ratio: Number) -> str:
    """Write a rate: 0.0145 is 1.45 %."""
    return f"{fixed(100 * ratio, 2)} %"


def change_text(now: Number, before: Number) -> str:
    """Write a change in percent of what a number was: `+12.5 %`; nothing where it was zero."""
    return f"{fixed(100 * (Decimal(str(now)) / Decimal(str(before)) - 1), 1, sign='+')} %" if before else ""
