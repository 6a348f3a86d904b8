"""Create, open and reset the database file; one that is in use is never reset."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ...errors import STATE_HINT, StateError, UsageError
from . import Store, file_errors_as_state_errors

VERSION = 12  # increment when the tables or the seeded data change


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
    from importlib.resources import files

    descriptor, name = tempfile.mkstemp(dir=database.parent, prefix=database.name)  # mode 0600
    os.close(descriptor)
    store = Store(Path(name))
    try:
        store.connection.execute("PRAGMA journal_mode = WAL")
        tables = files(__package__).joinpath("tables.sql").read_text(encoding="utf-8")
        store.connection.executescript(tables)
        with store.transaction():
            seed(store)
            store.connection.execute(f"PRAGMA user_version = {VERSION}")
        store.close()
        yield Path(name)
    finally:
        store.close()
        Path(name).unlink()


RESET_TIMEOUT_SECONDS = 1.0  # for a database that is in use
OWN_TABLES = {"records", "products", "request_tokens"}  # in every version of the schema


def reset_database(database: Path, seed: Callable[[Store], None]) -> None:
    """Replace all data, keys and tokens; raise StateError if the database is open elsewhere.

    The file stays, since SQLite could mix up an old and a new one of the same name.
    """
    if not database.exists():
        return
    try:
        _replace_contents(database, seed)
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith("SQLITE_BUSY"):
            raise StateError(
                f"{database} is in use; nothing was changed",
                hint="stop `adsctl emulator serve`, `emulator exec` or a command with --profile local first",
            ) from None
        if not name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            with file_errors_as_state_errors(database):
                raise
        for suffix in ("", "-wal", "-shm", "-journal"):  # it is of no use
            database.with_name(database.name + suffix).unlink(missing_ok=True)


def require_emulator_database(database: Path) -> None:
    """Raise UsageError for a file that is not a database of the emulator, or cannot be read as one."""
    if not database.exists():
        return
    try:
        with closing(sqlite3.connect(database.absolute().as_uri() + "?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError:
        tables = set()
    if not tables.issuperset(OWN_TABLES):
        raise UsageError(
            f"{database} is not a database of the emulator; nothing was changed",
            hint="name another file with --database, or remove this one yourself",
        )


def _replace_contents(database: Path, seed: Callable[[Store], None]) -> None:
    """Copy a new database over this one under an exclusive lock.

    In WAL mode every connection holds a shared lock for as long as it is open, so that leaving this mode
    fails while there is another one.
    """
    with closing(
        sqlite3.connect(database, timeout=RESET_TIMEOUT_SECONDS, isolation_level=None)
    ) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        with seeded_file(database, seed) as name, closing(sqlite3.connect(name)) as source:
            source.backup(connection)
