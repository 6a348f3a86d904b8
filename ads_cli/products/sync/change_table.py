"""The changes of a comparison, on disk: writes in the order of the feed, then deletions."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from .change import WRITES, Action, Change

SCHEMA = "CREATE TABLE changes (number INTEGER PRIMARY KEY, is_deletion INTEGER, change BLOB)"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Change).decode


class ChangeTable:
    """Changes in a temporary database; any number of them takes no memory."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode = OFF")
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute(SCHEMA)
        self.counts = Counter[Action]()

    def add(self, changes: Iterable[Change]) -> None:
        """Add changes; the number of a write is that of its row, and deletions come after all of them."""
        rows = []
        for change in changes:
            self.counts[change.action] += 1
            is_deletion = change.action not in WRITES
            rows.append((None if is_deletion else change.record, is_deletion, _encode(change)))
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO changes VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def read(self, *, deletions: bool) -> Iterator[Change]:
        """Yield the writes, or the deletions."""
        query = "SELECT change FROM changes WHERE is_deletion = ? ORDER BY number"
        return (_decode(change) for (change,) in self._db.execute(query, (deletions,)))

    def close(self) -> None:
        """Close the database."""
        self._db.close()
