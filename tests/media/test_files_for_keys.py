"""Files in the place of media keys: uploaded first, never twice, and nothing is created where that fails."""

import json

import pytest

from tests.media.made import gif, picture, sample


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


@pytest.mark.parametrize(("file", "count"), [("null", 0), ("hero.png", 1)])
def test_null_in_a_document_is_a_value_that_is_not_given(adsctl, tmp_path, hero, file, count):
    (tmp_path / "post.yaml").write_text(f"text: Hi\nmedia: {file}\nmedia_keys: null\n")
    assert len(created(adsctl, "posts", "drafts", "create", "-f", "post.yaml")["media_keys"]) == count


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


@pytest.mark.parametrize("kind", ["posts", "drafts", "list"])
@pytest.mark.parametrize("second", ["clip.mp4", "moving.gif"])
def test_a_video_beside_an_image_is_told_before_anything_is_uploaded(
    adsctl, service, tmp_path, hero, kind, second
):
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    (tmp_path / "moving.gif").write_bytes(gif(3, 40, 40))
    (tmp_path / "list.yaml").write_text(
        f"- {{text: One, media: [hero.png]}}\n- {{text: Two, media: [hero.png, {second}]}}\n"
    )
    before = adsctl("media", "library", "list", "--all").stdout
    files = ("--text", "Hi", "--media", "hero.png", "--media", second)
    words = {
        "posts": ("posts", "create", "--as-user-id", "1184672519", *files),
        "drafts": ("posts", "drafts", "create", *files),
        "list": ("posts", "drafts", "create", "-f", "list.yaml"),
    }[kind]
    for dry in ((), ("--dry-run",)):
        done = adsctl(*words, *dry, code=3)
        assert f"{second}: a post has up to 4 images, or one GIF, or one video" in done.stderr
    assert adsctl("media", "library", "list", "--all").stdout == before
