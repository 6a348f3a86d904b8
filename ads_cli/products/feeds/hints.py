"""Which field a foreign column is meant as, how its values become valid ones, and which fix a problem has."""

import re
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec

from ...api.problems import CHOICE, Problem
from ...spelling import closest, folded, letters_and_digits
from .addresses import IMAGES, LINKS, found_in, is_relative, list_separator, parted
from .fixes import TEXT_FIXES, all_fixes
from .fixes.fix import FIELD_TYPES, Fix
from .fixes.money import Price
from .fixes.texts import Html
from .kinds.options import is_option
from .transforms import PRICES, is_bare_amount

OPEN = "…"  # stands for a value that only the owner of a feed knows
COLUMN_SIMILARITY = 0.7
TEXT_SIMILARITY = 0.85  # of a field that takes any text: `product` is no product_type
# Fields whose values tell whether a column can be meant.
TOLD_BY_VALUES = ("availability", "condition", *LINKS, "gtin", "gender", "age_group")
# Of a name: `photo_main`, `Photo Main` and `photoMain` have two.
WORDS = re.compile(r"[^\W\d_][^\W\d_A-Z]*+|[A-Z]++(?![a-z])")
# Names of columns of shops and price comparisons, in the order in which they are looked for: letters and
# digits, without accents.
_SYNONYMS = {
    "id": """
        sku productid idproduct itemid articleid articlenumber itemnumber artikelnummer artnr offerid uniqueid
        code ref reference referencia referenz productnumber productcode codice codigo ugs kod
        kodproduktu 商品コード 商品番号 品番""",
    "title": """
        name productname producttitle itemname produktname bezeichnung titel nom nombre titulo titre
        designation libelle denominazione produktbezeichnung artikelbezeichnung productnaam nazwa
        nazwaproduktu 商品名""",
    "description": """
        desc productdescription longdescription body bodyhtml shortdescription details langbeschreibung
        produktbeschreibung kurzbeschreibung beschreibung beschrijving descripcion descrizione resume
        opis opisproduktu 説明 商品説明""",
    "availability": """
        stockstatus instock stock stockquantity quantity qty stockqty availablequantity stocklevel
        verfugbarkeit lagerbestand bestand disponibilidad disponibilite disponibilita voorraad quantite
        dostepnosc ilosc 在庫 在庫状況 在庫数""",
    "condition": "productcondition zustand itemcondition state etat stan 状態 商品状態",
    "price": """
        regularprice saleprice currentprice retailprice searchprice productprice preis verkaufspreis
        vkpreis endpreis bruttopreis prix prixttc precio pvp prezzo listprice originalprice unitprice
        pricevat pricewithvat amount tarif tarifregulier cena cenabrutto 価格 販売価格""",
    "link": """
        url producturl productlink deeplink landingpage landingpageurl buyurl awdeeplink
        merchantdeeplink permalink href webpage productpage website produktlink produkturl lien enlace
        weblink adresurl 商品url""",
    "image_link": """
        image images imageurl imageurls imagelinks picture pictures photo img productimage
        productimageurl mainimage mainimageurl merchantimageurl bild bildlink bildurl produktbild bilder
        foto fotos imagesrc imgurl imgsrc imagen immagine thumbnail thumbnailurl zdjecie zdjecia 画像 画像url
        商品画像""",
    "brand": """
        manufacturer vendor brandname marke hersteller marca marque merk producer manufacturername
        supplier maker fabricante fabricant produttore marka producent ブランド メーカー""",
    "gtin": "ean ean13 upc barcode isbn gtin13 gtin14 jan",
    "mpn": "manufacturerpartnumber partnumber herstellernummer modelnumber model",
}
# Of fields that no product needs. A column that may be one above, where that has another, is one of these.
_FURTHER = {
    "sale_price": """
        angebotspreis sonderpreis aktionspreis reduzierterpreis specialprice discountprice discountedprice
        promoprice prixpromo prixpromotionnel prixsolde preciooferta preciorebajado preciodescuento
        prezzoscontato prezzoofferta actieprijs aanbiedingsprijs cenapromocyjna セール価格""",
    "inventory": """
        lagerbestand bestand lagermenge bestandsmenge stockquantity quantity qty stockqty stock
        availablequantity stocklevel quantite voorraad cantidad existencias giacenza quantita ilosc 在庫数""",
    "color": "farbe couleur colore kleur kolor カラー",
    "size": "grosse taille talla tamano taglia maat rozmiar サイズ",
}
SYNONYMS = {field: tuple(names.split()) for field, names in _SYNONYMS.items()}
FURTHER = {field: frozenset(names.split()) for field, names in _FURTHER.items()}
_WORDS = {name for names in SYNONYMS.values() for name in names}


# What columns add to a name: a unit or currency in parentheses, the number of the first of several.
ADDED = re.compile(r"[(\[][^()\[\]]*[)\]]\Z|(?<![0-9])(?:0?1|0)\Z")
OF_SERVICE = ("product_key", "item_group_key")  # fields that no shop fills


def column_for(
    field: str, columns: Sequence[str], values: Mapping[str, Any] = MappingProxyType({})
) -> str | None:
    """Return the column that is meant as a field, by its name; of a similar one, by its value too.

    `values` has a value of each column, as far as rows were read.
    """
    names = {letters_and_digits(ADDED.sub("", column)): column for column in reversed(columns)}
    names |= {letters_and_digits(column.removeprefix("g:")): column for column in reversed(columns)}
    for name in map(letters_and_digits, (field, *SYNONYMS.get(field, ()))):
        if name in names:
            return names[name]
    if field in PRICES:  # `cost price` is similar
        return None
    meant_otherwise = {names[name] for name in _WORDS & names.keys()}
    others = [column for column in columns if column not in meant_otherwise]
    if match := closest(
        field, [column for column in others if _may_be(field, column, values)], COLUMN_SIMILARITY
    ):
        return match
    if field not in TOLD_BY_VALUES:
        return None
    words = {field, *SYNONYMS.get(field, ())}
    named = (name for name in others if words & {*map(letters_and_digits, WORDS.findall(name))})
    return next((name for name in named if name in values and _may_be(field, name, values)), None)


