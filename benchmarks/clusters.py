"""A fleet on the workers of a Dask cluster: three against one, bounded by latency.

Both are those of the environment that runs the benchmarks, which has Dask.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .feeds import feed
from .running import Command, interleaved, load_server, signed_in
from .table import Bar, Table

THREADS = 3  # of each worker
LATENCY = 0.2  # seconds of a request
REQUESTS = 30  # of a task, one after another: starting its process is CPU, and must weigh little
ROWS = 25 * REQUESTS
ONE, THREE = "--engine dask, 1 worker", "--engine dask, 3 workers"
TASK = "  - {name: shop-%d, run: products push %s --concurrency 1 --account acc-%d --catalog cat-%d}\n"
START_SECONDS = 60


def clusters(table: Table, env: Mapping[str, str], folder: Path, tasks: int) -> None:
    """Run a fleet on clusters of one and of three workers, once: each has a state folder of its own."""
    table.begin(
        f"fleet of {tasks} accounts on a Dask cluster, {REQUESTS} requests each, "
        f"{LATENCY * 1000:.0f} ms of latency, {THREADS} tasks at once on each worker"
    )
    path = feed(folder / f"feed-{ROWS}.csv", ROWS)
    file = folder / "cluster.yaml"
    file.write_text("tasks:\n" + "".join(TASK % (number, path, number, number) for number in range(tasks)))
    with load_server(LATENCY) as address, ExitStack() as stack:
        online = {**env, **signed_in(address)}
        one, three = (
            stack.enter_context(_cluster(online, folder / f"cluster-{workers}", workers))
            for workers in (1, 3)
        )

        def run(scheduler: str) -> float:
            words = ["fleet", "run", str(file), "--engine", "dask", "--scheduler", scheduler]
            return Command([sys.executable, "-m", "ads_cli", *words], online).time()

        samples = interleaved({ONE: lambda: run(one), THREE: lambda: run(three)}, 1, warm=False)
    table.speed(ONE, tasks * ROWS, samples)
    table.speed(THREE, tasks * ROWS, samples, [Bar(ONE, least=2.5)])


@contextmanager
def _cluster(env: Mapping[str, str], folder: Path, workers: int) -> Iterator[str]:
    """Start a scheduler and workers; yield the address of the scheduler."""
    folder.mkdir()
    log = folder / "scheduler.log"
    with ExitStack() as stack:
        log.touch()
        _start(
            stack, ["scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", ":0"], env, log
        )
        address = _wait_for(log, "Scheduler at:", 1).split()[-1]
        for number in range(workers):
            own = {**env, "ADSCTL_STATE_DIR": str(folder / f"state-{number}")}
            words = ["worker", address, "--no-nanny", "--no-dashboard", "--nthreads", str(THREADS)]
            _start(stack, words, own, folder / f"worker-{number}.log")
        _wait_for(log, "Register worker", workers)
        yield address


def _start(stack: ExitStack, words: list[str], env: Mapping[str, str], log: Path) -> None:
    """Start a process of Dask, which ends with the stack."""
    output = stack.enter_context(log.open("wb"))
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)


def _wait_for(log: Path, text: str, times: int) -> str:
    """Wait until a log has a text so many times; return the first line with it."""
    deadline = time.monotonic() + START_SECONDS
    while log.read_text().count(text) < times:
        if time.monotonic() > deadline:
            sys.exit(f"the cluster did not start: {log}")
        time.sleep(0.1)
    return next(line for line in log.read_text().splitlines() if text in line)
