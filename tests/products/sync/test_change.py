"""The pure comparison of a feed row with a listed product."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.products.normal_form import COMPARED, normal_form
from ads_cli.products.sync.differences import (
    PENDING,
    SENT,
    Differences,
    FieldChange,
    ProductChange,
    difference,
)

SHORT_TEXTS = st.text("ab ,0.", max_size=4)
PRODUCTS = st.dictionaries(st.sampled_from(COMPARED), SHORT_TEXTS | st.none() | st.integers(0, 3))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("price", "10.00 EUR", "10.0 EUR"),
        ("price", "010 EUR", "10.000 EUR"),
        ("sale_price", "0.50 EUR", "0.5 EUR"),
        ("price", "0.00 EUR", "0 EUR"),
        ("additional_image_link", "https://a/1.jpg, https://a/2.jpg", "https://a/1.jpg,https://a/2.jpg"),
        ("additional_image_link", ["https://a/1.jpg", "https://a/2.jpg"], "https://a/1.jpg,https://a/2.jpg"),
        (
            "sale_price_effective_date",
            "2026-12-01T01:00+01:00/2026-12-24T23:59+01:00",
            "2026-12-01T00:00Z/2026-12-24T22:59:00+00:00",
        ),
        ("inventory", 7, "7"),
        ("title", "Mug ", "Mug"),
        ("title", "Cafe\u0301", "Café"),
        ("product_type", "", None),
    ],
)
def test_values_that_mean_the_same_are_no_difference(name, one, other):
    assert difference({name: one}, {name: other}, {name}) == {}


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("price", "10.00 EUR", "10.01 EUR"),
        ("price", "10.00 EUR", "10.00 USD"),
        ("price", "100 EUR", "10 EUR"),
        ("title", "10.00 EUR", "10.0 EUR"),
        ("gtin", "0123", "123"),
        ("sale_price_effective_date", "2026-12-01T01:00+01:00/x", "2026-12-01T00:00Z/x"),
    ],
)
def test_other_values_are_a_difference(name, one, other):
    assert difference({name: one}, {name: other}, {name}) == {name: FieldChange(other, one)}


@given(st.decimals(0, 10**40, allow_nan=False, places=3), st.decimals(0, 10**40, allow_nan=False, places=3))
def test_two_prices_are_the_same_where_their_numbers_are(one, other):
    for left, right in ((one, other), (one, one.quantize(Decimal("1.00000")) if one < 10**20 else one)):
        forms = {normal_form("price", f"{number:f} EUR") for number in (left, right)}
        assert (len(forms) == 1) == (left == right)


@given(PRODUCTS, PRODUCTS, st.frozensets(st.sampled_from(COMPARED)))
def test_a_difference_applied_to_the_old_product_leaves_none(new, old, columns):
    fields = columns | new.keys()
    changed = difference(new, old, fields)
    assert all(
        change.old == old.get(name) and change.new == new.get(name) for name, change in changed.items()
    )
    assert difference(new, old | {name: change.new for name, change in changed.items()}, fields) == {}
    assert changed.keys() <= fields


@given(PRODUCTS, PRODUCTS)
def test_a_field_that_the_feed_has_no_column_for_is_not_compared(new, old):
    present = {name: value for name, value in new.items() if value is not None}
    assert difference(present, old, ()).keys() <= present.keys()


def test_writes_come_in_the_order_of_the_feed_and_deletions_after_all_of_them(tmp_path):
    table = Differences(tmp_path / "changes.db")
    gone = ProductChange("delete", "gone", "k9", {})
    fixed = ProductChange(
        "update", "b", "k2", {"price": FieldChange("1 EUR", None)}, record=7, line=8, body=b"{}"
    )
    table.add([fixed, gone])
    table.add([ProductChange("create", "a", None, {}, 3)])
    assert [*table.read(deletions=False)] == [ProductChange("create", "a", None, {}, 3), fixed]
    assert [*table.read(deletions=True)] == [gone]
    assert dict(table.counts) == {"create": 1, "update": 1, "delete": 1}
    table.close()


def test_only_a_deletion_is_read_as_one(tmp_path):
    table = Differences(tmp_path / "changes.db")
    table.add([ProductChange("merge", "a", None, {}, record=1), ProductChange("delete", "b", None, {})])
    assert [change.id for change in table.read(deletions=True)] == ["b"]
    table.close()


def test_a_change_that_was_sent_is_no_longer_due_and_is_still_a_difference(tmp_path):
    differences = Differences(tmp_path / "changes.db")
    first, second = (ProductChange("create", id, None, {}, record) for id, record in (("a", 3), ("b", 7)))
    gone = [ProductChange("delete", f"gone {key}", key, {}) for key in ("k8", "k9")]  # numbers 8 and 9
    differences.add([first, second])
    differences.add(gone)
    for _ in range(2):  # what is marked twice counts once
        differences.mark(SENT, [7, 8, 100], ["k9", "unknown"])
    assert differences.count == (2, 2) and differences.due == (1, 1)
    assert [*differences.read(state=PENDING)] == [first, gone[0]]
    assert [*differences.read(state=SENT)] == [second, gone[1]]
    assert [*differences] == [first, second, *gone]
    differences.close()
