"""Posts."""

import json

import pytest

from ads_cli.emulator.seed.credentials import OTHER_USER, USER
from tests.emulator.seeded import COLLECTION, DELETED, GIF, IMAGE, PARTNER, POLL, SQUARE, TALL, VIDEO

from .client import errors, is_not_found, is_without_account
from .wire_names import service_name  # noqa: F401 - every test runs under both


@pytest.fixture
def create(local):
    path = f"/12/accounts/{local.emulator.account}/post"
    return lambda **query: local.send("POST", path, **{"as_user_id": USER, "text": "Hello"} | query)


def test_a_post_is_created(create):
    response = create(name="n", card_uri=f"card://{COLLECTION}", conversation_settings="FOLLOWING").json()
    post = response["data"]
    assert (post["text"], post["name"], post["nullcast"]) == ("Hello", "n", True)
    assert post["card_uri"] == f"card://{COLLECTION}"
    assert "conversation_settings" not in post
    assert response["request"]["params"]["conversation_settings"] == "FOLLOWING"
    assert post.keys() >= {"id", "created_at"}


@pytest.mark.parametrize(
    ("service_name", "author"), [("generic", {"id": USER}), ("x", {"id": int(USER), "id_str": USER})]
)
def test_trim_user_reduces_the_author_to_an_id(create, author):
    assert create().json()["data"]["user"].items() >= (author | {"screen_name": "nordlicht"}).items()
    assert create(trim_user="true").json()["data"]["user"] == author


@pytest.mark.parametrize(
    "keys", [[IMAGE], [IMAGE, SQUARE], [IMAGE, SQUARE, IMAGE, SQUARE], [GIF], [VIDEO], [TALL]]
)
def test_a_post_has_images_or_a_gif_or_a_video(create, keys):
    assert create(media_keys=",".join(keys), text="").json()["data"]["media_keys"] == keys


@pytest.mark.parametrize(
    "keys", [[GIF, IMAGE], [VIDEO, TALL], [VIDEO, GIF], [IMAGE, SQUARE, VIDEO], ["3_none"]]
)
def test_media_that_a_post_cannot_combine_is_rejected(create, keys):
    response = create(media_keys=",".join(keys))
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "media_keys")])


def test_a_post_with_an_unknown_card_is_rejected(create):
    assert create(card_uri=f"card://{POLL}").status_code == 200
    assert errors(create(card_uri="card://none")) == [("INVALID_PARAMETER", "card_uri")]


def test_an_organic_post_for_another_user_is_rejected(create):
    assert create(nullcast="false").json()["data"]["nullcast"] is False
    assert create(as_user_id=OTHER_USER).status_code == 200
    response = create(nullcast="false", as_user_id=OTHER_USER)
    assert (response.status_code, errors(response)) == (400, [("INVALID_PARAMETER", "as_user_id")])


def test_a_post_is_renamed(local, create):
    posts = f"/12/accounts/{local.emulator.account}/posts"
    post = create().json()["data"]
    renamed = local.send("PUT", f"{posts}/{post['id']}/name", name="Spring").json()["data"]
    assert renamed["name"] == "Spring" and renamed.get("full_text", renamed.get("text")) == post["text"]
    others = post.keys() - {"name", "text", "updated_at"}
    assert {name: renamed[name] for name in others} == {name: post[name] for name in others}
    assert is_not_found(local, local.send("PUT", f"{posts}/1/name", name="x"), "TWEET_NOT_FOUND")


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
def test_posts_of_inaccessible_accounts_are_not_found(local, create, account):
    post = create().json()["data"]["id"]
    for response in (
        local.send("POST", f"/12/accounts/{account}/post", as_user_id=USER, text="x"),
        local.send("PUT", f"/12/accounts/{account}/posts/{post}/name", name="x"),
    ):
        assert is_without_account(local, response, account)


def test_post_commands(adsctl):
    words = ("posts", "create", "--as-user-id", USER, "--text", "Hello & welcome", "--no-nullcast")
    made = json.loads(adsctl.local(*words, "--media-keys", f"{IMAGE},{SQUARE}", "-o", "json").stdout)
    assert (made["nullcast"], made["media_keys"]) == (False, [IMAGE, SQUARE])
    assert "Spring" in adsctl.local("posts", "rename", made["id"], "--name", "Spring").stdout
    assert (
        "cannot be combined with other media"
        in adsctl.local(*words, "--media-keys", f"{GIF},{IMAGE}", code=6).stderr
    )
