"""The rate limit that processes share."""

import subprocess
import sys
import time
from array import array

from ads_cli.api.rates import AUDIENCE_USERS, TOTAL_COUNTS, Rate
from ads_cli.client.shared_window import MARGIN_SECONDS, SharedWindow
from tests.adsctl import ROOT

RATE = Rate("test", 6, 0.2)
PROGRAM = """
import sys, time
from pathlib import Path
from ads_cli.api.rates import Rate
from ads_cli.client.shared_window import SharedWindow
window = SharedWindow(Path(sys.argv[1]), "https://ads.example", Rate("test", 6, 0.2))
for _ in range(4):
    while delay := window.acquire().delay:
        time.sleep(delay)
    print(time.monotonic(), flush=True)
"""


def test_the_rates_are_those_of_the_specification():
    stated = [(rate.requests, rate.seconds) for rate in (AUDIENCE_USERS, TOTAL_COUNTS)]
    assert stated == [(1500, 60.0), (200, 900.0)]


def test_processes_together_stay_within_the_rate(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    stamps = sorted(float(line) for process in running for line in process.communicate()[0].split())
    assert len(stamps) == 16
    # Each stamp is taken after its request was counted, so that a stretch may look longer, not shorter.
    for first, last in zip(stamps, stamps[RATE.requests :], strict=False):
        assert last - first >= RATE.seconds


def test_a_full_window_delays_the_next_request(tmp_path):
    window = SharedWindow(tmp_path, "https://ads.example", RATE)
    assert [window.acquire().delay for _ in range(RATE.requests)] == [0.0] * RATE.requests
    assert 0 < window.acquire().delay <= RATE.seconds + MARGIN_SECONDS
    assert SharedWindow(tmp_path, "https://other.example", RATE).acquire().delay == 0.0


def test_times_in_the_future_and_a_damaged_file_are_ignored(tmp_path):
    window = SharedWindow(tmp_path, "https://ads.example", RATE)
    window.acquire()
    (path,) = (path for path in tmp_path.iterdir() if path.suffix != ".lock")
    path.write_bytes(array("d", [time.monotonic() + 1e6] * 20).tobytes())  # from before the machine restarted
    assert window.acquire().delay == 0.0
    path.write_bytes(b"garbage")
    assert window.acquire().delay == 0.0


def test_an_unwritable_state_folder_does_not_block_requests(tmp_path):
    (tmp_path / "file").write_text("")
    window = SharedWindow(tmp_path / "file", "https://ads.example", RATE)
    assert [window.acquire().delay for _ in range(RATE.requests)] == [0.0] * RATE.requests
    assert window.acquire().delay > 0
