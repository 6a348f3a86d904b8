"""products sync: what is asked and refused before anything is sent."""

import json
import threading

import pytest

from tests.conftest import feed
from tests.products.stopping import run

HUNDRED = range(100)


def said_error(syncer) -> str:
    return json.loads(syncer.said.splitlines()[-1])["error"]["message"]


@pytest.mark.parametrize(
    ("kept", "limit", "code"),
    [
        (90, None, 0),
        (89, None, 12),
        (89, "11%", 0),
        (89, "10.5%", 12),
        (89, "11", 0),
        (89, "10", 12),
        (99, "0", 12),
    ],
)
def test_more_deletions_than_the_limit_end_a_sync_before_anything_is_sent(syncer, kept, limit, code):
    syncer.catalog(*syncer.numbered(*HUNDRED))
    syncer.feed({"id": "new"}, *syncer.numbered(*range(kept)))
    syncer.sync("--prune", "--yes", *(["--max-delete", limit] if limit else []), code=code)
    if code:
        deletions = 100 - kept
        assert (syncer.sent, syncer.deleted) == ([], [])
        assert f"{deletions} of 100 products are not in the feed" in syncer.said
        assert f"--max-delete {deletions}" in syncer.said and "nothing was sent" in syncer.said
    else:
        assert len(syncer.deleted) == 100 - kept


def test_the_limit_is_of_the_products_within_the_scope(syncer):
    others = syncer.numbered(*range(100, 200), brand="Südwind")
    syncer.catalog(*syncer.numbered(*range(5)), *others)
    syncer.feed(*syncer.numbered(*range(4)))
    syncer.sync("--prune", "--yes", "--scope", "brand=Nordlicht", code=12)
    assert "1 of 5 products" in syncer.said


def test_a_limit_that_is_none_is_refused(syncer):
    syncer.feed({"id": "a"})
    syncer.sync("--prune", "--yes", "--max-delete", "many", code=2)
    assert "--max-delete: 'many'" in syncer.said


def test_deletions_are_confirmed_before_anything_is_sent(syncer):
    syncer.catalog({"id": "b"}, {"id": "c"})
    syncer.feed({"id": "a"})
    syncer.sync("--prune", "--max-delete", 2, code=12)
    assert "Delete 2 products from the catalog" in syncer.said and "--yes" in syncer.said
    assert (syncer.sent, syncer.deleted) == ([], [])
    syncer.feed({"id": "a"}, {"id": "b"}, {"id": "c"})
    assert syncer.sync("--prune")["created"] == 1  # with nothing to delete, nothing is asked


def test_a_terminal_is_asked_and_may_say_no(syncer):
    syncer.catalog({"id": "c"})
    syncer.feed({"id": "a"})
    child = syncer.adsctl.terminal("products", "sync", "feed.jsonl", "--prune", "--max-delete", "1")
    child.expect(r"Delete 1 product from the catalog .*\? \[y/N\]")
    child.sendline("n")
    child.read()
    child.close()
    assert child.exitstatus == 12 and syncer.held().keys() == {"c"}


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_the_first_deletions_from_a_catalog_name_products_even_unasked(syncer, quiet):
    syncer.catalog(*syncer.numbered(*range(7)))
    syncer.feed({"id": "a"})
    syncer.prune(*quiet)
    assert "'sku-0' (Enamel mug), 'sku-1' (Enamel mug)" in syncer.said and "and 2 more" in syncer.said
    assert "'sku-5'" not in syncer.said
    syncer.catalog({"id": "b"})
    syncer.prune(*quiet)
    assert syncer.deleted == ["b"] and "'b'" not in syncer.said


