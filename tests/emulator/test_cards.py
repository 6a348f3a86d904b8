"""Cards made of components in the emulator, and what cards of all kinds share."""

import json

import pytest

from ads_cli.api.cards import CreateCard
from ads_cli.api.validation import convert
from ads_cli.emulator.seed.accounts import DELETED
from ads_cli.emulator.seed.campaigns import PARTNER
from ads_cli.emulator.seed.creatives import (
    COLLECTION,
    CONVERSATION,
    GIF,
    IMAGE,
    IMAGE_CONVERSATION,
    POLL,
    SHOP_APP,
    SQUARE,
    TALL,
    TOUR,
    VIDEO,
)

from .speaking import errors

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


def listed(local, path, **query):
    answer = local.get(path, **query)
    assert answer.status_code == 200, answer.text
    return [card["id"] for card in answer.json()["data"]]


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
def test_the_type_follows_from_what_a_card_is_made_of(local, cards, create, made_of, card_type):
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
        ({"components": [media(GIF), DETAILS]}, "components"),  # no card type names GIFs
        ({"slides": [[media(IMAGE), DETAILS], [media(IMAGE), BUTTON]]}, "slides"),  # nor several apps
    ],
)
def test_media_that_no_card_can_show_is_refused(create, body, parameter):
    answer = create(**body)
    assert (answer.status_code, errors(answer)) == (400, [("INVALID_PARAMETER", parameter)])


def test_media_deleted_from_the_library_is_in_no_new_card(local, create):
    local.send("DELETE", f"/12/accounts/{local.emulator.account}/media_library/{IMAGE}")
    assert errors(create(components=[media(IMAGE), DETAILS])) == [("INVALID_PARAMETER", "components")]


def test_a_card_that_breaks_the_declaration_is_refused_with_paths(create):
    answer = create(components=[media(IMAGE), DETAILS | {"destination": {"type": "WEBSITE"}}])
    assert errors(answer) == [("MISSING_PARAMETER", "components[1].destination.url")]
    assert errors(create()) == [("MISSING_PARAMETER", "components")]


def test_fields_that_are_given_replace_those_that_are_stored(local, cards):
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
def test_cards_of_other_kinds_are_not_updated_as_if_made_of_components(local, cards, card):
    answer = local.send("PUT", f"{cards}/{card}", json_body={"name": "x"})
    assert (answer.status_code, errors(answer)) == (405, [("METHOD_NOT_ALLOWED", None)])


def test_older_kinds_are_listed_on_request_only(local, cards):
    assert listed(local, cards) == [COLLECTION, TOUR, SHOP_APP]
    every = listed(local, cards, include_legacy_cards="true")
    assert every == [COLLECTION, TOUR, SHOP_APP, POLL, CONVERSATION, IMAGE_CONVERSATION]
    assert local.get(f"{cards}/{POLL}").json()["data"]["id"] == POLL


def test_cards_are_filtered(local, cards):
    assert listed(local, cards, card_id=f"{TOUR},{POLL},none") == [TOUR]
    assert listed(local, cards, card_uris=f"card://{SHOP_APP},card://none") == [SHOP_APP]
    assert listed(local, cards, card_id=TOUR, card_uris=f"card://{SHOP_APP}") == []
    assert listed(local, cards, card_types="IMAGE_WEBSITE,IMAGE_CAROUSEL_APP") == [COLLECTION, SHOP_APP]
    assert listed(local, cards, q="SPRING") == [COLLECTION]
    assert listed(local, cards, q="collection") == []
    assert listed(local, cards, sort_by="name-desc") == [TOUR, COLLECTION, SHOP_APP]
    assert local.get(cards).json()["request"]["params"]["count"] == 100


def test_pages_of_cards_follow_each_other(local, cards):
    first = local.get(cards, count="2").json()
    assert listed(local, cards, count="2", cursor=first["next_cursor"]) == [SHOP_APP]


def test_an_image_conversation_is_deleted_once_and_then_shown_on_request(local, cards):
    path = f"{cards}/image_conversation/{IMAGE_CONVERSATION}"
    assert local.send("DELETE", path).json()["data"]["deleted"] is True
    assert (
        errors(local.send("DELETE", path))
        == errors(local.get(f"{cards}/{IMAGE_CONVERSATION}"))
        == [("NOT_FOUND", None)]
    )
    assert local.get(f"{cards}/{IMAGE_CONVERSATION}", with_deleted="true").json()["data"]["deleted"] is True
    assert IMAGE_CONVERSATION not in listed(local, cards, include_legacy_cards="true")
    assert IMAGE_CONVERSATION in listed(local, cards, include_legacy_cards="true", with_deleted="true")


@pytest.mark.parametrize("card", [COLLECTION, POLL, CONVERSATION, "none"])
def test_only_an_image_conversation_is_deleted(local, cards, card):
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
def test_accounts_that_the_user_has_not_are_not_found(local, account, method, path, body):
    answer = local.send(method, f"/12/accounts/{account}/cards{path}", json_body=body)
    assert answer.status_code == 404
    assert answer.json()["errors"][0]["message"] == f"the account {account} does not exist"


def test_cards_of_another_account_are_not_found(local, cards):
    other = cards.replace(local.emulator.account, "18ce55gze09")
    assert listed(local, other) == []
    assert local.get(f"{other}/{COLLECTION}").status_code == 404


def test_the_seeded_cards_keep_the_rules(local, cards):
    for card in local.get(cards).json()["data"]:
        given = {name: card[name] for name in ("name", "components", "slides") if card[name] is not None}
        convert(CreateCard, given | {"account_id": "a"}, strict=True)


def test_a_person_makes_and_changes_a_card(adsctl):
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
