"""products sync: variants that the listing of a catalog hides."""

import pytest

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


def test_an_unseen_variant_is_not_deleted_until_it_is_listed(mugs):
    mugs.sync()
    mugs.feed(*mugs.numbered(1, 3, **MUGS))
    assert mugs.prune()["deleted"] == 0 and "sku-2" in mugs.held()
    assert mugs.prune("--verify")["deleted"] == 1 and "sku-2" not in mugs.held()


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
