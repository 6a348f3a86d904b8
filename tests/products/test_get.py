"""products get: products by the ids of their feed, or by their keys."""

import json

import pytest

from tests.conftest import PRODUCT, feed


@pytest.fixture
def catalog(adsctl, service):
    adsctl.file("feed.csv", feed(30))
    service.emulator.data.add_products(PRODUCT | {"id": f"sku-{n}"} for n in range(1, 31))
    return service


def got(adsctl, *words: str, code: int = 0):
    return json.loads(adsctl("products", "get", *words, "-o", "json", code=code).stdout)


def test_a_product_is_shown_by_its_id_or_its_key(adsctl, catalog):
    product = got(adsctl, "sku-7")
    assert product["title"] == "Enamel mug" and product == catalog.emulator.data.product("sku-7")
    assert got(adsctl, product["product_key"]) == product
    table = adsctl("products", "get", "sku-7", "-o", "csv").stdout.splitlines()
    assert table[0].startswith("product_key,id,title,price") and len(table) == 2


def test_several_products_are_a_list_in_the_order_they_are_named(adsctl, catalog):
    key = got(adsctl, "sku-4")["product_key"]
    assert [product["id"] for product in got(adsctl, "sku-9", key, "sku-2", "sku-9")] == [
        "sku-9",
        "sku-4",
        "sku-2",
    ]


def test_by_says_what_a_name_is(adsctl, catalog):
    key = got(adsctl, "sku-4")["product_key"]
    assert got(adsctl, "--by", "key", key) == got(adsctl, "--by", "id", "sku-4")
    for words in (("--by", "id", key), ("--by", "key", "sku-4")):
        assert f"'{words[-1]}' is not in the catalog" in adsctl("products", "get", *words, code=5).stderr


def test_what_is_not_in_the_catalog_is_named_and_the_others_are_shown(adsctl, catalog):
    done = adsctl("products", "get", "sku-x", "sku-3", "sku-y", "-o", "json", code=5)
    assert [product["id"] for product in json.loads(done.stdout)] == ["sku-3"]
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["message"] == "'sku-x', 'sku-y' are not in the catalog" and error["code"] == "not_found"


def test_a_variant_that_the_listing_hides_is_found_by_its_group(adsctl, catalog):
    adsctl.file("variants.csv", feed(20, item_group_id="mugs"))
    adsctl("products", "push", "variants.csv")
    assert got(adsctl, "sku-15")["item_group_id"] == "mugs"


def test_the_listing_ends_where_everything_is_found(adsctl, service):
    adsctl.file("feed.csv", feed(250))
    adsctl("products", "push", "feed.csv", "--concurrency", "1")
    service.lists = 0
    got(adsctl, "sku-3")
    assert service.lists == 1
    got(adsctl, "sku-230")
    assert service.lists == 1 + 3


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_the_answer_of_the_service_is_shown_unchanged(adsctl, catalog, service_name):
    wire = {"generic": "store_product_category", "x": "google_product_category"}[service_name]
    adsctl.file("other.csv", feed(1, store_product_category="Home"))
    adsctl("products", "push", "other.csv")
    assert got(adsctl, "sku-1")[wire] == "Home"
