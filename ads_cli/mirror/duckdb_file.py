"""A mirror in a DuckDB file, which one process at a time may open: others wait."""

import csv
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.atomic_files import check_output_path
from ..errors import UsageError
from ..installation import missing_extra
from ..parallel import batched
from ..signals import NOTICE_SECONDS
from .destination import (
    ANNOUNCE_SECONDS,
    Days,
    Row,
    Scope,
    Surroundings,
    failed,
    lock_here,
    missing_columns,
    staging,
)
from .sql import day_counting, listed, marking, replacing, selection
from .tables import Column, Table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

EXAMPLE = "as in --into duckdb:ads.duckdb"
STAGE = "adsctl_stage"
STAGED_CELLS = 320_000  # of one file of CSV, which DuckDB reads faster than it takes values from Python
CSV = "HEADER false, AUTO_DETECT false, DELIM ',', QUOTE '\"', ESCAPE '\"', ALLOW_QUOTED_NULLS false"
TYPES = {"text": "VARCHAR", "numeric": "DECIMAL(24,6)"}  # a plain DECIMAL has 3 decimals
SETTINGS = {
    "threads": 1,
    "memory_limit": "64MB",
    "preserve_insertion_order": False,
    "autoinstall_known_extensions": False,  # nothing is downloaded
}
LOCKED = "Could not set lock on file"
COLUMNS = """SELECT column_name, data_type, tables.comment FROM duckdb_columns() columns
JOIN duckdb_tables() tables USING (table_oid, schema_oid, database_oid)
WHERE columns.table_name = ? AND columns.schema_name = 'main' AND NOT columns.internal
ORDER BY column_index"""
KEY_COMMENT = "adsctl; one row for each "
HINTS = {
    LOCKED: "another program has the file open: end it, or give --max-wait more time",
    "No space left": "free space on that disk, and run it again: nothing was changed",
    "Permission denied": "make the file and its folder writable, or name another file",
    "not a valid DuckDB": "name a DuckDB file, or a new one",
    "Read-only": "make the file and its folder writable, or name another file",
}
OTHER_HINT = "nothing was changed; run it again once that is repaired"


