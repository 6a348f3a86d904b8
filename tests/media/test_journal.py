"""What the journal of an upload keeps."""

import sqlite3
from contextlib import closing

import pytest

from ads_cli.errors import StateError
from ads_cli.media.journal import Begun, UploadJournal, UploadKey
from ads_cli.store import database

KEY = UploadKey("generic", "acc", 10, "0" * 64, "POST_VIDEO", ())
BEGUN = Begun(media_id="1", media_key="3_1", segment_bytes=5, expires_at=None)


pytestmark = pytest.mark.usefixtures("closed_stores")


def test_what_cannot_be_noted_is_not_known_either(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with closing(UploadJournal(tmp_path, KEY, "file")) as journal:
        journal.begin(BEGUN)
        with closing(sqlite3.connect(tmp_path / database.FILE)) as other, pytest.raises(StateError):
            other.execute("BEGIN IMMEDIATE")
            journal.note_sent(0, "1")
        assert not journal.sent
        journal.note_sent(1, "1")
        journal.finalize("3_2")
    with closing(UploadJournal(tmp_path, KEY, "file")) as again:
        assert again.begun.media_key == "3_2" and again.sent == {1} and again.is_finalized


def test_a_segment_of_an_earlier_upload_does_not_count(tmp_path):
    with closing(UploadJournal(tmp_path, KEY, "file")) as journal:
        journal.begin(BEGUN)
        journal.note_sent(0, "1")
        journal.begin(Begun(media_id="2", media_key="3_2", segment_bytes=5, expires_at=None))
        journal.note_sent(1, "1")
        assert not journal.sent
