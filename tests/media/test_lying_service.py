"""Uploads to a service whose answers are other than the reference says; the wire is pinned."""

import json
import re

import pytest
from werkzeug import Request, Response

from ads_cli.api.media_uploads import Category
from ads_cli.media.responses import KEY_PREFIXES
from tests.media.made import gif, picture, sample

UPLOAD = "/2/media/upload"
KEY = "13_1790413002217308160"


class Platform:
    """Takes an upload of a video; what it answers may be replaced."""

    def __init__(self, httpserver) -> None:
        self.named = {"id": KEY[3:], "media_key": KEY}
        self.begun: dict = {**self.named}
        self.states: list[dict] = [{}]  # of processing, one for each answer; the last one stays
        self.paths: list[str] = []
        self.library: list[dict] = []
        self.shown: object = None  # of the library
        self.sizes: list[int] = []  # of segments
        for path in (UPLOAD, f"{UPLOAD}/initialize"):
            httpserver.expect_request(path, method="POST").respond_with_handler(self.begin)
        httpserver.expect_request(re.compile(f"{UPLOAD}/.+/append")).respond_with_handler(self.append)
        for path in (re.compile(f"{UPLOAD}/.+/finalize"), UPLOAD):
            httpserver.expect_request(path).respond_with_handler(self.progress)
        httpserver.expect_request(re.compile("/.+/media_library.*")).respond_with_handler(self.add)

    def begin(self, request: Request) -> Response:
        self.paths.append("begin")
        return Response(json.dumps({"data": self.begun}), content_type="application/json")

    def append(self, request: Request) -> Response:
        self.sizes.append(len(request.files["media"].read()))
        assert request.form["segment_index"] == str(len(self.sizes) - 1)
        return Response("", 200)

    def progress(self, request: Request) -> Response:
        info = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        data = self.named | ({"processing_info": info} if info else {})
        return Response(json.dumps({"data": data}), content_type="application/json")

    def add(self, request: Request) -> Response:
        if request.method == "GET":
            return Response(json.dumps({"data": self.shown}), content_type="application/json")
        self.library.append(dict(request.args))
        return Response(json.dumps({"data": dict(request.args)}), 201, content_type="application/json")


@pytest.fixture
def platform(remote, httpserver):
    remote.file("clip.mp4", sample("high.mp4"))
    remote.file("hero.png", picture("PNG", 1200, 628))
    return Platform(httpserver)


def error_of(remote, *words: str, code: int) -> dict:
    done = remote("media", "upload", *words, "--account", "a1", "-o", "json", "--max-wait", "2s", code=code)
    return json.loads(done.stderr.splitlines()[-1])["error"]


@pytest.mark.parametrize("field", ["id", "media_key"])
@pytest.mark.parametrize("value", ["1/../2", "..", "a\nb", "\x1b[31m", True, ["7"], {"a": 1}, 1.5])
@pytest.mark.parametrize("file", ["clip.mp4", "hero.png"])
def test_an_id_that_cannot_be_one_is_used_nowhere(remote, platform, file, field, value):
    platform.begun[field] = value
    error = error_of(remote, file, code=8)
    assert error["message"].startswith(f"the answer to the upload has a {field} that is not valid: ")
    assert platform.paths == ["begin"] and not platform.sizes and not platform.library


@pytest.mark.parametrize(
    ("file", "category", "prefix"),
    [
        ("clip.mp4", Category.amplify_video, "13"),
        ("clip.mp4", Category.tweet_video, "7"),
        ("moving.gif", Category.tweet_gif, "16"),
        ("hero.png", Category.tweet_image, "3"),
    ],
)
def test_a_media_key_that_is_not_named_is_made_of_the_category(remote, platform, file, category, prefix):
    remote.file("moving.gif", gif(2))
    del platform.named["media_key"], platform.begun["media_key"]
    remote("media", "upload", file, "--account", "a1", "--category", category)
    assert [media["media_key"] for media in platform.library] == [f"{prefix}_{KEY[3:]}"]
    assert {*KEY_PREFIXES} == {*Category}


