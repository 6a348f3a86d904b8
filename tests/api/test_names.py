"""Fields have one name in the program and may have another on the wire."""

import json

from ads_cli.api.cards import CreateCard
from ads_cli.api.names import GENERIC, Names
from ads_cli.api.parts import request_parts
from ads_cli.api.validation import convert
from ads_cli.client.prepared_request import build_request
from ads_cli.client.response import read_response

RECORDS = {"data": [{"card_name": "Mugs", "parts": [{"kind": "MEDIA", "id": "1"}]}], "next_cursor": None}
NAMES = Names({"name": "card_name", "components": "parts", "type": "kind"})
MEDIA = {"type": "MEDIA", "media_key": "3_1"}
SHOP = {"type": "WEBSITE", "url": "https://shop.example/"}
DETAILS = {"type": "DETAILS", "title": "Mugs", "destination": SHOP}
CARD = {"name": "Mugs", "components": [MEDIA, DETAILS]}


def sent(names: Names) -> dict[str, object]:
    request = convert(CreateCard, CARD | {"account_id": "18ce54d4x5t"})
    prepared = build_request(request.endpoint, request_parts(request, names), "https://ads.example")
    return json.loads(prepared.body)


def test_a_request_is_sent_under_the_names_on_the_wire_at_any_depth():
    assert sent(NAMES) == {
        "card_name": "Mugs",
        "parts": [
            {"kind": "MEDIA", "media_key": "3_1"},
            {"kind": "DETAILS", "title": "Mugs", "destination": {"kind": "WEBSITE", "url": SHOP["url"]}},
        ],
    }
    assert sent(GENERIC) == CARD


def test_a_response_is_read_under_the_neutral_names_and_shown_as_it_was_sent():
    response = read_response(200, {}, json.dumps(RECORDS).encode(), NAMES)
    assert response.neutral_data == [{"name": "Mugs", "components": [{"type": "MEDIA", "id": "1"}]}]
    assert response.data == RECORDS["data"]


def test_without_a_table_nothing_is_copied():
    assert GENERIC.to_wire(CARD) is CARD and GENERIC.from_wire(CARD) is CARD
