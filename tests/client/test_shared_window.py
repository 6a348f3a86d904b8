"""The rate limit that processes share."""

import subprocess
import sys
from array import array

import pytest

from ads_cli.api.rates import AUDIENCE_USERS, TOTAL_COUNTS, Rate
from ads_cli.client.rate_limiter import Clock
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


@pytest.mark.parametrize(
    "content", [b"garbage", array("d", [1e5] * 7).tobytes(), array("d", [1e5] * 18).tobytes()]
)
def test_a_damaged_file_and_one_of_an_earlier_version_are_ignored(tmp_path, content):
    window = SharedWindow(tmp_path, "https://ads.example", RATE)
    window.acquire()
    (path,) = (path for path in tmp_path.iterdir() if path.suffix != ".lock")
    path.write_bytes(content)
    assert window.acquire().delay == 0.0


def test_an_unwritable_state_folder_does_not_block_requests(tmp_path):
    (tmp_path / "file").write_text("")
    window = SharedWindow(tmp_path / "file", "https://ads.example", RATE)
    assert [window.acquire().delay for _ in range(RATE.requests)] == [0.0] * RATE.requests
    assert window.acquire().delay > 0


class Machine(Clock):
    """The clocks of a machine, which a test sets."""

    def __init__(self, monotonic: float, wall: float) -> None:
        self.now, self.wall = monotonic, wall

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return self.wall

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.wall += seconds


LONG = Rate("test", 60, 900.0)
WALL = 1_800_000_000.0
HOUR = 3600.0


def window_of(folder, machine: Machine, boot: float | None = None) -> SharedWindow:
    window = SharedWindow(folder, "https://ads.example", LONG, machine)
    if boot is not None:
        window._boot = boot
    return window


def sent_in(window: SharedWindow, most: int = 2 * LONG.requests) -> int:
    """How many requests a window lets through at once."""
    sent = 0
    while sent < most and not window.acquire().delay:
        sent += 1
    return sent


@pytest.mark.parametrize("boots", [(1.0, 2.0), (1.0, 1.0)], ids=["known", "unknown"])
@pytest.mark.parametrize(("uptime", "off"), [(3.0, 10.0), (0.0, 0.0), (300.0, 500.0)])
def test_a_restart_begins_no_new_window(tmp_path, boots, uptime, off):
    before = Machine(86400.0, WALL)
    assert sent_in(window_of(tmp_path, before, boots[0])) == LONG.requests
    after = Machine(uptime, WALL + off)
    window = window_of(tmp_path, after, boots[1])
    assert sent_in(window) == 0
    left = LONG.seconds - off
    assert left <= window.acquire().delay <= left + MARGIN_SECONDS
    after.wait(left + MARGIN_SECONDS)
    assert sent_in(window) == LONG.requests


def test_a_machine_that_was_off_for_long_waits_for_nothing(tmp_path):
    sent_in(window_of(tmp_path, Machine(86400.0, WALL), 1.0))
    assert sent_in(window_of(tmp_path, Machine(3.0, WALL + HOUR), 2.0)) == LONG.requests


@pytest.mark.parametrize("jump", [-10 * HOUR, -60.0, 60.0, 10 * HOUR])
def test_a_clock_that_jumps_lets_nothing_more_through_and_delays_nothing(tmp_path, jump):
    machine = Machine(86400.0, WALL)
    window = window_of(tmp_path, machine)
    assert sent_in(window) == LONG.requests
    machine.wait(100.0)
    machine.wall += jump
    assert sent_in(window) == 0
    assert window.acquire().delay == LONG.seconds + MARGIN_SECONDS - 100.0
    machine.wait(window.acquire().delay)
    assert sent_in(window) == LONG.requests


@pytest.mark.parametrize("boots", [(1.0, 2.0), (1.0, 1.0)], ids=["known", "unknown"])
def test_a_clock_that_was_set_back_at_a_restart_delays_by_one_window_at_most(tmp_path, boots):
    sent_in(window_of(tmp_path, Machine(86400.0, WALL), boots[0]))
    after = Machine(3.0, WALL - 10 * HOUR)
    window = window_of(tmp_path, after, boots[1])
    assert sent_in(window) == 0
    after.wait(LONG.seconds / 2)
    after.wait(window.acquire().delay)
    assert after.now <= 3.0 + LONG.seconds + MARGIN_SECONDS
    assert sent_in(window) == LONG.requests


@pytest.mark.parametrize("uptimes", [(86400.0, 3.0), (3.0, 86400.0), (5000.0, 5300.0)])
def test_two_hosts_of_one_state_folder_count_together(tmp_path, uptimes):
    machines = [Machine(uptime, WALL + number) for number, uptime in enumerate(uptimes)]
    windows = [window_of(tmp_path, machine, float(number)) for number, machine in enumerate(machines)]
    sent = 0
    for _ in range(LONG.requests):
        for window, machine in zip(windows, machines, strict=True):
            slot = window.acquire()
            sent += not slot.delay
            machine.wait(0.1)
            if not slot.delay:
                window.count_from_now(slot)
        for machine in machines:
            machine.wait(0.1)
    assert sent == LONG.requests


def test_what_a_host_has_sent_is_its_own_whatever_the_clock_of_another_one_says(tmp_path):
    here, there = Machine(1000.0, WALL), Machine(2000.0, WALL + 10 * HOUR)
    window = window_of(tmp_path, here, 1.0)
    assert sent_in(window) == LONG.requests
    window_of(tmp_path, there, 2.0).acquire()
    assert sent_in(window) == 0
