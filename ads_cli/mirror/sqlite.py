"""A mirror in a SQLite file, which has one writer at a time: others wait."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from ..config.atomic_files import check_output_path
from ..errors import UsageError
from ..signals import NOTICE_SECONDS
from .destination import EXAMPLES, Days, Row, Scope, Surroundings, failed, lock_here, missing_columns
from .sql import day_counting, marking, selection
from .tables import Column, Table

TIME = "%Y-%m-%d %H:%M:%S"
CACHE_KIB = 65536  # of changed pages, before readers are locked out
BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
HINTS = {
    "SQLITE_FULL": "free space on that disk, and run it again: nothing was changed",
    "SQLITE_READONLY": "make the file and its folder writable, or name another file",
    "SQLITE_CANTOPEN": "name a file in a folder that exists and that you may write to",
    "SQLITE_NOTADB": "name a SQLite file, or a new one",
    "SQLITE_CORRUPT": "restore the file, or name a new one: the mirror can be made again",
    "SQLITE_BUSY": "another program writes to it; run it again, or give --max-wait more time",
}
OTHER_HINT = "nothing was changed; run it again once that is repaired"


class SqliteFile:
    """A SQLite file as a destination."""

    def __init__(self, address: str, surroundings: Surroundings) -> None:
        file = address.partition(":")[2]
        if not file:
            raise UsageError("--into: sqlite: names no file", hint=EXAMPLES)
        self._path = Path(file)
        check_output_path("--into", self._path)
        self.name = f"sqlite:{file}"
        self._surroundings = surroundings
        self._connection: sqlite3.Connection | None = None

    def locked(self, account: str) -> AbstractContextManager[None]:
        """Hold the lock of an account, for all runs of this machine that share a state folder."""
        return lock_here(self._surroundings, str(self._path.resolve()), account)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            kind = getattr(error, "sqlite_errorname", "")
            hint = next((hint for name, hint in HINTS.items() if kind.startswith(name)), OTHER_HINT)
            raise failed(self.name, str(error), hint) from error

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            db = sqlite3.connect(self._path.absolute(), timeout=NOTICE_SECONDS, isolation_level=None)
            db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._connection = db
        return self._connection

    def _execute_when_free(self, statement: str) -> None:
        """Execute a statement that other processes may keep waiting; a signal ends the wait."""
        db, begun = self._open(), time.monotonic()
        while True:
            try:
                db.execute(statement)
                return
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorname.startswith(BUSY)
                if not is_busy or time.monotonic() - begun > self._surroundings.wait_seconds:
                    raise

    def begin(self) -> None:
        """Begin a transaction; wait for another writer."""
        with self._errors():
            self._execute_when_free("BEGIN IMMEDIATE")

    def ensure_tables(self, tables: Sequence[Table]) -> None:
        """Create tables, and add columns."""
        with self._errors():
            db = self._open()
            for table in tables:
                types = self._types(table)
                if not types:
                    db.execute(_created(table))
                    continue
                for column in missing_columns(table, types, self._key(table), self.name):
                    db.execute(f'ALTER TABLE "{table.name}" ADD COLUMN {_declared(column)}')

    def select(self, table: Table, owner: str | None = None, days: Days | None = None) -> list[Row]:
        """Return rows."""
        with self._errors():
            if not self._path.exists() or not (types := self._types(table)):
                return []
            query, values = selection(table, types, owner, days)
            values = [value.strftime(TIME) if isinstance(value, datetime) else value for value in values]
            times = [i for i, column in enumerate(table.columns) if column.type == "timestamp"]
            return [_as_read(row, times) for row in self._open().execute(query, values)]

    def has_table(self, table: Table) -> bool:
        """Tell whether a table is there."""
        with self._errors():
            return self._path.exists() and bool(self._types(table))

    def day_counts(self, table: Table, owner: str) -> Mapping[datetime, int]:
        """Count rows by day."""
        with self._errors():
            if not self._path.exists() or not self._types(table):
                return {}
            counted = self._open().execute(day_counting(table), (owner,))
            return {_time(day): count for day, count in counted}

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows. The statement itself deletes what has their keys: nothing needs to be staged."""
        listed = ", ".join(f'"{name}"' for name in table.names)
        places = ", ".join("?" * len(table.names))
        insert = f'REPLACE INTO "{table.name}" ({listed}) VALUES ({places})'
        with self._errors():
            db = self._open()
            if scope:
                days = json.dumps([day.strftime(TIME) for day in scope.days])
                condition = f'"{table.owner}" = ? AND "date" IN (SELECT value FROM json_each(?))'
                db.execute(f'DELETE FROM "{table.name}" WHERE {condition}', (scope.owner, days))
            return db.executemany(insert, _as_stored(table, rows)).rowcount

    def mark_deleted(self, table: Table, owner: str, before: datetime) -> None:
        """Mark rows that were not written since."""
        with self._errors():
            self._open().execute(marking(table), (owner, before.strftime(TIME)))

    def commit(self) -> None:
        """Commit once no reader is in the way."""
        with self._errors():
            self._execute_when_free("COMMIT")

    def rollback(self) -> None:
        """Roll back."""
        with self._errors():
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()  # which rolls back
        self._connection = None

    def _types(self, table: Table) -> dict[str, str]:
        """Return the declared types of the columns of a table, or of a view of its name."""
        listed = self._open().execute(f'PRAGMA table_info("{table.name}")')
        return {name: kind.lower() for _, name, kind, *_ in listed}

    def _key(self, table: Table) -> list[str]:
        listed = self._open().execute(f'PRAGMA table_info("{table.name}")')
        return [name for _, name, *_, is_key in listed if is_key]


def _created(table: Table) -> str:
    listed = ", ".join(map(_declared, table.columns))
    key = ", ".join(f'"{name}"' for name in table.key)
    # Rows of reports are short and come in the order of their keys: no index beside them is needed.
    storage = " WITHOUT ROWID" if table.kind == "report" else ""
    return f'CREATE TABLE "{table.name}" ({listed}, PRIMARY KEY ({key})){storage}'


def _declared(column: Column) -> str:
    return f'"{column.name}" {column.type}{" NOT NULL" if column.is_key else ""}'


def _as_stored(table: Table, rows: Iterable[Row]) -> Iterator[Sequence[Row | object]]:
    """Yield rows as SQLite stores them: times and amounts as texts."""
    special = [i for i, column in enumerate(table.columns) if column.type in ("timestamp", "numeric")]
    texts = dict[datetime, str]()
    for row in rows:
        values: list[object] = [*row]
        for i in special:
            value = values[i]
            if isinstance(value, datetime):
                values[i] = texts.get(value) or texts.setdefault(value, value.strftime(TIME))
            elif isinstance(value, Decimal):
                values[i] = str(value)
        yield values


def _as_read(row: Row, times: Sequence[int]) -> Row:
    values = [*row]
    for i in times:
        values[i] = _time(str(values[i])) if values[i] is not None else None
    return tuple(values)


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
