"""Curated categories of line items."""

import pytest

from tests.emulator.seeded import CHOSEN_CATEGORY, CLICKS, ENDED, REACH

from .client import errors


@pytest.fixture
def chosen(local):
    return f"/12/accounts/{local.emulator.account}/line_item_curated_categories"


def test_a_category_is_added_moved_and_deleted(local, chosen):
    added = local.send("POST", chosen, line_item_id=CLICKS, curated_category_id="cc2").json()["data"]
    assert set(added) == {
        "id", "line_item_id", "curated_category_id", "created_at", "updated_at", "deleted",
    }  # fmt: skip
    path = f"{chosen}/{added['id']}"
    assert local.get(path).json()["data"] == added
    assert [record["id"] for record in local.get(chosen).json()["data"]] == [CHOSEN_CATEGORY, added["id"]]
    changed = local.send("PUT", path, curated_category_id="cc3").json()["data"]
    assert (changed["line_item_id"], changed["curated_category_id"]) == (CLICKS, "cc3")
    moved = local.send("PUT", path, line_item_id=REACH).json()["data"]
    assert (moved["line_item_id"], moved["curated_category_id"]) == (REACH, "cc3")
    assert local.send("DELETE", path).json()["data"]["deleted"] is True


def test_a_deleted_category_is_returned_only_with_deleted(local, chosen):
    path = f"{chosen}/{CHOSEN_CATEGORY}"
    local.send("DELETE", path)
    assert local.get(chosen).json()["data"] == []
    assert local.get(chosen, with_deleted="true", with_total_count="true").json()["total_count"] == 1
    assert local.get(path, with_deleted="true").json()["data"]["deleted"] is True
    for response in (local.get(path), local.send("DELETE", path), local.send("PUT", path)):
        assert response.status_code == 404


@pytest.mark.parametrize(
    ("fields", "blamed"),
    [
        ({"line_item_id": "none", "curated_category_id": "cc1"}, "line_item_id"),
        ({"line_item_id": ENDED, "curated_category_id": "cc1"}, "line_item_id"),
        ({"line_item_id": CLICKS, "curated_category_id": "none"}, "curated_category_id"),
    ],
)
def test_unknown_line_items_and_categories_are_rejected(local, chosen, fields, blamed):
    assert errors(local.send("POST", chosen, **fields)) == [("INVALID_PARAMETER", blamed)]
    assert errors(local.send("PUT", f"{chosen}/{CHOSEN_CATEGORY}", **fields)) == [
        ("INVALID_PARAMETER", blamed)
    ]


@pytest.mark.parametrize(("service_name", "code"), [("generic", None), ("x", "INVALID_PARAMETER")])
def test_a_line_item_has_one_category_under_x(local, chosen, code):
    def refused(response):
        return errors(response) == [(code, "line_item_id")] if code else response.status_code == 200

    first = local.send("POST", chosen, line_item_id=CLICKS, curated_category_id="cc1").json()["data"]["id"]
    assert refused(local.send("POST", chosen, line_item_id=CLICKS, curated_category_id="cc2"))
    assert refused(local.send("PUT", f"{chosen}/{CHOSEN_CATEGORY}", line_item_id=CLICKS))
    assert local.send("PUT", f"{chosen}/{first}", line_item_id=CLICKS).status_code == 200
    local.send("DELETE", f"{chosen}/{first}")
    again = local.send("POST", chosen, line_item_id=REACH, curated_category_id="cc2")
    assert again.status_code == 200


def test_category_commands(adsctl):
    words = ("line-items", "curated-categories")
    made = adsctl.local(
        *(*words, "add", "--line-item-id", CLICKS, "--curated-category-id", "cc1", "-o", "ids")
    ).stdout.strip()
    adsctl.local(*words, "update", made, "--curated-category-id", "cc2")
    assert "cc2" in adsctl.local(*words, "get", made).stdout
    adsctl.local(*words, "delete", made, code=12)
    adsctl.local(*words, "delete", made, "--yes")
    assert adsctl.local(*words, "list", "-o", "ids").stdout.split() == [CHOSEN_CATEGORY]
