"""A sync repairs what somebody else has changed; what the service does not keep even so is told (9)."""

import json

import pytest

from .syncer import Syncer

NIGHTLY = ("-q", "--resume", "--min-rows", "70%")  # as in the README


@pytest.fixture
def shop(syncer, seldom) -> Syncer:
    syncer.feed({"id": "a"}, {"id": "b"})
    syncer.prune()
    return syncer


def changes(shop: Syncer, **values: str) -> None:
    """Let another machine, or the service itself, change a product."""
    shop.catalog({"id": "a"} | values)


@pytest.mark.parametrize(("service_name", "words"), [("generic", NIGHTLY), ("x", ("--resume",))])
def test_what_another_machine_changed_is_repaired_each_time(shop, words):
    for price in ("99.00 EUR", "98.00 EUR", "99.00 EUR"):
        changes(shop, price=price)
        assert shop.actions() == {"update": ["a"]}
        summary = shop.prune(*words)
        assert (shop.sent, summary["not_kept"]) == (["a"], 0) and "kept" not in shop.said
        shop.assert_equal({"id": "a"}, {"id": "b"})


def test_the_same_change_is_repaired_again_after_the_repair_was_seen(shop):
    for _ in range(2):
        changes(shop, price="99.00 EUR")
        shop.prune()
        assert shop.sent == ["a"]
        shop.prune()
        assert shop.sent == []


@pytest.mark.parametrize(("service_name", "words"), [("generic", NIGHTLY), ("x", ())])
def test_what_differs_after_it_was_sent_once_more_is_not_kept(shop, words):
    for sent in (["a"], [], []):
        changes(shop, title="Shouted")
        summary = shop.prune(*words, code=0 if sent else 9)
        assert (shop.sent, summary["not_kept"]) == (sent, 0 if sent else 1)
    assert "1 product reverted by the service, which has acknowledged the row" in shop.said
    assert "twice and lists other values: 'a'; not sent again" in shop.said
    assert shop.diff("-q", code=9) == [] and "1 product reverted" in shop.said
    assert "1 product reverted" in shop.adsctl("products", "sync", "feed.jsonl", "--dry-run", "-q").stderr
    assert shop.actions("--verify") == {"update": ["a"]}
    shop.feed({"id": "a", "price": "9.00 EUR"}, {"id": "b"})
    (record,) = shop.diff()
    assert record["fields"].keys() == {"title", "price"}


def test_of_many_products_that_are_not_kept_the_first_five_are_named(shop):
    products = [{"id": f"p{number}"} for number in range(6)]
    shop.feed(*products)
    for code in (0, 0, 9):
        shop.prune(code=code)
        shop.catalog(*(product | {"title": "Shouted"} for product in products))
    message = json.loads(shop.said)["error"]["message"]
    assert "6 products reverted" in message and "'p0', 'p1', 'p2', 'p3', 'p4', …; not sent" in message


def test_what_is_kept_in_the_end_is_no_longer_told(shop):
    for code in (0, 9):
        changes(shop, title="Shouted")
        shop.prune(code=code)
    changes(shop)
    shop.prune()
    changes(shop, title="Shouted")
    shop.prune()
    assert shop.sent == ["a"]


def test_other_rows_are_sent_where_a_product_is_not_kept(shop):
    changes(shop, title="Shouted")
    shop.prune()
    changes(shop, title="Shouted")
    shop.feed({"id": "a"}, {"id": "b", "price": "9.00 EUR"})
    summary = shop.prune("-q", code=9)
    assert (shop.sent, summary["not_kept"], summary["updated"]) == (["b"], 1, 1)


def test_what_differs_and_was_pushed_is_sent_once_more_too(syncer):
    syncer.feed({"id": "a"}, {"id": "b"})
    syncer.push()
    changes(syncer, price="99.00 EUR")
    syncer.prune("-q")
    syncer.assert_equal({"id": "a"}, {"id": "b"})
