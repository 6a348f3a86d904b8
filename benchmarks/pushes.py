"""Pushes of products against a loop that sends the same bytes, and against the public SDK."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from .feeds import bodies, feed
from .peers import ADSCTL, PYTHON, Peers
from .running import HERE, Command, interleaved, load_server, measured, signed_in
from .table import Bar, Table

PUSH, PUSH_X = "products push", "push to service x"
FLOOR, POOL, SHIPPED, CEILING = "floor loop", "SDK in a pool", "SDK as shipped", "the load server"
THREADS = {0.0: 8, 0.05: 32}  # by latency: the default and the maximum
BARS = {
    0.0: (Bar(FLOOR, least=0.65), Bar(POOL, least=1.0), Bar(SHIPPED, least=0)),
    0.05: (Bar(FLOOR, least=0.9), Bar(POOL, least=0), Bar(SHIPPED, least=25)),
}
SMALL_ROWS, SMALL_LATENCY = 10_000, 0.05
SMALL_BARS = (Bar(FLOOR, least=0.8),)  # start, check and the growth of concurrency weigh more
BARS_X = (Bar(PUSH, least=0.97),)  # names are translated on their way to the wire
MOST_MEGABYTES = 150
BATCH = 25
SDK_BATCHES = 80  # sent one by one; all would take minutes


def pushes(table: Table, peers: Peers, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Push a feed with and without latency; compare it to the bars."""
    megabytes = 0.0
    for latency, threads in THREADS.items():
        begin(table, rows, latency, threads, runs)
        with load_server(latency) as address:
            sending = Sending(env, folder, address, rows, threads)
            tasks = {
                CEILING: sending.through("sockets"),
                FLOOR: sending.through("httpx"),
            }
            if peers.has("sdk"):
                sdk = peers.path("sdk")
                tasks[POOL] = sending.through("sdk", sdk)
                tasks[SHIPPED] = sending.through("sdk", sdk, 1, SDK_BATCHES)
            tasks |= {PUSH: partial(sending.push, "generic"), PUSH_X: partial(sending.push, "x")}
            samples = interleaved(tasks, runs, warm=False)
        megabytes = max(megabytes, sending.megabytes)
        for name in samples:
            bars = {PUSH: BARS[latency], PUSH_X: BARS_X}.get(name, ())
            table.speed(name, BATCH, samples, bars)
    table.limit("peak memory", megabytes, MOST_MEGABYTES, "MB")


def small_pushes(table: Table, env: Mapping[str, str], folder: Path, runs: int) -> None:
    """Push a small feed, whose time is not all spent sending; its first push is not counted."""
    threads = THREADS[SMALL_LATENCY]
    begin(table, SMALL_ROWS, SMALL_LATENCY, threads, runs)
    with load_server(SMALL_LATENCY) as address:
        sending = Sending(env, folder, address, SMALL_ROWS, threads)
        samples = interleaved({FLOOR: sending.through("httpx"), PUSH: partial(sending.push, "generic")}, runs)
    table.speed(FLOOR, BATCH, samples, ())
    table.speed(PUSH, BATCH, samples, SMALL_BARS)


def begin(table: Table, rows: int, latency: float, threads: int, runs: int) -> None:
    """Begin the part of a push of so many rows."""
    table.begin(
        f"push of {rows:,} products, {latency * 1000:.0f} ms of latency, {threads} at a time, "
        f"medians of {runs}"
    )


class Sending:
    """A feed and its encoded batches, to be sent to a load server; times are in seconds a batch."""

    def __init__(self, env: Mapping[str, str], folder: Path, address: str, rows: int, threads: int) -> None:
        self.megabytes = 0.0  # the most that a push has used
        self._env, self._address, self._threads = env, address, threads
        self._feed, self._ready = feed(folder / f"feed-{rows}.csv", rows), folder / f"bodies-{rows}"
        self._batches = bodies(self._ready, self._feed)

    def through(
        self, kind: str, python: str = PYTHON, width: int | None = None, most: int | None = None
    ) -> Callable[[], float]:
        """Return what sends the batches, or at most `most`, without adsctl."""
        threads, count = width or self._threads, min(most or self._batches, self._batches)
        sender = str(HERE / "senders.py")
        words = [python, sender, kind, self._address, str(self._ready), str(threads), str(count)]
        return lambda: Command(words, self._env).time() / count

    def push(self, service: str) -> float:
        """Push the feed."""
        command = [ADSCTL, *PUSH.split(), "--concurrency", str(self._threads), str(self._feed)]
        cost = measured(command, {**self._env, **signed_in(self._address), "ADSCTL_SERVICE": service})
        self.megabytes = max(self.megabytes, cost.megabytes)
        return cost.seconds / self._batches
