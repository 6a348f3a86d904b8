"""A year of numbers into each database, beside a bare loop of its driver with the same rows."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from .mirror_loops import DAYS
from .running import HERE, Command, interleaved
from .table import Bar, Table

MOST_MEGABYTES = 200


def mirrors(table: Table, env: Mapping[str, str], folder: Path, entities: int, runs: int) -> None:
    """Write into each database; compare speed and memory to their bars."""
    table.begin(f"mirror of {entities * DAYS:,} rows of 12 metrics, medians of {runs}")
    env = {**env, "PYTHONPATH": str(HERE.parent)}
    numbers = count()
    with postgres() as server:
        for kind in ("sqlite", "duckdb", "parquet", *(["postgresql"] if server else [])):
            peaks = dict[str, float]()

            def write(how: str, kind: str = kind, peaks: dict[str, float] = peaks) -> float:
                name = f"mirror{next(numbers)}"
                address = f"{kind}:{folder / name}" if kind != "parquet" else str(folder / name)
                if kind == "postgresql":
                    server.rows(f"CREATE DATABASE {name}")
                    address = server.address(name)
                words = [sys.executable, str(HERE / "mirror_loops.py"), how, kind, address, str(entities)]
                seconds, peak = Command(words, env).run()
                peaks[how] = float(peak)
                return seconds

            bare, own = f"{kind}, bare loop", f"{kind}"
            samples = interleaved({bare: lambda: write("bare"), own: lambda: write("own")}, runs)
            table.speed(bare, entities * DAYS, samples)
            table.speed(own, entities * DAYS, samples, [Bar(bare, least=0.7)])
            table.limit(f"{kind}, peak memory", peaks["own"], MOST_MEGABYTES, "MB")


@contextmanager
def postgres() -> Iterator:
    """Run PostgreSQL, if Debian's is installed."""
    if not shutil.which("pg_ctlcluster") or os.name == "nt":
        print("  without PostgreSQL: apt-get install postgresql")
        yield None
        return
    from tests.mirror.postgres_server import running_postgres

    with running_postgres() as server:
        yield server
