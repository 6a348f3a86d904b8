"""media lookup, alt-text and subtitles: what is said of uploads, and what they say."""

import json

import pytest

from tests.media.made import picture, sample

PHOTO, FILM = "3_1790412874512007168", "13_1790413002217308160"
LOOKUP = ("media", "lookup", "-o", "json")
SUBTITLES = "1\n00:00:01,000 --> 00:00:02,000\nHello\n"


@pytest.fixture
def uploaded(adsctl, tmp_path):
    """Upload a video, and return its key."""

    def upload(*words: str) -> str:
        (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
        done = adsctl.local("media", "upload", "clip.mp4", *words, "-o", "json")
        return json.loads(done.stdout)[0]["media_key"]

    adsctl.file("clip.srt", SUBTITLES)
    return upload


def test_an_upload_is_shown_with_its_kind_its_size_and_what_was_said_of_it(adsctl, uploaded, tmp_path):
    video = uploaded()
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    done = adsctl.local("media", "upload", "hero.png", "-o", "json")
    image = json.loads(done.stdout)[0]["media_key"]
    adsctl.local("media", "alt-text", image, "A blue mug")
    shown = json.loads(adsctl.local(*LOOKUP, video, image).stdout)
    facts = ("media_key", "type", "width", "height", "duration_ms", "alt_text")
    assert [[record.get(name) for name in facts] for record in shown] == [
        [video, "video", 128, 72, 600, None],
        [image, "photo", 1200, 628, None, "A blue mug"],
    ]
    (some,) = json.loads(adsctl.local(*LOOKUP, image, "--media-fields", "alt_text").stdout)
    assert some == {"media_key": image, "alt_text": "A blue mug"}


def test_keys_may_be_separated_by_commas_and_blanks(adsctl):
    done = adsctl.local("-q", *LOOKUP, f"{PHOTO}, {FILM}")
    assert [load["media_key"] for load in json.loads(done.stdout)] == [PHOTO, FILM]
    assert not done.stderr


def test_a_key_that_does_not_exist_is_named_once(adsctl):
    done = adsctl.local("-q", *LOOKUP, "3_9", PHOTO, "3_9")
    assert [load["media_key"] for load in json.loads(done.stdout)] == [PHOTO]
    assert done.stderr == "warning: no media with the key 3_9\n"


def test_keys_of_which_none_exists_end_with_5(adsctl):
    assert "3_9" in adsctl.local(*LOOKUP, "3_9", "13_9", code=5).stderr


def test_the_number_of_an_upload_under_another_prefix_is_no_media(adsctl, uploaded):
    adsctl.local(*LOOKUP, uploaded().replace("13_", "3_"), code=5)


@pytest.mark.parametrize(
    ("words", "kind"), [((), "AmplifyVideo"), (("--category", "tweet_video"), "TweetVideo")]
)
def test_subtitles_are_added_by_language_and_deleted(adsctl, uploaded, words, kind):
    video = uploaded(*words)
    add = ("media", "subtitles", "add", video, "clip.srt", "-o", "json", "--language")
    adsctl.local(*add, "EN", "--display-name", "English")
    added = json.loads(adsctl.local(*add, "DE").stdout)
    assert added["media_category"] == kind
    tracks = [(track["language_code"], track.get("display_name")) for track in added["associated_subtitles"]]
    assert tracks == [("EN", "English"), ("DE", None)]
    delete = ("media", "subtitles", "delete", video, "--language", "EN", "--yes")
    adsctl.local(*delete)
    assert "has no subtitles in EN" in adsctl.local(*delete, code=5).stderr
    (left,) = json.loads(adsctl.local(*add, "DE").stdout)["associated_subtitles"]
    assert left["language_code"] == "DE"


def test_subtitles_of_another_kind_of_video_are_refused(adsctl, uploaded):
    words = ("clip.srt", "--language", "EN", "--media-category", "TweetVideo")
    assert "not TweetVideo" in adsctl.local("media", "subtitles", "add", uploaded(), *words, code=6).stderr


def test_a_file_that_is_no_subtitles_is_not_sent(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture())
    done = adsctl.local("media", "subtitles", "add", FILM, "hero.png", "--language", "EN", code=3)
    assert "hero.png: is PNG, and subtitles is not for it (media_category)" in done.stderr
    assert json.loads(adsctl("changes", "list", "-o", "json").stdout) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("alt-text", "3_1/2", "A mug"), "MEDIA_KEY: '1/2' is not allowed"),
        (("alt-text", PHOTO, "x" * 1001), "TEXT: has 1,001 characters"),
        (("subtitles", "add", FILM, "clip.srt", "--language", "en"), "--language: 'en' is not allowed"),
        (("subtitles", "delete", FILM, "--language", "en"), "--language: 'en' is not allowed"),
        (
            ("subtitles", "delete", FILM, "--language", "EN", "--media-category", "video"),
            "--media-category: 'video' is not allowed: one of AmplifyVideo, TweetVideo",
        ),
        (("subtitles", "delete", PHOTO, "--language", "EN"), f"{PHOTO} is not a video"),
    ],
)
def test_a_mistake_is_told_by_the_option_or_argument_that_made_it(adsctl, words, said):
    assert said in adsctl.local("-q", "media", *words, code=2).stderr
