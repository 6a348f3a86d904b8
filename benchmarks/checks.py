"""Validation of many rows against reading them alone; a second push of a feed with few changes."""

import json
import statistics
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .feeds import feed
from .peers import ADSCTL, PYTHON
from .running import HERE, Command, Cost, interleaved, load_server, measured, signed_in
from .table import Bar, Table

CHECK, BARE, AGAIN = "products check", "csv and msgspec", "push --changed"
FIX = "check --fix all"  # of a feed that has nothing to fix
ADVICE, UNTOLD = "check that says what to type", "check -q"
CONTENT = 3  # the exit code of mistakes
GENERIC = "check --from generic"  # which does not look at the feed to tell its kind
PAGE = "check --report"
WRONG_GTIN = "9783999738837"  # its check digit: a warning
REPORTED_ROWS = 100_000
MOST_MEGABYTES = 160
MOST_SECONDS, MOST_PAGE_MEGABYTES = 3, 5  # of a report
CHANGED_EVERY = 100  # rows; 25 products are sent per request


def checks(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Check a feed; compare speed and memory to their bars."""
    table.begin(f"check of {rows:,} products, medians of {runs}")
    path = str(feed(folder / "many.csv", rows))
    found: list[Cost] = []

    def check() -> float:
        found.append(measured([ADSCTL, *CHECK.split(), path], env))
        return found[-1].seconds

    bare = Command([PYTHON, str(HERE / "bare.py"), path], env).time
    generic = Command([ADSCTL, *CHECK.split(), "--from", "generic", path], env).time
    fix = Command([ADSCTL, *CHECK.split(), "--fix", "all", path], env).time
    samples = interleaved({BARE: bare, CHECK: check, GENERIC: generic, FIX: fix}, runs, warm=False)
    table.speed(BARE, rows, samples)
    table.speed(GENERIC, rows, samples)
    table.speed(CHECK, rows, samples, [Bar(BARE, least=0.35), Bar(GENERIC, most=1.08)])
    table.speed(FIX, rows, samples, [Bar(CHECK, most=2.5)])
    table.limit("peak memory", max(ran.megabytes for ran in found), MOST_MEGABYTES, "MB")


def page(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Check a feed with a warning in every row, and write a page about it."""
    table.begin(f"check of {rows:,} products with --report, medians of {runs}")
    path, written = feed(folder / "reported.csv", rows), folder / "page.html"
    check = [ADSCTL, *CHECK.split(), "-o", "none", "--set", f"gtin={WRONG_GTIN}", str(path)]
    tasks = {CHECK: Command(check, env).time, PAGE: Command([*check, "--report", str(written)], env).time}
    samples = interleaved(tasks, runs, warm=False)
    table.speed(CHECK, rows, samples)
    table.speed(PAGE, rows, samples)
    seconds = statistics.median(samples[PAGE]) * REPORTED_ROWS / rows
    table.limit(f"report of {REPORTED_ROWS:,}", seconds, MOST_SECONDS, "s")
    table.limit("its page", written.stat().st_size / 1e6, MOST_PAGE_MEGABYTES, "MB")


def advice(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Check a feed with HTML in every row, with and without what to type next."""
    table.begin(f"check of {rows:,} products with mistakes, medians of {runs}")
    path = str(feed(folder / "mistaken.csv", rows))
    check = [ADSCTL, *CHECK.split(), path, "-o", "none", "--set", "description=<p>{description}</p>"]

    def told() -> float:
        return measured(check, env, code=CONTENT).seconds

    def untold() -> float:
        return measured([*check, "-q"], env, code=CONTENT).seconds

    samples = interleaved({UNTOLD: untold, ADVICE: told}, runs, warm=False)
    table.speed(UNTOLD, rows, samples)
    table.speed(ADVICE, rows, samples, [Bar(UNTOLD, most=2.0)])


def changed(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Push a feed of which 1 % has changed since the last push; compare to a check of the same file."""
    table.begin(f"second push of {rows:,} products, 1 % changed, medians of {runs}")
    if b"--changed" not in subprocess.run([ADSCTL, "products", "push", "--help"], capture_output=True).stdout:
        table.note("products push has no --changed here")
        return
    path, edition = folder / "nightly.csv", 0
    with load_server(0) as address:
        online = {**env, **signed_in(address)}
        push = [ADSCTL, "products", "push", "--changed", "-q", "-o", "json", str(path)]
        feed(path, rows)
        first = measured(push, online)
        table.row("the first push", f"{rows / first.seconds:,.0f} /s")
        requests: set[int] = set()

        def again() -> float:
            nonlocal edition
            edition += 1
            feed(path, rows, edition=edition)
            seconds, summary = Command(push, online).run()
            requests.add(json.loads(summary)["requests"])
            return seconds

        check = Command([ADSCTL, *CHECK.split(), str(path)], env).time
        samples = interleaved({AGAIN: again, CHECK: check}, runs, warm=False)
    table.speed(CHECK, rows, samples)
    table.speed(AGAIN, rows, samples, [Bar(CHECK, most=1.6)])
    table.limit("requests", max(requests), -(-rows // CHANGED_EVERY // 25), "")
