"""Variants that the listing hides, what is remembered, what the service does not keep, and scopes."""

import json

import pytest

from tests.conftest import PRODUCT

BOTH = pytest.mark.parametrize("service_name", ["generic", "x"])
GROUP = {"item_group_id": "mugs"}
A, B, C = ({"id": id, **GROUP} for id in "abc")


def requested_groups(differ) -> list[str]:
    """Return the queries of the requests that listed a group, since this was called last."""
    found = [query for query in differ.queries if "item_group_key" in query]
    differ.queries.clear()
    return found


@BOTH
def test_hidden_variants_are_listed_by_their_group_and_compared(differ):
    differ.catalog(A, B, C, {"id": "other"})
    differ.feed(A, B | {"price": "9.00 EUR"}, {"id": "other"})
    assert differ.actions("--prune") == {"update": ["b"], "delete": ["c"]}
    assert len(requested_groups(differ)) == 1 and "hidden" not in differ.said


@BOTH
def test_a_variant_that_is_in_no_listing_is_created(differ):
    differ.catalog(A, B)
    differ.feed(A, B, C)
    assert differ.actions() == {"create": ["c"]} and "hidden" not in differ.said


@BOTH
def test_groups_whose_rows_are_all_remembered_are_not_listed(differ):
    differ.feed(A, B, C)
    differ.push()
    differ.queries.clear()
    assert differ.diff("--prune") == [] and "2 hidden" in differ.said
    assert requested_groups(differ) == []
    differ.feed(A, B, C | {"price": "9.00 EUR"})
    assert differ.actions("--prune") == {"update": ["c"]} and len(requested_groups(differ)) == 1


@BOTH
def test_verify_lists_every_group(differ):
    differ.feed(A, B)
    differ.push()
    differ.catalog(B | {"price": "9.00 EUR"}, C)
    assert differ.diff("--prune") == []
    assert differ.actions("--prune", "--verify") == {"update": ["b"], "delete": ["c"]}


@BOTH
def test_an_unseen_product_is_sent_unless_it_is_remembered_and_never_deleted(differ):
    differ.hides_variants_of_groups = True
    differ.catalog(A, B, C)
    differ.feed(A, B)
    assert differ.actions("--prune") == {"create": ["b"]} and "1 hidden" in differ.said
    assert differ.actions("--prune", "--verify") == {"create": ["b"]}


def test_a_variant_whose_row_is_invalid_is_not_deleted_where_its_group_is_listed(differ):
    differ.catalog(A, B, C)
    differ.feed(A, B | {"price": "cheap"}, C | {"title": "Cup"})
    assert differ.actions("--prune", "--skip-invalid", code=9) == {"update": ["c"]}


def test_a_variant_that_moves_to_another_group_is_not_deleted(differ):
    other = {"id": "z", "item_group_id": "cups"}
    differ.catalog(A, B, other)
    differ.feed(A, B | {"item_group_id": "cups"}, C, other)
    assert "delete" not in differ.actions("--prune")


def test_what_was_remembered_counts_no_more_after_another_change(differ):
    differ.feed({"id": "a"}, {"id": "b"})
    differ.push()
    differ.catalog({"id": "a", "title": "Shouted"})
    differ.adsctl("products", "delete", "b", "--by", "id", "--yes")
    differ.adsctl(
        "api",
        "PUT",
        "/12/product_catalogs/{product_catalog_id}/products",
        "--input",
        "-",
        input=json.dumps({"products": [PRODUCT | {"id": "n"}]}),
    )
    assert differ.actions("--prune") == {"update": ["a"], "create": ["b"], "delete": ["n"]}


@BOTH
def test_a_scope_is_all_that_is_compared_and_deleted(differ):
    ours, theirs = {"brand": "Nordlicht"}, {"brand": "Polar"}
    differ.catalog({"id": "a", **ours}, {"id": "b", **ours}, {"id": "c", **theirs}, {"id": "d", **theirs})
    differ.feed({"id": "a", **ours}, {"id": "d", **ours})
    found = differ.diff("--prune", "--scope", "brand=Nordlicht")
    assert [(each["action"], each["id"]) for each in found] == [("update", "d"), ("delete", "b")]
    assert found[0]["fields"] == {"brand": {"old": "Polar", "new": "Nordlicht"}}


def test_rows_outside_of_a_scope_are_errors_and_their_products_are_not_deleted(differ):
    differ.catalog({"id": "a"}, {"id": "b"})
    differ.feed({"id": "a"}, {"id": "b", "brand": "Polar"}, {"id": "c", "brand": "Bear"})
    scope = "--prune", "--scope", "brand=Nordlicht"
    differ.diff(*scope, code=3)
    assert "feed.jsonl:2: brand: 'Polar' is outside of --scope brand=Nordlicht" in differ.said
    assert "2 rows: lines 2, 3" in differ.said
    assert differ.actions(*scope, "--skip-invalid", code=9) == {}


@pytest.mark.parametrize("scope", ["brand", "=x", "brand=", "brnd=x"])
def test_a_scope_that_is_none_is_refused_before_anything_is_read(differ, scope):
    differ.diff("--scope", scope, code=2, file="missing.jsonl")
    assert "--scope: " in differ.said


@pytest.mark.parametrize("field", ["product_key", "id"])
def test_a_scope_is_no_field_that_names_one_product(differ, field):
    differ.diff("--scope", f"{field}=a", code=2, file="missing.jsonl")
    assert f"--scope: '{field}' identifies products, and is not compared" in differ.said


def test_a_scope_by_the_wire_name_of_a_field_is_understood(differ):
    differ.catalog({"id": "a", "store_product_category": "Home"}, {"id": "b"})
    differ.feed({"id": "c", "store_product_category": "Home"})
    found = differ.actions("--prune", "--scope", "google_product_category=Home")
    assert found == {"create": ["c"], "delete": ["a"]}
