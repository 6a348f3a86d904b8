"""Differences of feeds and catalogs beside listing and checking; of lists of people beside their check."""

import statistics
from collections.abc import Mapping
from pathlib import Path

from .feeds import bodies, feed
from .peers import ADSCTL, PYTHON
from .people import write
from .running import HERE, Command, Cost, interleaved, load_server, measured, signed_in
from .table import Bar, Table

DIFF, LIST, CHECK, ONE_BY_ONE = "products diff", "products list --all", "products check", "both in turn"
SYNC, SENDING, BOTH = "products sync", "floor loop", "the diff and its requests"
DIFFERENT = 10  # exit code
THREADS = 8
MOST_MEGABYTES = 300
LIST_SYNC, LIST_CHECK = "audiences sync", "audiences check"
MOST_LIST_MEGABYTES, MOST_LIST_SECONDS = 300, 20  # for a million people
MILLION = 1_000_000


def diffs(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Compare a feed with a catalog from which 1 % of it differs; compare time and memory to their bars."""
    table.begin(f"differences of {rows:,} products, 1 % changed, medians of {runs}")
    path = str(feed(folder / "feed.csv", rows, edition=1))
    ready = folder / "bodies-of-changes"
    batches = bodies(ready, feed(folder / "changes.csv", rows // 100))
    found: list[Cost] = []
    with load_server(0, rows) as address:
        online = {**env, **signed_in(address)}

        def diff() -> float:
            command = [ADSCTL, *DIFF.split(), "-q", "-o", "jsonl", "--prune", path]
            found.append(measured(command, online, code=DIFFERENT))
            return found[-1].seconds

        def sync() -> float:
            state = {"ADSCTL_STATE_DIR": str(folder / f"state-{len(found)}")}  # nothing is remembered
            found.append(measured([ADSCTL, *SYNC.split(), "-q", "-o", "none", path], online | state))
            return found[-1].seconds

        sender = [PYTHON, str(HERE / "senders.py"), "httpx", address, str(ready), str(THREADS), str(batches)]
        listing = Command([ADSCTL, *LIST.split(), "-q", "-o", "ids"], online).time
        check = Command([ADSCTL, *CHECK.split(), "-q", path], env).time
        tasks = {LIST: listing, CHECK: check, DIFF: diff, SENDING: Command(sender, env).time, SYNC: sync}
        samples = interleaved(tasks, runs, warm=False)
    samples[ONE_BY_ONE] = [sum(both) for both in zip(samples[LIST], samples[CHECK], strict=True)]
    for name in (LIST, CHECK):
        table.speed(name, rows, samples)
    table.speed(DIFF, rows, samples, [Bar(ONE_BY_ONE, most=1.3)])
    samples[BOTH] = [sum(both) for both in zip(samples[DIFF], samples[SENDING], strict=True)]
    table.speed(SYNC, rows, samples, [Bar(BOTH, most=1.15)])
    table.limit("peak memory", max(ran.megabytes for ran in found), MOST_MEGABYTES, "MB")


def list_syncs(table: Table, env: Mapping[str, str], folder: Path, people: int, runs: int) -> None:
    """Sync a list of which 1 % changes each time, beside its check; compare time and memory to their bars."""
    table.begin(f"sync of {people:,} people, 1 % changed, medians of {runs}")
    first, other = folder / "first.csv", folder / "other.csv"
    write(first, people)
    lines = first.read_text().splitlines()
    lines[1::100] = [f"new-{line}" for line in lines[1::100]]
    other.write_text("\n".join(lines) + "\n")
    syncs: list[Cost] = []
    with load_server(0) as address:
        online = {**env, **signed_in(address), "ADSCTL_STATE_DIR": str(folder / "list-state")}
        options = [*LIST_SYNC.split(), "-q", "-o", "none", "--audience", "aud", "--account", "acc"]
        measured([ADSCTL, *options, str(first)], online)

        def sync() -> float:
            path = (other, first)[len(syncs) % 2]
            syncs.append(measured([ADSCTL, *options, "--prune", "--yes", str(path)], online))
            return syncs[-1].seconds

        check = Command([ADSCTL, *LIST_CHECK.split(), "-q", "-o", "none", str(first)], online).time
        samples = interleaved({LIST_CHECK: check, LIST_SYNC: sync}, runs, warm=False)
    for name in (LIST_CHECK, LIST_SYNC):
        table.speed(name, people, samples)
    seconds = statistics.median(samples[LIST_SYNC]) * MILLION / people
    table.limit("a million people", seconds, MOST_LIST_SECONDS, "s")
    table.limit("peak memory", max(cost.megabytes for cost in syncs), MOST_LIST_MEGABYTES, "MB")
