"""Fix single values: prices as people and shops write them, lengths, availability, categories, GTINs.

What can be read in two ways is never guessed.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ....api.iso_codes import CURRENCIES
from ....api.products import MAX_IMAGES, URL_PATTERN, gtin_error, gtin_warning, image_problem, was_truncated
from ....output.text import first_of
from .fix import FIELD_TYPES, Edit, Triggers, edit

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
    "r$": ("BRL",),
    "$": ("USD", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "ARS", "CLP", "COP", "TWD"),
    "¥": ("JPY", "CNY"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "kr.": ("DKK", "NOK", "SEK", "ISK"),
}
# A currency, a number, perhaps the dash of a whole amount (44,-), a currency.
PRICE = re.compile(r"([^0-9.,]*?) ?([0-9](?:[0-9.,' ]*[0-9])?|[.,][0-9]+)(?:[.,][-–—]{1,2})? ?([^0-9.,]*\.?)")
SPACES = re.compile(r"\s+")
GROUPS = re.compile(r"[0-9]{1,3}([.,' ])[0-9]{3}(?:\1[0-9]{3})*")
INDIAN_GROUPS = re.compile(r"[0-9]{1,2}(?:,[0-9]{2})*,[0-9]{3}")
SEPARATORS = re.compile("[.,' ]")
LISTED = 3  # currencies that a message names


class PriceError(ValueError):
    """A text is not a single price in a known currency."""


class UnclearPriceError(PriceError):
    """A price can be read in several ways; the message says which."""


def read_price(text: str, currency: str = "") -> str:
    """Return a price as `44.90 EUR`; `currency` is that of prices that name none, or several.

    Raises PriceError.
    """
    parts = PRICE.fullmatch(SPACES.sub(" ", text).strip().replace("’", "'"))
    if parts is None:
        raise PriceError
    before, number, after = parts.groups()
    return f"{_amount(number)} {_currency([before, after], currency)}"


def _amount(number: str) -> str:
    """Return a number with a point for decimals, and nothing between thousands."""
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
        raise UnclearPriceError(f"it may be in {first_of(agreed, LISTED)}: --currency says in which")
    raise PriceError


def _currencies(word: str) -> tuple[str, ...]:
    code = word.upper()
    return (code,) if code in CURRENCIES else SYMBOLS.get(word.lower(), ())


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


MAX_LENGTHS = {
    field: limit for field, type in FIELD_TYPES.items() if (limit := type.limit("max_length")) is not None
}
ELLIPSIS = "…"
JOINER = "\u200d"
MIN_KEPT = 0.8  # of the limit: a cut at a word keeps at least this much, else it is made inside the word

CHOICES = FIELD_TYPES["availability"].choices
STOCK = re.compile(r"([+-]?[0-9]{1,9})(?:\.0{1,2})?\Z")
SCHEMA_ORG = re.compile(r"^https?://schema\.org/", re.IGNORECASE)
NO_LETTER = re.compile(r"[^a-z]+")
SPELLINGS = {NO_LETTER.sub("", choice): choice for choice in CHOICES} | {
    "backorder": "available for order",
    "outstock": "out of stock",
    "soldout": "out of stock",
    "unavailable": "out of stock",
    "no": "out of stock",
    "false": "out of stock",
    "available": "in stock",
    "yes": "in stock",
    "true": "in stock",
}

CATEGORIES = ("product_type", "store_product_category")
CATEGORY_ID = re.compile(r"^[0-9]+ +- +(?=\D)")  # as lists of the public taxonomy have it


class Length:
    """Cuts texts that are too long, at a word."""

    name = "length"
    rules = tuple(MAX_LENGTHS)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Cut what is too long."""
        edits: list[Edit] = []
        for field, limit in MAX_LENGTHS.items():
            text = values.get(field)
            if text and isinstance(text, str) and len(text) > limit:
                edits.append(edit(values, field, shortened(text, limit)))
        return edits


