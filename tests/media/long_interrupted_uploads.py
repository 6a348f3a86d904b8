"""Uploads that are interrupted, refused or never processed; nothing acknowledged is sent again."""

import json
import os
from collections.abc import Callable
from functools import partial

import pytest

from ads_cli.media.sender import Sender
from ads_cli.media.upload import Uploader
from tests.adsctl import Adsctl, wait_until
from tests.conftest import Service
from tests.media.made import box, picture, sample

SEGMENT = 1024 * 1024
SHORT_SEGMENT = 64 * 1024  # of most of these tests: six large ones take a tenth of a second each time


def large_video(segments: int, segment_bytes: int = SEGMENT) -> bytes:
    """Make a video of so many segments: a box that players skip fills it."""
    whole = sample("high.mp4")
    filling = segments * segment_bytes - len(whole) - segment_bytes // 2
    return whole + filling.to_bytes(4, "big") + b"free" + os.urandom(filling - 8)


@pytest.fixture
def clip(tmp_path, monkeypatch):
    """A video that is sent in six short segments."""
    short = partial(Sender, segment_bytes=SHORT_SEGMENT)
    monkeypatch.setattr("ads_cli.commands.media.upload.Sender", short)
    (tmp_path / "clip.mp4").write_bytes(large_video(6, SHORT_SEGMENT))


class Counted:
    """Counts requests by the end of their path, and may answer one of them otherwise."""

    def __init__(self, service: Service) -> None:
        self.paths: list[str] = []
        self.after: dict[int, Callable[[], None]] = {}  # by the number of segments
        answer = service.answer

        def counted(environ, start_response):
            self.paths.append(f"{environ['REQUEST_METHOD']} {environ['PATH_INFO'].rpartition('/')[2]}")
            self.after.pop(self.count("POST append"), lambda: None)()
            return answer(environ, start_response)

        service.answer = counted

    def count(self, path: str) -> int:
        return self.paths.count(path)


def uploaded(adsctl: Adsctl, *words: str) -> dict:
    (record,) = json.loads(adsctl("media", "upload", *words, "-o", "json").stdout)
    return record


def test_a_resumed_upload_sends_only_what_is_left(adsctl, service, clip):
    requests = Counted(service)
    requests.after = {4: lambda: service.fail("POST /2/media/upload/*/append status=503")}
    adsctl("media", "upload", "clip.mp4", "--max-attempts", "1", "--concurrency", "1", code=8)
    service.fail()
    requests.paths.clear()
    assert uploaded(adsctl, "clip.mp4", "--resume")["status"] == "uploaded"
    assert (requests.count("POST initialize"), requests.count("POST append")) == (0, 3)


def test_a_lost_answer_of_finalize_uploads_nothing_twice(adsctl, service, clip):
    service.fail("POST /2/media/upload/*/finalize reset-after times=1")
    requests = Counted(service)
    assert uploaded(adsctl, "clip.mp4")["status"] == "uploaded"
    assert (requests.count("POST initialize"), requests.count("POST append")) == (1, 6)


def test_a_lost_answer_of_initialize_begins_a_new_upload(adsctl, service, clip):
    service.fail("POST /2/media/upload/initialize reset-after times=1")
    assert uploaded(adsctl, "clip.mp4")["status"] == "uploaded"


def test_after_a_finalize_the_rest_is_done_without_sending_the_file_again(adsctl, service, clip):
    service.fail("POST /12/accounts/*/media_library status=400")
    adsctl("media", "upload", "clip.mp4", code=6)
    service.fail()
    requests = Counted(service)
    assert uploaded(adsctl, "clip.mp4")["status"] == "uploaded"
    assert (requests.count("POST initialize"), requests.count("POST append")) == (0, 0)
    assert requests.count("POST media_library") == 1


def test_failed_processing_says_why_and_adds_nothing(adsctl, service, clip):
    service.fail("POST /2/media/upload/*/finalize processing=failed")
    done = adsctl("media", "upload", "clip.mp4", code=6)
    assert "could not be processed (fault on demand)" in done.stderr
    assert "clip.mp4" not in adsctl("media", "library", "list").stdout


def test_processing_that_never_ends_is_waited_for_no_longer_than_allowed(adsctl, service, clip):
    service.fail("POST /2/media/upload/*/finalize processing=never")
    done = adsctl("media", "upload", "clip.mp4", "--max-wait", "1s", code=8)
    assert "after --max-wait" in done.stderr and "--resume" in done.stderr


