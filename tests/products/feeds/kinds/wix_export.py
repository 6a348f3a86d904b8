"""Write a shop as Wix exports it, and say what a catalog must hold of it.

Headers: the import template of https://support.wix.com/en/article/wix-stores-importing-products-from-another-ecommerce-platform
(catalog V3, with `handle`), and the export of the older catalog (with `handleId`).
"""

import csv
import io
from decimal import ROUND_HALF_UP, Decimal

from tests.products.feeds.kinds.shop import Item, Variant, money, without_empty


def _numbered(count: int, *names: str) -> list[str]:
    return [f"{name}{n}" for n in range(1, count + 1) for name in names]


OLDER = [
    *(
        "handleId",
        "fieldType",
        "name",
        "description",
        "productImageUrl",
        "collection",
        "sku",
        "ribbon",
        "price",
    ),
    *("surcharge", "visible", "discountMode", "discountValue", "inventory", "weight", "cost"),
    *_numbered(6, "productOptionName", "productOptionType", "productOptionDescription"),
    *_numbered(6, "additionalInfoTitle", "additionalInfoDescription"),
    *_numbered(2, "customTextField", "customTextCharLimit", "customTextMandatory"),
    "brand",
]
NEWER = [
    *(
        "handle",
        "fieldType",
        "name",
        "visible",
        "plainDescription",
        "media",
        "mediaAltText",
        "ribbon",
        "brand",
    ),
    *(
        "price",
        "strikethroughPrice",
        "baseUnit",
        "baseUnitMeasurement",
        "totalUnits",
        "totalUnitsMeasurement",
    ),
    *("cost", "inventory", "preOrderEnabled", "preOrderMessage", "preOrderLimit", "sku", "barcode", "weight"),
    *_numbered(6, "productOptionName", "productOptionType", "productOptionChoices"),
    *_numbered(
        10, "modifierName", "modifierType", "modifierCharLimit", "modifierMandatory", "modifierDescription"
    ),
]
CODES = {"Rot": "#ff0000", "Blau": "rgb(0,0,255)", "Grün": "#0f0", "Écru": "#c2b280"}
FOLDER = "https://static.wixstatic.com/media/"


def write(items: list[Item], *, newer: bool = False) -> bytes:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, NEWER if newer else OLDER, lineterminator="\r\n")
    writer.writeheader()
    for item in items:
        writer.writerows(_newer_rows(item) if newer else _older_rows(item))
    return "\ufeff".encode() + stream.getvalue().encode()


def _options(item: Item, description: str, variant: Variant | None) -> dict[str, str]:
    row = {}
    for n, name in enumerate(item.variants[0].options, 1):
        values = [v.options[name] for v in ([variant] if variant else item.variants)]
        is_color = name == "Farbe"
        choices = dict.fromkeys(f"{CODES[value]}:{value}" if is_color else value for value in values)
        row |= {
            f"productOptionName{n}": name if variant is None else "",
            f"productOptionType{n}": ("COLOR" if is_color else "DROP_DOWN") if variant is None else "",
            f"{description}{n}": ";".join(choices),
        }
    return row


def _stock(variant: Variant, names: tuple[str, str]) -> str:
    if variant.quantity is None:
        return names[1] if variant.gtin else names[0]
    return str(max(variant.quantity, 0))


def media(item: Item) -> list[str]:
    """Return the names of the images in the shop's media folder."""
    return [f"5e7d77_{item.number}{n}~mv2.jpg" for n in range(len(item.images))]


