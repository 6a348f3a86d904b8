"""A fleet of several tasks at once against the same tasks one after another, bounded by latency."""

from collections.abc import Mapping
from pathlib import Path

from .feeds import feed
from .peers import ADSCTL
from .running import interleaved, load_server, measured, signed_in
from .table import Bar, Table

TASKS, AT_ONCE = 8, 8
LATENCY = 0.2  # seconds of a request
REQUESTS = 60  # of a task, one after another: starting its process is CPU, and must weigh little
ROWS = 25 * REQUESTS
ONE, SEVERAL = "fleet run --parallel 1", f"fleet run --parallel {AT_ONCE}"
TASK = "  - {name: shop-%d, run: products push %s --concurrency 1 --account acc-%d --catalog cat-%d}\n"


def fleets(table: Table, env: Mapping[str, str], folder: Path, runs: int) -> None:
    """Run a fleet in both ways, each run from its beginning."""
    table.begin(
        f"fleet of {TASKS} accounts, {REQUESTS} requests each, {LATENCY * 1000:.0f} ms of latency, "
        f"medians of {runs}"
    )
    path = feed(folder / f"feed-{ROWS}.csv", ROWS)
    file = folder / "fleet.yaml"
    file.write_text("tasks:\n" + "".join(TASK % (number, path, number, number) for number in range(TASKS)))
    with load_server(LATENCY) as address:
        online = {**env, **signed_in(address)}

        def run(parallel: int) -> float:
            return measured([ADSCTL, "fleet", "run", str(file), "--parallel", str(parallel)], online).seconds

        samples = interleaved({ONE: lambda: run(1), SEVERAL: lambda: run(AT_ONCE)}, runs, warm=False)
    table.speed(ONE, TASKS * ROWS, samples)
    table.speed(SEVERAL, TASKS * ROWS, samples, [Bar(ONE, least=6)])
