"""What an export does not say is not made up: what is sold out is not in stock, a draft is not sent."""

import json

import pytest

from tests.products.feeds.kinds.test_assembly import OPTIONS, table
from tests.products.feeds.kinds.test_languages import export

SHOPIFY = {
    "Handle": "mug",
    "Title": "Mug",
    "Body (HTML)": "A mug.",
    "Vendor": "Nordlicht",
    "Variant SKU": "T-1",
    "Variant Price": "12.50",
    "Image Src": "https://cdn.example/mug.jpg",
}
TRACKED = {"Variant Inventory Tracker": "shopify", "Variant Inventory Policy": "deny"}
WOOCOMMERCE = {
    "ID": "1",
    "Type": "simple",
    "SKU": "T-1",
    "Name": "Mug",
    "Published": "1",
    "Description": "A mug.",
    "In stock?": "1",
    "Regular price": "12.50",
    "Images": "https://cdn.example/mug.jpg",
    "Brands": "Nordlicht",
    "Parent": "",
}
IDEALO = {
    "sku": "T-1",
    "title": "Mug",
    "description": "A mug.",
    "brand": "Nordlicht",
    "url": "https://shop.example/mug",
    "price": "12.50",
    "imageUrls": "https://cdn.example/mug.jpg",
}
OFFER = """<offer id="T-1" {attributes}><url>https://shop.example/mug</url><price>12.50</price>{more}
<currencyId>EUR</currencyId><categoryId>1</categoryId><picture>https://cdn.example/mug.jpg</picture>
<name>Mug</name><vendor>Nordlicht</vendor><description>A mug.</description></offer>"""
IN_CATALOG = {
    "id": "T-1",
    "title": "Mug",
    "description": "A mug.",
    "brand": "Nordlicht",
    "availability": "out of stock",
    "condition": "used",
    "price": "15.00 EUR",
    "link": "https://shop.example/own-page",
    "image_link": "https://cdn.example/own.jpg",
    "item_group_id": "mugs",
}


def converted(adsctl, content: str, *options: str, name: str = "feed.csv"):
    """Return the products that a feed becomes, and what is said of it."""
    adsctl.file(name, content)
    done = adsctl("products", "convert", name, "out.jsonl", "--force", *OPTIONS, *options)
    return [json.loads(line) for line in (adsctl.home / "out.jsonl").read_text().splitlines()], done.stderr


@pytest.fixture
def update(adsctl, service):
    """Return what `products update` makes of a product of the catalog."""

    def run(content: str, name: str = "part.csv") -> dict:
        adsctl.file("catalog.jsonl", json.dumps(IN_CATALOG) + "\n")
        adsctl("products", "push", "catalog.jsonl", "-q")
        adsctl.file(name, content)
        adsctl("products", "update", name, "--currency", "EUR", "-q")
        product = service.emulator.data.product("T-1")
        return {field: product[field] for field in IN_CATALOG}

    return run


def test_an_export_without_stock_warns_that_all_is_sent_as_in_stock(adsctl):
    (product,), message = converted(adsctl, table(SHOPIFY | TRACKED), "-q")
    assert product["availability"] == "in stock"
    assert (
        "feed.csv: 1 product sent as in stock, though no Variant Inventory Qty says what is left" in message
    )
    assert "--set 'availability={COLUMN}' --fix availability" in message


@pytest.mark.parametrize(
    "columns",
    [
        {"Variant Inventory Tracker": ""},
        TRACKED | {"Variant Inventory Qty": "5"},
        TRACKED | {"availability": "in stock"},
    ],
)
def test_where_the_export_says_whether_there_is_stock_nothing_is_warned(adsctl, columns):
    _, message = converted(adsctl, table(SHOPIFY | columns))
    assert "as in stock" not in message


