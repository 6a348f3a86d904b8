"""Cards made of components, and what all kinds of cards share."""

import json

import pytest

from ads_cli.api.cards import CreateCard
from ads_cli.api.validation import convert
from tests.emulator.seeded import (
    COLLECTION,
    CONVERSATION,
    DELETED,
    GIF,
    IMAGE,
    IMAGE_CONVERSATION,
    PARTNER,
    POLL,
    SHOP_APP,
    SQUARE,
    TALL,
    TOUR,
    VIDEO,
)

from .client import HOST, InProcess, authorization, errors, is_not_found, is_without_account
from .wire_names import service_name, x_only  # noqa: F401 - every other test runs under both

DETAILS = {
    "type": "DETAILS",
    "title": "Mugs",
    "destination": {"type": "WEBSITE", "url": "https://shop.example"},
}
BUTTON = {
    "type": "BUTTON",
    "label": {"type": "ENUM", "value": "OPEN"},
    "destination": {"type": "APP", "country_code": "DE", "android_store_app_id": "example.shop"},
}


def media(*keys):
    if len(keys) == 1:
        return {"type": "MEDIA", "media_key": keys[0]}
    return {"type": "SWIPEABLE_MEDIA", "media_keys": list(keys)}


@pytest.fixture
def cards(local):
    return f"/12/accounts/{local.emulator.account}/cards"


@pytest.fixture
def create(local, cards):
    return lambda **body: local.send("POST", cards, json_body={"name": "x"} | body)


@x_only
@pytest.mark.parametrize(
    ("user_agent", "shape"), [("curl/8.0", list), ("twitter-ads version: 11.0.0 platform: Python", dict)]
)
def test_a_card_is_a_list_of_one_under_x_but_for_the_public_sdk(emulator, local, cards, user_agent, shape):
    transport, url = InProcess(emulator, HTTP_USER_AGENT=user_agent), f"{HOST}{cards}/{TOUR}"
    for method, body in (("GET", b""), ("PUT", b'{"name": "Tours"}'), ("DELETE", b"")):
        headers = authorization(local.keys, method, url) | {"Content-Type": "application/json"}
        response = transport.request(method, url, content=body, headers=headers)
        assert isinstance(response.json()["data"], shape)


@pytest.mark.parametrize(("service_name", "is_ignored"), [("generic", False), ("x", True)])
def test_what_a_loaded_card_has_besides_is_ignored_under_x(local, cards, is_ignored):
    (loaded,) = local.get(cards, card_id=TOUR).json()["data"]
    changed = {name: value for name, value in loaded.items() if value is not None} | {"name": "Tours"}
    response = local.send("PUT", f"{cards}/{TOUR}", json_body=changed)
    assert (response.status_code == 200) is is_ignored
    assert local.get(f"{cards}/{TOUR}").json()["data"]["name"] == ("Tours" if is_ignored else loaded["name"])
    unknown = local.send("PUT", f"{cards}/{TOUR}", json_body={"name": "x", "colour": "red"})
    assert errors(unknown) == [("INVALID_PARAMETER", "colour")]


def listed(local, path, **query):
    response = local.get(path, **query)
    assert response.status_code == 200, response.text
    return [card["id"] for card in response.json()["data"]]


def test_a_card_has_the_fields_of_the_specification(local, cards, create):
    made = create(components=[media(IMAGE), DETAILS]).json()["data"]
    assert made.keys() >= {
        "id", "name", "card_type", "card_uri", "components", "created_at", "updated_at", "deleted",
    }  # fmt: skip
    assert made["card_uri"] == f"card://{made['id']}"
    assert made["components"] == [media(IMAGE), DETAILS]
    assert local.get(f"{cards}/{made['id']}").json()["data"] == made