class DuckDBFile:
    """A DuckDB file as a destination.

    Its tables have no primary keys, whose index would have to be in memory; their comments name the keys.
    """

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        _driver()
        file = address.partition(":")[2]
        if not file:
            raise UsageError("--into: duckdb: names no file", hint=EXAMPLE)
        self._path = Path(file)
        check_output_path("--into", self._path)
        self.name = f"duckdb:{file}"
        self._surroundings = surroundings
        self._connection: DuckDBPyConnection | None = None

    def locked(self, account: str) -> AbstractContextManager[None]:
        """Hold the lock of an account, for all runs of this machine that share a state folder."""
        return lock_here(self._surroundings, str(self._path.resolve()), account)

    def begin(self) -> None:
        """Open the file once no other process has it, and begin a transaction."""
        with self._errors():
            self._open(read_only=False).begin()

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create tables, and add columns."""
        with self._errors():
            db = self._open(read_only=False)
            for table in tables:
                types, key = _columns(db, table)
                if not types:
                    db.execute(f'CREATE TABLE "{table.name}" ({", ".join(map(_declared, table.columns))})')
                    db.execute(f"COMMENT ON TABLE \"{table.name}\" IS '{KEY_COMMENT}{', '.join(table.key)}'")
                    continue
                for column in missing_columns(table, types, key, self.name):
                    db.execute(f'ALTER TABLE "{table.name}" ADD COLUMN {_declared(column)}')

    def select(self, table: Table, owner: str | None = None, days: Days | None = None) -> list[Row]:
        """Return rows."""
        with self._reading() as db:
            types = _columns(db, table)[0] if db else {}
            return db.execute(*selection(table, types, owner, days)).fetchall() if db and types else []

    def has_table(self, table: Table) -> bool:
        """Tell whether a table is there."""
        with self._reading() as db:
            return db is not None and bool(_columns(db, table)[0])

    def day_counts(self, table: Table, owner: str) -> Mapping[datetime, int]:
        """Count rows by day."""
        with self._reading() as db:
            if not db or not _columns(db, table)[0]:
                return {}
            return dict(db.execute(day_counting(table), [owner]).fetchall())

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows by files of CSV into a temporary table, which those of their keys are deleted by."""
        columns, name, staged = listed(table.names), f'"{table.name}"', 0
        with self._errors():
            execute = self._open(read_only=False).execute
            if scope:
                condition = f'"{table.owner}" = ? AND list_contains(?, "date")'
                execute(f"DELETE FROM {name} WHERE {condition}", [scope.owner, [*scope.days]])
            execute(f"CREATE OR REPLACE TEMP TABLE {STAGE} AS SELECT {columns} FROM {name} LIMIT 0")
            with staging(self.name), tempfile.TemporaryDirectory() as folder:
                file = Path(folder, "rows.csv")
                for some in batched(rows, STAGED_CELLS // len(table.columns)):
                    staged += len(some)
                    _write(file, some)
                    execute(f"COPY {STAGE} FROM {_literal(str(file))} ({CSV})")
            for statement in replacing(table, STAGE):
                execute(statement)
            execute(f"DROP TABLE {STAGE}")
        return staged

    def mark_deleted(self, table: Table, owner: str, before: datetime) -> None:
        """Mark rows that were not written since."""
        with self._errors():
            self._open(read_only=False).execute(marking(table), [owner, before])

    def commit(self) -> None:
        """Commit, and let others open the file."""
        with self._errors():
            self._open(read_only=False).commit()
        self.close()

    def rollback(self) -> None:
        """Roll back, and let others open the file."""
        self.close()

    def close(self) -> None:
        """Close the file, which rolls back."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        driver = _driver()
        try:
            yield
        except driver.Error as error:
            text = str(error)
            hint = next((hint for part, hint in HINTS.items() if part in text), OTHER_HINT)
            raise failed(self.name, text.strip().splitlines()[0], hint) from error

    @contextmanager
    def _reading(self) -> "Iterator[DuckDBPyConnection | None]":
        """Yield the file, and close it again outside of a transaction; nothing where there is none."""
        with self._errors():
            if self._connection is not None:
                yield self._connection
            elif not self._path.exists():
                yield None
            else:
                try:
                    yield self._open(read_only=True)
                finally:
                    self.close()

    def _open(self, *, read_only: bool) -> "DuckDBPyConnection":
        driver, begun, is_announced = _driver(), time.monotonic(), False
        longest = self._surroundings.wait_seconds
        while self._connection is None:
            try:
                self._connection = driver.connect(str(self._path), read_only=read_only, config=SETTINGS)
                self._connection.execute("SET enable_progress_bar = false")
            except driver.IOException as error:
                waited = time.monotonic() - begun
                if LOCKED not in str(error) or waited > longest:
                    raise
                if not is_announced and waited > ANNOUNCE_SECONDS:
                    is_announced = True
                    self._surroundings.say(f"{self.name}: another process has it open; waiting for it")
                time.sleep(NOTICE_SECONDS)
        return self._connection


class _Null:
    """An empty cell: the writer of CSV quotes all that is not a number, and an unquoted empty one is null."""

    def __float__(self) -> float:
        return 0.0

    def __str__(self) -> str:
        return ""


NULL = _Null()


def _write(file: Path, rows: Iterable[Row]) -> None:
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        writer.writerows([NULL if value is None else value for value in row] for row in rows)


def _columns(db: "DuckDBPyConnection", table: Table) -> tuple[dict[str, str], list[str]]:
    """Return the types of the columns of a table, and its key; none where there is no table."""
    listed = db.execute(COLUMNS, [table.name]).fetchall()
    types = {name: _named(type) for name, type, _ in listed}
    comment = listed[0][2] or "" if listed else ""
    return types, comment.removeprefix(KEY_COMMENT).split(", ")


def _named(type: str) -> str:
    return "text" if type == "VARCHAR" else "numeric" if type.startswith("DECIMAL") else type.lower()


def _declared(column: Column) -> str:
    return f'"{column.name}" {TYPES.get(column.type, column.type)}'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _driver() -> Any:
    try:
        import duckdb
    except ImportError:
        raise missing_extra("a mirror in DuckDB", "mirror") from None
    return duckdb