@pytest.mark.parametrize("quantity", ["", "not stocked"])
def test_a_tracked_product_without_a_quantity_is_counted(adsctl, quantity):
    rows = [
        SHOPIFY | TRACKED | {"Variant Inventory Qty": "5"},
        SHOPIFY | TRACKED | {"Handle": "b", "Variant SKU": "B", "Variant Inventory Qty": quantity},
        SHOPIFY | {"Handle": "c", "Variant SKU": "C", "Variant Inventory Tracker": ""},
        SHOPIFY | TRACKED | {"Handle": "d", "Variant SKU": "D", "Variant Inventory Policy": "continue"},
        SHOPIFY | TRACKED | {"Handle": "e", "Variant SKU": "E", "Status": "draft"},
    ]
    _, message = converted(adsctl, table(*rows))
    assert "1 product sent as in stock, though no Variant Inventory Qty says what is left" in message


def test_an_export_without_any_column_of_stock_is_noted(adsctl):
    _, message = converted(adsctl, table(SHOPIFY))
    assert "note: feed.csv: 1 product sent as in stock, though no Variant Inventory Qty" in message


def test_none_is_left_where_a_spreadsheet_wrote_so(adsctl):
    (product,), _ = converted(adsctl, table(SHOPIFY | TRACKED | {"Variant Inventory Qty": '"0,0"'}))
    assert (product["availability"], product["inventory"]) == ("out of stock", 0)


def test_a_quantity_without_the_column_of_its_tracker_counts(adsctl):
    (product,), _ = converted(adsctl, table(SHOPIFY | {"Variant Inventory Qty": "0"}))
    assert (product["availability"], product["inventory"]) == ("out of stock", 0)


@pytest.mark.parametrize("rename", [str.lower, str.upper, lambda name: name.replace(" ", "_")])
def test_a_draft_is_left_out_however_the_header_is_spelled(adsctl, rename):
    shown = SHOPIFY | {"Status": "active", "Published": "true"}
    hidden = [{"Status": "draft"}, {"Published": "false"}, {"Published": "FALSCH"}]
    drafts = [
        shown | {"Handle": f"jug-{n}", "Variant SKU": f"T-{n}"} | cells for n, cells in enumerate(hidden, 2)
    ]
    text = table(shown, *drafts)
    header, _, rows = text.partition("\n")
    products, message = converted(adsctl, f"{rename(header)}\n{rows}")
    assert [product["id"] for product in products] == ["T-1"]
    assert "3 products left out" in message


def test_a_column_of_a_field_that_was_added_to_an_export_counts(adsctl):
    own = {
        "link": "https://shop.example/own-page",
        "availability": "out of stock",
        "Sale price": "9.00",
        "ID": "70012",
    }
    (product,), _ = converted(adsctl, table(SHOPIFY | own))
    assert product["link"] == own["link"]
    assert product["availability"] == "out of stock"
    assert product["sale_price"] == "9.00 EUR"
    assert product["id"] == "T-1"  # the number of the platform is no id


def test_an_empty_cell_of_a_field_that_was_added_leaves_what_the_export_says(adsctl):
    rows = [
        SHOPIFY | {"link": ""},
        SHOPIFY | {"Handle": "b", "Variant SKU": "B", "link": "https://x.example/b"},
    ]
    products, _ = converted(adsctl, table(*rows))
    links = [product["link"] for product in products]
    assert links == ["https://shop.example/products/mug", "https://x.example/b"]


def test_a_product_whose_variations_were_not_exported_is_counted(adsctl):
    variable = WOOCOMMERCE | {"Type": "variable", "ID": "2", "SKU": "V", "Regular price": ""}
    with_one = variable | {"ID": "3", "SKU": "W"}
    variation = WOOCOMMERCE | {"Type": "variation", "ID": "4", "SKU": "W-1", "Parent": "W"}
    by_number = WOOCOMMERCE | {"Type": "variation", "ID": "6", "SKU": "N-1", "Parent": "id:5"}
    numbered = variable | {"ID": "5", "SKU": ""}
    rows = [WOOCOMMERCE, variable, with_one, variation, numbered, by_number]
    products, message = converted(adsctl, table(*rows), "-q")
    assert [product["id"] for product in products] == ["T-1", "W-1", "N-1"]
    assert "1 product left out: 1 whose Type is variable without a variation" in message


