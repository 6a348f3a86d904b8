"""Values of formats that have types, as the text that a person would type."""

from datetime import date, time, timedelta
from decimal import Decimal
from math import inf
from typing import Any

MAX_DIGITS = 15  # that a floating-point number keeps, whatever they are


def is_rounded(value: Any) -> bool:
    """Tell whether a number has more digits than a floating-point number, or a spreadsheet, keeps."""
    return isinstance(value, float) and 10**MAX_DIGITS <= abs(value) < inf


def as_text(value: Any) -> str:
    """Return a number, a date or another single value as text: no exponent, and no `.0`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date | time):  # date includes datetime
        return value.isoformat()
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
