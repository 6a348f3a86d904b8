"""products sync: the catalog becomes what the feed says, and nothing else is sent."""

import json

import pytest

from tests.conftest import PRODUCT, feed

BOTH = pytest.mark.parametrize("service_name", ["generic", "x"])


@BOTH
def test_a_sync_sends_what_differs_deletes_what_is_left_and_nothing_else(syncer):
    syncer.catalog({"id": "a", "color": "red"}, {"id": "b"}, {"id": "c"})
    products = {"id": "a", "color": "blue"}, {"id": "b"}, {"id": "new"}
    syncer.feed(*products)
    summary = syncer.prune()
    syncer.assert_equal(*products)
    assert (syncer.sent, syncer.deleted) == (["a", "new"], ["c"])
    counts = {"created": 1, "updated": 1, "deleted": 1, "skipped": 1, "failed": 0, "batches": 2, "rows": 3}
    assert counts.items() <= summary.items()
    assert syncer.diff("--prune") == []


@BOTH
def test_a_sync_of_equal_ones_sends_nothing(syncer):
    syncer.catalog({"id": "a", "price": "10.00 EUR"})
    syncer.feed({"id": "a", "price": "10.0 EUR"})
    summary = syncer.prune()
    assert (syncer.sent, syncer.deleted) == ([], []) and summary["skipped"] == 1


@BOTH
def test_a_field_that_the_feed_empties_is_emptied(syncer):
    syncer.catalog({"id": "a", "color": "red"}, {"id": "b", "color": "red"})
    syncer.feed({"id": "a", "color": ""}, {"id": "b", "color": "blue"})
    syncer.sync()
    syncer.assert_equal({"id": "a"}, {"id": "b", "color": "blue"})


def test_without_prune_nothing_is_deleted_and_nothing_asked(syncer):
    syncer.catalog({"id": "c"})
    syncer.feed({"id": "a"})
    assert syncer.sync()["deleted"] == 0
    assert syncer.held().keys() == {"a", "c"}


def test_nothing_is_deleted_before_every_write_is_acknowledged(syncer):
    gone = syncer.numbered(*range(100, 130))
    syncer.catalog(*gone)
    syncer.feed(*syncer.numbered(*range(60)))
    products, missing = syncer.numbered(*range(60)), []
    ids = {product["id"] for product in products}
    syncer.service.before_delete = lambda number: missing.append(ids - {*syncer.service.stored})
    syncer.prune("--concurrency", 8)
    assert missing == [set(), set()]
    syncer.assert_equal(*products)


def test_nothing_is_deleted_where_a_write_fails(syncer):
    syncer.catalog({"id": "c"})
    syncer.feed({"id": "a"})
    syncer.service.fail("PUT * status=503 retry-after=0")
    syncer.prune("--max-attempts", 1, code=8)
    assert syncer.deleted == [] and "resume with: adsctl products sync" in syncer.said


def test_rejected_rows_are_reported_and_written_and_keep_their_products(syncer):
    syncer.catalog({"id": "a", "color": "red"}, {"id": "c"})
    syncer.feed({"id": "a"} | {"color": "blue"}, {"id": "b"})
    syncer.service.fail("PUT * partial")
    summary = syncer.prune("--failed-out", "failed.jsonl", code=9)
    assert (summary["failed"], summary["created"], summary["deleted"]) == (1, 1, 1)
    assert syncer.held()["a"]["color"] == "red" and "c" not in syncer.held()
    (row,) = map(json.loads, (syncer.adsctl.home / "failed.jsonl").read_text().splitlines())
    assert row["id"] == "a" and "fault on demand" in row["_error"]
    assert "correct these rows in the file that was read, and sync that again" in syncer.said


def test_too_many_rejected_rows_stop_a_sync_before_it_deletes(syncer):
    syncer.catalog({"id": "c"})
    syncer.feed({"id": "a"}, {"id": "b"})
    syncer.service.fail("PUT * partial")
    summary = syncer.prune("--max-errors", 1, code=9)
    assert syncer.deleted == [] and summary["failed"] == 1
    assert "stopped early, 1 row not sent" in syncer.said


