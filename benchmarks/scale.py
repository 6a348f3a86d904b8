"""Simulate fleets in virtual time: how long many machines take within the limits of service x.

Limits are those that endpoints declare, batches those that are packed for sending, and a worker's share of a
limit run on one worker. Only the CPU seconds of a command are figures: they were measured.

Usage: python -m benchmarks.scale             prints the tables of docs/scale.md
       python -m benchmarks.scale --write     replaces them there
"""

import argparse
import heapq
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ads_cli.api.products import BATCH_SIZE, PutProducts
from ads_cli.api.rates import Rate
from ads_cli.api.statistics import MAX_ENTITIES, MAX_PERIOD, GetStatistics
from ads_cli.api.users import UpdateAudienceUsers
from ads_cli.client.shared_window import MARGIN_SECONDS

from .sizes import people_file, product_batch_bytes

PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
TABLES = re.compile(r"(?<=<!-- simulated -->\n).*(?=<!-- end -->\n)", re.DOTALL)
WORKERS = (1, 2, 4, 8, 16)
CORES = 2  # of a worker
LATENCY_SECONDS = 0.2  # of a request
CONCURRENCY = 8  # requests of one command in flight

# Measured on the two cores of benchmarks/README.md, in CPU seconds of a whole command.
CHANGED_PUSH_CPU_SECONDS = 2.4  # 100,000 products, of which 1,000 are sent
FIRST_PUSH_CPU_SECONDS = 10.0  # 100,000 products, all of which are sent
PEOPLE_CPU_SECONDS = 3.3  # 1,000,000 e-mail addresses
MIRROR_CPU_SECONDS = 1.0  # an account of MIRRORED entities, of which the last days are asked for again

ACCOUNTS, PRODUCTS, CHANGED = 500, 100_000, 1_000
FILES, PEOPLE_OF_A_FILE = 1_000, 1_000_000
MIRRORED_ACCOUNTS, MIRRORED = 1_000, {"campaigns": 10, "line items": 40, "promoted posts": 120}
DAYS_AGAIN, FIRST_DAYS = 14, 400


class Window:
    """A limit, as `client/shared_window.py` keeps it: a sliding window."""

    def __init__(self, rate: Rate) -> None:
        self._seconds = rate.seconds + MARGIN_SECONDS
        self._times: deque[float] = deque(maxlen=rate.requests)

    def free_at(self, now: float) -> float:
        """Return when a request may be sent."""
        is_full = len(self._times) == self._times.maxlen
        return max(now, self._times[0] + self._seconds) if is_full else now

    def take(self, now: float) -> None:
        """Count a request."""
        self._times.append(now + LATENCY_SECONDS)  # from its response on


class Task(NamedTuple):
    """One command: what it computes, what it sends, and whose limit that counts against."""

    cpu_seconds: float
    requests: int
    holder: int  # a token, or an account


class Worker:
    """A machine that runs some commands at once; they share its cores."""

    def __init__(self, parallel: int) -> None:
        self.parallel = parallel
        self.cores = [0.0] * CORES  # when each is free
        self.windows: dict[int, Window] = {}

    def compute(self, now: float, seconds: float) -> float:
        """Return when a computation ends."""
        core = min(range(CORES), key=self.cores.__getitem__)
        self.cores[core] = max(now, self.cores[core]) + seconds
        return self.cores[core]


def simulate(tasks: list[Task], rate: Rate, workers: int, parallel: int) -> float:
    """Return the seconds that workers take, each of which runs `parallel` tasks at once.

    Tasks that count against one limit run on one worker.
    """
    events: list[tuple[float, int, Iterator[float]]] = []
    now = 0.0

    def run_tasks(worker: Worker, queue: deque[Task]) -> Iterator[float]:
        while queue:
            task = queue.popleft()
            window = worker.windows.setdefault(task.holder, Window(rate))
            left = task.requests
            while left:  # in rounds, between which the next requests are computed
                sent = min(left, CONCURRENCY)
                left -= sent
                yield worker.compute(now, task.cpu_seconds * sent / task.requests)
                for _ in range(sent):
                    while (free_at := window.free_at(now)) > now:
                        yield free_at
                    window.take(now)
                yield now + LATENCY_SECONDS

    for number in range(workers):
        worker = Worker(parallel)
        queue = deque(task for task in tasks if task.holder % workers == number)
        for _ in range(parallel):
            heapq.heappush(events, (0.0, len(events), run_tasks(worker, queue)))
    while events:
        now, number, running = heapq.heappop(events)
        if (until := next(running, None)) is not None:
            heapq.heappush(events, (max(now, until), number, running))
    return now


class Case(NamedTuple):
    """A column of a table."""

    title: str
    tasks: list[Task]
    rate: Rate
    parallel: int = 8


