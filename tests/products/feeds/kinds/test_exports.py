"""Exports of shops and feeds for other services become the catalog that the shop expects."""

import json
import re

import pytest

from tests.effort import tries
from tests.products.feeds.kinds import attribute_feeds, shopify_export, wix_export, woocommerce_export
from tests.products.feeds.kinds.shop import EXPORT_OPTIONS, SHOP_OPTIONS, shop

ITEMS = tries(90, 310)
SHOP = shop(ITEMS)
EXPORTS = {
    "shopify": lambda: (
        shopify_export.write(SHOP),
        SHOP_OPTIONS,
        shopify_export.expected(SHOP),
    ),
    "shopify, newer header": lambda: (
        shopify_export.write(SHOP, newer=True),
        SHOP_OPTIONS,
        shopify_export.expected(SHOP),
    ),
    "woocommerce": lambda: (
        woocommerce_export.write(SHOP),
        SHOP_OPTIONS,
        woocommerce_export.expected(SHOP),
    ),
    "wix": lambda: (
        wix_export.write(SHOP),
        [*EXPORT_OPTIONS, "--set", "link=https://shop.example/product-page/{handleId}"],
        wix_export.expected(SHOP),
    ),
    "wix, newer header": lambda: (
        wix_export.write(SHOP, newer=True),
        [*EXPORT_OPTIONS, "--set", "link=https://shop.example/product-page/{handle}"],
        wix_export.expected(SHOP, newer=True),
    ),
    "google": lambda: (attribute_feeds.write("google", SHOP), [], attribute_feeds.expected("google", SHOP)),
    "google, as RSS": lambda: (attribute_feeds.write_rss(SHOP), [], attribute_feeds.expected("google", SHOP)),
    "meta": lambda: (attribute_feeds.write("meta", SHOP), [], attribute_feeds.expected("meta", SHOP)),
    "pinterest": lambda: (
        attribute_feeds.write("pinterest", SHOP),
        [],
        attribute_feeds.expected("pinterest", SHOP),
    ),
}


def stored(service) -> dict[str, dict]:
    """Return what the catalog holds beside what was in it before, by id, without the service's own fields."""
    return {product["id"]: product for product in service.emulator.data.products()}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_becomes_the_catalog_that_the_shop_expects(adsctl, service, name):
    content, options, expected = EXPORTS[name]()
    assert len({product["title"] for product in expected.values()}) >= ITEMS * 2 / 3
    kind = name.partition(",")[0]
    before = stored(service)
    file = "feed.xml" if "RSS" in name else "products_export.csv"
    adsctl.file(file, content)
    done = adsctl("products", "push", file, "--strict", *options)
    assert f"(--from {kind})" in done.stderr
    assert "not known" not in done.stderr and "warning: gtin" not in done.stderr
    added = {key: product for key, product in stored(service).items() if key not in before}
    assert added.keys() == expected.keys()
    for key, product in expected.items():
        sent = {name: added[key].get(name) for name in product.keys() | sendable(added[key])}
        assert sent == product, key


def sendable(product: dict) -> set[str]:
    """Return the fields of a stored product that a feed can give."""
    own = {"product_key", "item_group_key"}
    return {name for name, value in product.items() if value is not None and name not in own} & FIELDS


FIELDS = {
    *("id", "title", "description", "availability", "condition", "price", "link", "image_link", "brand"),
    *("gtin", "mpn", "mobile_link", "additional_image_link", "store_product_category", "product_type"),
    *("inventory", "sale_price", "sale_price_effective_date", "item_group_id", "gender", "color", "size"),
    *("age_group", "custom_label_0", "custom_label_1", "custom_label_2", "custom_label_3", "custom_label_4"),
}


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("shopify", ["Status is draft", "Status is archived", "Published is FALSE"]),
        ("shopify, newer header", ["Status is draft", "Published on online store is FALSE"]),
        ("woocommerce", ["Published is 0", "Published is -1", "Published is 2", "Type is grouped"]),
        ("wix", ["visible is false"]),
    ],
)
def test_products_that_are_not_shown_are_left_out_and_counted(adsctl, name, left_out):
    content, options, _ = EXPORTS[name]()
    adsctl.file("export.csv", content)
    done = adsctl("products", "check", "export.csv", *options)
    total, reasons = re.findall(r"(\d+) products left out: (.*)", done.stderr)[0]
    assert {*left_out} <= {*re.findall(r"\d+ whose ([^,]*)", reasons)}
    hidden = {"active", "hidden", "draft", "archived"} - {"active"}
    variants = sum(len(item.variants) for item in SHOP if item.status in hidden)
    assert int(total) == variants + (name == "woocommerce")


def test_what_an_export_lacks_is_told_with_the_option_that_gives_it(adsctl):
    adsctl.file("export.csv", EXPORTS["shopify"]()[0])
    done = adsctl("products", "check", "export.csv", code=3)
    message = done.stdout + done.stderr
    for option in ("--base-url https://", "--currency EUR", "--default condition=new"):
        assert option in message


@pytest.mark.parametrize("export", [shopify_export, woocommerce_export, wix_export])
def test_descriptions_in_html_are_the_only_mistake_of_an_export(adsctl, export):
    adsctl.file("export.csv", export.write(shop(20)))
    link = ["--set", "link=https://shop.example/p"]
    done = adsctl("products", "check", "export.csv", *EXPORT_OPTIONS[:-2], *link, "-o", "json", code=3)
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["field"] == "description" and "contains HTML (<p>)" in finding["problem"]
