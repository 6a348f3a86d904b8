"""A catalog is listed by a thread while its feed is validated, and stored by a process where it is large."""

import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from ads_cli.errors import UnavailableError
from ads_cli.parallel.process_pool import WorkerProcess
from ads_cli.products.sync.listed_products import ListedProducts
from ads_cli.products.sync.listing import PAGES_AT_ONCE, RUNS_HERE, BackgroundListing

PAGE_PRODUCTS = 100


def page(records) -> SimpleNamespace:
    return SimpleNamespace(encoded_records=json.dumps(records).encode())


def client_of(pages: list) -> SimpleNamespace:
    return SimpleNamespace(pages=lambda request, parse: iter(map(page, pages)))


class Pages:
    """A client whose last page is held back, after those that are stored at once."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def pages(self, request, parse):
        for begin in range(PAGES_AT_ONCE):
            yield page([{"id": f"{begin} {number}"} for number in range(PAGE_PRODUCTS)])
        self.asked.set()
        self.released.wait(30)
        yield page([{"id": "late"}])


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
    assert seen[-1] == listed.count == PAGES_AT_ONCE * PAGE_PRODUCTS + 1
    assert [*listed.find(["late", "absent"])] == ["late"]


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


MANY = [[{"id": str(n), "title": f"Title {n}"}] for n in range((RUNS_HERE + 3) * PAGES_AT_ONCE)]


def listing_of(pages: list, listed: ListedProducts) -> None:
    with BackgroundListing(client_of(pages), "c", listed) as listing:
        listing.wait(lambda number: None)


def test_a_large_catalog_is_stored_whole_by_a_process_of_its_own(listed, monkeypatch):
    started = []
    start = WorkerProcess.start.__func__
    monkeypatch.setattr(
        WorkerProcess, "start", classmethod(lambda cls, task: started.append(task) or start(cls, task))
    )
    listing_of(MANY, listed)
    assert len(started) == 1
    assert listed.count == len(MANY) and listed.find(["49"])["49"].values == {"title": "Title 49"}


@pytest.mark.parametrize("runs", [0, 2])
def test_a_process_that_dies_loses_no_product(listed, monkeypatch, runs):
    run, calls = WorkerProcess.run, []

    def dying(self: WorkerProcess, *args):
        calls.append(None)
        if len(calls) > runs:
            self._process.kill()
            self._process.wait()
        return run(self, *args)

    monkeypatch.setattr(WorkerProcess, "run", dying)
    listing_of(MANY, listed)
    assert len(calls) == runs + 1
    assert listed.count == len(MANY)


def test_a_large_catalog_is_listed_where_no_process_can_be_started(listed, monkeypatch):
    monkeypatch.setattr(WorkerProcess, "start", classmethod(lambda cls, task: None))
    listing_of(MANY, listed)
    assert listed.count == len(MANY)


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        *((0, answer) for answer in ("text", {"id": "a"}, None, [["no record"]])),
        *((len(MANY), answer) for answer in ("text", {"id": "a"})),  # listed by a process
    ],
)
def test_a_page_without_records_ends_a_listing(listed, at, answer):
    pages = [*MANY[:at], answer, *MANY[at:]]
    if isinstance(answer, dict):  # one object in place of a list is a record
        listing_of(pages, listed)
        assert listed.count == len(MANY) + 1
        return
    with pytest.raises(UnavailableError, match="no list of records"):
        listing_of(pages, listed)
