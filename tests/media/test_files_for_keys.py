"""Files in the place of media keys: uploaded first, never twice, and nothing is created where that fails."""

import json

import pytest

from ads_cli.cli.request_parameters import FILE_HELP, MEDIA_FIELDS
from ads_cli.media.references import FILE_NAMES
from tests.media.made import picture, sample


@pytest.fixture
def hero(tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))


CARD = """
name: Hero
components:
- type: MEDIA
  media: hero.png
- type: DETAILS
  title: Mugs
  destination: {type: WEBSITE, url: "https://shop.example/mugs"}
"""
DETAILS = json.dumps(
    [{"type": "DETAILS", "title": "Mugs", "destination": {"type": "WEBSITE", "url": "https://shop.example"}}]
)


def created(adsctl, *words):
    return json.loads(adsctl.local(*words, "-o", "json").stdout)


def test_every_field_that_takes_a_media_key_has_an_option_that_takes_a_file():
    assert {*MEDIA_FIELDS} == {*FILE_NAMES, "components"} and FILE_HELP.keys() == {*FILE_NAMES.values()}


def test_a_post_takes_files(adsctl, hero):
    post = created(
        adsctl, "posts", "create", "--as-user-id", "1184672519", "--text", "Hi", "--media", "hero.png"
    )
    (key,) = post["media_keys"]
    assert created(adsctl, "media", "library", "get", key)["file_name"] == "hero.png"
    again = created(
        adsctl, "posts", "create", "--as-user-id", "1184672519", "--text", "Ho", "--media", "hero.png"
    )
    assert again["media_keys"] == [key]


def test_a_dry_run_names_the_file_and_sends_nothing(adsctl, hero):
    done = adsctl.local(
        "posts", "create", "--as-user-id", "1184672519", "--media", "hero.png", "--dry-run", "-o", "json"
    )
    assert "%3Cmedia%20of%20hero.png%3E" in done.stdout
    assert "hero.png" not in adsctl.local("media", "library", "list", "--all").stdout


def test_files_in_a_document_are_relative_to_it(adsctl, tmp_path, hero):
    (tmp_path / "ads").mkdir()
    (tmp_path / "hero.png").rename(tmp_path / "ads" / "hero.png")
    (tmp_path / "ads" / "card.yaml").write_text(CARD)
    shown = adsctl.local("cards", "create", "-f", "ads/card.yaml", "--dry-run").stdout
    assert "<media of hero.png>" in shown
    card = created(adsctl, "cards", "create", "-f", "ads/card.yaml")
    assert card["card_type"] == "IMAGE_WEBSITE"


def test_an_option_gives_a_card_its_media(adsctl, hero):
    card = created(
        adsctl, "cards", "create", "--name", "Hero", "--components", DETAILS, "--media", "hero.png"
    )
    assert card["components"][0]["type"] == "MEDIA"


def test_a_file_that_a_card_refuses_is_not_sent(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 300, 300))
    done = adsctl.local(
        "cards", "create", "--name", "H", "--components", DETAILS, "--media", "hero.png", code=3
    )
    assert "hero.png: is 300 pixels wide" in done.stderr and "card_width" in done.stderr
    assert "hero.png" not in adsctl.local("media", "library", "list", "--all").stdout


def test_a_conversation_takes_a_video_and_a_poster(adsctl, tmp_path, hero):
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    card = created(
        adsctl, "cards", "video-conversation", "create", "--name", "Tea", "--media", "clip.mp4",
        "--poster", "hero.png", "--title", "Which?", "--first-cta", "#Tea", "--first-cta-tweet", "Tea #Tea",
        "--thank-you-text", "Cheers",
    )  # fmt: skip
    assert card["card_type"] == "VIDEO_CONVERSATION"


def test_nothing_is_created_where_the_upload_fails(adsctl, tmp_path):
    done = adsctl.local("posts", "create", "--as-user-id", "1", "--media", "none.png", code=2)
    assert "none.png cannot be opened" in done.stderr
