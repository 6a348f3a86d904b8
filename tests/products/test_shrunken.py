"""A feed that has lost many of its rows since it was pushed last: told, or refused."""

import json

import pytest

from tests.conftest import PRODUCT, feed
from tests.feeds.locations.file_server import serving
from tests.stored import stored

LOST = "40 % fewer than the 20 of its last push"


@pytest.fixture
def push(adsctl, service):
    """Push a feed of some rows; give what was said."""

    def run(rows: int, *words: str, name: str = "feed.csv", code: int = 0, **changes: str) -> str:
        adsctl.file(name, feed(rows, **changes))
        return adsctl("products", "push", name, *words, code=code).stderr

    return run


@pytest.fixture
def sent(service):
    return lambda: sum(map(len, service.puts))


@pytest.mark.parametrize("words", [(), ("--changed",), ("-q",)])
def test_a_feed_that_lost_many_rows_is_told_once(push, sent, words):
    assert "fewer" not in push(20, *words)
    assert f"warning: feed.csv: 12 rows, {LOST}\n" in push(12, *words)
    assert sent() == (20 if "--changed" in words else 32)
    assert "fewer" not in push(12, *words)


def test_a_feed_that_lost_few_rows_is_not_told(push):
    push(50)
    assert "fewer" not in push(35)
    assert "31 % fewer" in push(24)
    assert "fewer" not in push(50)


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_min_rows_refuses_a_feed_that_lost_more(push, sent, words):
    push(20)
    for _ in range(2):  # what was refused is not the last push
        said = push(12, "--min-rows", "80%", *words, code=12)
        assert "feed.csv has 12 rows, 60 % of the 20 of its last push, and --min-rows is 80%" in said
        assert "to push it all the same, leave out --min-rows" in said and sent() == 20
    assert "fewer" not in push(16, "--min-rows", "80%")


def test_min_rows_may_be_a_number_and_needs_no_earlier_push(push, sent):
    assert "feed.csv has 8 rows, and --min-rows is 10\n" in push(8, "--min-rows", "10", code=12)
    assert sent() == 0
    push(10, "--min-rows", "10")
    push(1, "--min-rows", "100%", name="other.csv")


def test_min_rows_in_percent_says_where_no_last_push_is_known(push, sent):
    said = push(8, "--min-rows", "80%")
    assert "note: --min-rows 80% has nothing to compare with: no last push of feed.csv" in said
    assert "nothing to compare" not in push(8, "--min-rows", "80%") + push(8, "--min-rows", "8")
    assert "nothing to compare" not in push(8, name="other.csv") and sent() == 32


def test_a_file_that_a_pattern_no_longer_matches_is_a_loss(adsctl, service):
    (adsctl.home / "feeds").mkdir()
    for number, rows in enumerate((6, 6, 8)):
        text = feed(rows).replace("sku-", f"{number}-")
        adsctl.file(f"feeds/{number}.csv", text)
    push = ("products", "push", "feeds/*.csv", "--min-rows", "70%")
    adsctl(*push)
    for missing, rows in ((2, 12), (1, 6)):  # of the last file that is left too
        (adsctl.home / f"feeds/{missing}.csv").unlink()
        said = adsctl(*push, code=12).stderr
        assert f"{rows} rows, {5 * rows} % of the 20 of its last push, and --min-rows is 70%" in said


def test_a_sync_that_prunes_is_compared_with_the_last_one_whatever_its_file_is_called(adsctl, service):
    sync = ("products", "sync", "--prune", "--max-delete", "100%", "--yes", "--min-rows", "70%")
    for night, rows, code in (("monday", 20, 0), ("tuesday", 12, 12)):
        adsctl.file(f"{night}.csv", feed(rows))
        said = adsctl(*sync, f"{night}.csv", code=code).stderr
    assert "12 rows, 60 % of the 20 of the last sync with --prune, and --min-rows is 70%" in said
    assert len(service.stored) == 20


def test_the_scopes_of_one_feed_have_each_a_last_push(adsctl, service):
    def sync(brand: str, code: int = 0) -> str:
        words = ("--where", f"brand={brand}", "--scope", f"brand={brand}", "--min-rows", "70%")
        return adsctl("products", "sync", "feed.csv", *words, code=code).stderr

    large, small = feed(20, brand="Large"), feed(2, brand="Small").replace("sku-", "s-")
    adsctl.file("feed.csv", large + small.partition("\n")[2])
    for _ in range(2):
        sync("Large")
        assert "fewer" not in sync("Small")
    adsctl.file("feed.csv", feed(4, brand="Large") + small.partition("\n")[2])
    assert "4 rows, 20 % of the 20 of its last push" in sync("Large", code=12)


def test_a_sync_counts_as_a_push_and_is_refused_like_one(push, adsctl, service):
    push(20)
    adsctl.file("feed.csv", feed(12))
    sync = ("products", "sync", "feed.csv", "--prune", "--max-delete", "100%", "--yes")
    assert "--min-rows is 80%" in adsctl(*sync, "--min-rows", "80%", code=12).stderr
    assert len(service.stored) == 20
    assert LOST in adsctl(*sync).stderr and len(service.stored) == 12
    assert "fewer" not in push(12)


def test_rows_that_are_left_out_are_not_in_the_feed(push):
    push(20)
    assert "95 % fewer" in push(20, "--where", "id=sku-1", "--min-rows", "1")


PLAIN = {"price": "10.00 EUR", "color": "red"}
ON_SALE = PLAIN | {"sale_price": "5.00 EUR", "Stock": "7"}
LOST_COLUMNS = "warning: feed.csv: no column 'sale_price', 'Stock', which its last push had: products "
KEPT = "keep what they have of 'sale_price'; a sync with --set FIELD= empties a field"


