"""Polls and video conversations."""

import json

import pytest

from tests.emulator.seeded import (
    COLLECTION,
    CONVERSATION,
    DELETED,
    GIF,
    IMAGE,
    PARTNER,
    POLL,
    SQUARE,
    TALL,
    VIDEO,
)

from .client import errors, is_not_found, is_without_account
from .wire_names import service_name  # noqa: F401 - every test runs under both

POLL_FIELDS = {"name": "Lunch", "duration_in_minutes": "90", "first_choice": "Soup", "second_choice": "Bread"}
CONVERSATION_FIELDS = {
    "name": "Tea",
    "media_key": VIDEO,
    "title": "Which one?",
    "first_cta": "#Green",
    "first_cta_tweet": "Green for me",
    "thank_you_text": "Thanks",
}


@pytest.fixture
def cards(local):
    return f"/12/accounts/{local.emulator.account}/cards"


@pytest.fixture
def polls(cards):
    return f"{cards}/poll"


@pytest.fixture
def conversations(cards):
    return f"{cards}/video_conversation"


def with_unset(service: str, card: dict, *names: str) -> dict:
    """A card with what it does not have as null, where service x leaves it out."""
    assert not {*names} & card.keys() if service == "x" else {card[name] for name in names} == {None}
    return dict.fromkeys(names) | card


@pytest.mark.parametrize(("service_name", "minutes"), [("generic", 90), ("x", "90")])
def test_a_poll_starts_now_and_ends_after_its_duration(local, polls, time_machine, service_name, minutes):  # noqa: F811
    time_machine.move_to("2026-03-01T23:00:00Z", tick=False)
    made = local.send("POST", polls, **POLL_FIELDS).json()["data"]
    assert set(with_unset(service_name, made, "third_choice", "fourth_choice")) == {
        "id", "name", "first_choice", "second_choice", "third_choice", "fourth_choice",
        "duration_in_minutes", "start_time", "end_time", "card_uri", "card_type",
        "created_at", "updated_at", "deleted",
    }  # fmt: skip
    assert (made["start_time"], made["end_time"]) == ("2026-03-01T23:00:00Z", "2026-03-02T00:30:00Z")
    assert (made["card_type"], made["card_uri"]) == ("TEXT_POLLS", f"card://{made['id']}")
    assert made["duration_in_minutes"] == minutes
    assert local.get(f"{polls}/{made['id']}").json()["data"] == made


def test_a_video_poll_has_the_fields_of_the_video_but_no_media_key(local, polls):
    made = local.send("POST", polls, **POLL_FIELDS, media_key=VIDEO).json()["data"]
    assert made["card_type"] == "VIDEO_POLLS" and "media_key" not in made
    about = {name: value for name, value in made.items() if name.startswith(("video", "content"))}
    assert set(about) == {
        "video_url", "video_hls_url", "video_width", "video_height", "video_poster_url",
        "video_poster_width", "video_poster_height", "content_duration_seconds",
    }  # fmt: skip
    assert all(isinstance(value, str) for value in about.values())
    assert (about["video_width"], about["video_height"]) == ("1280", "720")


def test_a_poll_with_unusable_media_is_rejected(local, polls):
    assert local.send("POST", polls, **POLL_FIELDS, media_key=IMAGE).status_code == 200
    for key in ("3_none", SQUARE):  # an image must be 1.91:1
        response = local.send("POST", polls, **POLL_FIELDS, media_key=key)
        assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "media_key")])


def test_polls_are_listed_and_filtered(local, polls):
    made = local.send("POST", polls, **POLL_FIELDS).json()["data"]["id"]

    def listed(**query):
        return [card["id"] for card in local.get(polls, **query).json()["data"]]

    assert listed() == [POLL, made]
    assert listed(card_ids=f"{made},{COLLECTION}") == [made]
    assert listed(q="lun") == [made]
    assert listed(sort_by="name-desc") == [made, POLL]
    assert local.get(polls, with_total_count="true", count="1").json()["total_count"] == 2


def test_a_poll_cannot_be_updated(local, polls):
    response = local.send("PUT", f"{polls}/{POLL}")
    assert (response.status_code, response.headers["allow"]) == (405, "DELETE, GET")


def test_a_card_is_found_only_under_the_path_of_its_kind(local, polls, conversations):
    for path in (
        f"{polls}/{CONVERSATION}",
        f"{polls}/{COLLECTION}",
        f"{conversations}/{POLL}",
        f"{conversations}/none",
    ):
        assert is_not_found(local, local.get(path), "CARD_NOT_FOUND")
    assert local.send("PUT", f"{conversations}/{COLLECTION}", title="x").status_code == 404


