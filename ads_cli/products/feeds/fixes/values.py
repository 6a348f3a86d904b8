"""Fix single values: lengths, availability, condition, categories, GTINs, numbers of images."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from ....api.addresses import is_address
from ....api.product_ids import gtin_error, gtin_warning, was_truncated
from ....api.products import MAX_IMAGES, image_problem
from .. import SCHEMA_ADDRESS
from ..addresses import IMAGES
from ..dates import SALE_DATES, read_broken_interval, zone_of
from .fix import FIELD_TYPES, Edit, edit, edit_texts
from .money import GROUPS, SEPARATORS

MAX_LENGTHS = {
    field: limit for field, type in FIELD_TYPES.items() if (limit := type.limit("max_length")) is not None
}
ELLIPSIS = "…"
JOINER = "\u200d"
MIN_KEPT = 0.8  # of the limit: a cut at a word keeps at least this much, else it is made inside the word

STOCK = re.compile(r"([+-]?[0-9]{1,9})(?:\.0{1,2})?\Z")
STOCK_IN_WORDS = re.compile(r"([0-9]{1,9}) ([^0-9]+)\Z")
# Spellings by value, as `spelling_letters` writes them. None has a number: `in stock: 0` is not guessed.
AVAILABILITIES = {
    "in stock": (
        *("available", "yes", "y", "true", "limitedavailability", "onlineonly", "verfügbar", "auflager"),
        *("lagernd", "vorrätig", "lieferbar", "sofortlieferbar", "sofortverfügbar", "ja", "enstock"),
        *("disponible", "oui", "sí", "disponibile", "sì", "opvoorraad", "ilager", "pålager", "dostępny"),
        *("dostępna", "dostępne", "wmagazynie", "tak", "在庫あり"),
    ),
    "available for order": (
        *("backorder", "madetoorder", "surcommande", "aufbestellung", "nazamówienie", "お取り寄せ"),
    ),
    "preorder": (
        *("presale", "vorbestellung", "vorbestellbar", "précommande", "preventa", "preordine"),
        *("przedsprzedaż", "予約受付中"),
    ),
    "out of stock": (
        *("outstock", "soldout", "unavailable", "notavailable", "no", "n", "false", "ausverkauft", "nein"),
        *("nichtverfügbar", "nichtlieferbar", "nichtauflager", "nichtvorrätig", "vergriffen", "épuisé"),
        *("rupturedestock", "enrupturedestock", "indisponible", "non", "agotado", "sinstock", "esaurito"),
        *("nondisponibile", "uitverkocht", "nietopvoorraad", "slutsåld", "udsolgt", "utsolgt", "niedostępny"),
        *("niedostępna", "niedostępne", "brak", "brakwmagazynie", "nie", "在庫なし", "在庫切れ", "品切れ"),
    ),
    "discontinued": (),
}
CONDITIONS = {
    "new": (
        *("newcondition", "brandnew", "newwithtags", "neu", "neuware", "neuf", "neuve", "nuevo", "nueva"),
        *("nuovo", "nuova", "nieuw", "novo", "nova", "ny", "nytt", "nowy", "новый", "新品", "新"),
    ),
    "used": (
        *("usedcondition", "preowned", "secondhand", "usedlikenew", "usedgood", "usedfair", "gebraucht"),
        *("occasion", "doccasion", "usado", "usada", "usato", "usata", "gebruikt", "brugt", "begagnad"),
        *("brukt", "używany", "бу", "中古"),
    ),
    "refurbished": (
        *("refurbishedcondition", "refurb", "renewed", "generalüberholt", "refurbisht", "reconditionné"),
        *("reacondicionado", "ricondizionato", "recondicionado", "gereviseerd", "odnowiony"),
    ),
}


def spelling_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text).casefold()))


CATEGORY_ID = re.compile(r"^[0-9]+ +- +(?=\D)")  # as lists of the public taxonomy have it


class Length:
    """Cuts texts that are too long, at a word."""

    name = "length"
    rules = tuple(MAX_LENGTHS)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Cut what is too long."""
        return edit_texts(values, MAX_LENGTHS, lambda field, text: cut_at_word(text, MAX_LENGTHS[field]))


