"""Pushes of user lists: local work against hashing alone, and the whole push against the public SDK."""

import statistics
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

Measure = Callable[[list[str], dict[str, str]], tuple[float, float]]  # seconds and MB of a command
HERE = Path(__file__).parent
LATENCY = 0.05
BARE = """
import sys
from hashlib import sha256
with open(sys.argv[1]) as file:
    for line in file: sha256(line.strip().lower().encode()).hexdigest()
"""
# The unavoidable steps, each alone and on one core; their sum is the lower bound of the local work.
LIMITS = {
    "hash alone": """
import sys
from hashlib import sha256
with open(sys.argv[1], "rb") as file:
    for line in file: sha256(line).hexdigest()
""",
    "CSV alone": """
import csv, sys
with open(sys.argv[1], newline="") as file:
    for row in csv.reader(file): pass
""",
    "encode alone": """
import sys
from msgspec.json import encode
operation = [{"email": ["0" * 64]}] * 24
with open(sys.argv[1], "rb") as file:
    for _ in range(sum(1 for line in file) // 24): encode(operation)
""",
}
MOST_MEGABYTES = 150
BARS = {"local": 0.6, "sdk": 15.0, "packed sdk": 3.0}
ONCE = ("SDK",)  # takes a minute, and is far from its bar
AUDIENCE = ["audiences", "push", "--audience", "aud", "--account", "acc"]
PACKED = 24  # users in an operation: the most e-mail addresses that both limits allow


def write(path: Path, people: int) -> None:
    """Write a CSV list of distinct e-mail addresses."""
    with path.open("w") as file:
        file.write("email\n")
        file.writelines(f"User{n}.{n * 7919 % 999983}@Example{n % 97}.com\n" for n in range(people))


def peers(folder: Path) -> str:
    """Install the SDK into an environment of its own; return its Python."""
    python = folder / "peers" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "peers", with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "twitter-ads==11.0.0"]
        subprocess.run(install, check=True, stderr=subprocess.DEVNULL)
    return str(python)


def benchmark(
    people: int,
    env: dict[str, str],
    folder: Path,
    adsctl: str,
    measured: Measure,
    *,
    judges: bool = True,
    runs: int = 3,
) -> bool:
    """Measure everything, interleaved; return whether every bar is held, or True unless it `judges`."""
    path = folder / "people.csv"
    write(path, people)
    sdk = peers(folder)
    server = subprocess.Popen(
        [sys.executable, str(HERE / "load.py"), str(LATENCY)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout
        address = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        names = ("CONSUMER_KEY", "CONSUMER_SECRET", "ACCESS_TOKEN", "ACCESS_TOKEN_SECRET")
        signed_in = env | dict.fromkeys([f"ADSCTL_{name}" for name in names], "x")
        signed_in |= {"ADSCTL_BASE_URL": address, "ADSCTL_ADS_URL": address}
        push = [adsctl, *AUDIENCE, str(path)]
        commands = {
            "bare loop": [sys.executable, "-c", BARE, str(path)],
            **{name: [sys.executable, "-c", code, str(path)] for name, code in LIMITS.items()},
            "adsctl --dry-run": [*push, "--dry-run"],
            "adsctl": push,
            "SDK": [sdk, str(HERE / "sdk.py"), address, str(path), "1"],
            "SDK, packed": [sdk, str(HERE / "sdk.py"), address, str(path), str(PACKED)],
        }
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for number in range(runs):
            for name, command in commands.items():
                if number == 0 or name not in ONCE:
                    found[name].append(measured(command, signed_in))
    finally:
        server.terminate()
    seconds = {name: statistics.median(run[0] for run in all_runs) for name, all_runs in found.items()}
    megabytes = max(run[1] for run in found["adsctl"])
    for name, took in seconds.items():
        print(f"  {name:<18} {took:7.2f} s  {people / took:11,.0f} people/s")
    ratios = {
        "local": seconds["bare loop"] / seconds["adsctl --dry-run"],
        "sdk": seconds["SDK"] / seconds["adsctl"],
        "packed sdk": seconds["SDK, packed"] / seconds["adsctl"],
    }
    held = megabytes <= MOST_MEGABYTES
    verdict = f", bar {MOST_MEGABYTES}: {'held' if held else 'BROKEN'}" if judges else ""
    print(f"  peak memory {megabytes:.0f} MB{verdict}")
    for name, against in {
        "local": "the bare loop",
        "sdk": "the SDK",
        "packed sdk": "the SDK, packed",
    }.items():
        kept = ratios[name] >= BARS[name]
        held = held and kept
        verdict = f", bar {BARS[name]}: {'held' if kept else 'BROKEN'}" if judges else ""
        print(f"  {ratios[name]:5.2f} x the speed of {against}{verdict}")
    return held or not judges
