"""Pushes to the emulator, in the same process and served."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from .feeds import feed
from .peers import ADSCTL, PYTHON
from .running import interleaved, measured
from .table import Bar, Table

INSIDE, SERVED = "--profile local", "emulator serve"
VARIABLES = """
import json, sys
from pathlib import Path
from ads_cli.commands.emulator import variables
from ads_cli.emulator.app import Emulator
print(json.dumps(variables(Emulator(Path(sys.argv[1])), sys.argv[2])))
"""


def emulators(table: Table, env: Mapping[str, str], folder: Path, rows: int, runs: int) -> None:
    """Push the same feed to both, each round into a new database."""
    table.begin(f"push of {rows:,} products to the emulator, medians of {runs}")
    push = [ADSCTL, "products", "push", str(feed(folder / "feed.csv", rows))]
    rounds = iter(range(1000))

    def inside() -> float:
        own = {**env, "ADSCTL_STATE_DIR": str(folder / f"inside-{next(rounds)}")}
        return measured([*push, "--profile", "local"], own).seconds

    def served() -> float:
        with serving(env, folder / f"served-{next(rounds)}.db") as online:
            return measured(push, online).seconds

    samples = interleaved({INSIDE: inside, SERVED: served}, runs, warm=False)
    table.speed(SERVED, rows, samples)
    table.speed(INSIDE, rows, samples, [Bar(SERVED, most=1.5)])


@contextmanager
def serving(env: Mapping[str, str], database: Path, *options: str) -> Iterator[dict[str, str]]:
    """Serve an emulator; yield the environment that is signed in to it."""
    command = [ADSCTL, "emulator", "serve", "--port", "0", "--database", str(database), *options]
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            words = server.stderr.readline().split()
            address = next(word.rstrip(";") for word in words if word.startswith("http"))
            shown = subprocess.run(
                [PYTHON, "-c", VARIABLES, str(database), address], env=env, check=True, capture_output=True
            )
            yield {**env, **json.loads(shown.stdout)}
        finally:
            server.terminate()