def cut_at_word(text: str, limit: int) -> str:
    """Cut a longer text to `limit` characters, the ellipsis among them."""
    if len(text) <= limit:
        return text
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


class ChoiceFix:
    """Turns other spellings of one of few values into it."""

    def __init__(self, field: str, spellings: Mapping[str, Sequence[str]]) -> None:
        self.name = field
        self.rules = (field,)
        self._values = {
            spelling_letters(spelling): value
            for value in FIELD_TYPES[field].choices
            for spelling in (value, *spellings.get(value, ()))
        }

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the value, where it is a spelling of one."""
        return edit_texts(values, [self.name], self._meaning)

    def _meaning(self, field: str, text: str) -> str:
        return self._values.get(spelling_letters(SCHEMA_ADDRESS.sub("", text.strip())), text)


class Availability(ChoiceFix):
    """Turns numbers into availabilities, too."""

    def __init__(self) -> None:
        super().__init__("availability", AVAILABILITIES)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite the availability, where it is one; keep an inventory that is there."""
        value = values.get("availability")
        if value is None or isinstance(value, dict | list):
            return ()
        text = str(value).strip()
        stock, in_words = STOCK.match(text), STOCK_IN_WORDS.match(text)
        if in_words and self._meaning(self.name, in_words[2]) == "in stock":
            stock = in_words
        if stock:
            count = max(0, int(stock[1]))
            edits = [edit(values, "availability", "in stock" if count else "out of stock")]
            if "inventory" not in values:
                edits.append(edit(values, "inventory", count))
            return edits
        if isinstance(value, bool):
            return [edit(values, "availability", "in stock" if value else "out of stock")]
        return super().apply(values)


CATEGORIES = ("product_type", "store_product_category")


class CategoryFix:
    """Writes the levels of categories apart, without ids."""

    name = "category"
    rules = ("levels_apart",)

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite categories."""
        return edit_texts(values, CATEGORIES, _levels_apart)


def _levels_apart(field: str, category: str) -> str:
    if ">" not in category.replace(" > ", "") and " - " not in category:
        return category
    return " > ".join(filter(None, map(str.strip, CATEGORY_ID.sub("", category).split(">"))))


GTIN_DIGITS = re.compile(r"(?<![0-9])[0-9]{8,14}(?![0-9])")
UPC_WITHOUT_ZERO = 11  # digits


class Gtin:
    """Drops an invalid GTIN where something else identifies the product."""

    name = "gtin"
    rules = ("gtin_number", "gtin_check_digit")

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Write a GTIN without what surrounds it; drop one that cannot be read."""
        gtin = values.get("gtin")
        if not isinstance(gtin, str) or not (gtin_error(gtin) or gtin_warning(gtin)):
            return ()
        text = SEPARATORS.sub("", gtin) if GROUPS.fullmatch(gtin.strip()) else gtin
        numbers = {number for digits in GTIN_DIGITS.findall(text) if (number := _gtin(digits))}
        if len(numbers) == 1:
            return [edit(values, "gtin", numbers.pop())]
        if numbers or was_truncated(gtin) or not (values.get("brand") or values.get("mpn")):
            return ()
        return [edit(values, "gtin", None)]


def _gtin(digits: str) -> str:
    """Return a valid GTIN; nothing for other digits. Spreadsheets drop the first zero of a UPC."""
    number = f"0{digits}" if len(digits) == UPC_WITHOUT_ZERO else digits
    return "" if gtin_error(number) or gtin_warning(number) else number


class Date:
    """Reads sale dates with blanks, without a zone or without a time."""

    name = "date"
    rules = ("sale_dates",)

    def __init__(self, time_zone: str = "") -> None:
        self._zone = zone_of(time_zone) if time_zone else UTC  # of dates that name none

    def apply(self, values: dict[str, Any]) -> Sequence[Edit]:
        """Rewrite dates that can be read in one way only."""
        return edit_texts(
            values, [SALE_DATES], lambda _, text: read_broken_interval(text, self._zone) or text
        )


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
        if not all(map(is_address, links)):
            return ()
        other = values.get("image_link")
        kept = [link for link in dict.fromkeys(links) if link != other and not image_problem(link)][
            :MAX_IMAGES
        ]
        return [edit(values, IMAGES, ",".join(kept))] if kept != links else ()
