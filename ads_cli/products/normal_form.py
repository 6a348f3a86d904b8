"""The values of products that are compared, each in the one form of all that mean the same."""

import re
from datetime import UTC, datetime
from typing import Any

from .schema import FIELDS

GENERATED = ("product_key", "item_group_key")  # by the service
COMPARED = tuple(name for name in FIELDS if name not in GENERATED)
AMOUNT = re.compile(r"0*([0-9]+?)(?:\.([0-9]*?)0*)?\s+([A-Z]{3})")


def normal_form(name: str, value: Any) -> Any:
    """Return the one form of the values of a field that mean the same; None and empty texts are equal."""
    if isinstance(value, list):
        value = ",".join(map(str, value))
    text = "" if value is None else str(value).strip()
    if name in ("price", "sale_price") and (amount := AMOUNT.fullmatch(text)):
        whole, fraction, currency = amount.groups()
        return f"{whole}{'.' * bool(fraction)}{fraction or ''} {currency}"
    if name == "sale_price_effective_date" and text:
        try:
            return [datetime.fromisoformat(end).astimezone(UTC).isoformat() for end in text.split("/")]
        except (ValueError, OverflowError):
            return text
    return ",".join(map(str.strip, text.split(","))) if name == "additional_image_link" else text
