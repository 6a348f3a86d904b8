"""The changes of a comparison, on disk: writes in the order of the feed, then deletions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from .change import WRITES, Action, Change
from .database import blob, create, insert, text

TABLES = """
    CREATE TABLE changes (number INTEGER PRIMARY KEY, is_deletion INTEGER, change BLOB);
    CREATE TABLE unlisted (id BLOB, group_key BLOB, is_known INTEGER, change BLOB);
"""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Change).decode


class Unlisted(NamedTuple):
    """A row whose product the catalog does not list, at least not at first."""

    id: str
    group_key: str | None = None  # of its group, if another product of that is listed
    is_known: bool = False  # the service has acknowledged the row as it is
    creation: Change | None = None  # of the product, unless the row is invalid


class ChangeTable:
    """Changes in a temporary database; any number of them takes no memory."""

    def __init__(self, path: Path) -> None:
        self._db = create(path, TABLES)
        self.counts = Counter[Action]()

    def add(self, changes: Iterable[Change]) -> None:
        """Add changes; the number of a write is that of its row, and deletions come after all of them."""
        rows = []
        for change in changes:
            self.counts[change.action] += 1
            is_deletion = change.action not in WRITES
            rows.append((None if is_deletion else change.record, is_deletion, _encode(change)))
        insert(self._db, "changes VALUES (?, ?, ?)", rows)

    def read(self, *, deletions: bool) -> Iterator[Change]:
        """Yield the writes, or the deletions."""
        query = "SELECT change FROM changes WHERE is_deletion = ? ORDER BY number"
        return (_decode(change) for (change,) in self._db.execute(query, (deletions,)))

    def add_unlisted(self, rows: Iterable[Unlisted]) -> None:
        """Add rows whose products are not listed."""
        values = [
            (blob(id), None if key is None else blob(key), is_known, creation and _encode(creation))
            for id, key, is_known, creation in rows
        ]
        insert(self._db, "unlisted VALUES (?, ?, ?, ?)", values)

    def unlisted(self) -> Iterator[Unlisted]:
        """Yield the rows whose products are not listed."""
        for id, key, is_known, creation in self._db.execute("SELECT * FROM unlisted ORDER BY rowid"):
            group_key = None if key is None else text(key)
            yield Unlisted(text(id), group_key, bool(is_known), creation and _decode(creation))

    def unknown_groups(self) -> list[str]:
        """Return the keys of the groups with a row that is not known."""
        unknown = "WHERE NOT is_known AND group_key != x''"
        query = f"SELECT group_key FROM unlisted {unknown} GROUP BY 1 ORDER BY min(rowid)"
        return [text(key) for (key,) in self._db.execute(query)]

    def close(self) -> None:
        """Close the database."""
        self._db.close()
