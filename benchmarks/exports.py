"""An export of statistics beside a bare loop that makes the same jobs and writes the same rows."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .peers import ADSCTL, PYTHON
from .running import HERE, Command, Cost, interleaved, measured, signed_in
from .table import Bar, Table

LINE_ITEMS, DAYS = 1000, 90
EXPORT, BARE = "stats export", "bare loop"
MOST_MEGABYTES = 200


def exports(table: Table, env: Mapping[str, str], folder: Path, runs: int) -> None:
    """Export line items by day; compare speed and memory to their bars."""
    table.begin(f"statistics of {LINE_ITEMS:,} line items and {DAYS} days, medians of {runs}")
    sizes = [str(LINE_ITEMS), str(DAYS)]
    server = [sys.executable, str(HERE / "statistics_server.py"), *sizes]
    with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        address = f"http://127.0.0.1:{serving.stdout.readline().strip()}"
        file, found = str(folder / "statistics.csv"), list[Cost]()
        period = ["--since", "2026-03-01", "--until", "2026-05-30"]
        words = [ADSCTL, "stats", "export", file, "--force", "-q", "--entity", "LINE_ITEM", "--all", *period]

        def export() -> float:
            found.append(measured(words, {**env, **signed_in(address)}))
            return found[-1].seconds

        bare = Command([PYTHON, str(HERE / "bare_export.py"), address, *sizes, file], env)
        samples = interleaved({BARE: bare.time, EXPORT: export}, runs)
        serving.terminate()
    table.speed(BARE, LINE_ITEMS * DAYS, samples)
    table.speed(EXPORT, LINE_ITEMS * DAYS, samples, [Bar(BARE, least=0.8)])
    table.limit("peak memory", max(ran.megabytes for ran in found), MOST_MEGABYTES, "MB")
