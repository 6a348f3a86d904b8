"""A table of statistics in a SQLite file: what is asked again is changed in its place, and never doubled."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..errors import StateError
from .rows import BASE, Row

TABLE = "statistics"
KEY = ("account", "entity", "entity_id", "start", "end", "placement", "segment")
FIRST = ("account", *BASE)
BUSY_SECONDS = 30


def store(path: Path, account: str, rows: Iterable[Row], columns: Iterable[str]) -> int:
    """Insert rows, or replace what an earlier run has of the same entity, time, placement and segment.

    All of them or, where anything fails, none. Returns their number; raises StateError for a file that is
    no database, is locked or cannot be written.
    """
    try:
        with closing(sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                _add_columns(db, [*columns])
                stored = _insert(db, account, rows, [*columns])
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


def _add_columns(db: sqlite3.Connection, columns: list[str]) -> None:
    """Create the table, and the columns of metrics that it does not have."""
    names = ", ".join(f'"{name}" TEXT NOT NULL' if name in KEY else f'"{name}" TEXT' for name in FIRST)
    key = ", ".join(f'"{name}"' for name in KEY)
    db.execute(f'CREATE TABLE IF NOT EXISTS "{TABLE}" ({names}, PRIMARY KEY ({key}))')
    existing = {name for _, name, *_ in db.execute(f'PRAGMA table_info("{TABLE}")')}
    for name in columns:
        if name not in existing:
            db.execute(f'ALTER TABLE "{TABLE}" ADD COLUMN "{name}" NUMERIC')


def _insert(db: sqlite3.Connection, account: str, rows: Iterable[Row], columns: list[str]) -> int:
    names = [*FIRST, *columns]
    listed = ", ".join(f'"{name}"' for name in names)
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in KEY)
    query = (
        f'INSERT INTO "{TABLE}" ({listed}) VALUES ({", ".join("?" * len(names))}) '
        f"ON CONFLICT DO UPDATE SET {changed}"
    )
    stored = 0
    for row in rows:
        values = {**row, "account": account, "segment": row["segment"] or ""}
        db.execute(query, [_value(values.get(name)) for name in names])
        stored += 1
    return stored


def _value(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value
