"""What is remembered of a catalog: never trusted too far, and void where others were at work."""

import json
import signal
import sqlite3
from contextlib import closing

import pytest

from ads_cli.products.sync_state import SyncState
from ads_cli.store import database
from tests.conftest import feed
from tests.effort import THOROUGH
from tests.products.shop import BATCHES, CUP, MUG, ROWS, feed_with, ids
from tests.products.stopping import run, stop_at
from tests.stored import damage_table, stored


def test_a_damaged_page_stops_a_push_before_it_sends(shop):
    shop.push(feed(50))
    sent = len(shop.service.puts)
    damage_table(shop.adsctl, "products")
    done = shop.adsctl("products", "push", "feed.csv", "--changed", code=11)
    assert "state.db is damaged" in done.stderr and len(shop.service.puts) == sent


def test_a_push_that_cannot_be_remembered_any_more_is_remembered_by_resuming_it(shop, monkeypatch):
    shop.push(feed(50))
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    path, commit = shop.adsctl.home / "state" / "state.db", SyncState.commit

    def locked(*args):
        """Commit while another process has the lock: all that was acknowledged is noted by then."""
        with closing(sqlite3.connect(path, isolation_level=None)) as another:
            another.execute("BEGIN IMMEDIATE")
            return commit(*args)

    shop.adsctl.file("feed.csv", feed(50, title=CUP))
    with monkeypatch.context() as patch:
        patch.setattr(SyncState, "commit", locked)
        done = shop.adsctl("products", "push", "feed.csv", "--changed", code=11)
    assert "was locked by another process" in done.stderr
    before = len(shop.service.puts)
    assert shop.push(None, "--resume")["updated"] == 50 and len(shop.service.puts) == before
    assert shop.push()["skipped"] == 50


def test_the_ids_of_products_are_stored_nowhere(shop):
    shop.push(feed(5))
    path = shop.adsctl.home / "state" / "state.db"
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert stored(shop.adsctl, "SELECT count(*) FROM products") == [5]
    assert b"sku-" not in path.read_bytes()


@pytest.mark.parametrize("put", range(BATCHES) if THOROUGH else (3,))
def test_a_killed_push_resumes_with_unacknowledged_rows_and_is_remembered_whole(shop, put):
    shop.push(feed(ROWS + 50))
    changed = feed(ROWS, title=CUP) + "".join(feed(ROWS + 50).splitlines(keepends=True)[ROWS + 1 :])
    shop.adsctl.file("feed.csv", changed)
    shop.service.puts.clear()
    stop_at(shop.adsctl, shop.service, put, signal.SIGKILL, "--changed", "--concurrency", "1")
    resumed = shop.push(None, "--resume")
    assert f"resuming job {resumed['job']}: {put} of {BATCHES} batches" in shop.said
    assert shop.requests == BATCHES - put and resumed["skipped"] == 50
    assert resumed["updated"] + resumed["unchanged"] == ROWS
    assert shop.push()["skipped"] == ROWS + 50


def test_what_a_killed_push_may_have_changed_is_sent_again_when_the_feed_has_changed_back(shop):
    shop.push(feed(ROWS))
    shop.adsctl.file("feed.csv", feed(ROWS, title=CUP))
    stop_at(shop.adsctl, shop.service, 3 + BATCHES, signal.SIGKILL, "--changed", "--concurrency", "1")
    assert shop.push(feed(ROWS))["skipped"] == 0
    assert shop.stored("sku-1")["title"] == MUG


def test_a_push_that_stops_early_stores_none_of_its_rows(shop):
    shop.service.fail("PUT * partial")
    shop.push(feed(100), "--max-errors", "1", "--concurrency", "1", code=9)
    shop.service.fail()
    assert shop.push()["skipped"] == 0 and shop.push()["skipped"] == 100


def test_a_job_is_not_resumed_after_another_push(shop):
    shop.push(feed(ROWS))
    shop.adsctl.file("feed.csv", feed(ROWS, title=CUP))
    stop_at(shop.adsctl, shop.service, 3 + BATCHES, signal.SIGKILL, "--changed", "--concurrency", "1")
    shop.adsctl.file("hotfix.csv", feed(30, title="Hot"))
    shop.adsctl("products", "push", "hotfix.csv")
    shop.push(None, "--resume")
    assert "something else may have been sent to the same place since the unfinished push" in shop.said
    assert {shop.stored(id)["title"] for id in ids(*range(1, ROWS))} == {CUP}
    assert shop.push()["skipped"] == ROWS


