"""What adsctl has remembered, as a person can look at it: by queries on `state.db`."""

import shutil
import sqlite3
from contextlib import closing
from typing import Any

from tests.adsctl import Adsctl


def stored(adsctl: Adsctl, query: str, *values: object) -> list[Any]:
    """Return the rows of a query, or their only values; a query that changes something is carried out."""
    with closing(sqlite3.connect(adsctl.home / "state" / "state.db")) as db, db:
        rows = db.execute(query, values).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


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
