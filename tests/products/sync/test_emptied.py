"""Fields that a feed empties, or does not have, under services that merge and that replace."""

import json

import pytest

from ads_cli.products.normal_form import COMPARED
from tests.conftest import PRODUCT, feed
from tests.effort import tries

both_services = pytest.mark.parametrize("service_name", ["generic", "x"])
OPTIONAL = {
    "gtin": "9783999738833",
    "mpn": "M-1",
    "mobile_link": "https://shop.example/m/mug",
    "additional_image_link": "https://images.example/1.jpg",
    "store_product_category": "784",
    "product_type": "Home > Mugs",
    "inventory": 7,
    "sale_price": "9.50 EUR",
    "sale_price_effective_date": "2026-12-01T00:00+01:00/2026-12-24T23:59+01:00",
    "item_group_id": "mugs",
    "gender": "unisex",
    "color": "white",
    "size": "L",
    "age_group": "adult",
    **{f"custom_label_{number}": f"label {number}" for number in range(5)},
}


def sync(syncer) -> None:
    syncer.adsctl("products", "sync", "feed.csv", "-q", "-o", "none")


@both_services
def test_every_optional_field_can_be_emptied(syncer):
    assert OPTIONAL.keys() == {*COMPARED} - PRODUCT.keys()
    syncer.catalog({"id": "sku-1", **OPTIONAL})
    syncer.adsctl.file("feed.csv", feed(1, **dict.fromkeys(OPTIONAL, "")))
    (record,) = syncer.diff(file="feed.csv")
    assert record["fields"] == {name: {"old": value, "new": None} for name, value in OPTIONAL.items()}
    sync(syncer)
    assert syncer.held()["sku-1"] == PRODUCT
    assert syncer.diff(file="feed.csv") == []


@both_services
def test_fields_that_the_feed_does_not_have_stay_where_others_change(syncer):
    syncer.catalog({"id": "sku-1", **OPTIONAL})
    syncer.adsctl.file("feed.csv", feed(1, price="11.00 EUR"))
    (record,) = syncer.diff(file="feed.csv")
    assert record["fields"] == {"price": {"old": "12.50 EUR", "new": "11.00 EUR"}}
    sync(syncer)
    assert syncer.held()["sku-1"] == PRODUCT | OPTIONAL | {"price": "11.00 EUR"}
    assert syncer.diff(file="feed.csv") == []


FILES = ("with.csv", "without.csv")


@both_services
@pytest.mark.parametrize("order", [FILES, FILES[::-1]][: tries(1, 2)])
def test_of_several_files_each_row_has_the_fields_of_its_own_file(syncer, order):
    kept = {"color": "white", "mpn": "M-1"}
    syncer.catalog(*({"id": f"sku-{number}"} | kept for number in range(1, 5)))
    header, *rows = feed(4, price="11.00 EUR").splitlines()
    syncer.adsctl.file("with.csv", "\n".join([f"{header},color", f"{rows[0]},", f"{rows[1]},red"]) + "\n")
    syncer.adsctl.file("without.csv", "\n".join([header, *rows[2:]]) + "\n")
    price = {"price": {"old": "12.50 EUR", "new": "11.00 EUR"}}
    expected = {
        "sku-1": price | {"color": {"old": "white", "new": None}},
        "sku-2": price | {"color": {"old": "white", "new": "red"}},
        "sku-3": price,
        "sku-4": price,
    }
    done = syncer.adsctl("products", "diff", *order, "-o", "json", code=10)
    assert {record["id"]: record["fields"] for record in json.loads(done.stdout)} == expected
    syncer.adsctl("products", "sync", *order, "-q", "-o", "none")
    held = syncer.held()
    colors = {id: product.get("color") for id, product in held.items()}
    assert colors == {"sku-1": None, "sku-2": "red", "sku-3": "white", "sku-4": "white"}
    assert {(product["mpn"], product["price"]) for product in held.values()} == {("M-1", "11.00 EUR")}
    syncer.adsctl("products", "diff", *order)


@both_services
def test_a_file_that_lacks_a_column_has_no_difference_beside_one_that_has_it(syncer):
    syncer.catalog({"id": "sku-1", "color": "white"}, {"id": "sku-2", "color": "red"})
    header, *rows = feed(2).splitlines()
    syncer.adsctl.file("with.csv", f"{header},color\n{rows[0]},white\n")
    syncer.adsctl.file("without.csv", f"{header}\n{rows[1]}\n")
    syncer.adsctl("products", "diff", *FILES)
    syncer.adsctl("products", "diff", "with.csv", "without.csv", "--set", "color={brand}", code=10)


@both_services
@pytest.mark.parametrize("price", ["10.00 EUR", "11.00 EUR"])
def test_a_push_after_a_sync_empties_the_fields_that_the_sync_had_left(syncer, service_name, price):
    def push() -> int:
        done = syncer.adsctl("products", "push", "feed.csv", "--changed", "-o", "json")
        return json.loads(done.stdout)["skipped"]

    syncer.adsctl.file("feed.csv", feed(1, price="10.00 EUR", sale_price="5.00 EUR"))
    push()
    syncer.adsctl.file("feed.csv", feed(1, price=price))
    for _ in range(2):
        sync(syncer)
        assert syncer.held()["sku-1"]["sale_price"] == "5.00 EUR"
    merges = service_name == "x"
    assert push() == merges
    assert ("sale_price" in syncer.held()["sku-1"]) == merges
    assert push() == 1