def shortened(text: str, limit: int) -> str:
    """Cut a text to `limit` characters, the ellipsis among them."""
    end = limit - len(ELLIPSIS)
    if not text[end].isspace():
        word = max(text.rfind(space, 0, end) for space in " \n")
        end = word if word >= MIN_KEPT * limit else _whole_character(text, end)
    return text[:end].rstrip(" \n,;:.-–—") + ELLIPSIS


def _whole_character(text: str, end: int) -> int:
    """Go back to where no accent, joiner or variant is torn from its character."""
    while end > 1 and (
        unicodedata.category(text[end]) in ("Mn", "Me", "Mc", "Sk") or JOINER in text[end - 1 : end + 1]
    ):
        end -= 1
    return end


class Availability:
    """Turns numbers and other spellings into availabilities."""

    name = "availability"
    rules = ("availability",)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the availability, where it is one; keep an inventory that is there."""
        value = values.get("availability")
        if value in CHOICES or value is None:
            return ()
        text = str(value).strip()
        if stock := STOCK.match(text):
            count = max(0, int(stock[1]))
            edits = [edit(values, "availability", "in stock" if count else "out of stock")]
            if "inventory" not in values:
                edits.append(edit(values, "inventory", count))
            return edits
        spelled = SPELLINGS.get(NO_LETTER.sub("", SCHEMA_ORG.sub("", text).lower()))
        return [edit(values, "availability", spelled)] if spelled else ()


@lru_cache(maxsize=4096)  # most products share theirs
def _is_spaced(category: str) -> bool:
    return ">" not in category.replace(" > ", "") and " - " not in category


class CategoryFix:
    """Writes the levels of categories apart, without ids."""

    name = "category"
    rules = ("levels_apart",)
    triggers = Triggers(fields=CATEGORIES)

    def may_apply(self, text: str, values: dict[str, Any]) -> bool:
        """Look at the categories."""
        for field in CATEGORIES:
            value = values.get(field)
            if value is not None and not _is_spaced(value):
                return True
        return False

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite categories."""
        edits: list[Edit] = []
        for field in CATEGORIES:
            value = values.get(field)
            if isinstance(value, str) and not _is_spaced(value):
                levels = map(str.strip, CATEGORY_ID.sub("", value).split(">"))
                category = " > ".join(filter(None, levels))
                if category != value:
                    edits.append(edit(values, field, category))
        return edits


class Gtin:
    """Drops an invalid GTIN where something else identifies the product."""

    name = "gtin"
    rules = ("gtin_number", "gtin_check_digit")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Drop an invalid GTIN."""
        gtin = values.get("gtin")
        if gtin is None or not isinstance(gtin, str) or not (values.get("brand") or values.get("mpn")):
            return ()
        if was_truncated(gtin) or not (gtin_error(gtin) or gtin_warning(gtin)):
            return ()
        return [edit(values, "gtin", None)]


LINKS = ("link", "mobile_link")
HTTP = "http://"
IS_URL = re.compile(URL_PATTERN).match
IMAGES = "additional_image_link"


class Https:
    """Makes links https."""

    name = "https"
    rules = LINKS

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the scheme of links."""
        edits: list[Edit] = []
        for field in LINKS:
            link = values.get(field)
            if link and isinstance(link, str) and link[:7].lower() == HTTP:
                edits.append(edit(values, field, f"https://{link[7:]}"))
        return edits


class ImageFix:
    """Drops further images that the service refuses."""

    name = "image"
    rules = ("additional_images", "image_count")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Drop images; a list with something that is no address is left alone."""
        images = values.get(IMAGES)
        if not images or not isinstance(images, str):
            return ()
        links = [link.strip() for link in images.split(",")]
        if not all(map(IS_URL, links)):
            return ()
        other = values.get("image_link")
        kept = [link for link in dict.fromkeys(links) if link != other and not image_problem(link)][
            :MAX_IMAGES
        ]
        return [edit(values, IMAGES, ",".join(kept))] if kept != links else ()
