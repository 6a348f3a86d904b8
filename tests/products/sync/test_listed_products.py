"""The products of a catalog, as it lists them."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from ads_cli.client.response import Response
from ads_cli.errors import UnavailableError
from ads_cli.products.listing import product_pages
from ads_cli.products.sync.listed_products import ListedProducts


def page(records) -> Response:
    return Response(200, {}, {"data": records})


def client_of(pages: list) -> SimpleNamespace:
    return SimpleNamespace(pages=lambda request: iter(map(page, pages)))


@pytest.fixture
def listed(tmp_path: Path):
    products = ListedProducts.create(tmp_path / "listing.db")
    yield products
    products.close()


def test_a_product_that_is_listed_twice_counts_as_it_was_listed_last(listed):
    listed.add([{"id": "a", "title": "Old"}, {"id": "b"}, {"id": "a", "title": "New"}])
    listed.finish()
    assert listed.find(["a"])["a"].values == {"title": "New"} and listed.count == 2


@pytest.mark.parametrize("value", ["\ud800", 2**70, {"a": "\ud800"}, ["x"], 1.5, True])
def test_any_answer_of_a_service_can_be_listed(listed, value):
    listed.add([{"id": "a", "title": value, "color": "red"}, {"id": "b", "product_key": value}])
    listed.finish()
    assert listed.find(["a"])["a"].values["color"] == "red"
    assert listed.find(["b"])["b"].id == "b"


@pytest.mark.parametrize("value", ["\ud800", 2**70, 0])
def test_an_id_of_any_text_or_number_can_be_listed(listed, value):
    listed.add([{"id": value}])
    listed.finish()
    assert listed.find([str(value)])[str(value)].id == str(value)


MANY = [[{"id": str(n), "title": f"Title {n}"}] for n in range(50)]


def listing_of(pages: list, listed: ListedProducts) -> None:
    for products in product_pages(client_of(pages), "c"):
        listed.add(products)
    listed.finish()


@pytest.mark.parametrize("at", [0, len(MANY)])
@pytest.mark.parametrize("answer", ["text", {"id": "a"}, None, [["no record"]]])
def test_a_page_without_records_ends_a_listing(listed, at, answer):
    pages = [*MANY[:at], answer, *MANY[at:]]
    if isinstance(answer, dict):  # one object in place of a list is a record
        listing_of(pages, listed)
        assert listed.count == len(MANY) + 1
        return
    with pytest.raises(UnavailableError, match="no list of records"):
        listing_of(pages, listed)
