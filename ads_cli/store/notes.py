"""Notes: small values that only save time, or notice what looks like a mistake.

One that cannot be read is not known, and one that cannot be written is not: no command fails for it.
"""

import time
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from ..errors import StateError
from .database import store_in

T = TypeVar("T")


MAX_NOTES = 10_000  # of a kind; the newest are kept


class Notes:
    """The notes of one kind."""

    def __init__(self, state_dir: Path, kind: str) -> None:
        self._store, self._kind = store_in(state_dir), kind

    def find(self, key: str, type: type[T]) -> T | None:
        """Return the note with a key."""
        with suppress(StateError, msgspec.DecodeError, UnicodeDecodeError):
            query = "SELECT value FROM notes WHERE (kind, key) = (?, ?)"
            for (value,) in self._store.rows(query, (self._kind, key)):
                return msgspec.json.decode(value, type=type)
        return None

    def put(self, key: str, value: object) -> None:
        """Write a note, in place of an earlier one."""
        note = (self._kind, key, msgspec.json.encode(value), int(time.time()))
        with suppress(StateError), self._store.writing() as db:
            db.execute("REPLACE INTO notes VALUES (?, ?, ?, ?)", note)
            db.execute(
                "DELETE FROM notes WHERE kind = ? AND key IN"
                " (SELECT key FROM notes WHERE kind = ? ORDER BY at DESC LIMIT -1 OFFSET ?)",
                (self._kind, self._kind, MAX_NOTES),
            )
