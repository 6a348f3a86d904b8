"""A catalog is listed by a thread while its feed is validated."""

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from ads_cli.products.sync.background_listing import PAGE_PRODUCTS, BackgroundListing
from ads_cli.products.sync.listed_products import ListedProducts


class Pages:
    """A client whose second page is held back."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def pages(self, request):
        yield SimpleNamespace(records=[{"id": str(number)} for number in range(PAGE_PRODUCTS)])
        self.asked.set()
        self.released.wait(30)
        yield SimpleNamespace(records=[{"id": "late"}])


@pytest.fixture
def listed(tmp_path: Path):
    products = ListedProducts.create(tmp_path / "listing.db")
    yield products
    products.close()


def test_a_listing_that_is_left_writes_no_more(listed):
    client = Pages()
    with BackgroundListing(client, "c", listed) as listing:
        assert client.asked.wait(30)
    client.released.set()
    listing.wait(lambda number: None)
    assert listed.find(["late"]) == {}


def test_a_listing_is_waited_for_with_its_progress(listed):
    client, seen = Pages(), []
    with BackgroundListing(client, "c", listed) as listing:
        assert client.asked.wait(30)
        client.released.set()
        listing.wait(seen.append)
    assert seen[-1] == listed.count == PAGE_PRODUCTS + 1
    assert [*listed.find(["late", "absent"])] == ["late"]


def test_a_product_that_is_listed_twice_counts_as_it_was_listed_last(listed):
    listed.add([{"id": "a", "title": "Old"}, {"id": "b"}, {"id": "a", "title": "New"}, {"title": "no id"}])
    listed.index()
    assert listed.find(["a"])["a"].values == {"title": "New"} and listed.count == 2


@pytest.mark.parametrize("value", ["\ud800", 2**70, {"a": "\ud800"}, ["x"], 1.5, True])
def test_any_answer_of_a_service_can_be_listed(listed, value):
    listed.add([{"id": "a", "title": value, "color": "red"}, {"id": value, "product_key": value}])
    listed.index()
    assert listed.find(["a"])["a"].values["color"] == "red"
    assert listed.find([str(value)])[str(value)].id == str(value)