@pytest.fixture
def sale_prices(service):
    """Give the sale prices in the catalog."""
    return lambda: {product.get("sale_price") for product in service.emulator.data.products()}


@pytest.mark.parametrize("words", [(), ("-q",)])
def test_a_sync_of_a_feed_that_lost_columns_says_once_what_stays(push, adsctl, sale_prices, words):
    push(2, **ON_SALE)
    adsctl.file("feed.csv", feed(2, **PLAIN))
    sync = ("products", "sync", "feed.csv", *words)
    for extra in (("--dry-run",), ()):
        assert LOST_COLUMNS + KEPT in adsctl(*sync, *extra).stderr
    assert "no column" not in adsctl(*sync).stderr and sale_prices() == {"5.00 EUR"}
    adsctl(*sync, "--set", "sale_price=")
    assert sale_prices() == {None}


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_a_push_of_a_feed_that_lost_a_column_says_what_becomes_of_it(push, sale_prices, service_name):
    push(2, **ON_SALE)
    keeps = service_name == "x"
    assert LOST_COLUMNS + (KEPT if keeps else "lose their 'sale_price'\n") in push(2, **PLAIN)
    assert sale_prices() == ({"5.00 EUR"} if keeps else {None})


def test_a_column_that_is_filled_or_has_another_name_is_not_lost(push):
    push(2, **ON_SALE)
    renamed = {"price": "10.00 EUR", "Sale": "5.00 EUR", "Stock": "7"}
    assert "no column" not in push(2, "--map", "Sale=sale_price", "--set", "color=red", **renamed)
    assert "no column 'Stock', which its last push had\n" in push(2, **PLAIN, sale_price="5.00 EUR")


def test_keys_of_the_service_and_columns_of_a_report_are_not_lost(push):
    push(2, **PLAIN, item_group_id="mugs", product_key="", _line="2", _error="none")
    said = push(2, **PLAIN)
    assert "no column 'item_group_id', which its last push had: products lose their 'item_group_id'\n" in said


def test_of_records_only_a_known_field_can_be_lost(adsctl, service):
    record = PRODUCT | {"id": "a", "price": "10.00 EUR", "sale_price": "5.00 EUR", "note": "x"}
    for left_out in ("", "note", "sale_price"):
        adsctl.file("feed.json", json.dumps([{k: v for k, v in record.items() if k != left_out}]))
        said = adsctl("products", "sync", "feed.json").stderr
        assert (
            ("no column" in said) == ("no column 'sale_price', which" in said) == (left_out == "sale_price")
        )


def test_only_a_push_that_ended_is_remembered(push, service, adsctl):
    push(20)
    service.fail("PUT * status=503")
    push(12, "--max-attempts", "1", code=8)
    push(12, "--dry-run")
    service.fail("PUT * partial")
    assert LOST in push(12, code=9)
    assert "fewer" not in push(12, code=9)


def test_another_feed_is_another_feed(push, adsctl):
    push(20)
    assert "fewer" not in push(2, name="other.csv")
    (adsctl.home / "shop").mkdir()
    assert "fewer" not in push(2, name="shop/feed.csv")
    assert LOST in push(12, name=f"{adsctl.home}/shop/../feed.csv")


def test_another_catalog_has_another_last_push(push, adsctl, service):
    push(20)
    adsctl("catalog", "delete", service.emulator.catalog, "--yes")
    created = json.loads(adsctl("catalog", "create", "--name", "New", "-o", "json").stdout)
    assert "fewer" not in push(2, "--catalog", created["id"])


SIGNED = "X-Amz-Date={0}&X-Amz-Signature=abc{0}&X-Amz-Credential=shop"


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ("?lang=de&key=4711-0815", "?lang=de&key=4711-0815", True),
        ("?lang=de&key=4711-0815", "?lang=fr&key=4711-0815", False),
        ("?lang=de", "", False),
        (f"?lang=de&{SIGNED.format(1)}", f"?lang=de&{SIGNED.format(2)}", True),
        (f"?lang=de&{SIGNED.format(1)}", f"?lang=fr&{SIGNED.format(2)}", False),
        ("?sv=1&se=tonight&sig=4711-0815", "?sv=1&se=later&sig=0815", True),
    ],
)
def test_feeds_that_differ_in_their_query_are_kept_apart_and_no_secret_is_stored(
    adsctl, service, first, second, is_same
):
    with serving() as shop:
        shop.content = feed(20).encode()
        adsctl("products", "push", shop.address(f"/feed.csv{first}", user="shop:hush-hush"))
        shop.content = feed(12).encode()
        address = shop.address(f"/feed.csv{second}", user="shop:shh-shh")
        done = adsctl("products", "push", address, "--min-rows", "90%", code=12 if is_same else 0)
        assert ("60 % of the 20 of its last push" in done.stderr) == is_same
    (text,) = stored(adsctl, "SELECT CAST(value AS TEXT) FROM notes WHERE kind = 'feed sizes'")
    secrets = ("4711-0815", "hush", "shh", "127.0.0.1", "localhost", "lang")
    assert not any(secret in text for secret in secrets)


@pytest.mark.parametrize("damage", ["", "{", '{"rows": {"x": -1}}', "[]"])
def test_what_is_damaged_is_not_known(push, adsctl, damage):
    push(20)
    stored(adsctl, "UPDATE notes SET value = ? WHERE kind = 'feed sizes'", damage)
    assert "fewer" not in push(12, "--min-rows", "80%")
    assert "fewer than the 12" in push(2)