@pytest.mark.parametrize(
    ("made_of", "card_type"),
    [
        ([media(IMAGE), DETAILS], "IMAGE_WEBSITE"),
        ([BUTTON, media(IMAGE)], "IMAGE_APP"),
        ([media(VIDEO), DETAILS], "VIDEO_WEBSITE"),
        ([media(VIDEO), BUTTON], "VIDEO_APP"),
        ([media(IMAGE, SQUARE), DETAILS], "IMAGE_CAROUSEL_WEBSITE"),
        ([media(IMAGE, SQUARE), BUTTON], "IMAGE_CAROUSEL_APP"),
        ([media(VIDEO, TALL), DETAILS], "VIDEO_CAROUSEL_WEBSITE"),
        ([media(VIDEO, TALL), BUTTON], "VIDEO_CAROUSEL_APP"),
        ([media(IMAGE, TALL), DETAILS], "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE"),
        ([media(IMAGE, TALL), BUTTON], "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP"),
        ([[media(IMAGE), DETAILS], [media(SQUARE), DETAILS]], "IMAGE_MULTI_DEST_CAROUSEL_WEBSITE"),
        ([[media(VIDEO), DETAILS], [media(TALL), DETAILS]], "VIDEO_MULTI_DEST_CAROUSEL_WEBSITE"),
        ([[media(VIDEO), DETAILS], [media(IMAGE), DETAILS]], "MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE"),
    ],
)
def test_components_determine_the_card_type(local, cards, create, made_of, card_type):
    name = "slides" if isinstance(made_of[0], list) else "components"
    made = create(**{name: made_of}).json()["data"]
    assert (made["card_type"], made[name]) == (card_type, made_of)
    assert made["id"] in listed(local, cards, card_types=card_type)


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        ({"components": [media("3_none"), DETAILS]}, "components"),
        ({"components": [media(IMAGE, "3_none"), DETAILS]}, "components"),
        ({"slides": [[media(IMAGE), DETAILS], [media("13_none"), DETAILS]]}, "slides"),
        ({"components": [media(GIF), DETAILS]}, "components"),  # no card type for GIFs
        ({"slides": [[media(IMAGE), DETAILS], [media(IMAGE), BUTTON]]}, "slides"),  # nor for several apps
    ],
)
def test_media_without_a_card_type_is_rejected(create, body, parameter):
    response = create(**body)
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", parameter)])


def test_a_new_card_with_deleted_media_is_rejected(local, create):
    local.send("DELETE", f"/12/accounts/{local.emulator.account}/media_library/{IMAGE}")
    assert errors(create(components=[media(IMAGE), DETAILS])) == [("INVALID_PARAMETER", "components")]


def test_errors_of_a_card_have_the_path_of_the_field(create):
    response = create(components=[media(IMAGE), DETAILS | {"destination": {"type": "WEBSITE"}}])
    assert errors(response) == [("MISSING_PARAMETER", "components[1].destination.url")]
    assert errors(create()) == [("MISSING_PARAMETER", "components")]


def test_an_update_replaces_the_fields_that_are_sent(local, cards):
    path = f"{cards}/{COLLECTION}"
    before = local.get(path).json()["data"]
    renamed = local.send("PUT", path, json_body={"name": "Summer"}).json()["data"]
    assert renamed | {"updated_at": ""} == before | {"name": "Summer", "updated_at": ""}
    slides = [[media(VIDEO), DETAILS], [media(TALL), DETAILS]]
    turned = local.send("PUT", path, json_body={"slides": slides}).json()["data"]
    assert (turned["components"], turned["slides"]) == (None, slides)
    assert turned["card_type"] == "VIDEO_MULTI_DEST_CAROUSEL_WEBSITE"
    back = local.send("PUT", path, json_body={"components": [media(TALL), BUTTON]}).json()["data"]
    assert (back["components"], back["slides"]) == ([media(TALL), BUTTON], None)
    assert (back["card_type"], back["name"], back["card_uri"]) == ("VIDEO_APP", "Summer", before["card_uri"])
    assert local.get(path).json()["data"] == back


@pytest.mark.parametrize("card", [POLL, CONVERSATION, IMAGE_CONVERSATION])
def test_cards_without_components_cannot_be_updated_with_components(local, cards, card):
    response = local.send("PUT", f"{cards}/{card}", json_body={"name": "x"})
    assert (response.status_code, errors(response)) == (405, [("METHOD_NOT_ALLOWED", None)])


def test_legacy_cards_are_listed_on_request(local, cards):
    assert listed(local, cards) == [COLLECTION, TOUR, SHOP_APP]
    every = listed(local, cards, include_legacy_cards="true")
    assert every == [COLLECTION, TOUR, SHOP_APP, POLL, CONVERSATION, IMAGE_CONVERSATION]
    assert local.get(f"{cards}/{POLL}").json()["data"]["id"] == POLL


