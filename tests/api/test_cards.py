"""The card requests against the limits of the specification, transcribed a second time."""

import json

import pytest

from ads_cli.api.cards import CreateCard, GetCard, ListCards, UpdateCard
from ads_cli.api.conversations import (
    CreatePoll,
    DeleteImageConversation,
    GetPoll,
    GetVideoConversation,
    ListPolls,
    ListVideoConversations,
    UpdateVideoConversation,
)
from ads_cli.api.parts import request_parts
from ads_cli.api.validation import convert
from ads_cli.client.prepared_request import build_request

from .declared import ESCAPED_ID, SPECIAL_ID, check, sent

IN = {"account_id": "a1"}
CARD = IN | {"card_id": "c1"}
CARDS = "ads://12/accounts/a1/cards"
CARD_TYPES = [
    "IMAGE_APP",
    "IMAGE_CAROUSEL_APP",
    "IMAGE_CAROUSEL_WEBSITE",
    "IMAGE_MULTI_DEST_CAROUSEL_WEBSITE",
    "IMAGE_WEBSITE",
    "MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE",
    "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP",
    "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE",
    "VIDEO_APP",
    "VIDEO_CAROUSEL_APP",
    "VIDEO_CAROUSEL_WEBSITE",
    "VIDEO_MULTI_DEST_CAROUSEL_WEBSITE",
    "VIDEO_WEBSITE",
]

MEDIA = {"type": "MEDIA", "media_key": "3_1"}
SWIPED = {"type": "SWIPEABLE_MEDIA", "media_keys": ["3_1", "3_2"]}
DETAILS = {
    "type": "DETAILS",
    "title": "Mugs",
    "destination": {"type": "WEBSITE", "url": "https://shop.example"},
}
APP = {"type": "APP", "country_code": "DE", "android_store_app_id": "example.shop"}
BUTTON = {"type": "BUTTON", "label": {"type": "ENUM", "value": "OPEN"}, "destination": APP}


def without(values, *names):
    return {name: value for name, value in values.items() if name not in names}


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (ListCards, IN, f"GET {CARDS}"),
        (
            ListCards,
            IN | {"card_types": ["VIDEO_APP", "IMAGE_APP"], "card_id": ["1", "2"], "card_uris": ["card://1"]},
            f"GET {CARDS}?card_types=VIDEO_APP%2CIMAGE_APP&card_id=1%2C2&card_ids=1%2C2"
            "&card_uris=card%3A%2F%2F1",
        ),
        (ListCards, IN | {"card_ids": ["1"]}, f"GET {CARDS}?card_id=1&card_ids=1"),
        (
            ListCards,
            IN | {"include_legacy_cards": "true", "q": "a b", "count": 5, "with_deleted": "true"},
            f"GET {CARDS}?include_legacy_cards=true&q=a%20b&count=5&with_deleted=true",
        ),
        (GetCard, CARD | {"with_deleted": "true"}, f"GET {CARDS}/c1?with_deleted=true"),
        (GetCard, IN | {"card_id": SPECIAL_ID}, f"GET {CARDS}/{ESCAPED_ID}"),
        (ListPolls, IN | {"card_ids": ["1", "2"], "q": "x"}, f"GET {CARDS}/poll?card_ids=1%2C2&q=x"),
        (GetPoll, CARD, f"GET {CARDS}/poll/c1"),
        (
            CreatePoll,
            IN | {"name": "x", "duration_in_minutes": "60", "first_choice": "a", "second_choice": "b"},
            f"POST {CARDS}/poll?name=x&duration_in_minutes=60&first_choice=a&second_choice=b",
        ),
        (
            ListVideoConversations,
            IN | {"card_ids": ["1"], "with_total_count": "true"},
            f"GET {CARDS}/video_conversation?with_total_count=true&card_ids=1",
        ),
        (GetVideoConversation, CARD, f"GET {CARDS}/video_conversation/c1"),
        (UpdateVideoConversation, CARD | {"title": "t"}, f"PUT {CARDS}/video_conversation/c1?title=t"),
        (DeleteImageConversation, CARD, f"DELETE {CARDS}/image_conversation/c1"),
    ],
)
def test_card_requests_are_sent_as_specified(kind, values, expected):
    assert {*sent(kind, **values).replace("?", "&").split("&")} == {*expected.replace("?", "&").split("&")}


