"""Measure adsctl against floors and peers, run in the same rounds; exit with 1 if a bar is broken.

With --quick, print figures of few runs without judging them.

Usage: python -m benchmarks [--quick]
           [--only starts,pushes,checks,diffs,lists,reading,emulators,people,stages,fleets,exports,clusters,
            masks,media,campaigns,mirrors]
"""

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

from .campaigns import campaigns
from .checks import REPORTED_ROWS, advice, changed, checks, page
from .clusters import clusters
from .diffs import diffs, list_syncs
from .emulators import emulators
from .exports import exports
from .fleets import fleets
from .masks import masks
from .media import uploads
from .mirrors import mirrors
from .peers import ADSCTL, Peers
from .people import LATENCY
from .people import benchmark as people
from .pushes import pushes, small_pushes
from .reading import reading
from .running import clean, measured
from .stages import stages
from .starts import starts
from .table import Table

MAX_STAGED_PRODUCTS = 25_000  # all in memory, at every stage
# Runs, and requests of a task; a run of the full one takes more than a minute.
FULL_FLEET, QUICK_FLEET = (3, 60), (1, 5)
FULL_CLUSTER_TASKS, QUICK_CLUSTER_TASKS = 50, 6
SECTIONS = (
    "starts",
    "pushes",
    "stages",
    "checks",
    "diffs",
    "lists",
    "reading",
    "emulators",
    "people",
    "fleets",
    "exports",
    "clusters",
    "masks",
    "media",
    "campaigns",
    "mirrors",
)


def main() -> None:
    """Run the sections that are named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs and rows; judges nothing")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument(
        "--install-packages",
        action="store_true",
        help="as root: install missing tools of Debian with apt-get",
    )
    for name, (most, few, what) in SIZES.items():
        parser.add_argument(f"--{name}", type=int, help=f"{what} (default {most:,}, quick {few:,})")
    asked = parser.parse_args()
    size = {n: getattr(asked, n) or (few if asked.quick else most) for n, (most, few, _) in SIZES.items()}
    peers = Peers(installs_system_packages=asked.install_packages)
    table = Table(judges=not asked.quick)
    only = asked.only.split(",")
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = clean(folder)
        if "starts" in only:
            starts(table, peers, env, size["starts"])
        if "pushes" in only:
            pushes(table, peers, env, folder, size["products"], size["runs"])
            small_pushes(table, env, folder, 2 * size["runs"])
        if "stages" in only:
            stages(table, env, folder, min(size["products"], MAX_STAGED_PRODUCTS), size["runs"])
        if "checks" in only:
            checks(table, env, folder, size["rows"], size["runs"])
            page(table, env, folder, min(size["rows"], REPORTED_ROWS), size["runs"])
            advice(table, env, folder, min(size["rows"], REPORTED_ROWS), size["runs"])
            changed(table, env, folder, size["rows"], size["runs"])
        if "diffs" in only:
            diffs(table, env, folder, size["rows"], size["runs"])
        if "lists" in only:
            list_syncs(table, env, folder, size["rows"], size["runs"])
        if "reading" in only:
            reading(table, env, folder, size["rows"], size["runs"])
        if "masks" in only:
            masks(table, size["runs"])
        if "emulators" in only:
            emulators(table, env, folder, size["products"], size["runs"])
        if "people" in only:
            table.begin(
                f"push of {size['people']:,} people, {LATENCY * 1000:.0f} ms of latency, medians of 3"
            )
            if not people(size["people"], env, folder, ADSCTL, measured, judges=table.judges):
                table.broken.append("people: see above")
        if "fleets" in only:
            fleets(table, env, folder, *(FULL_FLEET if table.judges else QUICK_FLEET))
        if "exports" in only:
            exports(table, env, folder, size["runs"])
        if "media" in only:
            uploads(table, env, folder, size["media"], size["runs"])
        if "mirrors" in only:
            mirrors(table, env, folder, size["entities"], size["runs"])
        if "campaigns" in only:
            campaigns(table, env, folder, size["items"], size["runs"])
        if "clusters" in only:
            clusters(table, env, folder, FULL_CLUSTER_TASKS if table.judges else QUICK_CLUSTER_TASKS)
    print()
    for broken in table.broken:
        print(f"BROKEN: {broken}")
    if not table.judges:
        print("figures of few runs, not judged; without --quick, each is compared to its bar")
    else:
        print("every bar is held" if not table.broken else f"{len(table.broken)} bars are broken")
    sys.exit(bool(table.broken))


# name: default, with --quick, meaning
SIZES = {
    "starts": (15, 1, "runs of each start"),
    "runs": (5, 1, "runs of everything else"),
    "products": (100_000, 5_000, "products to push"),
    "rows": (1_000_000, 20_000, "rows to check, or of which 1 %% changed"),
    "media": (200, 10, "megabytes of a video to upload"),
    "items": (10_000, 200, "line items to compare"),
    "people": (2_000_000, 20_000, "people to push"),
    "entities": (1000, 20, "line items to mirror, of a year"),
}

if __name__ == "__main__":
    main()
