"""The requests of polls and video conversations against the limits of the specification."""

import pytest

from ads_cli.api.conversations import CreatePoll, CreateVideoConversation, UpdateVideoConversation

from .declared import check

IN = {"account_id": "a1"}
CARD = IN | {"card_id": "c1"}


def without(values, *names):
    return {name: value for name, value in values.items() if name not in names}


POLL = IN | {"name": "x", "duration_in_minutes": "60", "first_choice": "a", "second_choice": "b"}


@pytest.mark.parametrize("missing", ["name", "duration_in_minutes", "first_choice", "second_choice"])
def test_a_poll_requires_a_name_a_duration_and_two_choices(missing):
    assert check(CreatePoll, **without(POLL, missing)) == [f"{missing}: is required"]


@pytest.mark.parametrize("name", ["first", "second", "third", "fourth"])
def test_a_choice_has_at_most_25_characters(name):
    four = POLL | {"third_choice": "c", "fourth_choice": "d"}
    assert check(CreatePoll, **four | {f"{name}_choice": "x" * 25}) == []
    assert check(CreatePoll, **four | {f"{name}_choice": "x" * 26}) == [
        f"{name}_choice: has 26 characters, at most 25 are allowed"
    ]


def test_a_poll_runs_5_to_10080_minutes():
    for minutes in ("5", "10080"):
        assert check(CreatePoll, **POLL | {"duration_in_minutes": minutes}) == []
    for minutes in ("4", "10081", "-5"):
        assert check(CreatePoll, **POLL | {"duration_in_minutes": minutes}) == [
            f"duration_in_minutes: '{minutes}' is not allowed: 5 to 10080"
        ]
    assert "is not a whole number" in check(CreatePoll, **POLL | {"duration_in_minutes": "1.5"})[0]


def test_a_fourth_choice_requires_a_third():
    assert check(CreatePoll, **POLL, fourth_choice="d") == ["fourth_choice: needs third_choice"]


TALK = IN | {
    "name": "x",
    "media_key": "13_1",
    "title": "t",
    "first_cta": "#a",
    "first_cta_tweet": "a",
    "thank_you_text": "thanks",
}


@pytest.mark.parametrize("missing", ["name", "media_key", "first_cta", "first_cta_tweet", "thank_you_text"])
def test_a_video_conversation_requires_its_fields(missing):
    assert check(CreateVideoConversation, **TALK) == []
    assert check(CreateVideoConversation, **without(TALK, missing)) == [f"{missing}: is required"]


def test_a_video_conversation_requires_a_title_or_a_second_call_to_action():
    second = {"second_cta": "b", "second_cta_tweet": "b"}
    untitled = without(TALK, "title")
    assert check(CreateVideoConversation, **untitled) == ["title: is required unless second_cta is set"]
    assert check(CreateVideoConversation, **untitled | second) == []
    assert check(CreateVideoConversation, **TALK | second) == []


@pytest.mark.parametrize("name", ["second_cta", "third_cta", "fourth_cta"])
def test_a_call_to_action_requires_the_text_of_its_post(name):
    text = f"{name}_tweet"
    assert check(CreateVideoConversation, **TALK, **{name: "b", text: "b"}) == []
    assert check(CreateVideoConversation, **TALK, **{name: "b"}) == [
        f"{text}: is required when {name} is set"
    ]
    assert check(CreateVideoConversation, **TALK, **{text: "b"}) == [f"{text}: needs {name}"]
    assert check(UpdateVideoConversation, **CARD, **{text: "b"}) == []  # the call may be stored


@pytest.mark.parametrize("name", ["first_cta", "second_cta", "third_cta", "fourth_cta"])
@pytest.mark.parametrize(
    ("tag", "sound"),
    [("x" * 20, True), ("#" + "x" * 20, True), ("x" * 21, False), ("#" + "x" * 21, False), ("#", False)],
)
def test_a_call_to_action_has_at_most_20_characters_without_its_hash_sign(name, tag, sound):
    words = f"{name}: {tag!r} is not allowed: 1 to 20 characters, a leading # not counted"
    assert check(UpdateVideoConversation, **CARD, **{name: tag}) == ([] if sound else [words])


@pytest.mark.parametrize("name", ["title", "thank_you_text"])
def test_title_and_thank_you_text_have_at_most_23_characters(name):
    for kind, values in ((CreateVideoConversation, TALK), (UpdateVideoConversation, CARD)):
        assert check(kind, **values | {name: "x" * 23}) == []
        assert check(kind, **values | {name: "x" * 24}) == [
            f"{name}: has 24 characters, at most 23 are allowed"
        ]


def test_an_update_accepts_every_parameter_of_the_creation():
    names = set(CreateVideoConversation.__struct_fields__) - {"account_id"}
    assert names == {
        "first_cta", "first_cta_tweet", "media_key", "name", "thank_you_text", "title", "second_cta",
        "second_cta_tweet", "third_cta", "third_cta_tweet", "fourth_cta", "fourth_cta_tweet",
        "poster_media_key", "thank_you_url", "unlocked_image_media_key", "unlocked_video_media_key",
    }  # fmt: skip
    assert set(UpdateVideoConversation.__struct_fields__) == names | {"account_id", "card_id"}