def test_cards_are_filtered(local, cards):
    assert listed(local, cards, card_id=f"{TOUR},{POLL},none") == [TOUR]
    assert listed(local, cards, card_ids=TOUR) == listed(local, cards, card_id=TOUR, card_ids=TOUR) == [TOUR]
    assert errors(local.get(cards, card_id=TOUR, card_ids=SHOP_APP)) == [("INVALID_PARAMETER", "card_ids")]
    assert listed(local, cards, card_uris=f"card://{SHOP_APP},card://none") == [SHOP_APP]
    assert listed(local, cards, card_id=TOUR, card_uris=f"card://{SHOP_APP}") == []
    assert listed(local, cards, card_types="IMAGE_WEBSITE,IMAGE_CAROUSEL_APP") == [COLLECTION, SHOP_APP]
    assert listed(local, cards, q="SPRING") == [COLLECTION]
    assert listed(local, cards, q="collection") == []
    assert listed(local, cards, sort_by="name-desc") == [TOUR, COLLECTION, SHOP_APP]
    assert local.get(cards).json()["request"]["params"]["count"] == 100


def test_cards_are_paged(local, cards):
    first = local.get(cards, count="2").json()
    assert listed(local, cards, count="2", cursor=first["next_cursor"]) == [SHOP_APP]


def test_an_image_conversation_is_deleted_once_and_for_good_under_x(local, cards, service_name):  # noqa: F811
    path, card = f"{cards}/image_conversation/{IMAGE_CONVERSATION}", f"{cards}/{IMAGE_CONVERSATION}"
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    for response in (local.send("DELETE", path), local.get(card)):
        assert is_not_found(local, response, "CARD_NOT_FOUND")
    assert IMAGE_CONVERSATION not in listed(local, cards, include_legacy_cards="true")
    is_gone = service_name == "x"
    assert (local.get(card, with_deleted="true").status_code == 404) is is_gone
    with_deleted = listed(local, cards, include_legacy_cards="true", with_deleted="true")
    assert (IMAGE_CONVERSATION not in with_deleted) is is_gone


@pytest.mark.parametrize("card", [COLLECTION, POLL, CONVERSATION, "none"])
def test_other_cards_cannot_be_deleted(local, cards, card):
    assert local.send("DELETE", f"{cards}/image_conversation/{card}").status_code == 404


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None),
        ("GET", f"/{COLLECTION}", None),
        ("POST", "", {"name": "x", "components": [media(IMAGE), DETAILS]}),
        ("PUT", f"/{COLLECTION}", {"name": "x"}),
        ("DELETE", f"/image_conversation/{IMAGE_CONVERSATION}", None),
    ],
)
def test_cards_of_inaccessible_accounts_are_not_found(local, account, method, path, body):
    response = local.send(method, f"/12/accounts/{account}/cards{path}", json_body=body)
    assert is_without_account(local, response, account)


def test_cards_of_another_account_are_not_found(local, cards):
    other = cards.replace(local.emulator.account, "18ce55gze09")
    assert listed(local, other) == []
    assert local.get(f"{other}/{COLLECTION}").status_code == 404


def test_the_seeded_cards_are_valid(local, cards):
    for card in local.get(cards).json()["data"]:
        given = {name: card[name] for name in ("name", "components", "slides") if card[name] is not None}
        assert convert(CreateCard, given | {"account_id": "a"}, strict=True).name == card["name"]


def test_card_commands(adsctl):
    adsctl.file("card.yaml", adsctl("cards", "create", "--example").stdout)
    made = adsctl.local("cards", "create", "-f", "card.yaml", "-o", "ids").stdout.strip()
    swiped = json.dumps([media(IMAGE, VIDEO), BUTTON])
    changed = adsctl.local("cards", "update", made, "--components", swiped, "-o", "json")
    assert json.loads(changed.stdout)["card_type"] == "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP"
    assert made in adsctl.local("cards", "list", "-o", "ids").stdout.split()
    assert "Spring collection" in adsctl.local("cards", "get", made).stdout
    assert (
        "--yes" in adsctl.local("cards", "image-conversation", "delete", IMAGE_CONVERSATION, code=12).stderr
    )
    assert "true" in adsctl.local("cards", "image-conversation", "delete", IMAGE_CONVERSATION, "--yes").stdout
