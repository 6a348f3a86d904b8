"""Which field a foreign column is meant as, and how its values become valid ones."""

import re
from collections.abc import Sequence
from typing import Any

from ...spelling import closest, folded
from .transforms import ABSOLUTE, IMAGES, LINKS, PRICES, is_bare_amount

OPEN = "…"  # stands for a value that only the owner of a feed knows
COLUMN_SIMILARITY = 0.7
# Names of columns of shops and price comparisons, folded, in the order in which they are looked for.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "id": (
        *("sku", "productid", "itemid", "articleid", "articlenumber", "itemnumber", "artikelnummer", "artnr"),
        *("offerid", "uniqueid", "code", "ref", "reference", "referencia"),
    ),
    "title": (
        *("name", "productname", "producttitle", "itemname", "produktname", "bezeichnung", "titel", "nom"),
        *("nombre", "titulo", "titre"),
    ),
    "description": (
        *("desc", "productdescription", "longdescription", "body", "bodyhtml", "shortdescription"),
        *("beschreibung", "beschrijving", "descripcion", "descrizione"),
    ),
    "availability": (
        *("stockstatus", "instock", "stock", "stockquantity", "quantity", "qty", "stockqty"),
        *("verfügbarkeit", "lagerbestand", "bestand", "disponibilidad", "disponibilité"),
    ),
    "condition": ("productcondition", "zustand", "itemcondition", "state"),
    "price": (
        *("regularprice", "saleprice", "currentprice", "retailprice", "searchprice", "productprice", "preis"),
        *("prix", "precio", "prezzo", "amount"),
    ),
    "link": (
        *("url", "producturl", "productlink", "deeplink", "landingpage", "landingpageurl", "buyurl"),
        *("awdeeplink", "merchantdeeplink", "permalink", "href"),
    ),
    "image_link": (
        *("image", "images", "imageurl", "imageurls", "imagelinks", "picture", "pictures", "photo", "img"),
        *("productimage", "productimageurl", "mainimage", "mainimageurl", "merchantimageurl", "bild"),
        *("bildlink", "bildurl", "thumbnail", "thumbnailurl"),
    ),
    "brand": (
        *("manufacturer", "vendor", "brandname", "marke", "hersteller", "marca", "marque", "merk"),
        *("producer", "manufacturername", "supplier"),
    ),
    "gtin": ("ean", "ean13", "upc", "barcode", "isbn", "gtin13", "gtin14", "jan"),
    "mpn": ("manufacturerpartnumber", "partnumber", "herstellernummer", "modelnumber", "model"),
}


def column_for(field: str, columns: Sequence[str]) -> str | None:
    """Return the column that is meant as a field, by its name."""
    names = {folded(column.removeprefix("g:")): column for column in reversed(columns)}
    for name in (folded(field), *SYNONYMS.get(field, ())):
        if name in names:
            return names[name]
    return closest(field, columns, COLUMN_SIMILARITY)


SEPARATORS = ("|", ";", "\n", ", ", ",", " ")


def list_separator(value: Any) -> str | None:
    """Return what separates the addresses of a list; None of a single address."""
    if isinstance(value, list):
        return "," if len(value) > 1 else None
    text = str(value).strip()
    for separator in SEPARATORS:
        parts = [part for item in text.split(separator) if (part := item.strip())]
        is_part = ABSOLUTE.match if parts and ABSOLUTE.match(parts[0]) else _is_path
        if len(parts) > 1 and not any(map(str.isspace, "".join(parts))) and all(map(is_part, parts)):
            return separator
    return None


PATH = re.compile(r"[^\s|;,]+\.(?:jpe?g|png|gif|webp|bmp|svg|avif)", re.IGNORECASE)


def _is_path(text: str) -> bool:
    return bool(PATH.fullmatch(text) or text.startswith("/"))


def options_before_fixes(field: str, value: Any) -> tuple[list[str], dict[str, Any]]:
    """Return the options that a value of a column needs as a field, and what it is then."""
    options: list[str] = []
    if field in ("image_link", IMAGES) and (separator := list_separator(value)):
        if not (field == IMAGES and separator == ","):
            options += ["--split", f"{field}={separator}"]
        parts = value if isinstance(value, list) else str(value).split(separator)
        value = next(filter(None, (str(part).strip() for part in parts)), "")
    if field in (*LINKS, IMAGES) and not ABSOLUTE.match(str(value)):
        options += ["--base-url", f"https://{OPEN}"]
        value = f"https://shop.example/{value}"
    if field in PRICES and is_bare_amount(value):
        options += ["--currency", OPEN]
        value = f"{value} EUR"
    return options, {field: value}
