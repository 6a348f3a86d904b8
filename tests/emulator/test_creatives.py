"""Rules of cards and product sets that need the state, and the fields of every record."""

from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.emulator.seed.credentials import USER
from tests.api.service_facts import records
from tests.emulator.seeded import (
    CHOSEN_SET,
    CONVERSATION,
    GIF,
    IMAGE,
    IMAGE_CONVERSATION,
    POLL,
    PRODUCT_SET,
    SHOP_APP,
    SPRING_POST,
    SQUARE,
    TALL,
    TOUR,
    VIDEO,
)

from .client import errors
from .wire_names import X_NAMES, service_name, x_only  # noqa: F401 - every other test runs under both

POLL_FIELDS = {"name": "x", "duration_in_minutes": "60", "first_choice": "a", "second_choice": "b"}
TALK = {"name": "x", "title": "t", "first_cta": "#a", "first_cta_tweet": "a", "thank_you_text": "Thanks"}
ALL_CARDS = ",".join(
    f"card://{card_id}" for card_id in (TOUR, SHOP_APP, POLL, CONVERSATION, IMAGE_CONVERSATION)
)
# By the record of the facts: where it is listed, and the fields that it may lack here.
NOT_SET = {f"{n}_cta{part}" for n in ("second", "third", "fourth") for part in ("", "_tweet")}
LISTED = {
    "tweet": ("posts?post_type=PUBLISHED", {"text", "card_uri", "possibly_sensitive", "scheduled_status"}),
    "draft_tweet": ("draft_posts", {"status"}),
    "scheduled_tweet": ("scheduled_posts", set()),
    "tweet_preview": (f"post_previews?post_type=PUBLISHED&post_ids={SPRING_POST}", set()),
    "promotable_user": ("promotable_users", set()),
    "card": ("cards", set()),
    "image_conversation_card": ("cards/image_conversation", NOT_SET | {"thank_you_url"}),
    "video_conversation_card": ("cards/video_conversation", NOT_SET | {"title"}),
    "poll_card": ("cards/poll", {"fourth_choice"}),
}


@pytest.fixture
def account(local):
    return f"/12/accounts/{local.emulator.account}"


@pytest.fixture
def sets(local):
    return f"/12/product_catalogs/{local.emulator.catalog}/product_sets"


@x_only
@pytest.mark.parametrize("record", LISTED)
def test_a_record_has_the_fields_of_the_facts(local, account, record):
    path, optional = LISTED[record]
    address, _, query = path.partition("?")
    pairs = dict(pair.split("=") for pair in query.split("&")) if query else {}
    listed = local.get(f"{account}/{address}", **pairs).json()["data"]
    assert listed
    facts = set(records()[record]["fields"])
    if record == "poll_card":
        optional = optional | {name for name in facts if name.startswith(("video", "content"))}
    for card_id in listed:
        names = {X_NAMES.get(name, name) for name in card_id}
        assert names <= facts and facts - names <= optional, record
        if record == "tweet":
            assert set(card_id["user"]) == set(records()["tweet_user"]["fields"])


def test_a_fetched_card_has_what_its_components_have(local, account):
    records = local.get(f"{account}/cards/all", card_uris=ALL_CARDS).json()["data"]
    tour, app, poll, talk, picture = records
    assert (tour["title"], tour["website_url"]) == ("See how mugs are made", "https://shop.example/workshop")
    assert (tour["video_content_id"], tour["video_height"]) == (VIDEO, "720")
    assert (app["app_cta"], app["country_code"], app["android_store_app_id"]) == (
        "INSTALL",
        "DE",
        "example.nordlicht",
    )
    assert IMAGE in app["wide_app_image"] and (app["image_display_width"], app["image_display_height"]) == (
        "800",
        "419",
    )
    assert (poll["first_choice"], talk["first_cta"], picture["first_cta"]) == (
        "White",
        "#TeamMug",
        "#TeamTea",
    )
    for card in records:
        assert None not in card.values() and not {"components", "slides"} & card.keys()
        assert all(isinstance(value, str | bool) for value in card.values())
        fetched = local.get(f"{account}/cards/all/{card['id']}").json()["data"]
        assert fetched == card


def test_a_fetch_needs_addresses(local, account):
    assert errors(local.get(f"{account}/cards/all")) == [("MISSING_PARAMETER", "card_uris")]
    assert errors(local.get(f"{account}/cards/all", card_uris="c1")) == [
        ("INVALID_PARAMETER", "card_uris[0]")
    ]
    assert local.get(f"{account}/cards/all", card_uris="card://none").json()["data"] == []


