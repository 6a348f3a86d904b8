"""Fields that a feed empties, or does not have, under services that merge and that replace."""

import json

import pytest

from ads_cli.products.normal_form import COMPARED
from tests.conftest import PRODUCT, feed

pytestmark = pytest.mark.parametrize("service_name", ["generic", "x"])
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


def test_every_optional_field_can_be_emptied(syncer):
    assert OPTIONAL.keys() == {*COMPARED} - PRODUCT.keys()
    syncer.catalog({"id": "sku-1", **OPTIONAL})
    syncer.adsctl.file("feed.csv", feed(1, **dict.fromkeys(OPTIONAL, "")))
    (record,) = syncer.diff(file="feed.csv")
    assert record["fields"] == {name: {"old": value, "new": None} for name, value in OPTIONAL.items()}
    sync(syncer)
    assert syncer.held()["sku-1"] == PRODUCT
    assert syncer.diff(file="feed.csv") == []


def test_fields_that_the_feed_does_not_have_stay_where_others_change(syncer):
    syncer.catalog({"id": "sku-1", **OPTIONAL})
    syncer.adsctl.file("feed.csv", feed(1, price="11.00 EUR"))
    (record,) = syncer.diff(file="feed.csv")
    assert record["fields"] == {"price": {"old": "12.50 EUR", "new": "11.00 EUR"}}
    sync(syncer)
    assert syncer.held()["sku-1"] == PRODUCT | OPTIONAL | {"price": "11.00 EUR"}
    assert syncer.diff(file="feed.csv") == []


FILES = ("with.csv", "without.csv")


@pytest.mark.parametrize("order", [FILES, FILES[::-1]])
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


def test_a_file_that_lacks_a_column_has_no_difference_beside_one_that_has_it(syncer):
    syncer.catalog({"id": "sku-1", "color": "white"}, {"id": "sku-2", "color": "red"})
    header, *rows = feed(2).splitlines()
    syncer.adsctl.file("with.csv", f"{header},color\n{rows[0]},white\n")
    syncer.adsctl.file("without.csv", f"{header}\n{rows[1]}\n")
    syncer.adsctl("products", "diff", *FILES)
    syncer.adsctl("products", "diff", "with.csv", "without.csv", "--set", "color={brand}", code=10)


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


def test_a_product_with_other_fields_that_the_service_changes_back_is_told(syncer):
    syncer.feed({"id": "a"})
    for code in (0, 0, 9):
        syncer.catalog({"id": "a", "title": "Shouted", "sale_price": "5.00 EUR"})
        syncer.sync(code=code)
        assert syncer.sent == ([] if code else ["a"])
