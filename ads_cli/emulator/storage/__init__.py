"""Storage: one SQLite file; one module per table."""

import hashlib
import re
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from ...errors import STATE_HINT, StateError

# Result codes that concern the file itself; an extended code has one of these in its lowest byte.
FILE_ERRORS = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


@contextmanager
def file_errors_as_state_errors(database: Path) -> Iterator[None]:
    """Raise StateError for SQLite errors of the file; leave other SQLite errors as they are."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in FILE_ERRORS:
            raise
        raise StateError(f"the emulator cannot use {database}: {error}", hint=STATE_HINT) from error


def casefold(text: str | None) -> str:
    """Fold the case of a text; null becomes empty."""
    return (text or "").casefold()


def contains_words(query: str, *texts: str | None) -> bool:
    """Return whether every word of a query occurs in the texts, in any case."""
    wanted = _words(query)
    return bool(wanted) and wanted <= {word for text in texts for word in _words(text)}


def _words(text: str | None) -> set[str]:
    return set(re.findall(r"[^\W_]+", casefold(text)))


BUSY_TIMEOUT_SECONDS = 30
RECORD_COLUMNS = "id, owner, deleted, created_at, updated_at, data"
SELECT_RECORD = f"SELECT {RECORD_COLUMNS} FROM records "

Record = dict[str, Any]
SERVICE = ""  # owner of records that belong to no user or account


class Store:
    """The database, with one connection for each thread that uses it at the moment.

    One connection shared by threads loses rows. A connection is `_idle`, or the `own` one of a thread from
    its first use to the end of the outermost block `in_use`. Another thread may close it between two uses,
    but not while its lock is held.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._local = threading.local()
        self._connections: list[_Connection] = []  # those that are open
        self._idle: list[_Connection] = []  # of these, those that no thread has
        self._write_lock = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection, opened on first use."""
        return self._own.sqlite

    @property
    def _own(self) -> "_Connection":
        own: _Connection | None = getattr(self._local, "own", None)
        if own is None or not own.is_open:
            own = self._local.own = self._take()
        return own

    def _take(self) -> "_Connection":
        with suppress(IndexError):
            while True:
                idle = self._idle.pop()
                if idle.is_open:
                    return idle
        opened = _Connection(self._connect())
        self._connections.append(opened)
        return opened

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep this thread's connection open during the block, whoever closes it; then give it back.

        Raise StateError for what SQLite reports of the file.
        """
        with file_errors_as_state_errors(self._database):
            yield from self._block()

    def _block(self) -> Iterator[None]:
        while True:
            own = self._own
            with own.lock:
                if own.is_open:
                    own.blocks += 1
                    try:
                        yield
                        return
                    finally:
                        own.blocks -= 1
                        if not own.blocks:
                            self._local.own = None
                            self._idle.append(own)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._database.absolute().as_uri() + "?mode=rw",  # never creates a file
            uri=True,
            timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        # The data must survive the end of the process, not a power cut.
        connection.execute("PRAGMA synchronous = OFF")
        connection.create_function("casefold", 1, casefold, deterministic=True)
        connection.create_function("contains_words", -1, contains_words, deterministic=True)
        return connection

    def close(self) -> None:
        """Close the connections that are not in use: SQLite crashes where another thread is in one."""
        open_ones, self._connections = self._connections, []
        self._connections += [connection for connection in open_ones if not connection.close()]

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run the block in a write transaction, or in the one of this thread. Roll back on an exception."""
        if self.connection.in_transaction:
            yield self.connection
            return
        # Threads wait for the lock in turn; SQLite's own busy handler sleeps and polls.
        with self.in_use(), self._write_lock:
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # SQLite rolls back by itself when the disk is full
                    connection.execute("ROLLBACK")
                raise

    def row(self, query: str, *values: Any) -> Any:
        """Return the first row that a query finds, or None."""
        with self.in_use():
            return self.connection.execute(query, values).fetchone()

    def value(self, query: str, *values: Any) -> Any:
        """Return the only column of the first row that a query finds, or None."""
        row = self.row(query, *values)
        return row and row[0]

    def insert(self, table: str, **values: Any) -> None:
        """Insert a row by the names of its columns."""
        places = ", ".join(f":{name}" for name in values)
        self.connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})", values)

    def add(self, kind: str, id: str, data: Record, *, owner: str, created_at: str | None = None) -> Record:
        """Insert a record."""
        at, encoded = created_at or utc_now(), _encode(data)
        self.insert("records", kind=kind, id=id, owner=owner, created_at=at, updated_at=at, data=encoded)
        return record_from_row((id, owner, False, at, at, encoded))

    def find(
        self, kind: str, id: str, *, owner: str | None = None, with_deleted: bool = False
    ) -> Record | None:
        """Return the record with an id, of one owner or of any; None if there is none."""
        where = "WHERE kind = ? AND id = ?" + ("" if owner is None else " AND owner = ?")
        values = (kind, id) if owner is None else (kind, id, owner)
        row = self.row(SELECT_RECORD + where, *values)
        return None if row is None or (row[2] and not with_deleted) else record_from_row(row)

    def find_all(
        self, kind: str, owner: str | None, *, with_deleted: bool = False, **fields: str
    ) -> list[Record]:
        """Return the records of one owner or of any with some values, oldest first."""
        owned = "" if owner is None else " AND owner = ?"
        live = "" if with_deleted else " AND NOT deleted"
        where = f"WHERE kind = ?{owned}{live}{_having(fields)} ORDER BY seq"
        values = [kind, *([] if owner is None else [owner]), *fields.values()]
        rows = self.connection.execute(SELECT_RECORD + where, values)
        return [record_from_row(row) for row in rows]

    def counts(self, kind: str, owner: str, by: str, **fields: str) -> dict[str, int]:
        """Count the records of an owner with some values, by the value of a field, without deleted ones."""
        where = f"WHERE kind = ? AND owner = ? AND NOT deleted{_having(fields)}"
        query = f"SELECT json_extract(data, '$.{by}'), count(*) FROM records {where} GROUP BY 1"
        return dict(self.connection.execute(query, (kind, owner, *fields.values())).fetchall())

    def update(self, kind: str, id: str, fields: Record, *, owner: str) -> Record:
        """Set fields of an existing record."""
        where = "WHERE kind = ? AND id = ? AND owner = ?"
        data = self.value(f"SELECT data FROM records {where}", kind, id, owner)
        merged = _encode(msgspec.json.decode(data) | fields)
        self.connection.execute(
            f"UPDATE records SET data = ?, updated_at = ? {where}", (merged, utc_now(), kind, id, owner)
        )
        return self._get(kind, id, owner)

    def delete(self, kind: str, id: str, *, owner: str) -> Record:
        """Mark a record as deleted."""
        self.connection.execute(
            "UPDATE records SET deleted = 1, updated_at = ? WHERE kind = ? AND id = ? AND owner = ?",
            (utc_now(), kind, id, owner),
        )
        return self._get(kind, id, owner)

    def purge(self, kind: str, owner: str, id: str | None = None) -> None:
        """Remove the row of a record, or of all records of a kind that an owner has."""
        where, values = ("", (kind, owner)) if id is None else (" AND id = ?", (kind, owner, id))
        self.connection.execute("DELETE FROM records WHERE kind = ? AND owner = ?" + where, values)

    def _get(self, kind: str, id: str, owner: str) -> Record:
        record = self.find(kind, id, owner=owner, with_deleted=True)
        assert record is not None
        return record

    def setting(self, name: str) -> str:
        """Return a value that was fixed when the database was seeded."""
        return str(self.value("SELECT value FROM settings WHERE name = ?", name))


class _Connection:
    """A connection, of one thread at a time."""

    def __init__(self, sqlite: sqlite3.Connection) -> None:
        self.sqlite = sqlite
        self.lock = threading.RLock()  # held while it is in use
        self.blocks = 0  # that use it, one in another
        self.is_open = True

    def close(self) -> bool:
        """Close the connection, unless another thread uses it; return whether it is closed."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            self.is_open = False
            self.sqlite.close()
            return True
        finally:
            self.lock.release()


