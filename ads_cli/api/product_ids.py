"""The ids of products, and the numbers that articles have everywhere (GTIN)."""

import re
from decimal import Decimal
from functools import lru_cache
from unicodedata import is_normalized, normalize

from .problems import quoted

# Services were seen to trim ids, fold their case, normalize their Unicode, drop what is not seen, and
# store as numbers what looks like one. Two ids of one form may be one product there.
NUMERIC_ID = re.compile(r"[+-]?(?=\.?[0-9])[0-9]{0,60}(?:\.[0-9]{0,60})?(?:e[+-]?[0-9]{1,4})?")
INVISIBLE = dict.fromkeys(  # Default_Ignorable_Code_Point of Unicode
    code
    for first, last in (
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
        *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
        *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A)),
        (0xE0000, 0xE0FFF),
    )
    for code in range(first, last + 1)
)

# Keys are the service's own; shorter texts, and numbers such as a GTIN, are ids of the feed.
PRODUCT_KEY = re.compile(r"(?=.*[a-z])[0-9a-z]{14,}")


def id_form(product_id: str) -> str:
    """Return the form that all ids have which a service may take for this one."""
    form = product_id.lower() if product_id.isascii() else _folded(product_id)
    if " " in form or not form.isprintable():  # else it has no blanks
        form = " ".join(form.split())
    if form.isdecimal() and form.isascii():
        return _number(form.lstrip("0"), 0)
    if form[:1] in "0123456789+-." and NUMERIC_ID.fullmatch(form):
        sign, digits, exponent = Decimal(form).as_tuple()
        return "-" * sign + _number("".join(map(str, digits)).lstrip("0"), int(exponent))
    return form


def id_problem(product_id: str) -> str | None:
    """Say why a service may store an id in another form; None where nothing suggests that."""
    if product_id.isascii() and product_id == product_id.strip():
        return None  # the common case
    if product_id != product_id.translate(INVISIBLE):
        problem = "characters that are not seen"
    elif product_id != product_id.strip():
        problem = "blanks around it"
    elif is_normalized("NFC", product_id):
        return None
    else:
        problem = "characters that are not normalized (NFC)"
    return f"{product_id!r} has {problem}; the service may store it in another form"


def _folded(text: str) -> str:
    folded = normalize("NFKC", text).translate(INVISIBLE).casefold()
    return normalize("NFKC", folded)


def _number(digits: str, exponent: int) -> str:
    """Return one text for all spellings of a number, such as 1.10 and 1.1, or 00123 and 123."""
    significant = digits.rstrip("0")
    return f"{significant}e{exponent + len(digits) - len(significant)}" if significant else "0"


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
