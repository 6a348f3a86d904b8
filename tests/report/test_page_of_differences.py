"""--report of products diff: what would be created, updated and deleted, with the products themselves."""

import re

import pytest

from tests.conftest import PRODUCT
from tests.products.sync.differ import DIFFERENT, Differ
from tests.report.conftest import HOSTILE
from tests.report.reading import Read, read


@pytest.fixture
def differ(adsctl, service) -> Differ:
    return Differ(adsctl, service)


def page_of(differ: Differ, *words: str, code: int = DIFFERENT) -> Read:
    differ.diff("--report", "diff.html", *words, code=code)
    return read(differ.adsctl.home / "diff.html")


def test_every_difference_is_shown_with_its_values_and_its_picture(differ):
    images = {id: f"https://images.example/{id}.jpg" for id in "abcd"}
    products = {id: {"id": id, "image_link": image} for id, image in images.items()}
    differ.catalog(products["a"], products["b"] | {"color": "red"}, products["c"])
    differ.feed(products["a"], products["b"] | {"price": "9.00 EUR", "color": None}, products["d"])
    page = page_of(differ, "--prune")
    assert "3 products differ: 1 to create, 1 to update, 1 to delete" in page.text
    assert "the same 1" in page.text
    assert "update b Enamel mug price 12.50 EUR → 9.00 EUR" in page.text
    assert "create d Enamel mug price 12.50 EUR availability in stock brand Nordlicht" in page.text
    assert "delete c Enamel mug" in page.text
    assert page.attributes("data-picture") == [images["b"], images["d"], images["c"]]


def test_a_catalog_that_is_equal_says_so(differ):
    differ.catalog({"id": "a"})
    differ.feed({"id": "a"})
    assert "The catalog is what the feed says" in page_of(differ, code=0).text


def test_deletions_are_shown_however_many_products_are_new(differ):
    differ.catalog({"id": "old"})
    differ.feed(*({"id": f"new-{number}"} for number in range(1200)))
    page = page_of(differ, "--prune")
    assert "1,201 products differ" in page.text and "delete old" in page.text
    assert re.search("The first [0-9,]+ of 1,200 products are shown", page.text)
    assert "products diff prints all of them." in page.text


def test_what_a_catalog_holds_is_shown_as_text(differ):
    differ.catalog({"id": "a", "title": HOSTILE}, {"id": "<b>"})
    differ.feed({"id": "a"})
    page = page_of(differ, "--prune")
    assert "<script>window.ran" in page.text and "delete <b>" in page.text
    assert sum(tag == "script" for tag, _ in page.tags) == 1
    assert page.attributes("data-picture") == [PRODUCT["image_link"]] * 2


def test_a_feed_with_mistakes_is_not_compared(differ):
    differ.feed({"id": "a", "price": "cheap"})
    page = page_of(differ, code=3)
    assert (
        "Nothing was compared: 1 of 1 row has mistakes" in page.text and "nothing was compared" in page.text
    )


def test_a_catalog_that_cannot_be_listed_is_an_error_on_the_page(differ):
    differ.feed({"id": "a"})
    differ.service.fail("GET * status=503")
    page = page_of(differ, "--max-attempts", "1", code=8)
    assert "Nothing was compared" in page.text and "503" in page.text
