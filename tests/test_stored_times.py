"""Stored times: what a clock that was wrong has written decides nothing once it is right."""

import time
from datetime import UTC, datetime, timedelta

import pytest

from ads_cli.fleet.records import FleetState
from ads_cli.media.journal import Begun, open_upload
from ads_cli.stored_times import TOLERANCE_SECONDS, is_believable
from tests.media.made import upload_job

YEARS = 14 * 365 * 24 * 3600.0


@pytest.mark.parametrize("stored", [time.time, lambda: datetime.now(UTC)], ids=["seconds", "datetime"])
def test_a_time_is_believed_unless_it_is_to_come(stored, time_machine):
    now = datetime.now(UTC)
    for ahead, is_believed in ((-YEARS, True), (0, True), (TOLERANCE_SECONDS - 1, True), (YEARS, False)):
        time_machine.move_to(now + timedelta(seconds=ahead), tick=False)
        moment = stored()
        time_machine.move_to(now, tick=False)
        assert is_believable(moment) is is_believed


def test_the_journal_of_an_upload_that_began_in_the_future_has_expired(tmp_path):
    now = time.time()
    with open_upload(tmp_path, upload_job()) as journal:
        for began, has_expired in ((now, False), (now + YEARS, True)):
            expiry = began + 86_400
            journal.begin(Begun(media_id="1", media_key="", segment_bytes=1, expires_at=expiry, at=began))
            assert journal.has_expired is has_expired


def test_a_run_of_a_fleet_is_kept_beside_those_of_a_clock_that_was_ahead(tmp_path, time_machine):
    now, state = datetime.now(UTC), FleetState(tmp_path, tmp_path / "fleet.yaml")

    def begin() -> str:
        with state.locked():
            begun, _ = state.begin([], resume=False, only=False, dry_run=False)
        return begun.run.id

    time_machine.move_to(now + timedelta(seconds=YEARS))
    ahead = [begin() for _ in range(3)]
    time_machine.move_to(now)
    later = [begin() for _ in range(3)]
    kept = {path.name for path in tmp_path.glob("fleet/*/*") if path.is_dir()}
    assert kept == {*later} and kept.isdisjoint(ahead)
