"""Write prices as the service wants them, such as `44.90 EUR`."""

import re
from collections.abc import Sequence
from typing import Any

from .fix import FIELD_TYPES, Edit, edit
from .money import PriceError, UnclearPriceError, read_price

FIELDS = ("price", "sale_price")
IS_VALID = re.compile(FIELD_TYPES["price"].limit("pattern")).match


class Price:
    """Writes prices with a point for decimals, and the currency behind."""

    name = "price"
    rules = FIELDS

    def __init__(self, currency: str = "") -> None:
        self.currency = currency  # of prices that name none

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite prices that can be read in one way only."""
        edits: list[Edit] = []
        for field in FIELDS:
            price = values.get(field)
            if price is None or (isinstance(price, str) and IS_VALID(price)):
                continue
            try:
                edits.append(edit(values, field, self._read(price)))
            except PriceError:
                continue
        return edits

    def objection(self, field: str, values: dict[str, Any]) -> str:
        """Say in which ways a price can be read, that was left as it is."""
        try:
            self._read(values.get(field))
        except UnclearPriceError as error:
            return str(error)
        except PriceError:
            pass
        return ""

    def _read(self, price: Any) -> str:
        if isinstance(price, str):
            return read_price(price, self.currency)
        if isinstance(price, int | float) and IS_VALID(f"{price} {self.currency}"):
            return f"{price} {self.currency}"  # a number of JSON has a point, and is never ambiguous
        raise PriceError
