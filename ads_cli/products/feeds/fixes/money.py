"""Read prices as people and shops write them. What can be read in two ways is never guessed."""

import re
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

from ....api.amounts import NO_DECIMALS
from ....api.iso_codes import CURRENCIES
from ....output.text import first_of
from ..transforms import PRICES
from .fix import FIELD_TYPES, Edit, edit

SYMBOLS: dict[str, tuple[str, ...]] = {
    "€": ("EUR",),
    "£": ("GBP",),
    "₹": ("INR",),
    "₺": ("TRY",),
    "₽": ("RUB",),
    "₴": ("UAH",),
    "₪": ("ILS",),
    "₫": ("VND",),
    "₱": ("PHP",),
    "₩": ("KRW",),
    "฿": ("THB",),
    "zł": ("PLN",),
    "kč": ("CZK",),
    "us$": ("USD",),
    "ca$": ("CAD",),
    "au$": ("AUD",),
    "nz$": ("NZD",),
    "hk$": ("HKD",),
    "c$": ("CAD",),
    "a$": ("AUD",),
    "s$": ("SGD",),
    "nt$": ("TWD",),
    "mx$": ("MXN",),
    "r$": ("BRL",),
    "$": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "ARS", "CLP", "COP", "TWD"),
    "¥": ("JPY", "CNY"),
    "円": ("JPY",),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "kr.": ("DKK", "NOK", "SEK", "ISK"),
}
# A currency, a number, perhaps the dash of a whole amount (44,-), a currency.
PRICE = re.compile(r"([^0-9.,]*?) ?([0-9](?:[0-9.,' ]*[0-9])?|[.,][0-9]+)(?:[.,][-–—]{1,2})? ?([^0-9.,]*\.?)")
SPACES = re.compile(r"\s+")
GROUPS = re.compile(r"[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})*")
INDIAN_GROUPS = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})*,[0-9]{3}")
SEPARATORS = re.compile("[.,' ]")
SHARED_SIGN = "it may be in"  # one of several currencies
LISTED = 3  # currencies that a message names
WHOLE = NO_DECIMALS | {"ISK", "PYG", "UGX"}  # currencies in which no price has decimals


class PriceError(ValueError):
    """A text is not a single price in a known currency."""


class UnclearPriceError(PriceError):
    """A price can be read in several ways; the message says which."""


def read_price(text: str, currency: str = "") -> str:
    """Return a price as `44.90 EUR`. Raise PriceError.

    `currency` is that of prices that name none, or several.
    """
    parts = PRICE.fullmatch(SPACES.sub(" ", text).strip().replace("’", "'"))
    if parts is None:
        raise PriceError
    before, number, after = parts.groups()
    try:
        return f"{read_amount(number)} {_currency([before, after], currency)}"
    except UnclearPriceError:
        with suppress(PriceError):
            if (code := _currency([before, after], currency)) in WHOLE:
                return f"{SEPARATORS.sub('', number)} {code}"
        raise


def read_amount(number: str) -> str:
    """Return a number with a point for decimals, and nothing between thousands; raise PriceError."""
    point = _decimal_point(number)
    whole, _, decimals = number.rpartition(point) if point else (number, "", "")
    is_grouped = GROUPS.fullmatch(whole) or (point == "." and INDIAN_GROUPS.fullmatch(whole))
    digits = SEPARATORS.sub("", whole) if is_grouped else whole
    if not f"{digits}{decimals}".isdigit():
        raise PriceError
    return f"{digits or '0'}.{decimals}" if decimals else digits


def _decimal_point(number: str) -> str:
    """Return the sign before the decimals; empty if there are none."""
    signs = [sign for sign in number if sign in ".,"]
    if not signs:
        return ""
    last = signs[-1]
    if len({*signs}) == 1 and len(signs) > 1:
        return ""  # 1.234.567
    if len(signs) == 1 and GROUPS.fullmatch(number) and not number.startswith("0"):
        whole, decimals = number.split(last)
        reading = f"{whole}{decimals} or {whole}.{decimals}"
        raise UnclearPriceError(f"it may be {reading}: write it without a separator of thousands")
    return last


def _currency(words: list[str], default: str) -> str:
    """Return the currency that the words beside a number agree on."""
    candidates = [_currencies(word) for word in words if word]
    if not candidates:
        if default:
            return default
        raise UnclearPriceError("it names no currency: --currency adds it, as in --currency EUR")
    agreed = [code for code in candidates[0] if all(code in others for others in candidates)]
    if len(agreed) == 1:
        return agreed[0]
    if default in agreed:
        return default
    if agreed:
        raise UnclearPriceError(f"{SHARED_SIGN} {first_of(agreed, LISTED)}: --currency says in which")
    raise PriceError


def _currencies(word: str) -> tuple[str, ...]:
    code, symbol = word.upper(), word.lower().replace(" ", "")  # as in US $
    return (code,) if code in CURRENCIES else SYMBOLS.get(symbol, ())


IS_VALID = re.compile(FIELD_TYPES["price"].limit("pattern")).match


class Price:
    """Writes prices with a point for decimals, and the currency behind."""

    name = "price"
    rules = PRICES

    def __init__(self, currency: str = "") -> None:
        self.currency = currency  # of prices that name none

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite prices that can be read in one way only."""
        edits: list[Edit] = []
        for field in PRICES:
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
        if not isinstance(price, str):
            raise PriceError
        return read_price(price, self.currency)


class SalePrice:
    """Leaves out a sale price that is the price, or zero."""

    name = "sale_price"
    rules = ("sale_below_price", "sale_for_something")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Leave out a sale price that equals the price, or is zero. A person must look at a higher one."""
        prices = [values.get(field) for field in PRICES]
        if not all(isinstance(price, str) and IS_VALID(price) for price in prices):
            return ()
        (amount, currency), sale = (str(price).split() for price in prices)
        if Decimal(sale[0]) and (sale[1] != currency or Decimal(sale[0]) != Decimal(amount)):
            return ()
        return [edit(values, "sale_price", None)]
