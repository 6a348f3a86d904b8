"""The post requests against the limits of the specification, transcribed a second time."""

import pytest

from ads_cli.api.posts import CreatePost, RenamePost
from ads_cli.api.validation import convert
from ads_cli.emulator.core.request import value_or_default

from .declared import ESCAPED_ID, SPECIAL_ID, check, ids, sent

IN = {"account_id": "a1"}
POST = IN | {"as_user_id": "42", "text": "Hello"}


def test_every_parameter_of_a_post_is_sent_in_the_query():
    everything = {
        "as_user_id": "42",
        "text": "Hello & welcome",
        "card_uri": "card://c1",
        "conversation_settings": "FOLLOWING",
        "media_keys": ["3_1", "3_2"],
        "name": "n",
        "nullcast": "false",
        "trim_user": "true",
        "post_mode": "extended",
        "video_cta": "WATCH_NOW",
        "video_cta_value": "https://shop.example",
        "video_description": "d",
        "video_title": "t",
    }
    address, _, query = sent(CreatePost, **IN | everything).partition("?")
    assert address == "POST ads://12/accounts/a1/post"
    parameters = dict(pair.split("=") for pair in query.split("&"))
    assert parameters == everything | {
        "text": "Hello%20%26%20welcome",
        "card_uri": "card%3A%2F%2Fc1",
        "media_keys": "3_1%2C3_2",
        "video_cta_value": "https%3A%2F%2Fshop.example",
    }


def test_posts_rename_sends_the_id_in_the_path():
    renamed = sent(RenamePost, **IN, post_id=SPECIAL_ID, name="x")
    assert renamed == f"PUT ads://12/accounts/a1/posts/{ESCAPED_ID}/name?name=x"
    assert check(RenamePost, **IN, post_id="1") == ["name: is required"]


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({}, []),
        ({"as_user_id": None}, ["as_user_id: is required"]),
        ({"as_user_id": "me"}, ["as_user_id: 'me' is not a whole number"]),
        ({"text": None}, ["text: is required unless media_keys is set"]),
        ({"text": ""}, ["text: is required unless media_keys is set"]),
        ({"text": None, "card_uri": "card://c1"}, ["text: is required unless media_keys is set"]),
        ({"text": None, "media_keys": []}, ["media_keys: is empty"]),
        ({"text": None, "media_keys": ["3_1"]}, []),
        ({"media_keys": ids(4)}, []),
        ({"media_keys": ids(5)}, ["media_keys: has 5 items, at most 4 are allowed"]),
        ({"card_uri": "c1"}, ["card_uri: 'c1' is not allowed: card:// and the id of a card"]),
        ({"name": "x" * 80}, []),
        ({"name": "x" * 81}, ["name: has 81 characters, at most 80 are allowed"]),
        ({"video_title": "x" * 70}, []),
        ({"video_title": "x" * 71}, ["video_title: has 71 characters, at most 70 are allowed"]),
        ({"video_description": "x" * 200}, []),
        (
            {"video_description": "x" * 201},
            ["video_description: has 201 characters, at most 200 are allowed"],
        ),
        ({"nullcast": "perhaps"}, ["nullcast: 'perhaps' is neither true nor false"]),
        ({"post_mode": "long"}, ["post_mode: 'long' is not one of compat, extended"]),
        ({"video_cta": "BUY"}, ["video_cta: 'BUY' is not one of VISIT_SITE, WATCH_NOW"]),
        (
            {"conversation_settings": "NOBODY"},
            ["conversation_settings: 'NOBODY' is not one of EVERYONE, FOLLOWING, MENTIONED_USERS"],
        ),
        ({"colour": "red"}, ["colour: is not a known field"]),
    ],
)
def test_a_post_keeps_its_limits(changes, problems):
    assert check(CreatePost, **POST | changes) == problems


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("conversation_settings", "EVERYONE FOLLOWING MENTIONED_USERS"),
        ("post_mode", "compat extended"),
        ("video_cta", "VISIT_SITE WATCH_NOW"),
        ("nullcast", "true false"),
        ("trim_user", "true false"),
    ],
)
def test_enums_of_posts_accept_their_values(name, values):
    for value in values.split():
        assert check(CreatePost, **POST | {name: value}) == []


def test_the_help_of_posts_names_the_defaults_of_the_service():
    request = convert(CreatePost, POST)
    assert value_or_default(request, "nullcast") is True
    assert value_or_default(request, "conversation_settings") == "EVERYONE"


def test_a_post_name_has_at_most_80_characters():
    assert check(RenamePost, **IN, post_id="1", name="x" * 80) == []
    assert check(RenamePost, **IN, post_id="1", name="x" * 81) == [
        "name: has 81 characters, at most 80 are allowed"
    ]


def test_posts_create_reports_every_problem_by_option(adsctl):
    done = adsctl.local("posts", "create", "--video-title", "x" * 71, "--media-keys", "1,2,3,4,5", code=2)
    assert "--as-user-id: is required" in done.stderr
    assert "--video-title: has 71 characters, at most 70 are allowed" in done.stderr
    assert "--media-keys: has 5 items, at most 4 are allowed" in done.stderr
    assert "POST_ID" in adsctl.local("posts", "rename", "a/b", "--name", "x", code=2).stderr
