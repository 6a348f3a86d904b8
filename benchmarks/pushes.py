"""Pushes of products against a loop that sends the same bytes, and against the public SDK."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from .feeds import bodies, feed
from .peers import ADSCTL, PYTHON, Peers
from .running import HERE, Command, Cost, interleaved, load_server, measured, signed_in
from .table import Bar, Table

PUSH, PUSH_X = "products push", "push to service x"
FLOOR, POOL, SHIPPED, CEILING = "floor loop", "SDK in a pool", "SDK as shipped", "the load server"
THREADS = {0.0: 8, 0.05: 32}  # by latency: the default and the maximum
BARS = {
    0.0: (Bar(FLOOR, least=0.6), Bar(POOL, least=1.0), Bar(SHIPPED, least=0)),
    0.05: (Bar(FLOOR, least=0.9), Bar(POOL, least=0), Bar(SHIPPED, least=25)),
}
BARS_X = (Bar(PUSH, least=0.97),)  # names are translated on their way to the wire
MOST_MEGABYTES = 150
BATCH = 25
SDK_BATCHES = 80  # sent one by one; all would take minutes


def pushes(table: Table, peers: Peers, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Push a feed with and without latency; compare it to the bars."""
    path, ready = feed(folder / "feed.csv", rows), folder / "bodies"
    batches = bodies(ready, path)
    megabytes = 0.0
    for latency, threads in THREADS.items():
        table.begin(
            f"push of {rows:,} products, {latency * 1000:.0f} ms of latency, {threads} at a time, "
            f"medians of {runs}"
        )
        with load_server(latency) as address:
            found: list[Cost] = []
            push = [ADSCTL, *PUSH.split(), "--concurrency", str(threads), str(path)]

            def ours(
                service: str, push: list[str] = push, address: str = address, found: list[Cost] = found
            ) -> float:
                found.append(measured(push, {**env, **signed_in(address), "ADSCTL_SERVICE": service}))
                return found[-1].seconds / batches

            def send(
                kind: str, python: str, width: int, most: int, address: str = address
            ) -> Callable[[], float]:
                words = [python, str(HERE / "senders.py"), kind, address, str(ready), str(width), str(most)]
                return lambda: Command(words, env).time() / most

            tasks = {
                CEILING: send("sockets", PYTHON, threads, batches),
                FLOOR: send("httpx", PYTHON, threads, batches),
            }
            if peers.has("sdk"):
                sdk = peers.path("sdk")
                tasks[POOL] = send("sdk", sdk, threads, batches)
                tasks[SHIPPED] = send("sdk", sdk, 1, min(SDK_BATCHES, batches))
            tasks |= {PUSH: partial(ours, "generic"), PUSH_X: partial(ours, "x")}
            samples = interleaved(tasks, runs, warm=False)
        megabytes = max(megabytes, *(ran.megabytes for ran in found))
        for name in samples:
            bars = {PUSH: BARS[latency], PUSH_X: BARS_X}.get(name, ())
            table.speed(name, BATCH, samples, bars)
    table.limit("peak memory", megabytes, MOST_MEGABYTES, "MB")
