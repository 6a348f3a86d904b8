"""Fields have neutral names in the program, and those of the service on the wire."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.cards import CreateCard
from ads_cli.api.fields import enum_fields, fields_of
from ads_cli.api.names import (
    FIELDS,
    GENERIC,
    SEGMENTS,
    SERVICES,
    VALUES,
    WIRE_NAMES,
    X,
    to_neutral,
    with_neutral_keys,
)
from ads_cli.api.parts import request_parts
from ads_cli.api.registry import requests_for
from ads_cli.api.validation import convert
from ads_cli.client.prepared_request import build_request
from ads_cli.client.response import read_response
from tests.emulator.wire_names import X_NAMES, X_SEGMENTS, X_VALUES

RENAMED_VALUES = {value for table in VALUES.values() for value in table}
MEDIA = {"type": "MEDIA", "media_key": "3_1"}
BUTTON = {"type": "BUTTON", "label": {"type": "ENUM", "value": "INSTALL"}}
APP = {"type": "APP", "country_code": "DE", "android_store_app_id": "shop.example.app"}
CARD = {"name": "Mugs", "components": [MEDIA, BUTTON | {"destination": APP}]}


def sent(names) -> dict[str, Any]:
    request = convert(CreateCard, CARD | {"account_id": "18ce54d4x5t"})
    prepared = build_request(request.endpoint, request_parts(request, names), "https://ads.example")
    return json.loads(prepared.body)


def test_a_request_is_sent_under_the_names_on_the_wire_at_any_depth():
    assert sent(GENERIC) == CARD
    destination = sent(X)["components"][1]["destination"]
    assert destination == {"type": "APP", "country_code": "DE", "googleplay_app_id": "shop.example.app"}


def test_a_response_is_read_under_the_neutral_names_and_shown_as_it_was_sent():
    body = {"data": [{"entity": "PROMOTED_TWEET", "tweet_id": "1", "name": "tweet_id"}]}
    response = read_response(200, {}, json.dumps(body).encode())
    assert response.neutral_data == [{"entity": "PROMOTED_POST", "post_id": "1", "name": "tweet_id"}]
    assert response.data == body["data"]


def test_a_value_with_a_name_on_the_wire_is_translated_in_every_enum_that_has_it():
    renamed = [
        (kind, field.name, value)
        for kind in requests_for("x")
        for field in fields_of(kind)
        for value in {*(field.type.item if field.type.base is list else field.type).offered} & RENAMED_VALUES
    ]
    assert renamed
    for kind, name, value in renamed:
        assert name in enum_fields(kind) and value in VALUES[name], (kind, name, value)


VALUE = st.recursive(
    st.text() | st.none() | st.integers() | st.sampled_from(["PROMOTED_TWEET", "ALL_ON_PLATFORM", *FIELDS]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from([*FIELDS, *VALUES, "id"]), inner),
    max_leaves=12,
)


@given(VALUE)
def test_translating_to_the_wire_and_back_changes_nothing(value):
    for names in SERVICES.values():
        neutral = to_neutral(value)
        assert names.to_neutral(names.to_wire(neutral)) == neutral


@given(VALUE)
def test_names_of_another_service_are_found_wherever_they_are(value):
    assert (not list(X.foreign(value))) == (X.to_wire(value) == value)


def test_a_name_beside_the_other_name_of_its_field_stays_so_that_it_is_refused():
    both = {"post_id": "1", "tweet_id": "2"}
    assert to_neutral(both) == both


@given(st.dictionaries(st.sampled_from([*FIELDS, "title"]), st.text() | st.sampled_from(['"post_id":'])))
def test_encoded_keys_are_translated_and_values_are_not(record):
    encoded = X.encoded(msgspec.json.encode([record, record]), tuple(FIELDS))
    assert json.loads(bytes(encoded)) == [{X.name(name): value for name, value in record.items()}] * 2


def test_the_tables_are_those_that_the_tests_have():
    of_problems = {"post": "tweet"}  # a value of resource_type, and no value elsewhere
    assert (FIELDS, SEGMENTS) == (X_NAMES, X_SEGMENTS)
    assert {name: wire for table in VALUES.values() for name, wire in table.items()} == X_VALUES | of_problems


def test_tables_are_pairs_of_names():
    for table in (FIELDS, SEGMENTS, *VALUES.values()):
        assert len(set(table.values())) == len(table) and not set(table) & set(table.values())
    assert {with_neutral_keys({name: 1}).popitem()[0] for name in WIRE_NAMES} == set(FIELDS)


def test_without_a_table_nothing_is_copied():
    assert GENERIC.to_wire(CARD) is CARD and GENERIC.to_neutral(CARD) is CARD


@pytest.mark.parametrize("field", sorted(FIELDS))
def test_the_path_of_a_field_is_translated_wherever_it_has_positions(field):
    wire = FIELDS[field]
    paths = ["{}", "{}[0]", "users[12].{}[3]", "{}.id", "{}[0].{}"]
    assert [X.dotted(path.format(field, field)) for path in paths] == [
        path.format(wire, wire) for path in paths
    ]