def _older_rows(item: Item) -> list[dict[str, str]]:
    first = item.variants[0]
    product = {
        "handleId": item.handle,
        "fieldType": "Product",
        "name": item.title,
        "description": item.html,
        "productImageUrl": ";".join(media(item)),
        "collection": f"{item.type};Neu",
        "sku": first.sku,
        "ribbon": "Neu!",
        "price": f"{first.price}",
        "visible": "true" if item.status == "active" else "false",
        "discountMode": _discount(item)[0],
        "discountValue": _discount(item)[1],
        "inventory": _stock(first, ("InStock", "OutOfStock")),
        "brand": item.vendor,
        **_options(item, "productOptionDescription", None),
    }
    variants = [
        {
            "handleId": item.handle,
            "fieldType": "Variant",
            "sku": variant.sku,
            "surcharge": str(5 * n) if n else "0.0",
            "visible": "true" if item.status == "active" else "",
            "inventory": _stock(variant, ("InStock", "OutOfStock")),
            **_options(item, "productOptionDescription", variant),
        }
        for n, variant in enumerate(item.variants)
    ]
    return [product, *(variants if item.has_variants else [])]


def _discount(item: Item) -> tuple[str, str]:
    return [("PERCENT", "0.0"), ("PERCENT", "10.0"), ("AMOUNT", "2.5")][item.number % 3]


def _newer_rows(item: Item) -> list[dict[str, str]]:
    links = [f"wix:image://v1/{name}/foto.jpg#originWidth=1000&originHeight=900" for name in media(item)]
    product = {
        "handle": item.handle,
        "fieldType": "PRODUCT",
        "name": item.title,
        "visible": "TRUE" if item.status == "active" else "FALSE",
        "plainDescription": item.html,
        "media": links[0],
        "brand": item.vendor,
        "preOrderEnabled": "FALSE",
        **_options(item, "productOptionChoices", None),
    }
    own = [
        {
            "price": str(variant.price),
            "strikethroughPrice": str(variant.full_price or ""),
            "inventory": _stock(variant, ("IN_STOCK", "OUT_OF_STOCK")),
            "sku": variant.sku,
            "barcode": variant.gtin,
        }
        for variant in item.variants
    ]
    rows = [product | ({} if item.has_variants else own[0])]
    if item.has_variants:
        rows += [
            {
                "handle": item.handle,
                "fieldType": "VARIANT",
                **each,
                **_options(item, "productOptionChoices", variant),
            }
            for each, variant in zip(own, item.variants, strict=True)
        ]
    return rows + [{"handle": item.handle, "fieldType": "MEDIA", "media": link} for link in links[1:]]


def expected(items: list[Item], *, newer: bool = False) -> dict[str, dict[str, object]]:
    """Return what a catalog must hold of a shop, by id."""
    products = [
        _product(item, n, variant, newer)
        for item in items
        if item.status == "active"
        for n, variant in enumerate(item.variants)
    ]
    return {str(product["id"]): product for product in products}


def _product(item: Item, n: int, variant: Variant, newer: bool) -> dict[str, object]:
    is_out = variant.quantity <= 0 if variant.quantity is not None else bool(variant.gtin)
    if newer:
        price, sale = variant.full_price or variant.price, variant.price if variant.full_price else None
    else:
        price = item.variants[0].price + 5 * n
        mode, value = _discount(item)
        reduced = price * Decimal("0.9") if mode == "PERCENT" else price - Decimal(value)
        sale = reduced.quantize(Decimal("0.01"), ROUND_HALF_UP) if Decimal(value) else None
    images = [FOLDER + name for name in media(item)]
    return without_empty(
        {
            "id": variant.sku or "-".join([item.handle, *variant.options.values()]),
            "title": item.title,
            "description": item.text,
            "brand": item.vendor,
            "product_type": "" if newer else item.type,
            "availability": "out of stock" if is_out else "in stock",
            "inventory": variant.inventory("out of stock" if is_out else "in stock"),
            "condition": "new",
            "price": money(price),
            "sale_price": money(sale) if sale else "",
            "gtin": variant.gtin if newer else "",
            "link": f"https://shop.example/product-page/{item.handle}",
            "image_link": images[0],
            "additional_image_link": ",".join(images[1:]),
            "item_group_id": item.handle if item.has_variants else "",
            "color": variant.options.get("Farbe", ""),
            "size": variant.options.get("Size", ""),
        }
    )
