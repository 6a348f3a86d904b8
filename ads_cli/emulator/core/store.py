"""What the emulator remembers: one SQLite file, open in many threads and processes at once."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from ...errors import STATE_HINT, StateError
from .tables import TABLES, VERSION
from .text_search import folded, mentions

BUSY_SECONDS = 30
TROUBLES = (
    "BUSY",
    "CANTOPEN",
    "CORRUPT",
    "FULL",
    "IOERR",
    "NOTADB",
    "PERM",
    "READONLY",
)  # of the file itself
RECORD = "SELECT id, owner, deleted, created_at, updated_at, data FROM records "

Record = dict[str, Any]


class Store:
    """The database, with a connection of its own for each thread.

    One connection shared by threads loses rows.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._of_thread = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._one_writer = threading.Lock()

    @property
    def connection(self) -> sqlite3.Connection:
        """Give this thread's connection, opened on first use."""
        connection: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if connection is None:
            connection = self._of_thread.connection = self._open()
        return connection

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._database, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        # An emulator need not outlive a power cut, only the end of its process.
        connection.execute("PRAGMA synchronous = OFF")
        connection.create_function("folded", 1, folded, deterministic=True)
        connection.create_function("mentions", -1, mentions, deterministic=True)
        self._connections.append(connection)
        return connection

    def close(self) -> None:
        """Close the connections of all threads."""
        while self._connections:
            self._connections.pop().close()
        self._of_thread = threading.local()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Hold the right to write until the end of the block, which is applied whole or not at all."""
        # Threads queue at the lock, in turn; SQLite makes them sleep and try again.
        with self._one_writer:
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:  # a full disk may have ended it already
                    connection.execute("ROLLBACK")
                raise

    def add(self, kind: str, id: str, data: Record, *, owner: str, created_at: str | None = None) -> Record:
        """Write down a new record."""
        at = created_at or now()
        self.connection.execute(
            "INSERT INTO records (kind, id, owner, created_at, updated_at, data) VALUES (?, ?, ?, ?, ?, ?)",
            (kind, id, owner, at, at, encoded := _encoded(data)),
        )
        return shown((id, owner, False, at, at, encoded))

    def find(
        self, kind: str, id: str, *, owner: str | None = None, with_deleted: bool = False
    ) -> Record | None:
        """Give the record of an id, within one owner or in all of them."""
        where = "WHERE kind = ? AND id = ?" + ("" if owner is None else " AND owner = ?")
        values = (kind, id) if owner is None else (kind, id, owner)
        row = self.connection.execute(RECORD + where, values).fetchone()
        return None if row is None or (row[2] and not with_deleted) else shown(row)

    def all(self, kind: str, owner: str) -> list[Record]:
        """List the records of an owner, the oldest first, without the deleted ones."""
        where = "WHERE kind = ? AND owner = ? AND NOT deleted ORDER BY seq"
        return [shown(row) for row in self.connection.execute(RECORD + where, (kind, owner))]

    def change(self, kind: str, id: str, fields: Record, *, owner: str) -> Record:
        """Set some fields of a record that exists."""
        where = "WHERE kind = ? AND id = ? AND owner = ?"
        (data,) = self.connection.execute(f"SELECT data FROM records {where}", (kind, id, owner)).fetchone()
        changed = _encoded(msgspec.json.decode(data) | fields)
        self.connection.execute(
            f"UPDATE records SET data = ?, updated_at = ? {where}", (changed, now(), kind, id, owner)
        )
        return self._kept(kind, id, owner)

    def delete(self, kind: str, id: str, *, owner: str) -> Record:
        """Mark a record as deleted."""
        self.connection.execute(
            "UPDATE records SET deleted = 1, updated_at = ? WHERE kind = ? AND id = ? AND owner = ?",
            (now(), kind, id, owner),
        )
        return self._kept(kind, id, owner)

    def erase(self, kind: str, owner: str, id: str | None = None) -> None:
        """Remove a record for good, or all of its kind in an owner."""
        which, values = ("", (kind, owner)) if id is None else (" AND id = ?", (kind, owner, id))
        self.connection.execute("DELETE FROM records WHERE kind = ? AND owner = ?" + which, values)

    def _kept(self, kind: str, id: str, owner: str) -> Record:
        record = self.find(kind, id, owner=owner, with_deleted=True)
        assert record is not None
        return record

    def setting(self, name: str) -> str:
        """Give a value that was fixed when the database was made."""
        row = self.connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return str(row[0])


def shown(row: Sequence[Any]) -> Record:
    """Put a row together as the service shows the record."""
    id, _, deleted, created_at, updated_at, data = row
    fields: Record = msgspec.json.decode(data)
    return (
        {"id": id} | fields | {"created_at": created_at, "updated_at": updated_at, "deleted": bool(deleted)}
    )


def _encoded(data: Record) -> str:
    return msgspec.json.encode(data, enc_hook=str).decode()


def now() -> str:
    """Write the time as the service does."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@contextmanager
def kept(database: Path) -> Iterator[None]:
    """Raise StateError for troubles of the file; mistakes in what is asked of it stay what they are."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")  # as in SQLITE_IOERR_WRITE
        if not name.startswith(tuple(f"SQLITE_{trouble}" for trouble in TROUBLES)):
            raise
        raise StateError(f"the emulator cannot use {database}: {error}", hint=STATE_HINT) from error


def opened(database: Path, seed: Callable[[Store], None]) -> Store:
    """Open the database, made and seeded first where there is none."""
    with kept(database):
        try:
            if not database.exists():
                _make(database, seed)
        except OSError as error:
            raise StateError(f"{database} cannot be made: {error.strerror}", hint=STATE_HINT) from error
        store = Store(database)
        (version,) = store.connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        store.close()
        raise StateError(
            f"{database} was written by another version of the emulator", hint="run: adsctl emulator reset"
        )
    return store


def _make(database: Path, seed: Callable[[Store], None]) -> None:
    """Make the database under another name, and give it its own once it is whole.

    Of several processes that do this at once, one wins, and no other ever sees a half-made file.
    """
    import os
    import tempfile

    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=database.parent, prefix=database.name)  # for its owner only
    os.close(descriptor)
    store = Store(Path(name))
    try:
        store.connection.execute("PRAGMA journal_mode = WAL")
        store.connection.executescript(TABLES)
        with store.writing():
            seed(store)
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        store.close()
        with suppress(FileExistsError):
            os.link(name, database)
    finally:
        store.close()
        Path(name).unlink()
