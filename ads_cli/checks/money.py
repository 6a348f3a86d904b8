"""Amounts of records: in units, and in words."""

from decimal import Decimal

from ..api.amounts import MICROS_PER_UNIT, as_amount, decimals_of
from .outcome import Record


def units(record: Record, field: str) -> Decimal | None:
    """Return an amount of a record in units of its currency."""
    micros = record.get(field)
    return Decimal(micros) / MICROS_PER_UNIT if isinstance(micros, int) else None


def amount(record: Record, field: str) -> str:
    """Write an amount of a record with its currency."""
    currency = str(record.get("currency") or "")
    return f"{as_amount(record[field], currency)} {currency}".rstrip()


def money(value: Decimal, currency: str) -> str:
    """Write units of a currency."""
    return f"{value:,.{decimals_of(currency)}f} {currency}".rstrip()
