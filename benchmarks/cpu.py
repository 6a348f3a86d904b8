"""Measure the CPU of whole commands with their worker processes: the first table of docs/scale.md.

Usage: python -m benchmarks.cpu [RUNS]     medians of so many runs (5), on a machine that does nothing else
"""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from .feeds import feed
from .people import AUDIENCE, write
from .running import clean, load_server, signed_in

PRODUCTS, PEOPLE = 100_000, 1_000_000
FILES, PEOPLE_OF_A_FILE = 1_000, 100
# Asked from inside, while worker processes are there: nobody waits for them, so no parent learns their times.
INSIDE = """
import os, sys
from pathlib import Path
from ads_cli.__main__ import main
def family(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family(child))]
def ticks(pid):
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
def peak(pid):
    return int(Path(f"/proc/{pid}/status").read_text().partition("VmHWM:")[2].split()[0])
code = main()
running = family(str(os.getpid()))
print(sum(map(ticks, running)), sum(map(peak, running)), file=sys.stderr)
sys.exit(code)
"""


class Measured(NamedTuple):
    """A command of the table, and what makes its input before each run."""

    name: str
    words: list[str]
    prepare: Callable[[], object] = lambda: None


def commands(folder: Path) -> list[Measured]:
    """Write the inputs, and return what is measured."""
    products, people, parts = folder / "products.csv", folder / "people.csv", folder / "parts"
    feed(products, PRODUCTS)
    write(people, PEOPLE)
    parts.mkdir()
    for number in range(FILES):
        write(parts / f"part-{number:04}.csv", PEOPLE_OF_A_FILE)
    editions = iter(range(1, sys.maxsize))
    push = ["products", "push", str(products), "-q"]
    return [
        Measured("any command, until its first request", ["accounts", "list"]),
        Measured(f"`products push`, {PRODUCTS:,} products", push),
        Measured(
            f"`products push --changed`, {PRODUCTS:,} products, 1 % changed",
            [*push, "--changed"],
            lambda: feed(products, PRODUCTS, edition=next(editions)),
        ),
        Measured(f"`audiences push`, {PEOPLE:,} e-mail addresses", [*AUDIENCE, "-q", str(people)]),
        Measured(
            f"`audiences push`, {FILES:,} files of {PEOPLE_OF_A_FILE} people",
            [*AUDIENCE, "-q", f"{parts}/*.csv"],
        ),
    ]


def cost(words: list[str], env: Mapping[str, str]) -> tuple[float, float]:
    """Run a command; return its CPU seconds and its peak in megabytes. Exit unless it succeeds."""
    done = subprocess.run([sys.executable, "-c", INSIDE, *words], env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr[-800:]}")
    ticks, kilobytes = map(int, done.stderr.split()[-2:])
    return ticks / os.sysconf("SC_CLK_TCK"), kilobytes / 1024


def main() -> None:
    """Print a line for each command."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name, load_server(0) as address:
        folder = Path(name)
        env = clean(folder) | signed_in(address)
        for command in commands(folder):
            found = []
            for _ in range(runs + 1):  # the first fills caches, and stores what --changed remembers
                command.prepare()
                found.append(cost(command.words, env))
            seconds = statistics.median(each[0] for each in found[1:])
            megabytes = max(each[1] for each in found[1:])
            print(f"| {command.name} | {seconds:.1f} s | {megabytes:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