DELIVERIES = {
    "1-3 Werktage": "in stock",
    "sofort lieferbar": "in stock",
    "24h": "in stock",
    "2-3 Wochen": "available for order",
    "auf Anfrage": "available for order",
    "derzeit nicht lieferbar": "out of stock",
    "nicht auf Lager": "out of stock",
    "nicht mehr bestellbar": "out of stock",
    "zur Zeit vergriffen": "out of stock",
    "momentan ausverkauft": "out of stock",
    "currently not available": "out of stock",
}


def test_what_idealo_is_told_of_delivery_is_read_by_what_it_says(adsctl):
    rows = [IDEALO | {"sku": f"T-{n}", "deliveryTime": text} for n, text in enumerate(DELIVERIES)]
    products, _ = converted(adsctl, table(*rows))
    assert [product["availability"] for product in products] == [*DELIVERIES.values()]


@pytest.mark.parametrize("column", ["deliveryTime", "availability"])
def test_a_delivery_that_is_not_understood_is_not_in_stock(adsctl, column):
    adsctl.file("feed.csv", table(IDEALO | {column: "siehe Seite"}))
    done = adsctl("products", "check", "feed.csv", "-o", "table", *OPTIONS, code=3)
    assert "availability: 'siehe Seite' is not one of" in done.stdout


def test_an_own_feed_that_looks_like_one_of_idealo_keeps_what_is_not_available(adsctl):
    (product,), _ = converted(adsctl, table(IDEALO | {"availability": "no"}))
    assert product["availability"] == "out of stock"


@pytest.mark.parametrize(
    ("attributes", "more", "expected"),
    [
        ('available="true"', "<stock_quantity>5</stock_quantity>", ("in stock", 5)),
        ('available="false"', "<stock_quantity>0</stock_quantity>", ("out of stock", 0)),
        ('available="true"', "<stock_quantity>0</stock_quantity>", ("in stock", None)),
        ("", "<stock>0</stock>", ("out of stock", 0)),
        ("", "", ("in stock", None)),
    ],
)
def test_the_quantity_of_an_offer_is_sent_where_it_agrees(adsctl, attributes, more, expected):
    offer = OFFER.format(attributes=attributes, more=more)
    document = f"<yml_catalog><shop><offers>{offer}</offers></shop></yml_catalog>"
    (product,), _ = converted(adsctl, document, name="feed.xml")
    assert (product["availability"], product.get("inventory")) == expected


def test_an_update_by_a_part_of_an_export_changes_nothing_that_it_does_not_have(update):
    part = {name: SHOPIFY[name] for name in ("Handle", "Title", "Variant SKU", "Variant Price")}
    assert update(table(part)) == IN_CATALOG | {"price": "12.50 EUR"}


def test_an_update_assumes_nothing_that_a_feed_of_idealo_does_not_say(update):
    assert update(table(IDEALO))["condition"] == "used"


def test_columns_that_are_known_by_their_order_alone_are_named(adsctl):
    adsctl.file("feed.csv", export("another language"))
    done = adsctl("products", "check", "feed.csv", *OPTIONS, code=None)
    assert "by the order of the columns, 'Stok kodu' is SKU" in done.stderr
    assert "'Normal fiyat' is Regular price" in done.stderr


SALES = [
    ("12,00", "15,00", ("15.00 EUR", "12.00 EUR")),
    ("1.299,00", "1.500,00", ("1500.00 EUR", "1299.00 EUR")),
    ("12,00 €", "15,00 €", ("15.00 EUR", "12.00 EUR")),
    ("9,00", "15", ("15 EUR", "9.00 EUR")),
    ("15,00", "12,00", ("15.00 EUR", None)),
]


@pytest.mark.parametrize(
    ("export", "names", "columns"),
    [
        (SHOPIFY, ("Handle", "Variant SKU"), ("Variant Price", "Variant Compare At Price")),
        (IDEALO | {"deliveryTime": "24h"}, ("sku",), ("price", "formerPrice")),
    ],
)
def test_a_sale_is_sent_from_an_export_that_a_spreadsheet_has_saved(adsctl, export, names, columns):
    rows = []
    for number, (*prices, _) in enumerate(SALES):
        quoted = {column: f'"{price}"' for column, price in zip(columns, prices, strict=True)}
        rows.append(export | dict.fromkeys(names, f"T-{number}") | quoted)
    products, _ = converted(adsctl, table(*rows), "--fix", "price")
    sent = [(product["price"], product.get("sale_price")) for product in products]
    assert sent == [prices for *_, prices in SALES]