@pytest.mark.parametrize(
    ("kind", "values", "address"),
    [
        (CreateCard, {"name": "x", "components": [MEDIA, DETAILS]}, f"POST {CARDS}"),
        (CreateCard, {"name": "x", "slides": [[SWIPED, BUTTON], [DETAILS, MEDIA]]}, f"POST {CARDS}"),
        (UpdateCard, {"card_id": "c1", "components": [BUTTON, SWIPED]}, f"PUT {CARDS}/c1"),
        (UpdateCard, {"card_id": "c1", "name": "y"}, f"PUT {CARDS}/c1"),
    ],
)
def test_a_card_is_sent_as_json_and_keeps_the_order_of_its_components(kind, values, address):
    request = convert(kind, IN | values)
    prepared = build_request(kind.endpoint, request_parts(request), "ads:/")
    assert f"{prepared.method} {prepared.url}" == address
    assert json.loads(prepared.body) == without(values, "card_id")


@pytest.mark.parametrize(
    ("kind", "most", "default"),
    [(ListCards, 200, 100), (ListPolls, 1000, 200), (ListVideoConversations, 1000, 200)],
)
def test_pages_of_cards_have_the_specified_sizes(kind, most, default):
    for count in ("1", str(most)):
        assert check(kind, **IN, count=count) == []
    for count in ("0", str(most + 1)):
        assert check(kind, **IN, count=count) == [f"count: '{count}' is not allowed: 1 to {most}"]
    from ads_cli.emulator.core.request import value_or_default

    assert value_or_default(convert(kind, IN), "count") == default


@pytest.mark.parametrize(
    ("kind", "field", "id"),
    [
        (ListCards, "card_id", "1"),
        (ListCards, "card_uris", "card://1"),
        (ListPolls, "card_ids", "1"),
        (ListVideoConversations, "card_ids", "1"),
    ],
)
def test_a_filter_accepts_200_ids(kind, field, id):
    assert check(kind, **IN, **{field: [id] * 200}) == []
    assert check(kind, **IN, **{field: [id] * 201}) == [f"{field}: has 201 items, at most 200 are allowed"]


def test_filters_of_cards_keep_their_limits():
    assert check(ListCards, **IN, card_types=CARD_TYPES) == []
    assert check(ListCards, **IN, card_types=["TEXT_POLLS"]) == [
        f"card_types[0]: 'TEXT_POLLS' is not one of {', '.join(CARD_TYPES)}"
    ]
    for uri in ("c1", "card://", "card://a/b", "https://c1"):
        assert check(ListCards, **IN, card_uris=[uri]) == [
            f"card_uris[0]: {uri!r} is not allowed: card:// and the id of a card"
        ]
    assert check(ListCards, **IN, q="x" * 80) == []
    assert check(ListCards, **IN, q="x" * 81) == ["q: has 81 characters, at most 80 are allowed"]
    assert check(ListCards, **IN, with_total_count="true") == ["with_total_count: is not a known field"]
    for kind in (ListPolls, ListVideoConversations):
        assert check(kind, **IN, q="x" * 81) == ["q: has 81 characters, at most 80 are allowed"]
        assert check(kind, **IN, with_total_count="true", cursor="x") == [
            "with_total_count: cannot be used with cursor"
        ]


def test_a_card_name_has_at_most_80_characters():
    parts = {"components": [MEDIA, DETAILS]}
    assert check(CreateCard, **IN, **parts, name="x" * 80) == []
    assert check(CreateCard, **IN, **parts) == ["name: is required"]
    assert check(CreateCard, **IN, **parts, name="") == ["name: is empty"]
    for kind, own in ((CreateCard, parts), (UpdateCard, {"card_id": "c1"})):
        assert check(kind, **IN, **own, name="x" * 81) == ["name: has 81 characters, at most 80 are allowed"]


def test_a_card_has_either_components_or_slides():
    both = {"components": [MEDIA, DETAILS], "slides": [[MEDIA, DETAILS]]}
    assert check(CreateCard, **IN, name="x") == ["components: is required unless slides is set"]
    assert check(CreateCard, **IN, name="x", **both) == ["slides: cannot be used with components"]
    assert check(UpdateCard, **CARD, **both) == ["slides: cannot be used with components"]
    assert check(UpdateCard, **CARD) == []
