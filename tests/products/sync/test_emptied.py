"""Fields that a feed empties, or does not have, under services that merge and that replace."""

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
