"""A fleet of several tasks at once against the same tasks one after another, bounded by latency."""

from collections.abc import Mapping
from pathlib import Path

from .feeds import feed
from .peers import ADSCTL
from .running import interleaved, load_server, measured, signed_in
from .table import Bar, Table

TASKS, AT_ONCE = 8, 8
LATENCY = 0.2  # seconds of a request
ROWS_OF_A_REQUEST = 25
ONE, SEVERAL = "fleet run --parallel 1", f"fleet run --parallel {AT_ONCE}"
TASK = "  - {name: shop-%d, run: products push %s --concurrency 1 --account acc-%d --catalog cat-%d}\n"


def fleets(table: Table, env: Mapping[str, str], folder: Path, runs: int, requests: int) -> None:
    """Run a fleet in both ways, each run from its beginning.

    The requests of a task go one after another. They must be many: to start its process takes CPU time.
    """
    rows = ROWS_OF_A_REQUEST * requests
    table.begin(
        f"fleet of {TASKS} accounts, {requests} requests each, {LATENCY * 1000:.0f} ms of latency, "
        f"medians of {runs}"
    )
    path = feed(folder / f"feed-{rows}.csv", rows)
    file = folder / "fleet.yaml"
    file.write_text("tasks:\n" + "".join(TASK % (number, path, number, number) for number in range(TASKS)))
    with load_server(LATENCY) as address:
        online = {**env, **signed_in(address)}

        def run(parallel: int) -> float:
            return measured([ADSCTL, "fleet", "run", str(file), "--parallel", str(parallel)], online).seconds

        samples = interleaved({ONE: lambda: run(1), SEVERAL: lambda: run(AT_ONCE)}, runs, warm=False)
    table.speed(ONE, TASKS * rows, samples)
    table.speed(SEVERAL, TASKS * rows, samples, [Bar(ONE, least=6)])
