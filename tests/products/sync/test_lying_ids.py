"""A service that stores or lists ids in another form: no product of a row is ever deleted."""

import json

import pytest

from tests.conftest import PRODUCT
from tests.effort import THOROUGH
from tests.lists import LISTED

from .lying import FORMS, LyingIds

SOME_FORMS = ("lower", "numbers", "other")
with_some_forms = pytest.mark.parametrize("lied_to", FORMS if THOROUGH else SOME_FORMS, indirect=True)


@pytest.fixture(params=FORMS)
def lied_to(request, syncer):
    """A syncer whose feed has ids that the service changes."""
    stored, listed, ids = FORMS[request.param]
    LyingIds(syncer.service, stored, listed)
    syncer.catalog({"id": "gone"})
    syncer.feed(*({"id": id} for id in ids))
    syncer.form, syncer.rows = request.param, len(ids)
    return syncer


def test_a_product_that_is_listed_under_another_form_of_its_id_is_never_deleted(lied_to):
    first = lied_to.prune()
    assert (first["deleted"], lied_to.deleted) == (1, ["gone"]) and len(lied_to.held()) == lied_to.rows
    for night in range(2):
        summary = lied_to.prune()
        assert (summary["deleted"], lied_to.deleted) == (0, []), f"night {night}"
        assert lied_to.form == "other" or (lied_to.sent == [] and summary["skipped"] == lied_to.rows)
    assert "delete" not in lied_to.actions("--prune")
    assert len(lied_to.held()) == lied_to.rows


@with_some_forms
def test_a_first_sync_deletes_nothing_whose_id_differs_in_form_only(lied_to):
    lied_to.push()
    elsewhere = {"ADSCTL_STATE_DIR": str(lied_to.adsctl.home / "elsewhere")}
    lied_to.adsctl.env |= elsewhere
    assert lied_to.prune()["deleted"] == 1
    assert len(lied_to.held()) == lied_to.rows


def test_what_a_row_changes_is_sent_under_its_own_id_once(syncer):
    LyingIds(syncer.service, str.lower)
    syncer.feed({"id": "SKU-1"}, {"id": "SKU-2"})
    syncer.prune()
    syncer.feed({"id": "SKU-1", "title": "Cup"}, {"id": "SKU-2"})
    (change,) = syncer.diff("--prune")
    assert (change["action"], change["id"]) == ("update", "SKU-1")
    syncer.prune()
    assert syncer.sent == ["sku-1"] and syncer.held()["sku-1"]["title"] == "Cup"
    syncer.prune()
    assert syncer.sent == []


@pytest.mark.parametrize("second", ["second of {}", " {}"])
def test_a_key_that_is_listed_under_a_second_id_is_not_deleted(syncer, second):
    LyingIds(syncer.service, twice=second.format)
    syncer.feed(*syncer.numbered(1, 2, 3))
    for _ in range(3):
        assert syncer.prune()["deleted"] == 0
    assert "not deleted" in syncer.said and len(syncer.held()) == 3
    syncer.feed(*syncer.numbered(1, 2))
    assert syncer.prune()["deleted"] >= 1 and syncer.held().keys() == {"sku-1", "sku-2"}


def test_a_product_whose_id_differs_in_form_only_is_not_deleted_under_its_second_id(syncer):
    syncer.catalog({"id": "Sku-1"})
    LyingIds(syncer.service, twice="second of {}".format)
    syncer.feed({"id": "sku-1"})
    for _ in range(2):
        assert syncer.prune()["deleted"] == 0 and syncer.held().keys() == {"Sku-1", "sku-1"}


def test_an_invalid_row_keeps_a_product_whose_id_differs_in_form_only(syncer):
    syncer.catalog({"id": "sku-1"}, {"id": "gone"})
    syncer.feed({"id": " SKU-1", "price": "cheap"}, {"id": "b"})
    syncer.prune("--skip-invalid", code=9)
    assert syncer.deleted == ["gone"]


def test_a_service_to_which_forms_are_two_products_has_both(syncer):
    syncer.catalog({"id": "sku-1"})
    syncer.feed({"id": "SKU-1"})
    (change,) = syncer.diff("--prune")
    assert change["fields"] == {"id": {"old": "sku-1", "new": "SKU-1"}}
    syncer.prune()
    assert syncer.sent == ["SKU-1"] and syncer.held().keys() == {"SKU-1", "sku-1"}
    syncer.prune()
    assert (syncer.sent, syncer.deleted) == ([], []) and "1 product not deleted" in syncer.said


@with_some_forms
def test_a_stopped_sync_deletes_nothing_of_a_row_when_it_is_resumed(lied_to, waits):
    lied_to.service.fail("DELETE * status=503 retry-after=0")
    lied_to.prune("--max-attempts", 1, code=8)
    lied_to.service.fail()
    waits.waited.append(LISTED)
    lied_to.prune("--resume", code=9 if lied_to.form == "other" else 0)
    assert lied_to.deleted == ["gone"] and len(lied_to.held()) == lied_to.rows


@pytest.mark.parametrize("name", ["feed.csv", "feed.jsonl"])
def test_check_warns_of_ids_that_a_service_may_take_for_one(adsctl, name):
    alike = ["SKU-1", "sku-1", "1.10", "1.1", "u\u0308", "\u00fc", "b", "00123", "123"]
    odd = ["c\u200bd", "e\u00a0", "n\u0303"]
    rows = [PRODUCT | {"id": id} for id in (*alike, *odd)]
    lines = [",".join(PRODUCT), *(",".join(f'"{value}"' for value in row.values()) for row in rows)]
    adsctl.file(name, "\n".join(map(json.dumps, rows) if name.endswith("jsonl") else lines) + "\n")
    done = adsctl("products", "check", name, "-o", "json")
    report = json.loads(done.stdout)
    assert (report["invalid"], report["warned"]) == (0, len(alike) - 1 + len(odd))
    assert "may take both for one product" in done.stdout
    assert "not normalized (NFC); the service may store it in another form" in done.stdout
    assert "'SKU-1' and the id on line" in done.stdout
    adsctl("products", "check", name, "--strict", code=3)


def test_ids_that_differ_by_any_character_that_is_not_seen_may_be_one_product(adsctl):
    unseen = (  # the first of each range of Default_Ignorable_Code_Point
        "\u00ad\u034f\u061c\u115f\u17b4\u180b\u200b\u202a\u2060\u3164\ufe00\ufeff\uffa0\ufff0"
        "\U0001bca0\U0001d173\U000e0000"
    )
    ids = [f"a{odd}-{number}" for number, character in enumerate(unseen) for odd in ("", character)]
    adsctl.file("feed.json", json.dumps([PRODUCT | {"id": id} for id in ids]))
    report = json.loads(adsctl("products", "check", "feed.json", "-o", "json").stdout)
    assert report["warned"] == len(ids) and "may take both for one product" in str(report)
