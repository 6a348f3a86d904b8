"""What the run of an upload keeps, and what it knows later."""

import json
import sqlite3
from contextlib import closing, suppress

import pytest

from ads_cli.errors import StateError
from ads_cli.media.journal import Begun, open_upload
from ads_cli.store import database
from tests.adsctl import Adsctl
from tests.media.made import picture, upload_job

BEGUN = Begun(media_id="1", media_key="3_1", segment_bytes=5, expires_at=None)


@pytest.mark.usefixtures("closed_stores")
def test_what_cannot_be_noted_is_not_known_either(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with suppress(StateError), open_upload(tmp_path, upload_job()) as journal:
        journal.begin(BEGUN)
        journal.note_sent(1, "1")
        with closing(sqlite3.connect(tmp_path / database.FILE)) as other, pytest.raises(StateError):
            other.execute("BEGIN IMMEDIATE")
            journal.note_sent(0, "1")
        assert journal.sent == {1}
    with open_upload(tmp_path, upload_job("second")) as again:
        assert again.begun == BEGUN and again.sent == {1} and not again.is_finalized
        again.finalize("3_2")
    with open_upload(tmp_path, upload_job("third")) as last:
        assert last.begun.media_key == "3_2" and last.is_finalized and not last.is_ended


@pytest.mark.usefixtures("closed_stores")
def test_a_segment_of_an_earlier_upload_does_not_count(tmp_path):
    with open_upload(tmp_path, upload_job()) as journal:
        journal.begin(BEGUN)
        journal.note_sent(0, "1")
        journal.begin(Begun(media_id="2", media_key="3_2", segment_bytes=5, expires_at=None))
        journal.note_sent(1, "1")
        assert not journal.sent
    with open_upload(tmp_path, upload_job("second")) as again:
        assert again.begun.media_id == "2" and not again.sent


def listed(adsctl: Adsctl) -> list[dict]:
    return json.loads(adsctl("jobs", "list", "-o", "json").stdout)


def test_an_upload_is_listed_among_the_jobs_until_it_is_as_known_as_others(adsctl, service, tmp_path):
    for name in ("ok.png", "fine.png"):
        (tmp_path / name).write_bytes(picture("PNG", 1200, 628 + len(name)))
    service.fail("POST /12/accounts/*/media_library status=503")
    adsctl("media", "upload", "ok.png", "--max-attempts", "1", code=8)
    (unfinished,) = listed(adsctl)
    assert (unfinished["state"], unfinished["action"], unfinished["file"]) == (
        "unfinished",
        "upload",
        "ok.png",
    )
    shown = adsctl("jobs", "show", unfinished["job"]).stderr
    assert "adsctl media upload ok.png --max-attempts 1 --resume" in shown
    service.fail()
    adsctl("media", "upload", "ok.png", "fine.png")
    ended = [(job["state"], job["rows"], job["sent"], job["file"]) for job in listed(adsctl)]
    assert ended == [("ended", 1, 1, "ok.png"), ("ended", 1, 1, "fine.png")]
    adsctl("media", "upload", "ok.png")  # nothing was sent
    assert len(listed(adsctl)) == 2


def test_an_upload_that_has_not_begun_leaves_no_job(adsctl, service, tmp_path):
    (tmp_path / "ok.png").write_bytes(picture("PNG", 1200, 628))
    service.fail("POST /2/media/upload status=400")
    adsctl("media", "upload", "ok.png", code=6)
    assert listed(adsctl) == []


def test_what_was_uploaded_is_known_when_its_job_is_forgotten(adsctl, service, tmp_path):
    (tmp_path / "ok.png").write_bytes(picture("PNG", 1200, 628))
    adsctl("media", "upload", "ok.png")
    adsctl("jobs", "clean")
    assert "unchanged" in adsctl("media", "upload", "ok.png").stdout