def duration(seconds: float) -> str:
    """Format a time as its largest units."""
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes / 60:.1f} h" if minutes < 48 * 60 else f"{minutes / 1440:.0f} days"


def table(first: str, cases: list[Case], workers: tuple[int, ...] = WORKERS) -> Iterator[str]:
    """Yield the lines of a table: what is sent, and how long each number of workers takes."""
    yield f"| {first} | {' | '.join(case.title for case in cases)} |"
    yield "|---" * (len(cases) + 1) + "|"
    requests = [sum(task.requests for task in case.tasks) for case in cases]
    yield f"| requests | {' | '.join(f'{each:,}' for each in requests)} |"
    for count in workers:
        times = [duration(simulate(case.tasks, case.rate, count, case.parallel)) for case in cases]
        yield f"| {count} worker{'s' * (count > 1)} | {' | '.join(times)} |"


def shops(cpu_seconds: float, products: int, *, tokens: int) -> list[Task]:
    """Return the pushes of a night."""
    requests = -(-products // BATCH_SIZE)
    return [Task(cpu_seconds, requests, account % tokens) for account in range(ACCOUNTS)]


def mirrors(tokens: int) -> list[Task]:
    """Return the mirrors of a morning, by what they ask for at once: 20 entities and 7 days."""
    windows = -(-DAYS_AGAIN // MAX_PERIOD.days)
    requests = windows * sum(-(-count // MAX_ENTITIES) for count in MIRRORED.values())
    return [Task(MIRROR_CPU_SECONDS, requests, account % tokens) for account in range(MIRRORED_ACCOUNTS)]


def tables(workers: tuple[int, ...] = WORKERS) -> str:
    """Return the tables of the page, with the lines of some numbers of workers."""
    puts, users = PutProducts.endpoint.rates["x"], UpdateAudienceUsers.endpoint.rates["x"]
    statistics = GetStatistics.endpoint.rates["x"]
    rows_of_a_day = MIRRORED_ACCOUNTS * sum(MIRRORED.values())
    assert puts and users and statistics
    people = people_file(PEOPLE_OF_A_FILE)
    list_of_files = [Task(PEOPLE_CPU_SECONDS, people.requests, 0)] * FILES
    small, large = CHANGED_PUSH_CPU_SECONDS, FIRST_PUSH_CPU_SECONDS
    batch_bytes = product_batch_bytes()
    night = ACCOUNTS * -(-CHANGED // BATCH_SIZE) * batch_bytes
    first = ACCOUNTS * -(-PRODUCTS // BATCH_SIZE) * batch_bytes
    lines = [
        *table(
            f"{ACCOUNTS} accounts of {PRODUCTS:,} products",
            [
                Case("a night, 1 % changed, a token each", shops(small, CHANGED, tokens=ACCOUNTS), puts),
                Case("the same, one token for all", shops(small, CHANGED, tokens=1), puts),
                Case("the first push, a token each", shops(large, PRODUCTS, tokens=ACCOUNTS), puts, 32),
            ],
            workers,
        ),
        "",
        f"A batch of {BATCH_SIZE} products has {batch_bytes / 1000:.0f} KB: a night sends"
        f" {night / 1e9:.1f} GB, the first push {first / 1e9:.0f} GB.",
        "",
        *table(
            f"{FILES:,} files of {PEOPLE_OF_A_FILE:,} people",
            [Case("one audience", list_of_files, users, parallel=CORES)],
            workers,
        ),
        "",
        f"A file becomes {people.requests} requests of {people.users:,} people and"
        f" {people.bytes / people.requests / 1e6:.1f} MB: {FILES * people.bytes / 1e9:.0f} GB in all.",
        "",
        *table(
            f"mirrors of {MIRRORED_ACCOUNTS:,} accounts",
            [
                Case("a morning, a token each", mirrors(MIRRORED_ACCOUNTS), statistics),
                Case("the same, 20 accounts a token", mirrors(MIRRORED_ACCOUNTS // 20), statistics),
                Case("the same, one token for all", mirrors(1), statistics),
            ],
            workers,
        ),
        "",
        f"An account has {', '.join(f'{count} {kind}' for kind, count in MIRRORED.items())}. A morning writes"
        f" {rows_of_a_day * DAYS_AGAIN / 1e6:.1f} million rows of the last {DAYS_AGAIN} days again;"
        f" a first run of {FIRST_DAYS} days writes {rows_of_a_day * FIRST_DAYS / 1e6:.0f} million.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the tables, or write them into the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the tables of docs/scale.md")
    if parser.parse_args().write:
        found = tables()
        PAGE.write_text(TABLES.sub(lambda _: found, PAGE.read_text()))
    else:
        print(tables(), end="")


if __name__ == "__main__":
    main()
