"""What may be wrong with single values of a product."""

import re
from datetime import datetime
from functools import lru_cache
from unicodedata import normalize

from .iso_codes import CURRENCIES
from .problems import Reason, quoted

NUMBER = re.compile(r"[0-9][0-9 -]*[Xx]?\Z")
SEPARATORS = re.compile(r"[ \u2010-\u2015\u2212-]")  # the hyphens of typesetting too
LENGTHS = (8, 12, 13, 14)
ISBN_10 = re.compile(r"[0-9]{9}[0-9X]")


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
    number = SEPARATORS.sub("", normalize("NFKC", gtin).strip()).upper()
    if len(number) in LENGTHS and number.isdecimal() and number.isascii():
        digits = [*map(int, number)]
        return (sum(digits[-1::-2]) + 3 * sum(digits[-2::-2])) % 10 == 0
    isbn = number.rjust(10, "0")  # before 1970, ISBNs had 9 digits
    if len(number) < 9 or not ISBN_10.fullmatch(isbn):
        return False
    return sum(n * (10 if digit == "X" else int(digit)) for n, digit in enumerate(isbn, 1)) % 11 == 0


def _unknown(gtin: str) -> str:
    return f"{quoted(gtin)} is not a UPC, EAN, JAN or ISBN"


OTHER_FORMAT = re.compile(
    r"^[^?#]*\.(bmp|tiff?|svgz?|heic|heif|avif|ico|psd|pdf|html?|eps|mp4)([?#]|$)", re.I
)
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp")


def image_problem(link: str) -> str | None:
    """Say that a URL has the suffix of another format."""
    if link.endswith(IMAGE_SUFFIXES) and "?" not in link and "#" not in link:
        return None  # the common case, without a regular expression
    other = OTHER_FORMAT.match(link)
    return f"is a .{other[1]} file; only JPG, GIF, WEBP and PNG are allowed" if other else None


def currency_problem(price: str) -> str | None:
    """Say that a price has no currency of ISO 4217."""
    code = price[-3:]
    return None if code in CURRENCIES else f"{code} is not a currency of ISO 4217"


def interval_problem(text: str) -> str | Reason | None:
    """Say what is wrong with an interval of two date-times."""
    ends = text.split("/")
    try:
        start, end = map(datetime.fromisoformat, ends)
    except ValueError:
        start = end = datetime.min
    if start.tzinfo is None or end.tzinfo is None:
        example = "2026-12-01T00:00+01:00/2026-12-24T23:59+01:00"
        return f"{text[:80]!r} is not two ISO 8601 date-times with offset joined by '/', as in {example}"
    return None if start < end else Reason("sale_order", "ends before it starts")
