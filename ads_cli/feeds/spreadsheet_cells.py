"""Read cells as spreadsheets write them; feeds and lists read them alike."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from .row import Row

# What keeps spreadsheets from taking digits for a number: a formula, or an apostrophe. Groups are atomic, not
# possessive, which until Python 3.11.5 took what fails for a match (gh-106052).
FORMULA = re.compile(r'="((?>(?:[^"]|"")*))"')
ESCAPED_NUMBER = re.compile(r"'([0-9](?>[0-9.,]*))")
# A cell that begins with one is taken for a formula, so that exporters put an apostrophe before it.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")
LOST_DIGITS = re.compile(r"[+-]?[0-9]{1,3}(?:[.,][0-9]+)?[eE]\+[0-9]{1,3}")
NO_ROOM = re.compile("#{3,}")  # in place of a number that is wider than its column
# Errors as spreadsheets write them in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
# Czech, Swedish, Danish, Norwegian, Finnish, Hungarian, Turkish and Russian.
_ERRORS = """
#NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #SPILL! #CALC! #FIELD! #BLOCKED! #UNKNOWN!
#CONNECT! #BUSY! #ERROR! #ADDR? #WERT! #BEZUG! #ZAHL! #NV #ÜBERLAUF! #KALK! #FELD! #NUL! #VALEUR! #NOM?
#NOMBRE! #PROPAGATION! #¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM! #N/D #¡DESBORDAMIENTO! #NULLO!
#VALORE! #RIF! #NOME? #ESPANSIONE! #NULO! #VALOR! #NÚM! #LEEG! #DEEL/0! #WAARDE! #VERW! #NAAM? #GETAL! #N/B
#OVERLOOP! #ZERO! #DZIEL/0! #ARG! #ADR! #NAZWA? #LICZBA! #N/D! #HODNOTA! #NÁZEV? #NENÍ_K_DISPOZICI
#SKÄRNING! #DIVISION/0! #VÄRDEFEL! #REFERENS! #NAMN? #OGILTIGT! #SAKNAS! #VÆRDI! #REFERENCE! #NAVN? #I/T
#VERDI! #TALL! #TYHJÄ! #JAKO/0! #ARVO! #VIITTAUS! #NIMI? #LUKU! #PUUTTUU! #NULLA! #ZÉRÓOSZTÓ! #ÉRTÉK! #HIV!
#NÉV? #SZÁM! #HIÁNYZIK #BOŞ! #SAYI/0! #DEĞER! #BAŞV! #AD? #SAYI! #YOK #ПУСТО! #ДЕЛ/0! #ЗНАЧ! #ССЫЛКА! #ИМЯ?
#ЧИСЛО! #Н/Д
"""
ERRORS = frozenset(_ERRORS.split())
ERROR = "is an error of a spreadsheet: correct it there, and export it again"
# Of HTML, with a semicolon or without; not the name of a parameter in an address.
REFERENCE = re.compile(r"&(?:#|(?>[a-zA-Z][a-zA-Z0-9]+)(?![\w=.\[%-]))")
FIRST_SIGN = re.compile(r"\n[^\S\n]*(?:['#]|=\")")  # of a value, whatever blanks are before it
# A table whose rows have signs has one of these bytes somewhere. Single bytes are found ten times as fast.
SIGNS = (b"&", b"<", b"'", b"#", b"+")
CHANGED = "was changed by a spreadsheet: format its column as text, and export it again"


# Fields of which no value begins with an apostrophe, and none is a number as in 1.23E+12.
_CODES = """
id item_group_id product_key item_group_key gtin mpn price sale_price inventory link mobile_link image_link
"""
CODES = frozenset(_CODES.split())
SHORT_NUMBER = re.compile(r"\s*'[1-9][0-9]{0,3}\s*")  # may be meant, as in the brand '47


def read_cell(text: str) -> str:
    """Return the text that a cell such as `="00123"` or `'00123` stands for; any other one as it is."""
    cell = text.strip()
    if cell.startswith('="') and (formula := FORMULA.fullmatch(cell)):
        return formula[1].replace('""', '"')
    if cell.startswith("'") and (number := ESCAPED_NUMBER.fullmatch(cell)):
        return number[1]
    return text


def without_escape(text: str) -> str:
    """Return a text without the apostrophe that an exporter has put before `=`, `+`, `-` or `@`."""
    rest = text.lstrip("'")
    return rest if rest.startswith(FORMULA_SIGNS) else text


def is_error(text: str) -> bool:
    """Tell whether a cell is an error of a spreadsheet."""
    cell = text.strip()
    return cell.startswith("#") and (cell.upper() in ERRORS or NO_ROOM.fullmatch(cell) is not None)


def has_lost_digits(text: str) -> bool:
    """Tell whether a spreadsheet has written a long number as in 1.23E+12."""
    return LOST_DIGITS.fullmatch(text.strip()) is not None


def is_spoiled(text: str, field: str) -> bool:
    """Tell whether a spreadsheet has left nothing of a value that a field is made of."""
    return is_error(text) or (field in CODES and has_lost_digits(text))


def read_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Read the cells of rows in place, and mark rows with signs of spreadsheets or of HTML."""
    for row in rows:
        if _has_signs(row.values):
            row.has_signs = True
            for name, value in row.values.items():
                if isinstance(value, str) and (name in CODES or not SHORT_NUMBER.fullmatch(value)):
                    row.values[name] = read_cell(value)
        yield row


def may_have_signs(data: bytes) -> bool:
    """Tell fast whether rows that are not parsed yet may have signs of spreadsheets or of HTML."""
    return any(map(data.__contains__, SIGNS)) or (b"=" in data and b'="' in data)


def _has_signs(values: dict[str, Any]) -> bool:
    try:
        text = "\n" + "\n".join(values.values())
    except TypeError:  # numbers and lists
        return True
    return (
        "<" in text
        or ("&" in text and REFERENCE.search(text) is not None)
        or (("'" in text or "#" in text or '="' in text) and FIRST_SIGN.search(text) is not None)
        or ("+" in text and ("E+" in text or "e+" in text))
    )