def test_the_product_of_an_invalid_row_is_not_deleted(syncer):
    syncer.catalog({"id": "a"}, {"id": "c"})
    syncer.feed({"id": "a", "price": "cheap"}, {"id": "b"})
    syncer.prune(code=3)
    assert (syncer.sent, syncer.deleted) == ([], [])
    summary = syncer.prune("--skip-invalid", code=9)
    assert (syncer.sent, syncer.deleted, summary["invalid"]) == (["b"], ["c"], 1)


def test_a_scope_keeps_the_products_of_others(syncer):
    mine, theirs = {"brand": "Nordlicht"}, {"brand": "Südwind"}
    syncer.catalog({"id": "a"} | mine, {"id": "b"} | mine, {"id": "c"} | theirs)
    syncer.feed({"id": "a"} | mine)
    assert syncer.prune("--scope", "brand=Nordlicht")["deleted"] == 1
    assert syncer.held().keys() == {"a", "c"}


def test_a_push_of_changes_after_a_sync_sends_nothing(syncer):
    syncer.catalog({"id": "same"}, {"id": "old", "color": "red"}, {"id": "gone"})
    syncer.feed({"id": "same"}, {"id": "old", "color": "blue"}, {"id": "new"})
    syncer.prune()
    before = len(syncer.service.puts)
    syncer.push()
    assert len(syncer.service.puts) == before


def test_a_row_that_was_rejected_is_sent_again_by_the_next_push_of_changes(syncer):
    syncer.feed({"id": "a"}, {"id": "b"})
    syncer.service.fail("PUT * partial times=1")
    syncer.sync(code=9)
    syncer.push()
    assert syncer.service.puts[-1] == ["a"]


def test_a_deleted_product_is_not_remembered(syncer):
    both, one = ({"id": "a"}, {"id": "b"}), ({"id": "a"},)
    syncer.feed(*both)
    syncer.sync()
    syncer.feed(*one)
    syncer.prune()
    syncer.feed(*both)
    syncer.push()
    assert syncer.service.puts[-1] == ["b"]


def test_the_summary_for_people_names_what_was_not_sent(syncer):
    syncer.catalog({"id": "a"}, {"id": "c"})
    syncer.feed({"id": "a"}, {"id": "b"})
    words = ("products", "sync", "feed.jsonl", "--prune", "--yes", "--max-delete", 1, "-o", "table")
    message = syncer.adsctl(*words).stdout.split("\n")
    assert [line.split() for line in message[1:7]] == [
        *(["created", "1"], ["updated", "0"], ["unchanged", "0"], ["deleted", "1"], ["failed", "0"]),
        ["skipped", "1"],
    ]


def test_jobs_name_the_action(syncer):
    syncer.feed({"id": "a"})
    syncer.sync()
    (job,) = json.loads(syncer.adsctl("jobs", "list", "-o", "json").stdout)
    assert job["action"] == "sync" and job["state"] == "ended"


def test_a_refused_deletion_is_reported_with_its_product_and_the_reason(syncer):
    syncer.catalog({"id": "b"}, {"id": "c"})
    syncer.feed({"id": "a"})
    key = syncer.delete_elsewhere("c")
    summary = syncer.prune(code=9)
    assert (summary["deleted"], summary["failed"]) == (1, 1)
    error = json.loads(syncer.said.splitlines()[-1])["error"]
    assert f"1 product not deleted: no product of this catalog has the key {key}: c" in error["message"]
    assert "--failed-out" not in (error["hint"] or "")  # no row of the feed was rejected


def test_a_table_is_synced_too(syncer):
    syncer.catalog(*({"id": f"sku-{n}"} for n in range(1, 61)))
    syncer.adsctl.file("feed.csv", feed(50))
    words = ("products", "sync", "feed.csv", "--prune", "--yes", "--max-delete", "20%", "-o", "json")
    done = syncer.adsctl(*words)
    assert json.loads(done.stdout)["deleted"] == 10 and len(syncer.service.stored) == 50
    assert syncer.held()["sku-1"] == PRODUCT


def test_a_sync_that_fixes_white_space_keeps_ids_and_their_products(syncer):
    syncer.feed({"id": "AB  1", "item_group_id": "AB\u2007 "})
    syncer.push()
    syncer.feed({"id": " AB  1\u200b", "item_group_id": "AB", "title": "Enamel  cup"})
    summary = syncer.prune("--fix", "all")
    assert (summary["created"], summary["deleted"], syncer.sent) == (0, 0, ["AB  1"])
    assert syncer.held()["AB  1"]["title"] == "Enamel cup"
