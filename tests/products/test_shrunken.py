"""A feed that has lost many of its rows since it was pushed last: told, or refused."""

import json

import pytest

from tests.conftest import feed
from tests.feeds.locations.file_server import serving

LOST = "40 % fewer than the 100 of its last push"


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
    assert "fewer" not in push(100, *words)
    assert f"warning: feed.csv: 60 rows, {LOST}\n" in push(60, *words)
    assert sent() == (100 if "--changed" in words else 160)
    assert "fewer" not in push(60, *words)


def test_a_feed_that_lost_few_rows_is_not_told(push):
    push(100)
    assert "fewer" not in push(70)
    assert "31 % fewer" in push(48)
    assert "fewer" not in push(100)


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_min_rows_refuses_a_feed_that_lost_more(push, sent, words):
    push(100)
    for _ in range(2):  # what was refused is not the last push
        said = push(60, "--min-rows", "80%", *words, code=12)
        assert "feed.csv has 60 rows, 60 % of the 100 of its last push, and --min-rows is 80%" in said
        assert "to push it all the same, leave out --min-rows" in said and sent() == 100
    assert "fewer" not in push(80, "--min-rows", "80%")


def test_min_rows_may_be_a_number_and_needs_no_earlier_push(push, sent):
    assert "feed.csv has 40 rows, and --min-rows is 50\n" in push(40, "--min-rows", "50", code=12)
    assert sent() == 0
    push(50, "--min-rows", "50")
    push(1, "--min-rows", "100%", name="other.csv")


def test_a_sync_counts_as_a_push_and_is_refused_like_one(push, adsctl, service):
    push(100)
    adsctl.file("feed.csv", feed(60))
    sync = ("products", "sync", "feed.csv", "--prune", "--max-delete", "100%", "--yes")
    assert "--min-rows is 80%" in adsctl(*sync, "--min-rows", "80%", code=12).stderr
    assert len(service.stored) == 100
    assert LOST in adsctl(*sync).stderr and len(service.stored) == 60
    assert "fewer" not in push(60)


def test_rows_that_are_left_out_are_not_in_the_feed(push):
    push(100)
    assert "99 % fewer" in push(100, "--where", "id=sku-1", "--min-rows", "1")


def test_only_a_push_that_ended_is_remembered(push, service, adsctl):
    push(100)
    service.fail("PUT * status=503")
    push(60, "--max-attempts", "1", code=8)
    push(60, "--dry-run")
    service.fail("PUT * partial")
    assert LOST in push(60, code=9)
    assert "fewer" not in push(60, code=9)


def test_another_feed_is_another_feed(push, adsctl):
    push(100)
    assert "fewer" not in push(10, name="other.csv")
    (adsctl.home / "shop").mkdir()
    assert "fewer" not in push(10, name="shop/feed.csv")
    assert LOST in push(60, name=f"{adsctl.home}/shop/../feed.csv")


@pytest.mark.parametrize("left", [1, 2])
def test_a_feed_of_a_pattern_has_lost_the_rows_of_files_that_are_missing(adsctl, service, left):
    for part in range(3):
        lines = feed(30).splitlines(keepends=True)
        adsctl.file(f"part-{part}.csv", "".join([lines[0], *lines[1 + 10 * part : 11 + 10 * part]]))
    sync = ("products", "sync", "part-*.csv", "--prune", "--max-delete", "100%", "--min-rows", "90%", "--yes")
    adsctl(*sync)
    for part in range(left, 3):
        (adsctl.home / f"part-{part}.csv").unlink()
    assert " of the 30 of its last push, and --min-rows is 90%" in adsctl(*sync, code=12).stderr
    assert len(service.stored) == 30


def test_another_catalog_has_another_last_push(push, adsctl, service):
    push(100)
    adsctl("catalog", "delete", service.emulator.catalog, "--yes")
    created = json.loads(adsctl("catalog", "create", "--name", "New", "-o", "json").stdout)
    assert "fewer" not in push(10, "--catalog", created["id"])


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
        shop.content = feed(100).encode()
        adsctl("products", "push", shop.address(f"/feed.csv{first}", user="shop:hush-hush"))
        shop.content = feed(60).encode()
        address = shop.address(f"/feed.csv{second}", user="shop:shh-shh")
        done = adsctl("products", "push", address, "--min-rows", "90%", code=12 if is_same else 0)
        assert ("60 % of the 100 of its last push" in done.stderr) == is_same
    (stored,) = (adsctl.home / "state" / "feed_sizes").iterdir()
    text = stored.read_text()
    secrets = ("4711-0815", "hush", "shh", "127.0.0.1", "localhost", "lang")
    assert not any(secret in text for secret in secrets)


@pytest.mark.parametrize("damage", ["", "{", '{"rows": {"x": -1}}', "[]"])
def test_what_is_damaged_is_not_known(push, adsctl, damage):
    push(100)
    (stored,) = (adsctl.home / "state" / "feed_sizes").iterdir()
    stored.write_text(damage)
    assert "fewer" not in push(60, "--min-rows", "80%")
    assert "fewer than the 60" in push(10)
