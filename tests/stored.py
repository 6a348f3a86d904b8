"""What adsctl has remembered, as a person can look at it: by queries on `state.db`."""

import shutil
import sqlite3
from contextlib import closing
from typing import Any

from tests.adsctl import Adsctl


def stored(adsctl: Adsctl, query: str, *values: object) -> list[Any]:
    """Return the rows of a query, or their only values; a query that changes something is carried out.

    Where nothing was ever remembered, there are none.
    """
    path = adsctl.home / "state" / "state.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db, db:
        rows = db.execute(query, values).fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


def restore_from_copy(adsctl: Adsctl) -> None:
    """Put a copy in place of the file, as a backup does."""
    path = adsctl.home / "state" / "state.db"
    shutil.copy2(path, path.with_name("copy"))
    path.with_name("copy").replace(path)
