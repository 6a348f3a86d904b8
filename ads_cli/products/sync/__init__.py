"""A catalog becomes what a feed says: temporary databases of both, private, fast, and gone at the end."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...errors import TEMPORARY_HINT, StateError

CACHE_KIBIBYTES = 8 * 1024
MAX_PARAMETERS = 500  # of a query; SQLite allows 999 in its smallest build


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a folder for databases; raise StateError where one of them cannot be written."""
    try:
        with TemporaryDirectory(prefix="adsctl-", ignore_cleanup_errors=True) as name:
            yield Path(name)
    except sqlite3.Error as error:
        raise StateError(
            f"the temporary database of the comparison cannot be used: {error}",
            hint=TEMPORARY_HINT,
        ) from error


def create_database(path: Path, tables: str) -> sqlite3.Connection:
    """Create a database that one thread at a time writes, and that no crash outlives."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {_CACHE}; {tables}")
    return db


def open_unchanging(path: Path) -> sqlite3.Connection:
    """Open a database to which nothing is written meanwhile."""
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    db.execute(_CACHE)
    return db


_CACHE = f"PRAGMA cache_size = -{CACHE_KIBIBYTES}"


def write(db: sqlite3.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> int:
    """Write rows in one transaction; return how many were.

    The database has no journal, so a transaction cannot be rolled back: after an error it cannot be used.
    """
    db.execute("BEGIN")
    count = db.executemany(statement, rows).rowcount
    db.execute("COMMIT")
    return count


def select(db: sqlite3.Connection, query: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Run a query with a list of values in place of `{}`, a part of them at a time."""
    for begin in range(0, len(values), MAX_PARAMETERS):
        part = values[begin : begin + MAX_PARAMETERS]
        # Not `yield from`: it closes the cursor of a generator that a signal has left, after its database.
        for row in db.execute(query.format(",".join("?" * len(part))), part):  # noqa: UP028
            yield row


def blob(text: Any) -> bytes:
    """Return the bytes of any text, whatever its characters."""
    return str(text).encode("utf-8", "surrogatepass")


def text(data: bytes) -> str:
    """Undo `blob`."""
    return data.decode("utf-8", "surrogatepass")
