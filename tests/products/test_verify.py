"""push --changed --verify counts the whole comparison of a feed with its catalog."""

import json

import pytest

from tests.conftest import feed
from tests.products.shop import CUP, feed_with, ids

COUNTS = ("same", "differing", "missing", "only_in_catalog", "hidden")


def counts(summary: dict) -> tuple[int, ...]:
    return tuple(summary[name] for name in COUNTS)


def theirs(shop, content: str, **env: str) -> None:
    """Push another file."""
    shop.adsctl.file("theirs.csv", content)
    shop.adsctl("products", "push", "theirs.csv", "--changed", **env)


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_rows_that_another_push_changed_count_as_differing(shop, where):
    shop.push(feed(60))
    theirs(shop, feed(5, price="99.00 EUR"), **(shop.elsewhere() if where == "elsewhere" else {}))
    summary = shop.push(feed(60), "--verify")
    assert counts(summary) == (55, 5, 0, 0, 0) and shop.sent == ids(1, 2, 3, 4, 5)
    assert "55 the same, 5 differing, 0 missing, 0 only in the catalog" in shop.said


def test_products_that_the_feed_does_not_name_are_counted(shop):
    shop.push(feed(60))
    summary = shop.push(feed(50), "--verify")
    assert counts(summary) == (50, 0, 0, 10, 0) and "10 only in the catalog" in shop.said
    assert shop.sent == [] and len(shop.service.stored) == 60


def test_a_first_push_is_compared_too(shop):
    theirs(shop, feed_with(30, {3: CUP}), **shop.elsewhere())
    summary = shop.push(feed(40), "--verify")
    assert summary["skipped"] == 0 and counts(summary) == (29, 1, 10, 0, 0)


def test_invalid_rows_are_not_compared_and_their_products_not_counted_as_unnamed(shop):
    shop.push(feed(60))
    header, *rows = feed(50).splitlines()
    rows[9] = rows[9].replace("12.50 EUR", "cheap")
    rows.append(rows[19])
    summary = shop.push("\n".join([header, *rows]), "--verify", "--skip-invalid", code=9)
    assert summary["invalid"] == 3 and counts(summary) == (48, 0, 0, 10, 0)


def test_the_groups_of_variants_are_not_counted_as_products(shop):
    shop.push(feed(20, item_group_id="mugs"))
    assert counts(shop.push(None, "--verify")) == (1, 0, 0, 0, 19)
    assert counts(shop.push(feed(1, brand="Polar"), "--verify")) == (0, 1, 0, 0, 0)
    assert counts(shop.push(feed(30).replace("sku-1,", "sku-x,"), "--verify"))[3] == 0


def test_the_counts_are_those_of_the_summary_in_text_too(shop):
    shop.push(feed(60))
    shop.adsctl.file("feed.csv", feed(50))
    words = ("products", "push", "feed.csv", "--changed", "--verify", "-q")
    shown = shop.adsctl(*words, "-o", "table").stdout
    assert "with the catalog: 50 the same, 0 differing, 0 missing, 10 only in the catalog" in shown
    assert counts(json.loads(shop.adsctl(*words, "--dry-run", "-o", "json").stdout)) == (50, 0, 0, 10, 0)


@pytest.mark.parametrize(("service_name", "kept"), [("generic", None), ("x", "9.50 EUR")])
def test_a_value_that_a_row_leaves_empty_stays_under_x_and_verify_says_so_each_time(shop, kept):
    shop.push(feed(3, sale_price="9.50 EUR"))
    emptied = shop.push(feed(3, sale_price=""))
    assert (emptied["updated"], emptied["unchanged"]) == ((0, 3) if kept else (3, 0))
    assert shop.stored("sku-1").get("sale_price") == kept
    for _ in range(2):
        summary = shop.push(None, "--verify")
        assert (summary["differing"], summary["unchanged"]) == ((3, 3) if kept else (0, 0))
    assert shop.push()["skipped"] == 3  # what was acknowledged is not sent again without --verify
