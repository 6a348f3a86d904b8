"""When two values of a declared field mean the same."""

import json
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.api.campaigns import UpdateCampaign
from ads_cli.api.cards import UpdateCard
from ads_cli.api.catalog import UpdateProductSet
from ads_cli.api.fields import Field, FieldType, fields_of
from ads_cli.api.line_items import CreateLineItem, UpdateLineItem
from ads_cli.api.posts import UpdateDraft
from ads_cli.api.products import Product
from ads_cli.api.time import Time
from tests.effort import tries

from .strategies import value_of

TYPES = (Product, UpdateCampaign, CreateLineItem, UpdateLineItem, UpdateCard, UpdateProductSet, UpdateDraft)
FIELDS = [field for type_ in TYPES for field in fields_of(type_)]
sampled = settings(max_examples=tries(3, 30), suppress_health_check=list(HealthCheck), database=None)
ANY = st.none() | st.booleans() | st.integers(-5, 5) | st.text("aäé ,1T:Z-", max_size=4)


def field_named(type_: type[msgspec.Struct], name: str) -> FieldType:
    return next(field.type for field in fields_of(type_) if field.name == name)


def written_otherwise(field: Field, value: Any) -> list[Any]:
    """The same value as a table, a query or the service writes it."""
    type_ = field.type
    if type_.base in (str, Literal):
        return [f" {value}\n", value]
    if type_.base is bool:
        return [str(value).lower(), json.dumps(value)]
    if type_.base in (int, float):
        return [str(value), f" {value} "]
    if isinstance(type_.base, type) and issubclass(type_.base, Time):
        return [str(value).replace("Z", "+00:00")] if "T" in str(value) else [value]
    if type_.base is list and not type_.holds_structs and not type_.extra("in_order"):
        return [[*reversed(value)], [*value]]
    return [value]


@sampled
@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(data=st.data())
def test_a_value_is_the_same_however_it_is_written(field, data):
    value = data.draw(value_of(field.type))
    for other in written_otherwise(field, value):
        assert field.type.is_same(value, other) and field.type.is_same(other, value), (value, other)


@sampled
@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
@given(values=st.lists(ANY | st.lists(ANY, max_size=3), min_size=3, max_size=3))
def test_any_values_can_be_compared_and_what_equals_the_same_is_equal(field, values):
    first, second, third = values
    assert field.type.is_same(first, first)
    assert field.type.is_same(first, second) == field.type.is_same(second, first)
    if field.type.is_same(first, second) and field.type.is_same(second, third):
        assert field.type.is_same(first, third)


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_what_is_empty_is_nothing(field):
    assert field.type.is_same(None, "") and field.type.is_same([], None)
    assert not field.type.is_same("a", None)


def test_a_list_may_be_a_text_as_in_a_query():
    placements = field_named(CreateLineItem, "placements")
    assert placements.is_same("ALL_ON_PLATFORM, PUBLISHER_NETWORK", ["PUBLISHER_NETWORK", "ALL_ON_PLATFORM"])
    assert placements.is_same(" , ", []) and not placements.is_same("ALL_ON_PLATFORM", [])


def test_texts_are_compared_as_services_store_them():
    name = field_named(UpdateCampaign, "name")
    assert name.is_same("Cafe\u0301 ", "Café") and not name.is_same("Cafe", "Café")
    title = field_named(Product, "title")
    assert title.is_same("Cafe\u0301", "Café") and not title.is_same("10.00 EUR", "10 EUR")


def test_the_order_of_media_counts_and_that_of_a_set_does_not():
    assert not field_named(UpdateDraft, "media_keys").is_same(["a", "b"], ["b", "a"])
    assert field_named(UpdateProductSet, "product_keys").is_same(["a", "b"], ["b", "a"])
    assert not field_named(UpdateProductSet, "product_keys").is_same(["a", "b"], ["a", "a"])


def test_times_are_compared_whatever_their_zone():
    end = field_named(UpdateLineItem, "end_time")
    assert end.is_same("2031-12-01T09:00:00+01:00", "2031-12-01T08:00:00Z")
    assert not end.is_same("2031-12-01T09:00:00Z", "2031-12-01T08:00:00Z")
