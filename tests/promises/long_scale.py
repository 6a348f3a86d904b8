"""docs/scale.md shows what the simulation prints, and the simulation keeps the limits."""

import re

import pytest

from ads_cli.api.rates import Rate
from benchmarks.scale import CORES, PAGE, TABLES, WORKERS, Task, simulate, tables
from tests.effort import THOROUGH

RATE = Rate("test", 100, 60.0)
SHOWN = WORKERS if THOROUGH else WORKERS[:1]  # the longest part of the test is their simulation


def test_the_page_shows_what_the_simulation_prints():
    (shown,) = TABLES.findall(PAGE.read_text())
    others = "|".join(str(count) for count in WORKERS if count not in SHOWN)
    compared = re.sub(rf"^\| ({others or 'none'}) workers? .*\n", "", shown, flags=re.M)
    assert compared == tables(SHOWN), "python -m benchmarks.scale --write"


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_tasks_under_one_limit_take_as_long_as_it_makes_them(workers):
    tasks = [Task(0.1, 50, holder=0)] * 40
    windows = 40 * 50 / RATE.requests
    assert (windows - 1) * RATE.seconds <= simulate(tasks, RATE, workers, 4) <= (windows + 2) * RATE.seconds


def test_tasks_with_limits_of_their_own_take_as_long_as_they_compute():
    tasks = [Task(10.0, 8, holder) for holder in range(64)]
    times = [simulate(tasks, RATE, workers, 8) for workers in (1, 2, 4)]
    for workers, seconds in zip((1, 2, 4), times, strict=True):
        assert 640 / CORES / workers <= seconds <= 640 / CORES / workers + 25
