"""Measure start-up and pushes, as ratios against something run beside them.

Usage: python -m benchmarks [ROWS ...]   (default 100,000 products; the promise is kept at 1,000,000 too)
"""

import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .people import LATENCY
from .people import benchmark as people

RUNS = 11
PEOPLE = 2_000_000
BIN = Path(sys.executable).parent
ADSCTL = str(BIN / "adsctl")
PYTHON = str(BIN / "python")

# name, command, the floor it is measured against, the most it may cost of it
STARTS = [
    ("bare python", [PYTHON, "-c", "pass"], "", 0.0),
    ("import typer", [PYTHON, "-c", "import typer"], "", 0.0),
    ("adsctl --version", [ADSCTL, "--version"], "bare python", 1.5),
    ("adsctl --help", [ADSCTL, "--help"], "import typer", 1.3),
    ("adsctl products --help", [ADSCTL, "products", "--help"], "import typer", 0.0),
    ("adsctl accounts list --help", [ADSCTL, "accounts", "list", "--help"], "import typer", 0.0),
    ("adsctl -p local accounts list", [ADSCTL, "-p", "local", "accounts", "list"], "import typer", 0.0),
]
MOST_MEGABYTES = {100_000: 150, 1_000_000: 200}


def starts(env: dict[str, str]) -> bool:
    """Time each command, interleaved; tell whether all bars are held."""
    times: dict[str, list[float]] = {name: [] for name, *_ in STARTS}
    for _ in range(RUNS):
        for name, command, _, _ in STARTS:
            begun = time.perf_counter()
            subprocess.run(command, env=env, capture_output=True, check=True)
            times[name].append(time.perf_counter() - begun)
    medians = {name: statistics.median(found) for name, found in times.items()}
    held = True
    for name, _, floor, bar in STARTS:
        ratio = f"{medians[name] / medians[floor]:.2f} x {floor}" if floor else ""
        kept = not bar or medians[name] <= bar * medians[floor]
        held = held and kept
        limit = f"bar {bar}: {'held' if kept else 'BROKEN'}" if bar else ""
        print(f"  {name:<32} {medians[name] * 1000:7.1f} ms  {ratio:<22} {limit}")
    return held


def feed(path: Path, rows: int) -> None:
    """Write a feed of 13 columns."""
    alike = {
        "description": "A description, with a comma, as long as most are. " * 3,
        "availability": "in stock",
        "condition": "new",
        "brand": "Nordlicht",
        "product_type": "Home > Kitchen",
        "color": "blue",
        "inventory": 7,
    }
    own = ("id", "title", "price", "link", "image_link", "custom_label_0")
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*own, *alike])
        for n in range(rows):
            links = f"https://shop.example/{n}", f"https://images.example/{n}.jpg"
            writer.writerow(
                [f"sku-{n}", f"Product number {n}", f"{n % 100 + 1}.50 EUR", *links, n, *alike.values()]
            )


def measured(command: list[str], env: dict[str, str]) -> tuple[float, float]:
    """Run a command that has to succeed; give seconds and the peak of its memory in MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024


def pushes(rows: int, env: dict[str, str], folder: Path) -> bool:
    """Push a feed to a served emulator, and hold the memory to its bar."""
    from ads_cli.commands.emulator import variables
    from ads_cli.emulator.app import Emulator

    path = folder / "feed.csv"
    feed(path, rows)
    database = folder / f"{rows}.db"
    server = subprocess.Popen(
        [ADSCTL, "emulator", "serve", "--port", "0", "--database", str(database)],
        env=env, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stderr
        address = next(
            word.rstrip(";") for word in server.stderr.readline().split() if word.startswith("http")
        )
        signed_in = env | variables(Emulator(database), address)
        check, _ = measured([ADSCTL, "products", "check", str(path)], env)
        seconds, megabytes = measured([ADSCTL, "products", "push", str(path)], signed_in)
    finally:
        server.terminate()
        server.wait()
    most = MOST_MEGABYTES.get(rows, 200)
    kept = megabytes <= most
    print(
        f"  {rows:>9,} products  check {rows / check:9,.0f} rows/s  push {rows / seconds:7,.0f} rows/s  "
        f"{megabytes:5.0f} MB, bar {most}: {'held' if kept else 'BROKEN'}"
    )
    return kept


def main() -> None:
    """Run everything; exit with 1 where a bar is broken."""
    sizes = [int(word.replace(",", "")) for word in sys.argv[1:]] or [100_000]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = {k: v for k, v in os.environ.items() if not k.startswith(("ADSCTL_", "PYTHONDONTWRITE"))}
        env |= {"ADSCTL_STATE_DIR": name, "ADSCTL_CONFIG_DIR": name}
        print(f"start-up, {os.cpu_count()} cores, median of {RUNS} interleaved runs")
        held = starts(env)
        print("push to the emulator, served on this machine")
        held = all([held, *[pushes(rows, env, folder) for rows in sizes]])
        print(f"push {PEOPLE:,} people to a service that answers after {LATENCY} s, median of 3 runs")
        held = people(PEOPLE, env, folder, ADSCTL, measured) and held
    sys.exit(not held)


if __name__ == "__main__":
    main()
