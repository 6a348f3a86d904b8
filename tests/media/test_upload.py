"""media upload: from a file to an entry in the library."""

import json

from tests.media.made import picture, sample


def test_an_image_is_uploaded_and_is_in_the_library(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    done = adsctl.local("media", "upload", "hero.png", "-o", "json")
    (record,) = json.loads(done.stdout)
    assert list(record) == [
        "file", "media_key", "media_id", "media_category", "media_type", "status",
        "bytes", "width", "height", "seconds", "sha256",
    ]  # fmt: skip
    assert record["status"] == "uploaded" and record["media_category"] == "tweet_image"
    assert record["media_key"] == f"3_{record['media_id']}"
    library = json.loads(adsctl.local("media", "library", "get", record["media_key"], "-o", "json").stdout)
    assert (library["file_name"], library["width"], library["height"]) == ("hero.png", 1200, 628)


def test_a_video_is_uploaded_in_segments_and_awaited(adsctl, tmp_path):
    (tmp_path / "clip.mp4").write_bytes(sample("high.mp4"))
    (record,) = json.loads(adsctl.local("media", "upload", "clip.mp4", "-o", "json").stdout)
    assert record["status"] == "uploaded" and record["media_key"].startswith("13_")


def test_the_same_file_is_uploaded_once(adsctl, tmp_path):
    (tmp_path / "hero.png").write_bytes(picture("PNG", 1200, 628))
    (tmp_path / "copy.png").write_bytes((tmp_path / "hero.png").read_bytes())
    first = json.loads(adsctl.local("media", "upload", "hero.png", "-o", "json").stdout)[0]
    second = json.loads(adsctl.local("media", "upload", "copy.png", "-o", "json").stdout)[0]
    assert second["status"] == "unchanged" and second["media_key"] == first["media_key"]