def test_a_video_conversation_has_the_fields_of_the_specification(local, conversations, service_name):  # noqa: F811
    made = local.send("POST", conversations, **CONVERSATION_FIELDS, unlocked_image_media_key=IMAGE).json()[
        "data"
    ]
    ctas = [f"{n}_cta{tweet}" for n in ("second", "third", "fourth") for tweet in ("", "_tweet")]
    assert set(with_unset(service_name, made, *ctas, "thank_you_url")) == {
        "id", "name", "title", "first_cta", "first_cta_tweet", "second_cta", "second_cta_tweet", "third_cta",
        "third_cta_tweet", "fourth_cta", "fourth_cta_tweet", "thank_you_text", "thank_you_url", "media_key",
        "media_url", "poster_media_url", "video_owner_id", "video_width", "video_height", "card_uri",
        "card_type", "created_at", "updated_at", "deleted",
    }  # fmt: skip
    assert made["card_type"] == "VIDEO_CONVERSATION"
    assert made.items() >= CONVERSATION_FIELDS.items()
    assert local.get(f"{conversations}/{made['id']}").json()["data"] == made


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("media_key", "13_none"),
        ("media_key", IMAGE),
        ("media_key", TALL),  # 9:16
        ("poster_media_key", VIDEO),
        ("unlocked_image_media_key", GIF),
        ("unlocked_video_media_key", "13_none"),
    ],
)
def test_a_video_conversation_with_unusable_media_is_rejected(local, conversations, name, key):
    response = local.send("POST", conversations, **CONVERSATION_FIELDS | {name: key})
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", name)])


def test_a_video_conversation_is_updated(local, conversations):
    path = f"{conversations}/{CONVERSATION}"
    before = local.get(path).json()["data"]
    after = local.send("PUT", path, title="Choose", second_cta_tweet="Glass!").json()["data"]
    changed = {"title": "Choose", "second_cta_tweet": "Glass!", "updated_at": after["updated_at"]}
    assert after == before | changed == local.get(path).json()["data"]
    poster = local.send("PUT", path, poster_media_key=IMAGE).json()["data"]["poster_media_url"]
    assert IMAGE in poster != before["poster_media_url"]


def test_an_update_must_satisfy_the_rules_of_a_new_card(local, conversations):
    path = f"{conversations}/{CONVERSATION}"
    before = local.get(path).json()["data"]
    response = local.send("PUT", path, third_cta="#Cup", fourth_cta_tweet="?")
    assert response.status_code == 400
    assert set(errors(response)) == {
        ("MISSING_PARAMETER", "third_cta_tweet"),
        ("INVALID_PARAMETER", "fourth_cta_tweet"),
    }
    assert local.get(path).json()["data"] == before


def test_video_conversations_are_listed_and_filtered(local, conversations):
    made = local.send("POST", conversations, **CONVERSATION_FIELDS).json()["data"]["id"]

    def listed(**query):
        return [card["id"] for card in local.get(conversations, **query).json()["data"]]

    assert listed() == [CONVERSATION, made]
    assert listed(card_ids=f"{made},{POLL}") == [made]
    assert listed(q="mug") == [CONVERSATION]


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
@pytest.mark.parametrize(
    ("method", "path", "query"),
    [
        ("GET", "poll", {}),
        ("GET", f"poll/{POLL}", {}),
        ("POST", "poll", POLL_FIELDS),
        ("GET", "video_conversation", {}),
        ("GET", f"video_conversation/{CONVERSATION}", {}),
        ("POST", "video_conversation", CONVERSATION_FIELDS),
        ("PUT", f"video_conversation/{CONVERSATION}", {"title": "x"}),
    ],
)
def test_legacy_cards_of_inaccessible_accounts_are_not_found(local, account, method, path, query):
    response = local.send(method, f"/12/accounts/{account}/cards/{path}", **query)
    assert is_without_account(local, response, account)


def test_poll_commands(adsctl):
    words = (
        "--name",
        "Lunch",
        "--duration-in-minutes",
        60,
        "--first-choice",
        "Soup",
        "--second-choice",
        "Bread",
    )
    made = adsctl.local("cards", "poll", "create", *words, "-o", "ids").stdout.strip()
    assert adsctl.local("cards", "poll", "list", "-o", "ids").stdout.split() == [POLL, made]
    assert json.loads(adsctl.local("cards", "poll", "get", made, "-o", "json").stdout)["name"] == "Lunch"
    adsctl.local("cards", "poll", "get", COLLECTION, code=5)


def test_video_conversation_commands(adsctl):
    words = [
        word for name, value in CONVERSATION_FIELDS.items() for word in (f"--{name.replace('_', '-')}", value)
    ]
    made = adsctl.local("cards", "video-conversation", "create", *words, "-o", "ids").stdout.strip()
    shown = adsctl.local("cards", "video-conversation", "update", made, "--thank-you-text", "Cheers").stdout
    assert "Cheers" in shown and "Which one?" in shown
    adsctl.local("cards", "video-conversation", "update", made, "--second-cta", "#Black", code=6)
    assert made in adsctl.local("cards", "video-conversation", "list", "-o", "ids").stdout.split()
