"""The changes of a comparison, on disk: writes in the order of the feed, then deletions."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from .change import WRITES, Action, Change
from .database import blob, create, insert, select, text

TABLES = """
    CREATE TABLE changes (number INTEGER PRIMARY KEY, is_deletion INTEGER, change BLOB);
    CREATE TABLE hidden (group_key BLOB, is_known INTEGER, change BLOB);
    CREATE TABLE unlisted (id BLOB);
"""
INDEXES = """
    CREATE INDEX by_group ON hidden (group_key);
    CREATE INDEX by_id ON unlisted (id);
"""
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Change).decode


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

    def add_hidden(self, rows: Iterable[tuple[str, bool, Change]]) -> None:
        """Add creations of what may be hidden: each with the key of its group, and whether it is known."""
        values = [(blob(key), is_known, _encode(change)) for key, is_known, change in rows]
        insert(self._db, "hidden VALUES (?, ?, ?)", values)

    def add_unlisted(self, ids: Iterable[str]) -> None:
        """Add the ids of rows, valid or not, whose products are not listed."""
        insert(self._db, "unlisted VALUES (?)", [(blob(id),) for id in ids])

    def index(self) -> None:
        """Make what is hidden and what is not listed findable, once all rows are added."""
        self._db.executescript(INDEXES)

    def unknown_groups(self) -> list[str]:
        """Return the keys of the groups with a hidden row that is not known."""
        query = "SELECT DISTINCT group_key FROM hidden WHERE NOT is_known AND group_key != x'' ORDER BY rowid"
        return [text(key) for (key,) in self._db.execute(query)]

    def take_hidden(self, group_key: str) -> list[tuple[bool, Change]]:
        """Remove and return the hidden rows of a group, and whether each is known."""
        rows = [*self._hidden("WHERE group_key = ?", blob(group_key))]
        self._db.execute("DELETE FROM hidden WHERE group_key = ?", (blob(group_key),))
        return rows

    def other_hidden(self) -> Iterator[tuple[bool, Change]]:
        """Yield the hidden rows that are left, and whether each is known."""
        return self._hidden("")

    def _hidden(self, where: str, *values: bytes) -> Iterator[tuple[bool, Change]]:
        for is_known, change in self._db.execute(f"SELECT is_known, change FROM hidden {where}", values):
            yield bool(is_known), _decode(change)

    def unlisted(self, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that rows have whose products are not listed."""
        query = "SELECT id FROM unlisted WHERE id IN ({})"
        return {text(id) for (id,) in select(self._db, query, [*map(blob, ids)])}

    def close(self) -> None:
        """Close the database."""
        self._db.close()
