"""Posts in the emulator."""

import json

import pytest

from ads_cli.emulator.seed.accounts import DELETED, OTHER_USER, USER
from ads_cli.emulator.seed.campaigns import PARTNER
from ads_cli.emulator.seed.creatives import COLLECTION, GIF, IMAGE, POLL, SQUARE, TALL, VIDEO

from .speaking import errors


@pytest.fixture
def create(local):
    path = f"/12/accounts/{local.emulator.account}/post"
    return lambda **query: local.send("POST", path, **{"as_user_id": USER, "text": "Hello"} | query)


def test_a_post_is_made(create):
    answer = create(name="n", card_uri=f"card://{COLLECTION}", conversation_settings="FOLLOWING").json()
    post = answer["data"]
    assert (post["text"], post["name"], post["nullcast"]) == ("Hello", "n", True)
    assert post["card_uri"] == f"card://{COLLECTION}"
    assert "conversation_settings" not in post
    assert answer["request"]["params"]["conversation_settings"] == "FOLLOWING"
    assert post.keys() >= {"id", "created_at"}


def test_the_author_is_told_in_full_or_by_id(create):
    assert create().json()["data"]["user"] == {"id": USER, "screen_name": "nordlicht"}
    assert create(trim_user="true").json()["data"]["user"] == {"id": USER}


@pytest.mark.parametrize(
    "keys", [[IMAGE], [IMAGE, SQUARE], [IMAGE, SQUARE, IMAGE, SQUARE], [GIF], [VIDEO], [TALL]]
)
def test_a_post_shows_images_or_a_gif_or_a_video(create, keys):
    assert create(media_keys=",".join(keys), text="").json()["data"]["media_keys"] == keys


@pytest.mark.parametrize(
    "keys", [[GIF, IMAGE], [VIDEO, TALL], [VIDEO, GIF], [IMAGE, SQUARE, VIDEO], ["3_none"]]
)
def test_media_that_does_not_fit_into_a_post_is_refused(create, keys):
    answer = create(media_keys=",".join(keys))
    assert (answer.status_code, errors(answer)) == (400, [("INVALID_PARAMETER", "media_keys")])


def test_a_post_shows_cards_that_are_there(create):
    assert create(card_uri=f"card://{POLL}").status_code == 200
    assert errors(create(card_uri="card://none")) == [("INVALID_PARAMETER", "card_uri")]


def test_an_organic_post_is_for_the_signed_in_user_only(create):
    assert create(nullcast="false").json()["data"]["nullcast"] is False
    assert create(as_user_id=OTHER_USER).status_code == 200
    answer = create(nullcast="false", as_user_id=OTHER_USER)
    assert (answer.status_code, errors(answer)) == (400, [("INVALID_PARAMETER", "as_user_id")])


def test_a_post_is_renamed(local, create):
    post = create().json()["data"]
    path = f"/12/accounts/{local.emulator.account}/posts/{post['id']}/name"
    renamed = local.send("PUT", path, name="Spring").json()["data"]
    assert renamed == post | {"name": "Spring", "updated_at": renamed["updated_at"]}
    assert errors(local.send("PUT", path.replace(post["id"], "1"), name="x")) == [("NOT_FOUND", None)]


@pytest.mark.parametrize("account", ["none", PARTNER, DELETED])
def test_accounts_that_the_user_has_not_are_not_found(local, create, account):
    post = create().json()["data"]["id"]
    for answer in (
        local.send("POST", f"/12/accounts/{account}/post", as_user_id=USER, text="x"),
        local.send("PUT", f"/12/accounts/{account}/posts/{post}/name", name="x"),
    ):
        assert answer.status_code == 404
        assert answer.json()["errors"][0]["message"] == f"the account {account} does not exist"


def test_a_person_posts_and_renames(adsctl):
    words = ("posts", "create", "--as-user-id", USER, "--text", "Hello & welcome", "--no-nullcast")
    made = json.loads(adsctl.local(*words, "--media-keys", f"{IMAGE},{SQUARE}", "-o", "json").stdout)
    assert (made["nullcast"], made["media_keys"]) == (False, [IMAGE, SQUARE])
    assert "Spring" in adsctl.local("posts", "rename", made["id"], "--name", "Spring").stdout
    assert (
        "cannot be combined with other media"
        in adsctl.local(*words, "--media-keys", f"{GIF},{IMAGE}", code=6).stderr
    )
