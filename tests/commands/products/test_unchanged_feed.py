"""An unchanged feed is not downloaded, and nothing is sent, but only where nothing else has changed."""

import json

import pytest

from tests.conftest import feed
from tests.feeds.locations.conftest import shop_server
from tests.feeds.locations.file_server import ETAG
from tests.stored import stored

__all__ = ["shop_server"]

PUSH = ("products", "push", "--changed", "-o", "json")
VERSIONS = "SELECT value FROM notes WHERE kind = 'feed versions'"


@pytest.fixture
def push(adsctl, service, shop_server):
    """Push the feed; return the summary, what was said, and whether the question was conditional."""

    def run(*words: str, address: str = "", code: int = 0, **env: str):
        asked = len(shop_server.seen)
        done = adsctl(*PUSH, address or shop_server.address(), *words, code=code, **env)
        headers = [headers for _, headers in shop_server.seen[asked:]]
        conditional = any({"If-None-Match", "If-Modified-Since"} & headers.keys() for headers in headers)
        return json.loads(done.stdout), done.stderr, conditional

    return run


def test_an_unchanged_feed_sends_nothing_and_says_so(push, service, shop_server):
    first, _, conditional = push()
    assert first["created"] == 60 and not conditional
    puts = len(service.puts)
    summary, said, conditional = push()
    assert conditional and "is unchanged since a push that succeeded: nothing to send" in said
    assert (summary["rows"], summary["valid"], summary["skipped"], summary["batches"]) == (60, 60, 60, 0)
    assert list(summary) == list(first) and len(service.puts) == puts
    assert shop_server.seen[-1][1]["If-None-Match"] == ETAG


def test_a_changed_feed_is_downloaded_and_pushed(push, service, shop_server):
    push()
    shop_server.content, shop_server.headers["ETag"] = feed(61).encode(), '"v2"'
    summary, _, conditional = push()
    assert conditional and summary["created"] == 1 and summary["skipped"] == 60
    _, said, _ = push()
    assert "is unchanged" in said


def test_an_unchanged_feed_is_one_night_after_night(push):
    push()
    for _ in range(2):
        assert "is unchanged" in push()[1]


@pytest.mark.parametrize(
    "words",
    [
        ("--strict",),
        ("--skip-invalid",),
        ("--set", "brand=Other"),
        ("--map", "brand=brand"),
        ("--encoding", "latin-1"),
        ("--service", "x"),
    ],
)
def test_with_other_options_it_is_downloaded(push, words):
    push()
    assert not push(*words, code=None)[2]


@pytest.mark.parametrize("words", [("--verify",), ("--resume",), ("--dry-run",), ("--report", "feed.html")])
def test_where_the_rows_are_needed_it_is_downloaded(push, words):
    push()
    summary, _, conditional = push(*words)
    assert summary["rows"] == 60 and not conditional


def test_without_changed_every_row_is_sent(push, adsctl, shop_server):
    push()
    done = adsctl("products", "push", shop_server.address(), "-o", "json")
    assert json.loads(done.stdout)["unchanged"] == 60 and len(shop_server.bytes_asked) == 2


def test_a_recipe_that_has_changed_makes_it_download(push, adsctl):
    adsctl.file("shop.yaml", "columns: {brand: brand}\n")
    push("--recipe", "shop.yaml")
    assert "is unchanged" in push("--recipe", "shop.yaml")[1]
    adsctl.file("shop.yaml", "columns: {brand: brand}\nvalues: {brand: {Acme: [ACME]}}\n")
    assert not push("--recipe", "shop.yaml")[2]


def test_another_version_of_adsctl_downloads_it(push, monkeypatch):
    push()
    monkeypatch.setattr("ads_cli.commands.products.feed_checks.__version__", "99")
    assert not push()[2]


def test_what_else_was_sent_to_the_catalog_makes_it_download(push, adsctl, service):
    push()
    keys = [product["product_key"] for product in service.emulator.data.products()]
    adsctl("products", "delete", keys[0], "--yes")
    summary, _, conditional = push()
    assert not conditional and summary["created"] == 1
    assert "is unchanged" in push()[1]


def test_a_push_from_another_state_folder_is_found_by_its_own_memory_alone(push, adsctl):
    push()
    assert not push(ADSCTL_STATE_DIR=str(adsctl.home / "elsewhere"))[2]


@pytest.mark.parametrize("fault", ["PUT * partial", "PUT * status=503"])
def test_a_push_that_did_not_succeed_is_not_remembered(push, service, fault):
    service.fail(fault)
    push("--max-attempts", "1", code=None)
    service.fail()
    summary, _, conditional = push()
    assert not conditional and summary["skipped"] < 60
    assert "is unchanged" in push()[1]


def test_rows_that_are_invalid_are_not_remembered(push, shop_server):
    shop_server.content += b"bad,row\n"
    push("--skip-invalid", code=9)
    assert not push("--skip-invalid", code=9)[2]


def test_another_query_is_another_feed(push, shop_server):
    push(address=shop_server.address("/feed.csv?shop=1"))
    assert not push(address=shop_server.address("/feed.csv?shop=2"))[2]


def test_two_feeds_that_are_both_unchanged_are_both_left(push, shop_server, adsctl):
    """A push that sends nothing leaves what is known of the other feed."""
    other = shop_server.address("/other.csv")
    push()
    push(address=other)  # the same rows: nothing is due
    assert "is unchanged" in push()[1] and "is unchanged" in push(address=other)[1]


def test_several_files_are_read_whole(push, adsctl):
    adsctl.file("more.csv", feed(1, id="sku-99").replace("sku-1", "sku-99"))
    push("more.csv")
    assert not push("more.csv")[2]


@pytest.mark.parametrize(
    ("modified", "remembered"),
    [("Sat, 21 Nov 2020 03:10:00 GMT", True), ("Sat, 21 Nov 2099 03:10:00 GMT", False), ("yesterday", False)],
)
def test_a_date_identifies_a_version_once_it_is_past(push, shop_server, modified, remembered):
    shop_server.headers = {"Last-Modified": modified}
    push()
    push()
    assert (shop_server.seen[-1][1].get("If-Modified-Since") == modified) is remembered


def test_no_address_is_stored(push, adsctl, shop_server):
    push(address=shop_server.address("/feed.csv?key=4711-0815", user="shop:hush-hush"))
    (note,) = stored(adsctl, VERSIONS)
    assert not any(secret in note for secret in (b"4711-0815", b"hush", b"localhost"))


def test_a_note_that_is_damaged_is_none(push, adsctl):
    push()
    stored(adsctl, "UPDATE notes SET value = '{\"epoch\": ' WHERE kind = 'feed versions'")
    assert not push()[2]
    assert "is unchanged" in push()[1]


def test_of_many_addresses_the_last_are_remembered(push, adsctl, shop_server, monkeypatch):
    monkeypatch.setattr("ads_cli.runs.feed_sizes.MAX_FEEDS", 3)
    addresses = [shop_server.address(f"/feed.csv?night={night}") for night in range(5)]
    for address in addresses:
        push(address=address)
    asked = [push("--encoding", "utf-8", address=address)[2] for address in addresses[::-1][:3]]
    assert asked == [True] * 3
    (note,) = stored(adsctl, VERSIONS)
    assert len(json.loads(note)["feeds"]) == 3
