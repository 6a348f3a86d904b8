"""Ids of products, in the one form of all that a service may store for the same.

Services were seen to trim ids, to fold their case, to normalize their Unicode, to drop what is not seen, and
to store as numbers what looks like one. Two ids of one form may be one product there.
"""

import re
import unicodedata
from decimal import Decimal

NUMBER = re.compile(r"[+-]?(?=\.?[0-9])[0-9]{0,60}(?:\.[0-9]{0,60})?(?:e[+-]?[0-9]{1,4})?")
INVISIBLE = dict.fromkeys(  # Default_Ignorable_Code_Point of Unicode
    code
    for first, last in (
        *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
        *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F)),
        *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
    )
    for code in range(first, last + 1)
)


def id_form(product_id: str) -> str:
    """Return the form that all ids have which a service may take for this one."""
    form = product_id.lower() if product_id.isascii() else _folded(product_id)
    if " " in form or not form.isprintable():  # else it has no blanks
        form = " ".join(form.split())
    if form.isdecimal() and form.isascii():
        return _number(form.lstrip("0"), 0)
    if form[:1] in "0123456789+-." and NUMBER.fullmatch(form):
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
    else:
        is_normal = unicodedata.is_normalized("NFC", product_id)
        problem = "" if is_normal else "characters that are not normalized (NFC)"
    return f"{product_id!r} has {problem}; the service may store it without them" if problem else None


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).translate(INVISIBLE).casefold()
    return unicodedata.normalize("NFKC", folded)


def _number(digits: str, exponent: int) -> str:
    """Return one text for all spellings of a number, such as 1.10 and 1.1, or 00123 and 123."""
    significant = digits.rstrip("0")
    return f"{significant}e{exponent + len(digits) - len(significant)}" if significant else "0"
