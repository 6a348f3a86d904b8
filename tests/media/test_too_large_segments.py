"""A service that takes smaller segments only: they are halved, in a new upload, down to 64 KiB."""

from io import BytesIO

import pytest

from ads_cli.media.journal import Begun, open_upload
from tests.media.long_interrupted_uploads import SEGMENT, Counted, large_video, uploaded
from tests.media.made import padded_png, upload_job

KIB = 1024
MOST_UPLOADS = 20  # after which all is taken, so that a client that does not learn ends too


@pytest.fixture
def limited(service):
    """Answer segments of more than so many bytes with 413, whatever documentation says."""
    sizes: dict[str, list[int]] = {}  # of the segments, by upload
    answer = service.answer
    limit = [SEGMENT]

    def limiting(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        path = environ["PATH_INFO"]
        environ["wsgi.input"] = BytesIO(body)
        if path.endswith("/append"):
            sizes.setdefault(path, []).append(len(body))
        is_too_large = len(body) > limit[0] + KIB and path.startswith("/2/media/upload")
        if is_too_large and len(sizes) < MOST_UPLOADS:
            start_response("413 Payload Too Large", [("Content-Type", "text/html")])
            return [b"<html>too large</html>"]
        return answer(environ, start_response)

    service.answer = limiting
    service.limit, service.sizes = limit, sizes
    return service


def test_smaller_segments_are_sent_where_the_service_refuses_them(adsctl, limited, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(large_video(3))
    limited.limit[0] = 300 * KIB
    requests = Counted(limited)
    done = adsctl("media", "upload", "clip.mp4", "-o", "json")
    assert '"status": "uploaded"' in done.stdout
    assert "begins again, with segments of 262,144 bytes" in done.stderr
    assert requests.count("POST initialize") == 3 and requests.count("POST finalize") == 1
    assert [max(sizes) // KIB for sizes in limited.sizes.values()] == [1024, 512, 256]
    assert len([*limited.sizes.values()][-1]) == 10  # 2.5 MiB, all of the file, in the last upload


def test_what_was_learned_holds_for_the_next_file(adsctl, limited, tmp_path):
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).write_bytes(large_video(2))
    limited.limit[0] = 512 * KIB
    requests = Counted(limited)
    adsctl("media", "upload", "a.mp4", "b.mp4")
    assert requests.count("POST initialize") == 3


def test_segments_are_not_made_smaller_without_end(adsctl, limited, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(large_video(2))
    limited.limit[0] = 10 * KIB
    requests = Counted(limited)
    done = adsctl("media", "upload", "clip.mp4", code=6)
    assert "clip.mp4: segments of 65,536 bytes are too large" in done.stderr
    assert requests.count("POST initialize") == 5 and requests.count("POST finalize") == 0
    assert "clip.mp4" not in adsctl("media", "library", "list", "--all").stdout
    limited.limit[0] = SEGMENT
    assert uploaded(adsctl, "clip.mp4", "--resume")["status"] == "uploaded"


def test_an_image_that_is_too_large_for_one_request_is_sent_in_segments(adsctl, limited, tmp_path):
    (tmp_path / "hero.png").write_bytes(padded_png(3 * SEGMENT))
    assert uploaded(adsctl, "hero.png")["media_key"].startswith("3_")
    assert [len(sizes) for sizes in limited.sizes.values()] == [3]
    assert uploaded(adsctl, "hero.png")["status"] == "unchanged"


def test_a_late_answer_counts_for_its_own_upload(tmp_path):
    def begun(id: str) -> Begun:
        return Begun(media_id=id, media_key="", segment_bytes=1, expires_at=None)

    with open_upload(tmp_path, upload_job()) as journal:
        for media_id in "12":
            journal.begin(begun(media_id))
        for segment, media_id in enumerate("12"):
            journal.note_sent(segment, media_id)
        assert journal.sent == {1}
    with open_upload(tmp_path, upload_job()) as journal:
        assert journal.sent == {1}
