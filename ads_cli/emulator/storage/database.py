"""Create and open the database file."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import STATE_HINT, StateError
from .schema import TABLES, VERSION
from .store import Store

# Error codes that concern the file itself, by the prefix of their names.
FILE_ERRORS = tuple(
    f"SQLITE_{name}"
    for name in ("BUSY", "CANTOPEN", "CORRUPT", "FULL", "IOERR", "NOTADB", "PERM", "READONLY")
)


@contextmanager
def file_errors_as_state_errors(database: Path) -> Iterator[None]:
    """Raise StateError for SQLite errors of the file; leave other SQLite errors as they are."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")  # such as SQLITE_IOERR_WRITE
        if not name.startswith(FILE_ERRORS):
            raise
        raise StateError(f"the emulator cannot use {database}: {error}", hint=STATE_HINT) from error


def open_store(database: Path, seed: Callable[[Store], None]) -> Store:
    """Open the database; create and seed it first if it does not exist."""
    with file_errors_as_state_errors(database):
        try:
            if not database.exists():
                _create(database, seed)
        except OSError as error:
            raise StateError(f"cannot create {database}: {error.strerror}", hint=STATE_HINT) from error
        store = Store(database)
        (version,) = store.connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        store.close()
        raise StateError(
            f"{database} was written by another version of the emulator", hint="run: adsctl emulator reset"
        )
    return store


def _create(database: Path, seed: Callable[[Store], None]) -> None:
    """Create the database under a temporary name, and link it to its own name once it is complete.

    When several processes do this at once, one wins, and none sees an incomplete file.
    """
    database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with seeded_file(database, seed) as name, suppress(FileExistsError):
        os.link(name, database)


@contextmanager
def seeded_file(database: Path, seed: Callable[[Store], None]) -> Iterator[Path]:
    """Make a new database beside another one, under a temporary name, for the block."""
    import tempfile

    descriptor, name = tempfile.mkstemp(dir=database.parent, prefix=database.name)  # mode 0600
    os.close(descriptor)
    store = Store(Path(name))
    try:
        store.connection.execute("PRAGMA journal_mode = WAL")
        store.connection.executescript(TABLES)
        with store.transaction():
            seed(store)
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        store.close()
        yield Path(name)
    finally:
        store.close()
        Path(name).unlink()
