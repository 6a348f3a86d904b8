"""Write a shop as Shopify exports it, and say what a catalog must hold of it.

Headers: https://help.shopify.com/en/manual/products/import-export/using-csv, and the sample files in
github.com/shopifypartners/product-csvs for the older one.
"""

import csv
import io

from tests.products.feeds.kinds.shop import Item, Variant, money, without_empty


def _columns(header: str) -> list[str]:
    return header.replace("\n", "").split(",")


OLDER = _columns("""\
Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,
Option2 Name,Option2 Value,Option3 Name,Option3 Value,Variant SKU,Variant Grams,
Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,
Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,
Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,
SEO Description,Google Shopping / Google Product Category,Google Shopping / Gender,
Google Shopping / Age Group,Google Shopping / MPN,Google Shopping / AdWords Grouping,
Google Shopping / AdWords Labels,Google Shopping / Condition,Google Shopping / Custom Product,
Google Shopping / Custom Label 0,Google Shopping / Custom Label 1,Google Shopping / Custom Label 2,
Google Shopping / Custom Label 3,Google Shopping / Custom Label 4,Variant Image,Variant Weight Unit,
Variant Tax Code,Cost per item,Price / International,Compare At Price / International,Status
""")
NEWER = _columns("""\
Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,SKU,
Barcode,Option1 name,Option1 value,Option1 Linked To,Option2 name,Option2 value,Option2 Linked To,
Option3 name,Option3 value,Option3 Linked To,Price,Compare-at price,Cost per item,Charge tax,
Tax code,Unit price total measure,Unit price total measure unit,Unit price base measure,
Unit price base measure unit,Inventory tracker,Inventory quantity,
Continue selling when out of stock,Weight value (grams),Weight unit for display,Requires shipping,
Fulfillment service,Product image URL,Image position,Image alt text,Variant image URL,Gift card,
SEO title,SEO description,Color (product.metafields.shopify.color-pattern),
Google Shopping / Google product category,Google Shopping / Gender,Google Shopping / Age group,
Google Shopping / Manufacturer part number (MPN),Google Shopping / Ad group name,
Google Shopping / Ads labels,Google Shopping / Condition,Google Shopping / Custom product,
Google Shopping / Custom label 0,Google Shopping / Custom label 1,Google Shopping / Custom label 2,
Google Shopping / Custom label 3,Google Shopping / Custom label 4
""")
# The columns of the newer header that this writes, by those of the older one.
RENAMED = {
    "Handle": "URL handle",
    "Body (HTML)": "Description",
    "Published": "Published on online store",
    "Variant SKU": "SKU",
    "Variant Barcode": "Barcode",
    "Option1 Name": "Option1 name",
    "Option1 Value": "Option1 value",
    "Option2 Name": "Option2 name",
    "Option2 Value": "Option2 value",
    "Variant Price": "Price",
    "Variant Compare At Price": "Compare-at price",
    "Variant Inventory Tracker": "Inventory tracker",
    "Variant Inventory Qty": "Inventory quantity",
    "Variant Inventory Policy": "Continue selling when out of stock",
    "Image Src": "Product image URL",
    "Image Position": "Image position",
    "Image Alt Text": "Image alt text",
    "Variant Image": "Variant image URL",
    "Google Shopping / Gender": "Google Shopping / Gender",
}


def write(items: list[Item], *, newer: bool = False) -> bytes:
    """Return the export: a byte-order mark, CRLF, HTML, rows of further images, a blank row now and then."""
    header, stream = NEWER if newer else OLDER, io.StringIO()
    writer = csv.DictWriter(stream, header, lineterminator="\r\n")
    writer.writeheader()
    for item in items:
        for row in _rows(item):
            if newer:
                policy = row.pop("Variant Inventory Policy", "")
                row = {RENAMED.get(name, name): value for name, value in row.items()}
                row["Continue selling when out of stock"] = policy.upper()
            writer.writerow(row)
        if item.number % 50 == 0:
            stream.write("," * (len(header) - 1) + "\r\n")
    return "\ufeff".encode() + stream.getvalue().encode()


def _rows(item: Item) -> list[dict[str, str]]:
    """Return the rows of a product: each has a variant, an image, or both."""
    names = list(item.variants[0].options) or ["Title"]
    rows = []
    for variant in item.variants:
        values = list(variant.options.values()) or ["Default Title"]
        rows.append(
            {
                "Handle": item.handle,
                **{f"Option{n} Value": value for n, value in enumerate(values, 1)},
                "Variant SKU": f"'{variant.sku}" if variant.sku.startswith("0") else variant.sku,
                "Variant Inventory Tracker": "" if variant.quantity is None else "shopify",
                "Variant Inventory Qty": str(variant.quantity or 0),
                "Variant Inventory Policy": "continue" if variant.sold_when_out else "deny",
                "Variant Price": f"{variant.price:.2f}",
                "Variant Compare At Price": f"{variant.full_price or 0:.2f}",
                "Variant Barcode": variant.gtin,
                "Variant Image": variant.image,
            }
        )
    rows[0] |= {
        "Title": item.title,
        "Body (HTML)": item.html,
        "Vendor": item.vendor,
        "Type": item.type,
        "Tags": "sale, öko",
        "Published": "FALSE" if item.status == "hidden" else "TRUE",
        **{f"Option{n} Name": name for n, name in enumerate(names, 1)},
        "Google Shopping / Gender": "Unisex" if item.number % 3 == 0 else "",
        "Status": "active" if item.status == "hidden" else item.status,
    }
    # The export lists images in any order; their positions count.
    for n, (position, link) in enumerate(reversed(list(enumerate(item.images, 1)))):
        if n >= len(rows):
            rows.append({"Handle": item.handle})
        rows[n] |= {"Image Src": link, "Image Position": str(position), "Image Alt Text": item.title}
    return rows


def expected(items: list[Item]) -> dict[str, dict[str, object]]:
    """Return what a catalog must hold of a shop, by id."""
    products = [
        _product(item, variant) for item in items if item.status == "active" for variant in item.variants
    ]
    return {str(product["id"]): product for product in products}


def _product(item: Item, variant: Variant) -> dict[str, object]:
    first = variant.image or item.images[0]
    handle = "-".join([item.handle, *variant.options.values()])
    return without_empty(
        {
            "id": variant.sku or handle,
            "title": item.title,
            "description": item.text,
            "brand": item.vendor,
            "product_type": item.type,
            "availability": "out of stock" if variant.is_out else "in stock",
            "inventory": variant.inventory("out of stock" if variant.is_out else "in stock"),
            "condition": "new",
            "price": money(variant.full_price or variant.price),
            "sale_price": money(variant.price) if variant.full_price else "",
            "gtin": variant.gtin,
            "link": f"https://shop.example/products/{item.handle}",
            "image_link": first,
            "additional_image_link": ",".join(link for link in item.images if link != first),
            "item_group_id": item.handle if item.has_variants else "",
            "color": variant.options.get("Farbe", ""),
            "size": variant.options.get("Size", ""),
            "gender": "unisex" if item.number % 3 == 0 else "",
        }
    )
