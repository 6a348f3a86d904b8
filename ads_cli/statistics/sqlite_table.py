"""A table of statistics in a SQLite file: what is asked again is changed in its place, and never doubled."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..errors import StateError
from .files import Counted
from .question import Question
from .rows import KEYS, Table

TABLE = "statistics"
KEY = ("account", "entity", "entity_id", "start", "end", "placement", "segment_by", "segment")
OWN = ("account", "segment_by")  # columns that rows do not have
BUSY_SECONDS = 30
WRITABLE = "name a SQLite file, or a new one, in a folder that you may write"
LOCKED = "another program writes to it; run the command again, with --resume where it was an export"
# A day that was stored before the clock was changed began at another offset of the same midnight.
DELETE_SAME_DAY = f"""
DELETE FROM "{TABLE}"
WHERE account = ? AND entity = ? AND entity_id = ? AND placement = ? AND segment_by = ? AND segment = ?
AND start > ? AND start < ? || '~' AND start <> ? AND substr("end", 1, 19) = ?
"""
LOCAL = len("2026-03-01T00:00:00")  # of a time, without its offset


def store(path: Path, account: str, question: Question, table: Table) -> int:
    """Insert rows, or replace what an earlier run has of the same entity, time, placement and segment.

    All of them or, where anything fails, none. Returns their number; raises StateError for a file that is
    no database, is locked or cannot be written.
    """
    try:
        with closing(sqlite3.connect(path.absolute(), timeout=BUSY_SECONDS, isolation_level=None)) as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                _add_columns(db, path, table.metrics)
                stored = _insert(db, (account, question.segmentation or ""), table, question.granularity)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            return stored
    except sqlite3.Error as error:
        is_locked = error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        raise StateError(
            f"--into: {path} cannot be written: {error}", hint=LOCKED if is_locked else WRITABLE
        ) from error


def _add_columns(db: sqlite3.Connection, path: Path, metrics: Iterable[str]) -> None:
    """Create the table, and the columns that it does not have; raise StateError for another table."""
    columns = (*OWN, *KEYS)
    kinds = {name: "TEXT NOT NULL" if name in KEY else "TEXT" for name in columns}
    listed = ", ".join(f'"{name}" {kind}' for name, kind in kinds.items())
    key = ", ".join(f'"{name}"' for name in KEY)
    db.execute(f'CREATE TABLE IF NOT EXISTS "{TABLE}" ({listed}, PRIMARY KEY ({key}))')
    found = {name: is_key for _, name, _, _, _, is_key in db.execute(f'PRAGMA table_info("{TABLE}")')}
    if {name for name, is_key in found.items() if is_key} != {*KEY}:
        raise StateError(
            f"--into: {path} has a table {TABLE} that adsctl did not make", hint="name another file"
        )
    for name, kind in (kinds | dict.fromkeys(metrics, "NUMERIC")).items():
        if name not in found:
            db.execute(f'ALTER TABLE "{TABLE}" ADD COLUMN "{name}" {kind}')


def _insert(db: sqlite3.Connection, own: tuple[str, str], table: Table, granularity: str) -> int:
    names = [*OWN, *table.columns]
    listed = ", ".join(f'"{name}"' for name in names)
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in KEY)
    query = (
        f'INSERT INTO "{TABLE}" ({listed}) VALUES ({", ".join("?" * len(names))}) '
        f"ON CONFLICT DO UPDATE SET {changed}"
    )
    counted = Counted(table.rows)
    for row in counted:
        values = dict(zip(names, (*own, *map(_stored, row)), strict=True))
        values["segment"] = values["segment"] or ""  # a key is never empty
        if granularity != "HOUR":
            _delete_same_day(db, values)
        db.execute(query, [*values.values()])
    return counted.count


def _delete_same_day(db: sqlite3.Connection, values: dict[str, Any]) -> None:
    same = [values[name] for name in ("account", "entity", "entity_id", "placement", "segment_by", "segment")]
    start, end = values["start"][:LOCAL], values["end"][:LOCAL]
    db.execute(DELETE_SAME_DAY, [*same, start, start, values["start"], end])


def _stored(value: Any) -> Any:
    return str(value) if isinstance(value, Decimal) else value