def test_a_refused_file_does_not_stop_the_others(adsctl, service, clip, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    service.fail("POST /2/media/upload/*/finalize processing=failed")
    words = ("clip.mp4", "hero.png", "--failed-out", "failed.csv", "-o", "json")
    done = adsctl("media", "upload", *words, code=9)
    assert [load["status"] for load in json.loads(done.stdout)] == ["failed", "uploaded"]
    assert (tmp_path / "failed.csv").read_text().startswith("file,_line,_error\nclip.mp4,1,")


def test_a_file_that_is_processed_for_ever_does_not_stop_the_others(adsctl, service, clip, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    service.fail("POST /2/media/upload/*/finalize processing=never")
    words = ("clip.mp4", "hero.png", "--max-wait", "1s", "-o", "json")
    done = adsctl("media", "upload", *words, code=8)
    assert [load["status"] for load in json.loads(done.stdout)] == ["failed", "uploaded"]
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert "1 file not uploaded" in error["message"] and "--resume" in error["hint"]


def test_a_killed_upload_is_resumed(adsctl, service, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(large_video(6))
    service.fail("POST /2/media/upload/*/append latency=300ms")
    requests = Counted(service)
    process = adsctl.popen("media", "upload", "clip.mp4", "--concurrency", "1")
    wait_until(lambda: requests.count("POST append") >= 3 or process.poll(), "no segments are sent")
    process.kill()
    process.wait()
    service.settle()
    service.fail()
    requests.paths.clear()
    assert uploaded(adsctl, "clip.mp4", "--resume")["status"] == "uploaded"
    assert requests.count("POST initialize") == 0 and requests.count("POST append") <= 4


@pytest.mark.parametrize("service_name", ["generic", "x"])
def test_both_services_take_uploads(adsctl, service, clip):
    assert uploaded(adsctl, "clip.mp4")["media_category"] == "amplify_video"


def test_api_sends_a_form_with_a_file(adsctl, service, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    form = ("--form", "media=@hero.png", "--form", "media_category=tweet_image")
    done = adsctl("api", "POST", "/2/media/upload", "--base", "platform", *form, "-o", "json")
    assert json.loads(done.stdout)["image"] == {"w": 1200, "h": 628, "image_type": "image/png"}


@pytest.mark.parametrize("change", ["another byte", "longer", "shorter"])
def test_a_file_that_changes_while_it_is_uploaded_is_not_finalized(adsctl, service, clip, tmp_path, change):
    path = tmp_path / "clip.mp4"
    whole = path.read_bytes() + box(b"free", bytes(SHORT_SEGMENT // 2 - 8))  # whole segments
    path.write_bytes(whole)
    changed = {
        "another byte": whole[:-1] + bytes([whole[-1] ^ 1]),
        "longer": whole + b"more",
        "shorter": whole[: 5 * SHORT_SEGMENT],
    }
    requests = Counted(service)
    requests.after = {1: lambda: path.write_bytes(changed[change])}
    done = adsctl("media", "upload", "clip.mp4", "--concurrency", "1", code=3)
    assert "has changed while it was uploaded" in done.stderr
    assert requests.count("POST append") and requests.count("POST finalize") == 0
    assert "clip.mp4" not in adsctl("media", "library", "list").stdout
    path.write_bytes(whole)
    requests.paths.clear()
    assert uploaded(adsctl, "clip.mp4", "--resume")["status"] == "uploaded"
    assert (requests.count("POST initialize"), requests.count("POST append")) == (1, 6)


def test_an_image_that_changes_before_it_is_sent_is_not_sent(adsctl, service, tmp_path, monkeypatch):
    path = tmp_path / "hero.png"
    path.write_bytes(picture("PNG", 1200, 628))
    requests = Counted(service)
    send = Uploader.upload

    def changing(*args):
        path.write_bytes(picture("PNG", 1200, 629))
        return send(*args)

    monkeypatch.setattr(Uploader, "upload", changing)
    assert "has changed" in adsctl("media", "upload", "hero.png", code=3).stderr
    assert requests.paths == []


def test_an_upload_that_is_gone_at_the_service_begins_again(adsctl, service, clip):
    service.fail("POST /12/accounts/*/media_library status=400")
    adsctl("media", "upload", "clip.mp4", code=6)
    service.fail("GET /2/media/upload status=404 times=1")
    done = adsctl("media", "upload", "clip.mp4", "--resume", "-o", "json")
    assert json.loads(done.stdout)[0]["status"] == "uploaded" and "it begins again" in done.stderr


def test_an_unfinished_upload_of_another_user_begins_again(adsctl, service, clip):
    service.fail("POST /12/accounts/*/media_library status=400")
    adsctl("media", "upload", "clip.mp4", code=6)
    service.fail("GET /2/media/upload status=401 times=1")
    adsctl("media", "upload", "clip.mp4", code=4)
    service.fail("GET /2/media/upload status=403 times=1")
    done = adsctl("media", "upload", "clip.mp4")
    assert "what was uploaded is gone; it begins again" in done.stderr and "uploaded" in done.stdout


def test_segments_of_another_user_are_sent_again(adsctl, service, clip):
    service.fail("POST /2/media/upload/*/finalize status=503")
    adsctl("media", "upload", "clip.mp4", "--max-attempts", "1", code=8)
    service.fail("POST /2/media/upload/*/finalize status=403 times=1")
    done = adsctl("media", "upload", "clip.mp4", "--resume")
    assert "what was uploaded is gone; it begins again" in done.stderr and "uploaded" in done.stdout


@pytest.mark.parametrize("lost", ["POST /2/media/upload/*/append", "GET /2/media/upload"])
def test_an_upload_that_the_service_loses_meanwhile_begins_again_once(adsctl, service, clip, lost):
    service.fail(f"{lost} status=404 times=1")
    requests = Counted(service)
    done = adsctl("media", "upload", "clip.mp4", "-o", "json")
    assert json.loads(done.stdout)[0]["status"] == "uploaded" and "it begins again" in done.stderr
    assert requests.count("POST initialize") == 2
    (service.emulator.database.parent / "state").rename(service.emulator.database.parent / "earlier")
    service.fail(f"{lost} status=404")
    requests.paths.clear()
    done = adsctl("media", "upload", "clip.mp4", code=5)
    assert "hint: the service has lost the upload" in done.stderr
    assert requests.count("POST initialize") == 2
