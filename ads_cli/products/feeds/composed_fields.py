"""Fields that are composed of several values, as exports and price comparisons have them."""

import re
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from typing import Any

from .addresses import joined_links

Values = dict[str, Any]
NUMBER = re.compile(r"[+-]?(\d{1,12}(\.\d{0,12})?|\.\d{1,12})", re.ASCII)
ANY_CURRENCY = "EUR"  # of prices that name none, where only the number matters


def image_fields(images: Iterable[str], main: str = "") -> Values:
    """Return the first image, or the one that is the main image, and the further ones."""
    links = dict.fromkeys(filter(None, [main, *images]))
    first, *others = links or [""]
    return {"image_link": first, "additional_image_link": joined_links(others)}


def stock_fields(availability: str, quantity: Decimal | None) -> Values:
    """Return an availability, and the quantity where it agrees: 1 or more of what is in stock, else 0."""
    count = None if quantity is None else max(0, int(quantity))
    agrees = count is not None and (count > 0) == (availability == "in stock")
    return {"availability": availability, "inventory": str(count) if agrees else ""}


def price_fields(price: str, full: str) -> Values:
    """Return a price, or a sale price below the full price."""
    is_sale = (price_amount(price) or 0) < (price_amount(full) or 0)
    return {"price": full, "sale_price": price} if price and is_sale else {"price": price, "sale_price": ""}


def amount(text: str) -> Decimal | None:
    """Return a number as exports write it, or None."""
    return Decimal(text) if NUMBER.fullmatch(text) else None


def price_amount(text: str) -> Decimal | None:
    """Return the number of a price as spreadsheets and people write it, or None where that is not clear."""
    if (number := amount(text)) is None and text:
        from .fixes.money import PriceError, read_price

        with suppress(PriceError):
            number = amount(read_price(text, ANY_CURRENCY).partition(" ")[0])
    return number
