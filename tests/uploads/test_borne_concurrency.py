"""A push begins with as many requests at once as the service bore in the last one."""

import json

import pytest

from tests.conftest import feed

ROUTE = "PUT /12/product_catalogs/{product_catalog_id}/products"


@pytest.fixture
def push(adsctl, service):
    """Push 10 batches, and return what is stored afterwards of the service."""
    adsctl.file("feed.csv", feed(250))
    service.fail("PUT * latency=30ms")  # on a busy machine, more requests at once may gain nothing otherwise

    def run(*words: str, code: int = 0) -> dict[str, int]:
        adsctl("products", "push", "feed.csv", "--concurrency", "16", *words, code=code)
        return stored(adsctl)

    return run


def stored(adsctl) -> dict[str, int]:
    (file,) = (adsctl.home / "state" / "concurrency").iterdir()
    return json.loads(file.read_bytes())


def test_what_the_service_bore_is_stored_until_it_was_too_much(push, service):
    assert push()[ROUTE] > 4
    service.fail("PUT * status=503 times=1")
    assert push() == {}


def test_a_damaged_file_costs_only_time(push, adsctl):
    push()
    (file,) = (adsctl.home / "state" / "concurrency").iterdir()
    for damaged in (b"", b'{"PUT": "many"}', b"\xff"):
        file.write_bytes(damaged)
        assert push()[ROUTE] > 4, damaged


def test_without_a_place_for_the_file_a_push_ends_well(push, adsctl):
    (adsctl.home / "state").mkdir(exist_ok=True)
    (adsctl.home / "state" / "concurrency").write_text("in the way")
    adsctl("products", "push", "feed.csv")
