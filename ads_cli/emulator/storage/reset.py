"""Give a database the contents of a new one, unless it is in use."""

import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from ...errors import StateError, UsageError
from . import Store
from .database import file_errors_as_state_errors, seeded_file

BUSY_TIMEOUT_SECONDS = 1.0
OWN_TABLES = {"records", "products", "request_tokens"}  # in every version of the schema
PROGRAMS = ("adsctl", "ads_cli")  # the end of the word of a command line after which its options follow


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
                f"{database} is in use by {_users(database)}; nothing was changed",
                hint="stop it, and run the command again",
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
    with closing(sqlite3.connect(database, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        with seeded_file(database, seed) as name, closing(sqlite3.connect(name)) as source:
            source.backup(connection)


def _users(database: Path) -> str:
    """Describe the processes that have a file open, where the system tells."""
    path = database.resolve()
    users = {}
    for descriptor in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):  # a process of another user, or one that has ended
            if descriptor.readlink() == path:
                users[descriptor.parts[2]] = _command_line(descriptor.parents[1])
    described = [f"process {pid} ({command})" for pid, command in users.items()]
    return (
        ", ".join(described) or "`adsctl emulator serve`, `emulator exec` or a command with --profile local"
    )


def _command_line(process: Path) -> str:
    """Return the command line of a process as it was typed, without the path of the interpreter."""
    words = (process / "cmdline").read_text(errors="replace").split("\0")[:-1]
    start = next((n for n, word in enumerate(words, 1) if word.endswith(PROGRAMS)), None)
    return shlex.join(words) if start is None else shlex.join(["adsctl", *words[start:]])
