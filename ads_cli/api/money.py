"""Amounts of money: micro-units on the wire, whole units of a currency for people."""

from decimal import Decimal

MICROS_PER_UNIT = 1_000_000  # of every currency
# The currencies of the service whose units have no hundredths.
NO_DECIMALS = frozenset({"CLP", "JPY", "KRW", "VND"})
THREE_DECIMALS = frozenset({"BHD", "IQD", "KWD", "TND"})


def decimals_of(currency: str) -> int:
    """Return how many decimals an amount in a currency has: 2 in EUR, none in JPY, 3 in KWD."""
    return 0 if currency in NO_DECIMALS else 3 if currency in THREE_DECIMALS else 2


def as_amount(micros: int, currency: str) -> str:
    """Write micro-units as an amount with the decimals of its currency, or more where it has parts of those.

    12500000 is 12.50 in EUR and 455000 is 0.455; a bid may be less than the smallest coin.
    """
    amount = Decimal(micros).scaleb(-6)
    digits = max(decimals_of(currency), -int(amount.normalize().as_tuple().exponent))
    return f"{amount:,.{digits}f}"


def currency_problem(code: str | None) -> str | None:
    """Require a currency of ISO 4217, where one is given."""
    if code is None:
        return None
    from .iso_codes import CURRENCIES

    return None if code in CURRENCIES else f"{code} is not a currency of ISO 4217"
