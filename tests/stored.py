"""What adsctl has remembered, as a person can look at it: by queries on `state.db`."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.adsctl import Adsctl


def stored(adsctl: Adsctl, query: str, *values: object) -> list[Any]:
    """Return the rows of a query, or their only values; a query that changes something is carried out."""
    return stored_at(adsctl.home, query, *values)


def stored_at(home: Path, query: str, *values: object) -> list[Any]:
    """Return the rows of a query on the database of a home folder; none where it has none."""
    if not (path := home / "state" / "state.db").exists():
        return []
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute(query, values).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


@contextmanager
def connected_by(kind: type[sqlite3.Connection]) -> Iterator[None]:
    """Let each `state.db` that is opened meanwhile have a connection of some kind."""
    real = sqlite3.connect

    def connect(database: Any, **options: Any) -> sqlite3.Connection:
        is_store = str(database).endswith("/state.db")
        return real(database, **options, **({"factory": kind} if is_store else {}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connect)
        yield


def restore_from_copy(adsctl: Adsctl) -> None:
    """Put a copy in place of the file, as a backup does."""
    path = adsctl.home / "state" / "state.db"
    shutil.copy2(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def damage_table(adsctl: Adsctl, name: str) -> None:
    """Overwrite the first page of a table."""
    query = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = ?"
    ((page, size),) = stored(adsctl, query, name)
    with (adsctl.home / "state" / "state.db").open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
