"""--report of products sync: what was done, or why nothing was."""

import pytest

from tests.products.sync.syncer import ONE_BY_ONE, Syncer
from tests.report.reading import Read, read


@pytest.fixture
def syncer(adsctl, service) -> Syncer:
    return Syncer(adsctl, service)


def page_of(syncer: Syncer) -> Read:
    return read(syncer.adsctl.home / "sync.html")


REPORT = ("--report", "sync.html")


def test_a_sync_tells_what_it_did_and_shows_what_differed(syncer):
    syncer.catalog({"id": "a", "color": "red"}, {"id": "b"}, {"id": "c"})
    syncer.feed({"id": "a", "color": "blue"}, {"id": "b"}, {"id": "new"})
    syncer.prune(*REPORT)
    page = page_of(syncer)
    assert "3 products synced: 1 created, 1 updated, 1 deleted" in page.text
    assert "update a Enamel mug color red → blue" in page.text
    assert "create new Enamel mug" in page.text and "delete c Enamel mug" in page.text


def test_a_sync_of_equal_ones_has_nothing_to_send(syncer):
    syncer.catalog({"id": "a"})
    syncer.feed({"id": "a"})
    syncer.prune(*REPORT)
    assert "Nothing to send: the catalog has these products as they are" in page_of(syncer).text


def test_a_dry_run_shows_the_differences(syncer):
    syncer.feed({"id": "a"})
    syncer.adsctl("products", "sync", "feed.jsonl", "--dry-run", *REPORT)
    page = page_of(syncer)
    assert "1 product differs: 1 to create" in page.text and "create a" in page.text
    assert syncer.held() == {}


def test_too_many_deletions_are_shown_and_not_done(syncer):
    syncer.catalog(*syncer.numbered(*range(10)))
    syncer.feed({"id": "sku-0"})
    syncer.sync("--prune", "--yes", *REPORT, code=12)
    page = page_of(syncer)
    assert "Nothing was sent" in page.text and "--max-delete is 10%" in page.text
    assert "delete sku-9" in page.text and len(syncer.held()) == 10


def test_what_was_not_deleted_is_named_with_the_reason(syncer):
    syncer.catalog({"id": "b"}, {"id": "c"})
    syncer.feed({"id": "a"})
    key = syncer.delete_elsewhere("c")
    syncer.prune(*REPORT, code=9)
    page = page_of(syncer)
    assert "2 of 3 products accepted; 1 rejected by the service" in page.text
    assert f"no product of this catalog has the key {key} 1 c" in page.text


def test_a_stopped_sync_says_how_to_resume(syncer):
    syncer.feed(*syncer.numbered(*range(100)))
    syncer.service.before = lambda put: syncer.service.fail("PUT * status=503") if put == 1 else None
    syncer.sync(*ONE_BY_ONE, *REPORT, code=8)
    page = page_of(syncer)
    assert "75 of 100 products not sent" in page.text
    assert "resume with: adsctl products sync feed.jsonl" in page.text