@pytest.mark.parametrize(("service_name", "needs_it"), [("generic", False), ("x", True)])
def test_a_poll_with_media_needs_its_feature_under_x(local, account, needs_it):
    feature = {"feature_keys": "PROMOTED_MEDIA_POLLS"}
    assert local.send("POST", f"{account}/cards/poll", **POLL_FIELDS, media_key=VIDEO).status_code == 200
    assert (
        feature["feature_keys"] not in local.send("DELETE", f"{account}/features", **feature).json()["data"]
    )
    refused = local.send("POST", f"{account}/cards/poll", **POLL_FIELDS, media_key=VIDEO)
    assert (refused.status_code == 400) is needs_it
    assert not needs_it or errors(refused) == [("FEATURE_NOT_AVAILABLE", "media_key")]
    assert local.send("POST", f"{account}/cards/poll", **POLL_FIELDS).status_code == 200


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("media_key", "3_none"),
        ("media_key", VIDEO),
        ("media_key", GIF),
        ("media_key", SQUARE),  # 1:1
        ("unlocked_image_media_key", TALL),
    ],
)
def test_an_image_conversation_with_unusable_media_is_rejected(local, account, name, key):
    path = f"{account}/cards/image_conversation"
    refused = local.send("POST", path, **TALK | {"media_key": IMAGE, name: key})
    assert errors(refused) == [("INVALID_PARAMETER", name)]
    assert errors(local.send("PUT", f"{path}/{IMAGE_CONVERSATION}", **{name: key})) == errors(refused)


def test_a_changed_image_conversation_keeps_the_rules_of_a_new_one(local, account):
    path = f"{account}/cards/image_conversation/{IMAGE_CONVERSATION}"
    refused = local.send("PUT", path, third_cta="#Cup")
    assert errors(refused) == [("MISSING_PARAMETER", "third_cta_tweet")]
    changed = local.send("PUT", path, third_cta="#Cup", third_cta_tweet="A cup").json()["data"]
    assert changed["third_cta"] == "#Cup" and changed["second_cta"] == "#TeamCoffee"


def test_a_conversation_is_found_only_under_the_path_of_its_kind(local, account):
    for kind, card in (("image_conversation", CONVERSATION), ("video_conversation", IMAGE_CONVERSATION)):
        path = f"{account}/cards/{kind}/{card}"
        for method, query in (("GET", {}), ("PUT", {"title": "x"}), ("DELETE", {})):
            assert local.send(method, path, **query).status_code == 404


def test_a_product_set_keeps_its_limits(local, sets):
    filter = {"attribute": "price", "operator": "LESS_THAN", "value": "9"}
    new = {"name": "x", "type": "FILTERED"}
    assert local.send("POST", sets, json_body=new | {"filters": [filter] * 30}).status_code == 200
    assert errors(local.send("POST", sets, json_body=new | {"filters": [filter] * 31})) == [
        ("INVALID_PARAMETER", "filters")
    ]
    keys = {"product_keys": ["k"] * 51}
    for response in (
        local.send("POST", sets, json_body={"name": "x", "type": "MANUAL"} | keys),
        local.send("PUT", f"{sets}/{CHOSEN_SET}", json_body=keys),
    ):
        assert errors(response) == [("INVALID_PARAMETER", "product_keys")]
        assert "at most 50" in response.json()["errors"][0]["message"]


def test_a_filtered_set_cannot_be_changed_but_deleted(local, sets):
    path = f"{sets}/{PRODUCT_SET}"
    before = local.get(path).json()["data"]
    assert errors(local.send("PUT", path, json_body={"name": "x"})) == [
        ("INVALID_PARAMETER", "product_set_id")
    ]
    assert local.get(path).json()["data"] == before
    assert local.send("DELETE", path).json()["data"]["product_ids"] == []
    assert local.get(path).status_code == 404


def test_media_is_posted_once_a_post_shows_it(local, account, time_machine):
    def posted():
        library = local.get(f"{account}/media_library").json()["data"]
        return {media["media_key"] for media in library if media["posted"]}

    before = posted()
    assert not {GIF, TALL} & before
    at = f"{datetime.now(UTC) + timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    local.send("POST", f"{account}/scheduled_posts", text="x", media_keys=TALL, scheduled_at=at)
    local.send("POST", f"{account}/draft_posts", text="x", media_keys=TALL)
    assert local.send("POST", f"{account}/post", text="x", as_user_id=USER, media_keys=GIF).status_code == 200
    assert posted() == {*before, GIF}
    time_machine.move_to(datetime.now(UTC) + timedelta(hours=2))
    local.get(f"{account}/scheduled_posts")
    assert posted() == {*before, GIF, TALL}
