"""Exports that are killed, whose jobs fail, and whose downloads are cut: no row is lost, none is doubled."""

import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.adsctl import TIMEOUT_SECONDS
from tests.effort import tries
from tests.statistics.rows import rows_in

SEEDS = tries(1, 60)
MOST_STARTS = 12
ALL = ("--entity", "LINE_ITEM", "--all", "--since", "2026-03-10", "--until", "2026-06-20", "--placement")
ALL += ("ALL_ON_PLATFORM", "--metrics", "impressions,clicks,billed_charge_local")
FAULTS = (
    "POST /12/stats/jobs/* partial rate=0.2",
    "POST /12/stats/jobs/* status=503 rate=0.2 retry-after=0",
    "GET /12/stats/jobs/* reset rate=0.2",
    "GET /12/stats/jobs/* truncate rate=0.2",
    "GET /stats-results/* truncate rate=0.4",
    "GET /stats-results/* garbage rate=0.2",
    "GET /stats-results/* latency=300ms rate=0.5",
)
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


@pytest.fixture
def expected(adsctl, service) -> list[dict[str, str]]:
    """What the service says at once; the numbers of that time are final."""
    return rows_in(adsctl("stats", "get", *ALL, "-o", "csv").stdout)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("target", ["ads.csv", "sqlite:ads.db"])
def test_a_tormented_export_ends_with_every_row_once(adsctl, service, expected, seed, target):
    random = Random(f"{seed} {target}")
    words = ["stats", "export", *ALL, "--resume", "--max-wait", "20s", "--max-attempts", random.choice("246")]
    words += [target, "--force"] if target == "ads.csv" else ["--into", target]
    for start in range(MOST_STARTS):
        is_last = start == MOST_STARTS - 1
        service.fail(*() if is_last else random.sample(FAULTS, random.randrange(4)))
        process = adsctl.popen(*words)
        if not is_last and random.random() < 0.7:
            wait_until_it_handles_signals(process)
            time.sleep(random.uniform(0, 2.5))
            process.send_signal(random.choice(SIGNALS))
        _, shown = process.communicate(timeout=TIMEOUT_SECONDS)
        if process.returncode == 0:
            break
        assert process.returncode in (8, 7, 130, 143, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT), shown
    assert process.returncode == 0, shown
    assert stored_rows(adsctl.home, target) == [key_and_numbers(row) for row in expected]


def wait_until_it_handles_signals(process) -> None:
    """Wait for the program to begin: the interpreter before it has no message for a signal."""
    status, terminated = Path(f"/proc/{process.pid}/status"), 1 << (signal.SIGTERM - 1)
    while (
        process.poll() is None and not int(status.read_text().split("SigCgt:")[1].split()[0], 16) & terminated
    ):
        time.sleep(0.01)


def stored_rows(home, target: str) -> list[tuple]:
    if target == "ads.csv":
        return [key_and_numbers(row) for row in rows_in((home / target).read_text())]
    with closing(sqlite3.connect(home / "ads.db")) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute("SELECT * FROM statistics ORDER BY rowid").fetchall()
    return [key_and_numbers({name: row[name] for name in row.keys()}) for row in rows]  # noqa: SIM118


def key_and_numbers(row: dict) -> tuple:
    names = ("impressions", "clicks", "billed_charge_local")
    return row["entity_id"], row["start"], *(float(row[name] or 0) for name in names)
