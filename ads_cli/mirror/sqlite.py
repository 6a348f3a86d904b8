"""A mirror in a SQLite file, which has one writer at a time: others wait."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import Any

from ..signals import NOTICE_SECONDS
from .destination import Row, Scope, failed
from .sql import FREE_SPACE, MAKE_WRITABLE, OTHER_HINT, DatabaseFile, listed
from .tables import Column, Table

CACHE_KIB = 65536  # of changed pages, before readers are locked out
BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
HINTS = {
    "SQLITE_FULL": FREE_SPACE,
    "SQLITE_READONLY": MAKE_WRITABLE,
    "SQLITE_CANTOPEN": "name a file in a folder that exists and that you may write to",
    "SQLITE_NOTADB": "name a SQLite file, or a new one",
    "SQLITE_CORRUPT": "restore the file, or name a new one: the mirror can be made again",
    "SQLITE_BUSY": "another program writes to it; run it again, or give --max-wait more time",
}


def _text(time: datetime) -> str:
    return time.isoformat(" ")


def _time(text: bytes) -> datetime:
    return datetime.fromisoformat(text.decode())


# For all connections of this process, so as Python did without being asked until 3.12.
sqlite3.register_adapter(datetime, _text)
sqlite3.register_adapter(Decimal, str)
sqlite3.register_converter("timestamp", _time)


class SqliteFile(DatabaseFile):
    """A SQLite file as a destination."""

    def begin(self) -> None:
        """Begin a transaction; wait for another writer."""
        with self._errors():
            self._execute_when_free(f"PRAGMA cache_size = -{CACHE_KIB}")
            self._execute_when_free("BEGIN IMMEDIATE")

    def replace(self, table: Table, rows: Iterable[Row], scope: Scope | None = None) -> int:
        """Write rows. The statement itself deletes what has their keys: nothing needs to be staged."""
        places = ", ".join("?" * len(table.names))
        insert = f'REPLACE INTO "{table.name}" ({listed(table.names)}) VALUES ({places})'
        with self._errors():
            if scope:
                days = json.dumps([*map(_text, scope.days)])
                condition = f'"{table.owner}" = ? AND "date" IN (SELECT value FROM json_each(?))'
                self._rows(f'DELETE FROM "{table.name}" WHERE {condition}', [scope.owner, days])
            return self._open().executemany(insert, rows).rowcount

    def commit(self) -> None:
        """Commit once no reader is in the way."""
        with self._errors():
            self._execute_when_free("COMMIT")

    def rollback(self) -> None:
        """Roll back."""
        with self._errors():
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

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
            path = self._path.absolute()
            options: dict[str, Any] = {"timeout": NOTICE_SECONDS, "isolation_level": None}
            self._connection = sqlite3.connect(path, detect_types=sqlite3.PARSE_DECLTYPES, **options)
        connection: sqlite3.Connection = self._connection
        return connection

    def _execute_when_free(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement that other processes may keep waiting; a signal ends the wait."""
        db, begun = self._open(), time.monotonic()
        while True:
            try:
                return db.execute(statement, values)
            except sqlite3.OperationalError as error:
                is_busy = error.sqlite_errorname.startswith(BUSY)
                if not is_busy or time.monotonic() - begun > self._surroundings.wait_seconds:
                    raise

    def _rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        return self._execute_when_free(statement, values).fetchall()

    def _existing(self, table: Table) -> tuple[dict[str, str], list[str]]:
        columns = self._rows(f'PRAGMA table_info("{table.name}")')
        types = {str(name): str(type).lower() for _, name, type, *_ in columns}
        return types, [str(name) for _, name, *_, is_key in columns if is_key]

    def _creating(self, table: Table) -> list[str]:
        columns = ", ".join(map(self._declared, table.columns))
        # Rows of reports are short and come in the order of their keys: no index beside them is needed.
        storage = " WITHOUT ROWID" if table.kind == "report" else ""
        return [f'CREATE TABLE "{table.name}" ({columns}, PRIMARY KEY ({listed(table.key)})){storage}']

    def _declared(self, column: Column) -> str:
        return f"{super()._declared(column)}{' NOT NULL' if column.is_key else ''}"
