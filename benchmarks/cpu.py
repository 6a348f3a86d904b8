"""Measure the CPU of whole commands with their worker processes: the first table of docs/scale.md.

Usage: python -m benchmarks.cpu [RUNS]     medians of so many runs (5), on a machine that does nothing else
"""

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .feeds import feed
from .peers import ADSCTL
from .people import AUDIENCE, write
from .running import clean, load_server, measured, signed_in

PRODUCTS, PEOPLE = 100_000, 1_000_000
FILES, PEOPLE_OF_A_FILE = 1_000, 100


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
                found.append(measured([ADSCTL, *command.words], env))
            seconds = statistics.median(each.cpu_seconds for each in found[1:])
            megabytes = max(each.megabytes for each in found[1:])
            print(f"| {command.name} | {seconds:.1f} s | {megabytes:.0f} MB |", flush=True)


if __name__ == "__main__":
    main()