@both_services
def test_a_product_with_other_fields_that_the_service_changes_back_is_told(syncer, seldom):
    syncer.feed({"id": "a"})
    for code in (0, 0, 9):
        syncer.catalog({"id": "a", "title": "Shouted", "sale_price": "5.00 EUR"})
        syncer.sync(code=code)
        assert syncer.sent == ([] if code else ["a"])


SHOP = ("--currency", "EUR", "--default", "condition=new", "--default", "brand=Acme")
SHOPIFY = """\
Handle,Title,Body (HTML),Type,Option1 Name,Option1 Value,Variant SKU,\
Variant Barcode,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,\
Image Src,Image Position
"""
WOOCOMMERCE = """\
ID,Type,SKU,Name,Description,In stock?,Stock,Regular price,Sale price,\
Date sale price starts,Date sale price ends,Categories,Images,Parent,Attribute 1 name,Attribute 1 value(s)
"""
WIX = """\
handleId,fieldType,name,description,productImageUrl,collection,sku,price,discountMode,discountValue,inventory,\
productOptionName1,productOptionDescription1
"""
# An export with a sale, stock, images and options, the one after all these ended, and what is emptied.
EXPORTS = {
    "shopify": (
        SHOPIFY
        + "tee,Tee,A tee.,Shirts,Farben,Rot,T-1,4006381333931,shopify,5,30,40,https://s.example/1.jpg,1\n"
        "tee,,,,,,,,,,,,https://s.example/2.jpg,2\n",
        SHOPIFY + "tee,Tee,A tee.,Shirts,Title,Default Title,T-1,,shopify,0,40,,https://s.example/1.jpg,1\n",
        {"sale_price", "gtin", "additional_image_link", "color", "inventory"},
    ),
    "woocommerce": (
        WOOCOMMERCE + "1,variation,T-1,Tee,A tee.,1,5,40,30,2026-12-01,2026-12-24,Shirts,"
        '"https://s.example/1.jpg, https://s.example/2.jpg",tees,Couleurs,Rouge\n',
        WOOCOMMERCE + "1,simple,T-1,Tee,A tee.,0,0,40,,,,,https://s.example/1.jpg,,,\n",
        {
            *("sale_price", "sale_price_effective_date", "additional_image_link", "color", "inventory"),
            *("product_type", "item_group_id"),
        },
    ),
    "wix": (
        WIX + "p1,Product,Tee,A tee.,1.jpg;2.jpg,Shirts,T-1,40,PERCENT,25,5,Talla,S\n",
        WIX + "p1,Product,Tee,A tee.,1.jpg,,T-1,40,PERCENT,0,0,,\n",
        {"sale_price", "additional_image_link", "size", "inventory", "product_type"},
    ),
}


@pytest.mark.parametrize("kind", EXPORTS)
def test_what_an_export_no_longer_has_is_named_by_a_diff_and_emptied(syncer, kind):
    first, later, emptied = EXPORTS[kind]
    words = (*SHOP, "--base-url", "https://shop.example", "--default", "link=https://shop.example/p")
    syncer.adsctl.file("feed.csv", first)
    syncer.adsctl("products", "sync", "feed.csv", *words, "-q", "-o", "none")
    assert emptied <= {name for name, value in syncer.stored("T-1").items() if value is not None}
    syncer.adsctl.file("feed.csv", later)
    (record,) = json.loads(
        syncer.adsctl("products", "diff", "feed.csv", *words, "-o", "json", code=10).stdout
    )
    assert emptied <= record["fields"].keys()
    assert {name: record["fields"][name]["new"] for name in emptied} == dict.fromkeys(emptied) | {
        "inventory": 0
    }
    syncer.adsctl("products", "sync", "feed.csv", *words, "-q", "-o", "none")
    held = syncer.stored("T-1")
    assert not any(held.get(name) for name in emptied)
    syncer.adsctl("products", "diff", "feed.csv", *words)


@pytest.mark.parametrize("kind", EXPORTS)
def test_a_converted_export_empties_what_the_export_would(syncer, kind):
    first, later, emptied = EXPORTS[kind]
    words = (*SHOP, "--base-url", "https://shop.example", "--default", "link=https://shop.example/p")
    for content in (first, later):
        syncer.adsctl.file("feed.csv", content)
        syncer.adsctl("products", "convert", "feed.csv", "converted.csv", *words, "--force")
        syncer.adsctl("products", "sync", "converted.csv", "-q", "-o", "none")
    assert not any(syncer.stored("T-1").get(name) for name in emptied)


@both_services
def test_an_export_without_a_column_says_nothing_of_what_is_derived_from_it(syncer):
    syncer.catalog({"id": "T-1", **OPTIONAL})
    columns = "Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price,Image Src"
    syncer.adsctl.file("feed.csv", f"{columns}\ntee,Tee,A tee.,Acme,T-1,40,https://s.example/1.jpg\n")
    words = ("feed.csv", *SHOP, "--base-url", "https://shop.example")
    (record,) = json.loads(syncer.adsctl("products", "diff", *words, "-o", "json", code=10).stdout)
    emptied = {name for name, field in record["fields"].items() if field["new"] is None}
    assert emptied == {"item_group_id", "additional_image_link"}