def _having(fields: Iterable[str]) -> str:
    """Return the condition that each field of a record has the value that is bound to it."""
    return "".join(f" AND json_extract(data, '$.{name}') = ?" for name in fields)


def record_from_row(row: Sequence[Any]) -> Record:
    """Build a record as the service returns it from its RECORD_COLUMNS."""
    id, _, deleted, created_at, updated_at, data = row
    fields: Record = msgspec.json.decode(data)
    return (
        {"id": id} | fields | {"created_at": created_at, "updated_at": updated_at, "deleted": bool(deleted)}
    )


def _encode(data: Record) -> str:
    return msgspec.json.encode(data, enc_hook=str).decode()


def utc_now() -> str:
    """Return the current time in the service's format."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def empty(names: str) -> Record:
    """Return a record of fields that are null; their names are separated by blanks."""
    return dict.fromkeys(names.split())


def without(record: Record, *names: str) -> Record:
    """Return a record without some fields."""
    return {name: value for name, value in record.items() if name not in names}


DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number: int) -> str:
    """Write a number in base 36, with lower-case letters."""
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
    return digits or "0"


@lru_cache(1 << 14)  # of the same products in every push and listing
def derived_key(*names: str) -> str:
    """Derive a key from names; the same names give the same key."""
    named = "\0".join(names).encode()
    return base36(int.from_bytes(hashlib.blake2b(named, digest_size=10).digest()))


def random_number() -> str:
    """Generate an id of digits, the format of users and catalogs."""
    import secrets

    return str(10**18 + secrets.randbelow(9 * 10**18))


def random_base36() -> str:
    """Generate an id of digits and letters, the format of accounts, cards and line items."""
    import secrets

    return base36(36**10 + secrets.randbelow(35 * 36**10))


def find_by_screen_name(store: Store, screen_name: str) -> str | None:
    """Return the id of the user with a screen name, in any case; None if there is none."""
    user: str | None = store.value("SELECT id FROM users WHERE lower(screen_name) = lower(?)", screen_name)
    return user


def screen_name(store: Store, user: str) -> str | None:
    """Return the screen name of a user, or None."""
    name: str | None = store.value("SELECT screen_name FROM users WHERE id = ?", user)
    return name
