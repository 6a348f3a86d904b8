"""A catalog that is listed as it was a minute ago: what this machine has sent is nobody else's change."""

import pytest

from tests.lists import LISTED, lie  # noqa: F401

from .syncer import ONE_BY_ONE, Syncer


@pytest.fixture
def lagging(syncer: Syncer, lie, waits):  # noqa: F811
    """Let the catalog be listed as it is now, for two minutes."""

    def freeze() -> None:
        products, until = [*syncer.service.emulator.data.products()], waits.total + LISTED
        lie("/products", lambda records: records if waits.total >= until else products)

    return freeze


@pytest.fixture
def stopped(syncer: Syncer, lagging) -> Syncer:
    """A sync that was stopped at its second request, whose first one the listing does not show yet."""
    syncer.catalog(*syncer.numbered(*range(10), title="Cup"))
    syncer.feed(*syncer.numbered(*range(60)))
    lagging()

    def fail_at_the_second(number: int) -> None:
        if number == 1:
            syncer.service.fail("PUT * status=503 retry-after=0")

    syncer.service.before = fail_at_the_second
    syncer.prune(*ONE_BY_ONE, code=8)
    syncer.service.before = lambda number: None
    syncer.service.fail()
    return syncer


def test_what_an_earlier_run_has_sent_is_not_changed_by_somebody_else(stopped, waits):
    summary = stopped.prune("--resume")
    assert "25 products not listed yet as this job has sent them" in stopped.said
    assert "changed since" not in stopped.said and summary["not_kept"] == 0
    assert len(stopped.sent) == 35
    waits.waited.append(LISTED)
    assert stopped.prune()["skipped"] == 60


def test_what_differs_once_every_list_shows_it_was_changed_by_somebody_else(stopped, waits):
    waits.waited.append(LISTED)
    stopped.catalog({"id": "sku-3", "title": "Bowl"})
    summary = stopped.prune("--resume", code=9)
    assert "1 product changed since this job had sent it" in stopped.said and summary["not_kept"] == 1


def test_a_repair_that_is_not_listed_yet_is_not_reverted(syncer, lagging, waits):
    syncer.feed({"id": "a"}, {"id": "b"})
    syncer.prune()
    waits.waited.append(LISTED)
    syncer.catalog({"id": "a", "title": "Shouted"})
    lagging()
    syncer.prune()
    assert syncer.sent == ["a"]
    summary = syncer.prune()
    assert "reverted" not in syncer.said and summary["not_kept"] == 0
    waits.waited.append(LISTED)
    syncer.prune()
    assert syncer.sent == []


def test_what_was_deleted_and_is_still_listed_counts_as_deleted(syncer, lagging):
    syncer.catalog({"id": "a"}, {"id": "b"})
    syncer.feed({"id": "a"})
    lagging()
    syncer.prune()
    assert syncer.prune()["failed"] == 0
    syncer.assert_equal({"id": "a"})
