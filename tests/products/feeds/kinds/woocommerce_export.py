"""Write a shop as WooCommerce exports it, and say what a catalog must hold of it.

Header and values: plugins/woocommerce/includes/export/class-wc-product-csv-exporter.php in
github.com/woocommerce/woocommerce.
"""

import csv
import io
from decimal import Decimal

from tests.products.feeds.kinds.shop import Item, Variant, money, without_empty

HEADER = [
    *("ID", "Type", "SKU", "GTIN, UPC, EAN, or ISBN", "Name", "Published", "Is featured?"),
    *("Visibility in catalog", "Short description", "Description", "Date sale price starts"),
    *("Date sale price ends", "Tax status", "Tax class", "In stock?", "Stock", "Low stock amount"),
    *("Backorders allowed?", "Sold individually?", "Weight (kg)", "Length (cm)", "Width (cm)", "Height (cm)"),
    *("Allow customer reviews?", "Purchase note", "Sale price", "Regular price", "Categories", "Tags"),
    *("Shipping class", "Images", "Download limit", "Download expiry days", "Parent", "Grouped products"),
    *("Upsells", "Cross-sells", "External URL", "Button text", "Position", "Brands"),
    *("Attribute 1 name", "Attribute 1 value(s)", "Attribute 1 visible", "Attribute 1 global"),
    *("Attribute 2 name", "Attribute 2 value(s)", "Attribute 2 visible", "Attribute 2 global"),
    *(
        "Meta: _wpcom_is_markdown",
        "Attribute 1 default",
        "Download 1 ID",
        "Download 1 name",
        "Download 1 URL",
    ),
]
PUBLISHED = {"active": "1", "hidden": "0", "draft": "-1", "archived": "2"}
SALE_STARTS, SALE_ENDS = "2026-11-01T00:00:00+01:00", "2026-12-24T23:59:59+01:00"


def write(items: list[Item]) -> bytes:
    """Return the export: ordered by id, so that some variations come before their parent."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, HEADER, lineterminator="\n")
    writer.writeheader()
    rows = [row for item in items for row in _rows(item)]
    rows.append(
        {"ID": "999999", "Type": "grouped", "SKU": "set", "Name": "A set", "Published": "1", "In stock?": "1"}
    )
    for row in sorted(rows, key=lambda row: int(row["ID"])):
        writer.writerow(_COMMON | row)
    return "\ufeff".encode() + stream.getvalue().encode()


_COMMON = {
    "Is featured?": "0",
    "Visibility in catalog": "visible",
    "Tax status": "taxable",
    "Sold individually?": "0",
    "Allow customer reviews?": "1",
    "Position": "0",
    "Meta: _wpcom_is_markdown": "1",
}


def page(item: Item) -> int:
    """Return the id of a product; every seventh one is newer than its variations."""
    return 10 * item.number + (9 if item.number % 7 == 0 else 0)


def _rows(item: Item) -> list[dict[str, str]]:
    product = {
        "ID": str(page(item)),
        "Name": item.title,
        "Published": PUBLISHED[item.status],
        "Description": item.html if item.number % 2 else "",
        "Short description": item.html,
        "Categories": f"{item.type}, Neu, Sale > Winter",
        "Tags": "öko, neu",
        "Images": ", ".join(link.replace(",", r"\,") for link in item.images),
        "Brands": item.vendor,
    }
    if not item.has_variants:
        return [product | {"Type": "simple"} | _own(item.variants[0])]
    parent = {"Type": "variable", "SKU": _parent_sku(item), "In stock?": "1"}
    names = list(item.variants[0].options)
    for n, name in enumerate(names, 1):
        parent[f"Attribute {n} name"] = name
        parent[f"Attribute {n} value(s)"] = ", ".join({v.options[name]: "" for v in item.variants})
    rows = [product | parent]
    for n, variant in enumerate(item.variants, 1):
        row = {
            "ID": str(10 * item.number + n),
            "Type": "variation",
            "Name": f"{item.title} - {', '.join(variant.options.values())}",
            "Published": "-1" if item.status == "draft" else "1",
            "Parent": _parent_sku(item) or f"id:{page(item)}",
            "Images": variant.image,
            **_own(variant),
        }
        for k, (name, value) in enumerate(variant.options.items(), 1):
            row |= {f"Attribute {k} name": name, f"Attribute {k} value(s)": value}
        rows.append(row)
    return rows


def _parent_sku(item: Item) -> str:
    return "" if item.number % 5 == 0 else f"parent-{item.number}"


def _own(variant: Variant) -> dict[str, str]:
    is_backorder = variant.sold_when_out and (variant.quantity or 0) < 0
    return {
        "SKU": variant.sku,
        "GTIN, UPC, EAN, or ISBN": variant.gtin,
        "In stock?": "backorder" if is_backorder else "0" if variant.is_out else "1",
        "Stock": "" if variant.quantity is None else str(variant.quantity),
        "Backorders allowed?": "notify" if variant.sold_when_out else "0",
        "Sale price": f"{variant.price:.2f}" if variant.full_price else "",
        "Regular price": str(variant.full_price or variant.price),
        "Date sale price starts": SALE_STARTS if _is_dated(variant) else "",
        "Date sale price ends": SALE_ENDS if _is_dated(variant) else "",
    }


def _is_dated(variant: Variant) -> bool:
    return bool(variant.full_price) and variant.price > Decimal(100)


def expected(items: list[Item]) -> dict[str, dict[str, object]]:
    """Return what a catalog must hold of a shop, by id."""
    products = [
        _product(item, n, variant)
        for item in items
        if item.status == "active"
        for n, variant in enumerate(item.variants, 1)
    ]
    return {str(product["id"]): product for product in products}


def _product(item: Item, n: int, variant: Variant) -> dict[str, object]:
    several = item.has_variants
    first = variant.image or item.images[0]
    is_backorder = variant.sold_when_out and (variant.quantity or 0) < 0
    availability = "available for order" if is_backorder else "out of stock" if variant.is_out else "in stock"
    return without_empty(
        {
            "id": variant.sku or str(10 * item.number + n if several else page(item)),
            "title": f"{item.title} - {', '.join(variant.options.values())}" if several else item.title,
            "description": item.text,
            "brand": item.vendor,
            "product_type": item.type,
            "availability": availability,
            "inventory": variant.inventory(availability),
            "condition": "new",
            "price": f"{variant.full_price or variant.price} EUR",
            "sale_price": money(variant.price) if variant.full_price else "",
            "sale_price_effective_date": f"{SALE_STARTS}/{SALE_ENDS}" if _is_dated(variant) else "",
            "gtin": variant.gtin,
            "link": f"https://shop.example/?p={page(item)}",
            "image_link": first,
            "additional_image_link": ",".join(link for link in item.images if link != first),
            "item_group_id": (_parent_sku(item) or str(page(item))) if several else "",
            "color": variant.options.get("Farbe", ""),
            "size": variant.options.get("Size", ""),
        }
    )
