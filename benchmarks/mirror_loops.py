"""Write a year of numbers into a database: by a destination of the mirror, or by a bare loop of its driver.

Usage: python mirror_loops.py own|bare KIND ADDRESS ENTITIES   (prints its peak of memory in MB)
"""

import itertools
import resource
import sqlite3
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from ads_cli.mirror.contract import REPORTS
from ads_cli.mirror.tables import Table

DAYS, METRICS, BATCH = 365, 12, 10_000
DAY = datetime(2025, 1, 1)


def report() -> Table:
    """Return the report of line items with its first metrics."""
    (whole,) = (table for table in REPORTS if table.name == "line_item_report")
    metrics = [column for column in whole.columns if column.type == "bigint"][:METRICS]
    keys = [column for column in whole.columns if column.is_key]
    return msgspec.structs.replace(whole, columns=(*keys, *metrics))


def rows(entities: int) -> Iterator[tuple]:
    """Yield the rows as jobs give them: entity by entity."""
    for entity in range(entities):
        for day in range(DAYS):
            numbers = [entity * 31 + day * metric for metric in range(METRICS)]
            yield "acc", f"li{entity}", DAY + timedelta(day), "ALL_ON_TWITTER", *numbers


def batches(entities: int) -> Iterator[list[tuple]]:
    """Yield rows, some at a time."""
    whole = rows(entities)
    while some := list(itertools.islice(whole, BATCH)):
        yield some


def own(address: str, entities: int) -> None:
    """Write by the destination."""
    from ads_cli.mirror.destination import Surroundings, open_destination

    surroundings = Surroundings(state_dir=Path(address.partition(":")[2] + ".state"), wait_seconds=60.0)
    destination, table = open_destination(address, surroundings), report()
    destination.begin()
    destination.ensure_tables([table])
    assert destination.replace(table, rows(entities)) == entities * DAYS
    destination.commit()
    destination.close()


def declared(types: dict[str, str]) -> str:
    """Declare the columns."""
    return ", ".join(f'"{column.name}" {types.get(column.type, column.type)}' for column in report().columns)


SAME = " AND ".join(f'old."{key}" = new."{key}"' for key in report().key)
KEY = ", ".join(f'"{key}"' for key in report().key)


def sqlite(address: str, entities: int) -> None:
    """Write by sqlite3."""
    db = sqlite3.connect(address.partition(":")[2])
    db.execute(f"CREATE TABLE IF NOT EXISTS t ({declared({})}, PRIMARY KEY ({KEY}))")
    texts = ((*row[:2], str(row[2]), *row[3:]) for row in rows(entities))
    db.executemany(f"REPLACE INTO t VALUES ({', '.join('?' * len(report().columns))})", texts)
    db.commit()
    db.close()


def duckdb(address: str, entities: int) -> None:
    """Write by DuckDB, from Arrow."""
    import duckdb
    import pyarrow

    db = duckdb.connect(address.partition(":")[2])
    db.execute(f"CREATE TABLE IF NOT EXISTS t ({declared({})}); CREATE TEMP TABLE s ({declared({})})")
    names = list(report().names)
    for some in batches(entities):
        part = pyarrow.Table.from_arrays([pyarrow.array(values) for values in zip(*some, strict=True)], names)
        db.register("part", part).execute("INSERT INTO s SELECT * FROM part")
    db.begin()
    db.execute(f"DELETE FROM t AS old USING s AS new WHERE {SAME}").execute("INSERT INTO t SELECT * FROM s")
    db.commit()
    db.close()


def postgresql(address: str, entities: int) -> None:
    """Write by psycopg, with COPY."""
    import psycopg

    with psycopg.connect(address) as db, db.cursor() as cursor:
        cursor.execute(f"CREATE TABLE IF NOT EXISTS t ({declared({})}, PRIMARY KEY ({KEY}))")
        cursor.execute(f"CREATE TEMP TABLE s ({declared({})})")
        with cursor.copy("COPY s FROM STDIN") as copy:
            for row in rows(entities):
                copy.write_row(row)
        cursor.execute(f"DELETE FROM t AS old USING s AS new WHERE {SAME}")
        cursor.execute("INSERT INTO t SELECT * FROM s")


def parquet(address: str, entities: int) -> None:
    """Write by pyarrow, a file for each day."""
    import pyarrow
    from pyarrow import parquet

    days: dict[datetime, list[tuple]] = {}
    for row in rows(entities):
        days.setdefault(row[2], []).append(row)
    Path(address).mkdir(exist_ok=True)
    for day, own_rows in days.items():
        arrays = [pyarrow.array(values) for values in zip(*own_rows, strict=True)]
        parquet.write_table(
            pyarrow.Table.from_arrays(arrays, list(report().names)), f"{address}/{day:%Y-%m-%d}.parquet"
        )


BARE: dict[str, Callable[[str, int], None]] = {
    "sqlite": sqlite,
    "duckdb": duckdb,
    "postgresql": postgresql,
    "parquet": parquet,
}


def main(how: str, kind: str, address: str, entities: str) -> None:
    """Write, and print the peak of memory."""
    (own if how == "own" else BARE[kind])(address, int(entities))
    print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


if __name__ == "__main__":
    main(*sys.argv[1:])