@pytest.mark.parametrize("seconds", [10**400, -1, 0, "soon", None, 1e300])
def test_any_time_that_an_upload_is_said_to_expire_after_is_taken(remote, platform, seconds):
    platform.begun["expires_after_secs"] = seconds
    remote("media", "upload", "clip.mp4", "--account", "a1")
    assert [media["media_key"] for media in platform.library] == [KEY]


@pytest.mark.parametrize("check_after_secs", [10**400, 1e300])
def test_a_check_that_is_too_far_away_is_not_waited_for(remote, platform, check_after_secs):
    platform.states = [{"state": "pending", "check_after_secs": check_after_secs}]
    assert "it is still pending after --max-wait" in error_of(remote, "clip.mp4", code=8)["message"]


@pytest.mark.parametrize("info", [{"progress_percent": 10**400}, {"state": None, "check_after_secs": 0.1}])
def test_processing_without_a_state_is_not_taken_for_success(remote, platform, info):
    platform.states = [info, info, {"state": "succeeded"}]
    remote("media", "upload", "clip.mp4", "--account", "a1", "--max-wait", "10s")
    assert platform.states == [{"state": "succeeded"}] and len(platform.library) == 1


def test_processing_is_told_in_percent(remote, platform, monkeypatch):
    monkeypatch.setattr("ads_cli.console.progress.LINE_INTERVAL_SECONDS", 0.05)
    platform.states = [{"state": "in_progress", "progress_percent": 40, "check_after_secs": 0.1}] * 2
    platform.states.append({"state": "succeeded"})
    said = remote("media", "upload", "clip.mp4", "--account", "a1").stderr
    assert "Processing clip.mp4: 40 of 100 percent\n" in said


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"error": {"code": 1, "name": "InvalidMedia", "message": "no sound"}}, "InvalidMedia: no sound"),
        ({"error": "no sound"}, "no sound"),
        ({"errors": [{"title": "Invalid", "detail": "no sound"}]}, "no sound: Invalid"),
        ({"message": "no sound"}, "no sound"),
        ({"error": {"code": 7}}, '{"code":7}'),
        ({}, "no reason given"),
    ],
)
def test_the_reason_of_a_failure_is_shown_in_whatever_form_it_comes(remote, platform, told, reason):
    platform.states = [{"state": "failed", "progress_percent": 9} | told]
    message = error_of(remote, "clip.mp4", code=6)["message"]
    assert message == f"clip.mp4: the service could not process it: {reason}"
    assert not platform.library


def test_of_several_files_the_reason_names_the_file_once(remote, platform):
    platform.states = [{"state": "failed", "error": "no sound"}]
    words = ("media", "upload", "clip.mp4", "hero.png", "--account", "a1", "--failed-out", "failed.csv")
    said = remote(*words, code=9).stderr
    assert "warning: clip.mp4: the service could not process it: no sound\n" in said
    failed = (remote.home / "failed.csv").read_text()
    assert failed == "file,_line,_error\nclip.mp4,1,the service could not process it: no sound\n"


def test_a_status_that_is_not_answered_says_how_to_resume(remote, platform, httpserver):
    platform.states = [{"state": "pending", "check_after_secs": 0.1}]
    refused = httpserver.expect_oneshot_request(UPLOAD, method="GET")
    refused.respond_with_data("{}", 503)
    error = error_of(remote, "clip.mp4", "--max-attempts", "1", code=8)
    assert "--resume" in error["hint"] and not platform.library


@pytest.mark.parametrize("answer", [None, [], {}, {"media_key": "3_7"}])
def test_an_answer_without_the_media_that_was_asked_for_does_not_count_as_unchanged(
    remote, platform, httpserver, answer
):
    remote("media", "upload", "hero.png", "--account", "a1")
    platform.shown = answer
    error = error_of(remote, "hero.png", code=8)
    assert "the library answered with other media" in error["message"]