def test_a_dry_run_prints_the_differences_and_sends_nothing(syncer):
    syncer.catalog({"id": "b", "color": "red"}, {"id": "c"})
    syncer.feed({"id": "a"}, {"id": "b", "color": "blue"})
    records = syncer.diff("--prune")
    before = syncer.held()
    assert syncer.sync("--prune", "--dry-run") == records
    assert "dry run: 1 to create, 1 to update, 1 to delete" in syncer.said
    assert "1 of 2 products are not in the feed, and --max-delete is 10%" in syncer.said
    assert syncer.sync("--prune", "--dry-run", "--sample", 2) == records[:2]
    assert syncer.held() == before and syncer.adsctl("jobs", "list", "-o", "json").stdout.strip() == "[]"
    syncer.sync("--sample", 2, code=2)
    assert "--dry-run" in syncer.said


@pytest.mark.parametrize(("other", "known"), [("push", True), ("api", False)])
def test_what_changes_while_the_catalog_is_listed_ends_a_sync_before_it_sends(syncer, other, known):
    syncer.catalog({"id": "c"})
    syncer.feed({"id": "a"})
    if known:
        syncer.sync()
        syncer.feed({"id": "a"}, {"id": "b"})
    syncer.adsctl.file("other.csv", feed(2))
    path = f"/12/product_catalogs/{syncer.service.emulator.catalog}/products"
    syncer.adsctl.file("body.json", json.dumps({"product_keys": ["nobody"]}))
    words = {
        "push": ("products", "push", "other.csv"),
        "api": ("api", "DELETE", path, "--input", "body.json"),
    }[other]
    codes = []

    def change() -> None:
        syncer.service.before_list = lambda: None
        codes.append(run(syncer.adsctl, *words)[0])

    syncer.service.before_list = change
    before = len(syncer.service.puts)
    syncer.prune(code=11)
    assert codes == [0] and "something else was sent to" in said_error(syncer)
    assert len(syncer.service.puts) == before + (other == "push") and "c" in syncer.held()


def test_a_sync_does_not_begin_while_another_run_changes_the_catalog(syncer):
    syncer.feed({"id": "a"})
    syncer.adsctl.file("other.csv", feed(2))
    reached, go_on = threading.Event(), threading.Event()

    def wait(number: int) -> None:
        reached.set()
        go_on.wait(60)

    syncer.service.before = wait
    process = syncer.adsctl.beside("products", "push", "other.csv")
    assert reached.wait(60)
    syncer.service.before = lambda number: None
    syncer.sync(code=11)
    assert "a push of" in said_error(syncer) and "other.csv" in said_error(syncer)
    go_on.set()
    assert process.wait(60) == 0
    process.communicate()
    assert syncer.sync()["created"] == 1


def test_a_push_that_is_resumed_while_the_catalog_is_listed_ends_a_sync_before_it_sends(syncer):
    syncer.adsctl.file("other.csv", feed(60))
    words = ("products", "push", "other.csv", "--concurrency", "1", "--max-attempts", "1")
    syncer.service.fail("PUT * status=503 retry-after=0")
    syncer.adsctl(*words, code=8)
    syncer.service.fail()
    syncer.feed({"id": "a"})
    codes = []

    def resume() -> None:
        syncer.service.before_list = lambda: None
        codes.append(run(syncer.adsctl, *words, "--resume")[0])

    syncer.service.before_list = resume
    syncer.prune(code=11)
    assert codes == [0] and "something else was sent to" in said_error(syncer)
    assert "a" not in syncer.held() and len(syncer.held()) == 60


def test_what_a_sync_writes_and_deletes_counts_as_changes(syncer):
    syncer.catalog(*syncer.numbered(*range(5)))
    syncer.feed({"id": "new"}, *syncer.numbered(*range(3)))
    for most, code in ((2, 12), (3, 0)):
        syncer.adsctl.env["ADSCTL_GUARD"] = str(syncer.adsctl.file("guard.yaml", f"max_changes: {most}\n"))
        syncer.sync("--prune", "--yes", "--max-delete", "100%", code=code)
    assert len(syncer.deleted) == 2
