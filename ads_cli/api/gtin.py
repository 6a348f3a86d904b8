"""Numbers of articles: a UPC, EAN, JAN or ISBN, with or without hyphens and spaces."""

import re
from functools import lru_cache

from .reasons import quoted

NUMBER = re.compile(r"[0-9][0-9 -]*[Xx]?\Z")
LENGTHS = (8, 12, 13, 14)


def gtin_error(gtin: str) -> str | None:
    """Say why a text is not a number."""
    if NUMBER.match(gtin) or _is_valid(gtin):
        return None
    if was_truncated(gtin):
        return f"{quoted(gtin)} was truncated by a spreadsheet; format the column as text and export it again"
    return _unknown(gtin)


def gtin_warning(gtin: str) -> str | None:
    """Say why a number is not one of an article."""
    if not NUMBER.match(gtin) or _is_valid(gtin):
        return None
    digits = gtin.replace("-", "").replace(" ", "")
    wrong_digit = digits.isdigit() and len(digits) in LENGTHS
    return f"{quoted(gtin)} has a wrong check digit" if wrong_digit else _unknown(gtin)


def was_truncated(gtin: str) -> bool:
    """Tell whether a spreadsheet wrote the number as in 1.23E+12."""
    return "E+" in gtin.upper()


# Several thousand rows may be read before the first is validated, and a fix has asked about each.
@lru_cache(maxsize=4096)
def _is_valid(gtin: str) -> bool:
    from stdnum import ean, isbn

    return ean.is_valid(gtin) or isbn.is_valid(gtin)


def _unknown(gtin: str) -> str:
    return f"{quoted(gtin)} is not a UPC, EAN, JAN or ISBN"
