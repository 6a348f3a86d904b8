"""Write a shop as feeds for Google Merchant Center, a Meta catalog and Pinterest have it.

Google: https://support.google.com/merchants/answer/7052112, names with spaces as in its spreadsheets.
Meta: the template that Commerce Manager offers, and
https://developers.facebook.com/docs/commerce-platform/catalog/fields.
Pinterest: docs/ItemAttributesRequest.md in github.com/pinterest/pinterest-python-generated-api-client.
"""

import csv
import io
from xml.sax.saxutils import escape

from tests.products.feeds.kinds.shop import Item, Variant, money, without_empty

GOOGLE = [
    *("id", "title", "description", "link", "image link", "additional image link", "mobile link"),
    *("availability", "availability date", "price", "sale price", "sale price effective date"),
    *("google product category", "product type", "brand", "gtin", "mpn", "identifier exists", "condition"),
    *("adult", "multipack", "is bundle", "age group", "color", "gender", "material", "pattern", "size"),
    *("size type", "size system", "item group id", "shipping", "shipping weight", "tax", "custom label 0"),
    *("promotion id", "unit pricing measure", "energy efficiency class", "pause"),
]
META = [
    *("id", "title", "description", "availability", "condition", "price", "link", "image_link", "brand"),
    *("google_product_category", "fb_product_category", "quantity_to_sell_on_facebook", "sale_price"),
    *("sale_price_effective_date", "item_group_id", "gender", "color", "size", "age_group", "material"),
    *("pattern", "shipping", "shipping_weight", "gtin", "video[0].url", "video[0].tag[0]", "product_tags[0]"),
    *("product_tags[1]", "style[0]", "status", "image[1].url", "image[1].tag[0]", "image[2].url"),
    *("image[3].url", "custom_label_0"),
]
PINTEREST = [
    *("ID", "Title", "Description", "Link", "Image_Link", "Price", "Availability", "Condition"),
    *("Additional_Image_Link", "Sale_Price", "Item_Group_ID", "Google_Product_Category", "Product_Type"),
    *("Brand", "GTIN", "Color", "Size", "Gender", "Age_Group", "Free_Shipping_Label", "Free_Shipping_Limit"),
    *("Alt_Text", "Average_Review_Rating", "Number_Of_Reviews", "Ad_Link", "Custom_Label_0", "Adult"),
]
CATEGORY = "Home & Garden > Lighting"
# As each of them spells what the service calls otherwise.
AVAILABILITY = {
    "google": {"in stock": "in_stock", "out of stock": "out_of_stock", "later": "backorder"},
    "meta": {"in stock": "In Stock", "out of stock": "out of stock", "later": "available for order"},
    "pinterest": {
        "in stock": "InStock",
        "out of stock": "https://schema.org/OutOfStock",
        "later": "preorder",
    },
}
LATER = {"google": "available for order", "meta": "available for order", "pinterest": "preorder"}


def write(kind: str, items: list[Item]) -> bytes:
    """Return the feed: tab-separated for Google, with a comment line for Meta, upper case for Pinterest."""
    header = {"google": GOOGLE, "meta": META, "pinterest": PINTEREST}[kind]
    stream = io.StringIO()
    if kind == "meta":
        stream.write(
            "# Required | A unique content ID,# Required | A title" + "," * (len(header) - 2) + "\r\n"
        )
    writer = csv.DictWriter(
        stream, header, delimiter="\t" if kind == "google" else ",", lineterminator="\r\n"
    )
    writer.writeheader()
    names = {name.lower().replace(" ", "_"): name for name in header}
    for item in items:
        for n, variant in enumerate(item.variants):
            row = _row(kind, item, n, variant)
            writer.writerow({names[name]: value for name, value in row.items() if name in names})
    return stream.getvalue().encode()


def _later(variant: Variant) -> bool:
    return variant.sold_when_out and (variant.quantity or 0) < 0


def _row(kind: str, item: Item, n: int, variant: Variant) -> dict[str, str]:
    state = "later" if _later(variant) else "out of stock" if variant.is_out else "in stock"
    others = [link for link in item.images if link != item.images[0]]
    row = {name: str(value) for name, value in _product(kind, item, n, variant).items()}
    return row | {
        "availability": AVAILABILITY[kind][state],
        "condition": {"google": "New", "meta": "new", "pinterest": "NEW"}[kind],
        "google_product_category": CATEGORY,
        "gender": "Unisex",
        "age_group": "Adult",
        "identifier_exists": "yes",
        "shipping": "DE:::4.90 EUR",
        "quantity_to_sell_on_facebook": row.get("inventory", ""),
        "status": "archived" if item.status == "archived" else "active",
        "fb_product_category": "home goods > lighting",
        "free_shipping_label": "true",
        **{f"image[{k}].url": link for k, link in enumerate(others, 1)},
        "average_review_rating": "4.5",
    }


def expected(kind: str, items: list[Item]) -> dict[str, dict[str, object]]:
    """Return what a catalog must hold of a shop, by id."""
    products = [
        _product(kind, item, n, variant)
        for item in items
        if kind != "meta" or item.status != "archived"
        for n, variant in enumerate(item.variants)
    ]
    return {str(product["id"]): product for product in products}


def _product(kind: str, item: Item, n: int, variant: Variant) -> dict[str, object]:
    availability = LATER[kind] if _later(variant) else "out of stock" if variant.is_out else "in stock"
    quantity = variant.quantity if kind == "meta" and (variant.quantity or 0) > 0 else None
    return without_empty(
        {
            "id": variant.sku or f"{item.handle}-{n}",
            "title": item.title,
            "description": item.text,
            "brand": item.vendor,
            "product_type": "" if kind == "meta" else item.type,
            "availability": availability,
            "inventory": quantity,
            "condition": "new",
            "price": money(variant.full_price or variant.price),
            "sale_price": money(variant.price) if variant.full_price else "",
            "gtin": variant.gtin,
            "link": f"https://shop.example/{item.handle}",
            "image_link": item.images[0],
            "additional_image_link": ",".join(item.images[1:]),
            "item_group_id": item.handle if item.has_variants else "",
            "color": variant.options.get("Farbe", ""),
            "size": variant.options.get("Size", ""),
            "gender": "unisex",
            "age_group": "adult",
            "store_product_category": CATEGORY,
        }
    )


def write_rss(items: list[Item]) -> str:
    """Return the feed as RSS with the names of Google: nested shipping, repeated images, CDATA."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>',
        "<title>Nordlicht &amp; Søn</title><link>https://shop.example</link><description>Alles</description>",
    ]
    for item in items:
        for n, variant in enumerate(item.variants):
            row = _row("google", item, n, variant)
            row.pop("shipping")
            images = row.pop("additional_image_link", "").split(",")
            plain = {name: row.pop(name) for name in ("title", "description", "link")}
            lines += ["<item>", *(f"<{name}><![CDATA[{value}]]></{name}>" for name, value in plain.items())]
            lines += [
                f"<g:{name}>{escape(str(value))}</g:{name}>"
                for name, value in row.items()
                if _is_google(name)
            ]
            lines += [
                f"<g:additional_image_link>{escape(link)}</g:additional_image_link>"
                for link in images
                if link
            ]
            lines += [
                "<g:shipping><g:country>DE</g:country><g:price>4.90 EUR</g:price></g:shipping>",
                "</item>",
            ]
    return "\n".join([*lines, "</channel></rss>"])


def _is_google(name: str) -> bool:
    return name.replace("_", " ") in GOOGLE
