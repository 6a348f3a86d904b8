"""products sync: variants that the listing of a catalog hides."""

import pytest

from ads_cli.products.sync import comparison
from tests.products.stopping import run

MUGS = {"item_group_id": "mugs"}
HIDDEN = "GET * hide-variants"  # even where the service is asked for a group


@pytest.fixture
def mugs(syncer):
    """A catalog and a feed of three variants, of which the listing shows the first."""
    variants = syncer.numbered(1, 2, 3, **MUGS)
    syncer.catalog(*variants)
    syncer.feed(*variants)
    return syncer


def test_hidden_variants_are_compared_and_then_remembered(mugs):
    summary = mugs.prune()
    assert (summary["skipped"], summary["unseen"], mugs.sent) == (3, 0, [])
    pages = mugs.service.lists
    summary = mugs.prune()
    assert (summary["skipped"], summary["unseen"], mugs.sent) == (3, 2, [])
    assert mugs.service.lists == pages + 1  # no group was listed
    assert mugs.prune("--verify")["unseen"] == 0


def test_a_hidden_variant_that_left_the_feed_is_looked_for_and_deleted(mugs):
    mugs.sync()
    mugs.feed(*mugs.numbered(1, 3, **MUGS))
    assert mugs.prune()["deleted"] == 1 and "sku-2" not in mugs.held()
    pages = mugs.service.lists
    assert mugs.prune()["deleted"] == 0 and mugs.service.lists == pages + 1  # nothing is missed


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_one_sync_deletes_all_variants_of_feeds_that_were_pushed_between(syncer):
    joyco = [{"id": f"joyco-{n}-{v}", "item_group_id": f"j{n}"} for n in range(4) for v in range(3)]
    others = [{"id": f"o-{n}-{v}", "item_group_id": f"o{n}"} for n in range(5) for v in range(n)]
    syncer.feed(*joyco)
    syncer.prune()
    for part in (others[:4], others[4:]):
        syncer.feed(*part)
        syncer.push()
    syncer.feed(*joyco)
    records = syncer.diff("--prune")
    assert [record["action"] for record in records] == ["delete"] * len(others)
    assert syncer.prune()["deleted"] == len(others)
    syncer.assert_equal(*joyco)
    assert syncer.diff("--prune") == [] == syncer.diff("--prune", "--verify")


def test_variants_that_nothing_is_remembered_of_are_deleted_with_the_first_one(syncer):
    syncer.catalog(*syncer.numbered(*range(1, 6), **MUGS), *syncer.numbered(7, 8, item_group_id="cups"))
    syncer.feed({"id": "sku-7", "item_group_id": "cups"})
    assert syncer.prune()["deleted"] == 6
    syncer.assert_equal({"id": "sku-7", "item_group_id": "cups"})


def test_a_scope_leaves_the_hidden_variants_of_others_alone(mugs):
    mugs.sync()
    mugs.catalog({"id": "polar", "brand": "Polar", "item_group_id": "polar"})
    mugs.feed(*mugs.numbered(1, 2, 3, **MUGS))
    pages = mugs.service.lists
    assert mugs.prune("--scope", "brand=Nordlicht")["deleted"] == 0
    assert mugs.service.lists == pages + 1


def test_a_variant_that_shows_only_after_deletions_asks_for_another_run(mugs):
    mugs.service.fail(HIDDEN)
    mugs.feed({"id": "other"})
    summary = mugs.prune(code=9)
    assert (summary["deleted"], mugs.deleted) == (1, ["sku-1"])
    assert "1 product is listed now that a deleted variant had hidden" in mugs.said
    assert "run it again" in mugs.said
    assert mugs.prune(code=9)["deleted"] == 1
    assert mugs.prune()["deleted"] == 1
    mugs.assert_equal({"id": "other"})


def test_more_groups_than_are_searched_are_told_until_all_are_verified(mugs, monkeypatch):
    monkeypatch.setattr(comparison, "MAX_SEARCHED_GROUPS", 0)
    mugs.sync()
    mugs.feed(*mugs.numbered(1, 3, **MUGS))
    assert mugs.prune(code=9)["deleted"] == 0
    assert "1 product that has left the feed" in mugs.said and "--verify" in mugs.said
    assert mugs.diff("--prune", code=9) == [] and "1 product that has left the feed" in mugs.said
    mugs.feed(*mugs.numbered(1, **MUGS))
    assert mugs.diff("--prune", code=9) == [] and "2 products that have left the feed" in mugs.said
    mugs.feed(*mugs.numbered(1, 3, **MUGS))
    assert mugs.prune("--verify")["deleted"] == 1
    assert mugs.prune()["deleted"] == 0
    mugs.assert_equal(*mugs.numbered(1, 3, **MUGS))


def test_what_left_the_feed_and_the_catalog_is_looked_for_once(mugs):
    mugs.sync()
    delete_elsewhere(mugs, "sku-2")
    mugs.feed(*mugs.numbered(1, 3, **MUGS))
    pages = mugs.service.lists
    assert mugs.prune()["deleted"] == 0 and mugs.service.lists == pages + 2
    assert mugs.prune()["deleted"] == 0 and mugs.service.lists == pages + 3


def test_a_product_that_was_sent_once_more_and_left_counts_once(mugs, monkeypatch):
    mugs.sync()
    mugs.catalog({"id": "sku-1", "title": "Shouted", **MUGS})
    mugs.sync()
    assert mugs.sent == ["sku-1"]
    delete_elsewhere(mugs, "sku-1")
    mugs.feed(*mugs.numbered(2, 3, **MUGS))
    with monkeypatch.context() as patched:
        patched.setattr(comparison, "MAX_SEARCHED_GROUPS", 0)
        mugs.prune(code=9)
    assert "1 product that has left the feed" in mugs.said
    mugs.prune()
    pages = mugs.service.lists
    assert mugs.prune()["deleted"] == 0 and mugs.service.lists == pages + 1  # nothing is missed


def delete_elsewhere(mugs, id: str) -> None:
    """Let another machine delete a product."""
    key, elsewhere = mugs.stored(id)["product_key"], str(mugs.adsctl.home / "elsewhere")
    assert run(mugs.adsctl, "products", "delete", key, "--yes", ADSCTL_STATE_DIR=elsewhere)[0] == 0


def test_a_variant_that_is_never_seen_is_sent_once_and_counted(syncer):
    variants = syncer.numbered(1, 2, **MUGS)
    syncer.catalog(variants[0], {"id": "gone"})
    syncer.feed(*variants)
    syncer.service.fail(HIDDEN, "DELETE * status=503 retry-after=0")
    syncer.prune("--max-attempts", 1, code=8)
    assert syncer.sent == ["sku-2"]
    syncer.service.fail(HIDDEN)
    summary = syncer.prune("--resume")
    assert (summary["created"], summary["unseen"], summary["not_kept"], syncer.sent) == (1, 1, 0, [])
    summary = syncer.prune()
    assert (summary["skipped"], summary["unseen"], syncer.sent) == (2, 1, [])
