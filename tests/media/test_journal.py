"""What the journal of an upload keeps."""

import resource

import pytest

from ads_cli.errors import StateError
from ads_cli.media.journal import FOLDER, Begun, Finalized, Sent, UploadJournal, UploadKey

KEY = UploadKey("generic", "acc", 10, "0" * 64, "POST_VIDEO", ())
BEGUN = Begun(media_id="1", media_key="3_1", segment_bytes=5, expires_at=None)


def test_what_a_full_disk_has_a_part_of_is_not_noted(tmp_path):
    journal = UploadJournal(tmp_path, KEY, "file")
    journal.note(BEGUN)
    path = tmp_path / FOLDER / f"{KEY.name}.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 5, limits[1]))
    try:
        with pytest.raises(StateError, match="cannot be used: the disk is full"):
            journal.note(Sent(0, "1"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    journal.note(Sent(1, "1"))
    journal.note(Finalized("3_1"))
    journal.close()
    again = UploadJournal(tmp_path, KEY, "file")
    assert again.begun == BEGUN and again.sent == {1} and again.is_finalized
    again.close()
