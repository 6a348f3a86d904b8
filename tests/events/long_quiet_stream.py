"""A stream without events stays open: its heartbeats come in time."""

import subprocess

import pytest

QUIET_SECONDS = 50  # two heartbeats of the service, and more


def test_a_quiet_stream_of_the_emulator_is_not_taken_for_a_silent_one(adsctl, service):
    process = adsctl.beside("events", "listen", "--max-wait", "1s")
    try:
        with pytest.raises(subprocess.TimeoutExpired):  # a silence would be longer than --max-wait
            process.communicate(timeout=QUIET_SECONDS)
    finally:
        process.terminate()
        _, stderr = process.communicate()
    assert b"silent" not in stderr
