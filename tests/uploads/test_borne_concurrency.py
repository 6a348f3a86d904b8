"""A push begins with as many requests at once as the service bore in the last one."""

import json

import pytest

from tests.conftest import feed
from tests.stored import stored

ROUTE = "PUT /12/product_catalogs/{product_catalog_id}/products"


@pytest.fixture
def push(adsctl, service):
    """Push 10 batches, and return what is stored afterwards of the service."""
    adsctl.file("feed.csv", feed(250))
    service.fail("PUT * latency=30ms")  # on a busy machine, more requests at once may gain nothing otherwise

    def run(*words: str, code: int = 0) -> dict[str, int]:
        adsctl("products", "push", "feed.csv", "--concurrency", "16", *words, code=code)
        return proven(adsctl)

    return run


def proven(adsctl) -> dict[str, int]:
    (note,) = stored(adsctl, "SELECT value FROM notes WHERE kind = 'concurrency'")
    return json.loads(note)


def test_what_the_service_bore_is_stored_until_it_was_too_much(push, service):
    assert push()[ROUTE] > 4
    service.fail("PUT * status=503 times=1")
    assert push() == {}


def test_a_damaged_note_costs_only_time(push, adsctl):
    push()
    for damaged in (b"", b"{", b'{"PUT": "many"}', b"[8]", b"\xff"):
        stored(adsctl, "UPDATE notes SET value = ? WHERE kind = 'concurrency'", damaged)
        assert push()[ROUTE] > 4, damaged