def fields_of_columns(
    columns: Sequence[str], free: Collection[str], values: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, str]:
    """Return the fields that columns seem to be meant as, of those that no column is read as."""
    fields = [field for field in SYNONYMS if field in free]
    by_column = {column: field for field in fields if (column := column_for(field, columns, values))}
    others = {*free}.difference(by_column.values(), OF_SERVICE, PRICES)
    for column in columns:
        if column in by_column:
            continue
        name = letters_and_digits(ADDED.sub("", column))
        named = (field for field, names in FURTHER.items() if field in free and name in names)
        if (further := next(named, None)) and _may_be(further, column, values):
            by_column[column] = further
            continue
        name = column.removeprefix("g:")
        candidate = closest(name, others, TEXT_SIMILARITY) or closest(name, others & {*TOLD_BY_VALUES})
        if candidate and _may_be(candidate, column, values):
            by_column[column] = candidate
    return by_column


def _may_be(field: str, column: str, values: Mapping[str, Any]) -> bool:
    """Tell whether options can make the value of a column valid as a field, as far as it is known."""
    return column not in values or options_for(field, values[column]) is not None


# Keys of nested values that are those of a field, as schema.org and interfaces of shops have them.
NESTED = {
    "brand": ("name", "value", "title"),
    "price": ("price", "amount", "value"),
    "sale_price": ("amount", "value"),
    "availability": ("availability", "status", "name"),
    "condition": ("itemcondition", "condition", "name"),
    "link": ("url", "href", "link"),
    "image_link": ("url", "src", "contenturl", "href", "link"),
}
CURRENCY_KEYS = ("pricecurrency", "currency", "currencycode", "currencyid")


def template_of_nested(field: str, columns: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the template that fills a field from a key of a nested value, as `{brand.name}`."""
    for column, values in columns.items():
        keys = {folded(key): key for value in values if isinstance(value, dict) for key in value}
        names = NESTED.get(field, ("value", "name"))
        for name in names if column == field else (folded(field), f"item{field}"):  # else of anything
            if (key := keys.get(name)) is None:
                continue
            template = f"{{{column}.{key}}}"
            currency = next(
                (keys[currency_key] for currency_key in CURRENCY_KEYS if currency_key in keys), None
            )
            if field in PRICES and currency:
                template += f" {{{column}.{currency}}}"
            return template
    return None


def options_for(field: str, value: Any) -> list[str] | None:
    """Return the options that make a value of a column valid as a field; None where there are none."""
    options: list[str] = []
    if field in ("image_link", IMAGES) and (separator := list_separator(value)):
        if not (field == IMAGES and separator.strip() == "," and isinstance(value, str)):
            options += ["--split", f"{field}={separator}"]
        parts = found_in(value) or (value if isinstance(value, list) else parted(str(value), separator))
        value = next(filter(None, (str(part).strip() for part in parts)), "")
    if field in (*LINKS, IMAGES) and is_relative(str(value)):
        options += ["--base-url", f"https://{OPEN}"]
        value = f"https://shop.example/{value}"
    if field in PRICES and is_bare_amount(value):
        options += ["--currency", OPEN]
        value = f"{value} EUR"
    values = {field: value}
    applied = [fix.name for fix in all_fixes("EUR") if fix.apply(values)]
    if not _is_valid(field, values.get(field)):
        return None
    return [*options, "--fix", ",".join(applied)] if applied else options


class FixAdvisor:
    """Names the fix of a problem, and what gives a field its values."""

    asking = "'adsctl products check FILE --interactive' asks for each column"
    column_for = staticmethod(column_for)
    fields_of_columns = staticmethod(fields_of_columns)
    options_for = staticmethod(options_for)
    tells_apart = staticmethod(is_option)

    def __init__(self) -> None:
        self._price = Price()
        self._by_rule: dict[str, list[Fix]] = {}
        for fix in sorted(all_fixes(), key=lambda fix: len(fix.rules)):
            for rule in fix.rules:
                self._by_rule.setdefault(rule, []).append(fix)

    def advise(self, problem: Problem, values: dict[str, Any]) -> Problem:
        """Return a problem of a row with the fix for it, or the reason why none does."""
        field, of_type = problem.path, problem.rule in ("", CHOICE)
        for fix in self._by_rule.get(field if of_type else problem.rule, ()):
            if _is_fixed_by(fix, field, values, of_type=of_type):
                return problem._replace(fix=fix.name)
        if of_type and field in Price.rules and (objection := self._price.objection(field, values)):
            return problem._replace(message=f"{problem.message}; {objection}")
        return problem


def _is_fixed_by(fix: Fix, field: str, values: dict[str, Any], *, of_type: bool) -> bool:
    """Try a fix on a copy of the values, of which a fix of texts looks at one at a time."""
    if isinstance(fix, Html) or not field:
        return True  # it always does, and takes longer than all others together
    fixed = {field: values.get(field)} if fix.name in TEXT_FIXES else dict(values)
    if field not in (edited for edited, _, _ in fix.apply(fixed)):
        return False
    return not of_type or _is_valid(field, fixed.get(field))


def _is_valid(field: str, value: Any) -> bool:
    try:
        msgspec.convert(value, FIELD_TYPES[field].annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True