def test_a_deleted_product_is_created_again(shop):
    shop.push(feed(50))
    shop.delete("sku-4", "sku-5")
    assert "sku-4" not in shop.service.stored
    assert shop.push()["created"] == 2 and shop.sent == ids(4, 5)
    assert {"sku-4", "sku-5"} <= set(shop.service.stored)
    assert shop.push()["skipped"] == 50


def test_a_push_of_every_row_updates_an_existing_sync_state(shop):
    shop.push(feed(50), changed=False)
    assert stored(shop.adsctl, "SELECT * FROM catalogs") == []
    shop.push()
    shop.adsctl.file("hotfix.csv", feed(2, title=CUP))
    shop.adsctl("products", "push", "hotfix.csv")
    assert shop.stored("sku-2")["title"] == CUP
    assert shop.push()["skipped"] == 48 and shop.sent == ids(1, 2) and shop.stored("sku-2")["title"] == MUG


def test_an_api_request_that_changes_products_clears_the_sync_state(shop):
    shop.push(feed(30))
    path = "/12/product_catalogs/{product_catalog_id}/products"
    shop.adsctl("api", "GET", path)
    assert shop.push()["skipped"] == 30
    keys = shop.adsctl.file("body.json", json.dumps({"product_keys": shop.keys("sku-9")}))
    shop.adsctl("api", "DELETE", path, "--input", keys)
    assert shop.push()["created"] == 1


def test_a_new_catalog_with_the_same_id_is_filled(shop):
    shop.push(feed(30))
    old = shop.adsctl.env.pop("ADSCTL_CATALOG")
    shop.adsctl("catalog", "rename", old, "--name", "Winter")
    assert shop.push()["skipped"] == 30
    shop.adsctl("catalog", "delete", old, "--yes")
    shop.adsctl("catalog", "create", "--name", "New")
    assert shop.push()["created"] == 30


def test_profiles_of_one_catalog_share_its_sync_state(shop):
    shop.push(feed(30))
    address = shop.adsctl.env["ADSCTL_ADS_URL"]
    shop.adsctl(
        "profile", "set", "other", f"ads_url={address}", "catalog=" + shop.adsctl.env["ADSCTL_CATALOG"]
    )
    assert shop.push(None, "--dry-run", ADSCTL_PROFILE="other")["skipped"] == 30


def test_a_reset_of_the_emulator_sends_every_row_again(adsctl):
    adsctl.file("feed.csv", feed(30))
    words = ("products", "push", "feed.csv", "--changed", "-o", "json")
    assert json.loads(adsctl.local(*words).stdout)["created"] == 30
    assert json.loads(adsctl.local(*words).stdout)["skipped"] == 30
    adsctl("emulator", "reset", "--yes")
    assert stored(adsctl, "SELECT * FROM catalogs") == stored(adsctl, "SELECT * FROM products") == []
    assert json.loads(adsctl.local(*words).stdout)["created"] == 30


def test_two_concurrent_pushes_store_nothing_that_may_be_wrong(shop):
    shop.push(feed(100))
    at_work, done = [], []

    def before(put: int) -> None:
        if not at_work:
            at_work.append(put)
            shop.adsctl.file("other.csv", feed(60, title="Hot"))
            done.append(run(shop.adsctl, "products", "push", "other.csv", "--changed")[1])

    shop.service.before = before
    shop.push(feed(100, title=CUP), "--concurrency", "1")
    assert "are not recorded as sent" in shop.said and "are not recorded as sent" in done[0]
    assert shop.push()["skipped"] == 0
    assert {shop.stored(id)["title"] for id in ids(*range(1, 101))} == {CUP}
    assert shop.push()["skipped"] == 100


def test_a_delete_during_a_push_stores_nothing_that_may_be_wrong(shop):
    shop.push(feed(100))
    at_work = []

    def before(put: int) -> None:
        if not at_work:
            at_work.append(put)
            words = ("products", "delete", *shop.keys("sku-1"), "--yes")
            assert run(shop.adsctl, *words)[0] == 0

    shop.service.before = before
    shop.push(feed_with(100, {99: CUP}))
    assert "are not recorded as sent" in shop.said
    assert shop.push()["created"] == 1
