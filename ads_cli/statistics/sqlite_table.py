"""A table of statistics in a SQLite file: what is asked again is changed in its place, and never doubled."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..errors import StateError
from .files import Counted
from .rows import KEYS, Row, Table

TABLE = "statistics"
KEY = ("account", "entity", "entity_id", "start", "end", "placement", "segment")
FIRST = ("account", *KEYS)
SEGMENT = FIRST.index("segment")
BUSY_SECONDS = 30


def store(path: Path, account: str, table: Table) -> int:
    """Insert rows, or replace what an earlier run has of the same entity, time, placement and segment.

    All of them or, where anything fails, none. Returns their number; raises StateError for a file that is
    no database, is locked or cannot be written.
    """
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                _add_columns(db, table.metrics)
                stored = _insert(db, account, table)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return stored
    except sqlite3.Error as error:
        raise StateError(
            f"--into: {path} cannot be written: {error}",
            hint="name a SQLite file, or a new one, in a folder that you may write",
        ) from error


def _add_columns(db: sqlite3.Connection, metrics: Iterable[str]) -> None:
    """Create the table, and the columns that it does not have."""
    kinds = {name: "TEXT NOT NULL" if name in KEY else "TEXT" for name in FIRST}
    listed = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items())
    key = ", ".join(f'"{name}"' for name in KEY)
    db.execute(f'CREATE TABLE IF NOT EXISTS "{TABLE}" ({listed}, PRIMARY KEY ({key}))')
    existing = {name for _, name, *_ in db.execute(f'PRAGMA table_info("{TABLE}")')}
    for name, kind in (kinds | dict.fromkeys(metrics, "NUMERIC")).items():
        if name not in existing:
            db.execute(f'ALTER TABLE "{TABLE}" ADD COLUMN "{name}" {kind}')


def _insert(db: sqlite3.Connection, account: str, table: Table) -> int:
    names = ["account", *table.columns]
    listed = ", ".join(f'"{name}"' for name in names)
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in KEY)
    query = (
        f'INSERT INTO "{TABLE}" ({listed}) VALUES ({", ".join("?" * len(names))}) '
        f"ON CONFLICT DO UPDATE SET {changed}"
    )
    counted = Counted(table.rows)
    db.executemany(query, (_values(account, row) for row in counted))
    return counted.count


def _values(account: str, row: Row) -> list[Any]:
    """Return a row as it is stored; a key is never empty."""
    values = [account, *(str(value) if isinstance(value, Decimal) else value for value in row)]
    values[SEGMENT] = values[SEGMENT] or ""
    return values