def test_a_discount_of_wix_is_taken_off_a_price_with_a_decimal_comma(adsctl):
    header = (
        "handleId,fieldType,name,description,productImageUrl,price,discountMode,discountValue,inventory,brand"
    )
    adsctl.file("wix.csv", f'{header}\np1,Product,Pot,Nice,a.jpg,"10,50",AMOUNT,2,5,Nordlicht\n')
    options = ("--fix", "price", "--set", "link=https://shop.example/pot")
    (product,), _ = converted(adsctl, (adsctl.home / "wix.csv").read_text(), *options)
    assert (product["price"], product["sale_price"]) == ("10.50 EUR", "8.50 EUR")


ATTRIBUTE = {"Attribute 1 name": "Color", "Attribute 1 value(s)": "Red"}


def differences(adsctl, export: dict) -> dict:
    """Return the fields that `diff` names of a product that an update has given an mpn and a color."""
    adsctl.file("export.csv", table(export))
    adsctl("products", "push", "export.csv", *OPTIONS, "-q")
    adsctl.file("part.csv", "id,mpn,color\nT-1,M-1,blue\n")
    adsctl("products", "update", "part.csv", "-q")
    done = adsctl("products", "diff", "export.csv", *OPTIONS, "-q", "-o", "json", code=10)
    return json.loads(done.stdout)[0]["fields"]


def test_a_sync_leaves_an_attribute_that_no_product_of_the_export_has(adsctl, service):
    assert differences(adsctl, WOOCOMMERCE | ATTRIBUTE) == {"color": {"old": "blue", "new": "Red"}}


def test_a_sync_takes_an_attribute_that_the_export_has(adsctl, service):
    own = {"Attribute 2 name": "MPN", "Attribute 2 value(s)": "M-2"}
    assert differences(adsctl, WOOCOMMERCE | ATTRIBUTE | own)["mpn"] == {"old": "M-1", "new": "M-2"}


def test_a_template_may_name_an_attribute_that_only_later_products_have(adsctl):
    last = {"ID": "2", "SKU": "B", "Attribute 1 name": "MPN", "Attribute 1 value(s)": "M-2"}
    rows = table(WOOCOMMERCE | ATTRIBUTE, WOOCOMMERCE | last)
    products, _ = converted(adsctl, rows, "--set", "custom_label_0={mpn}")
    assert [product.get("custom_label_0") for product in products] == [None, "M-2"]


def test_an_update_without_stock_does_not_warn_of_it(adsctl, service):
    adsctl.file("catalog.jsonl", json.dumps(IN_CATALOG) + "\n")
    adsctl("products", "push", "catalog.jsonl", "-q")
    adsctl.file("part.csv", table({name: SHOPIFY[name] for name in ("Handle", "Title", "Variant SKU")}))
    assert "in stock" not in adsctl("products", "update", "part.csv").stderr


def test_an_export_that_the_shop_sends_as_several_files_is_one_feed(adsctl, service):
    adsctl.file("1.csv", table(SHOPIFY | TRACKED | {"Variant Inventory Qty": "5"}))
    adsctl.file("2.csv", table(SHOPIFY | {"Handle": "jug", "Variant SKU": "T-2"}))
    adsctl.file("3.csv", table(WOOCOMMERCE | {"SKU": "T-3"}))
    done = adsctl("products", "push", "1.csv", "2.csv", "3.csv", *OPTIONS)
    assert {"T-1", "T-2", "T-3"} <= {product["id"] for product in service.emulator.data.products()}
    assert "note: 2.csv: 1 product sent as in stock, though no Variant Inventory Qty" in done.stderr
    differences = adsctl("products", "diff", "1.csv", "2.csv", "3.csv", *OPTIONS, "-o", "json")
    assert json.loads(differences.stdout) == []
