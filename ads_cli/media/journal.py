"""What is known of the uploads of a file, by file, account, category and owners.

It makes an upload resumable by segment, and keeps a file from being uploaded twice.
"""

import hashlib
import threading
import time
from pathlib import Path

import msgspec

from ..config.file_locks import state_lock, try_lock
from ..errors import StateError
from ..store import store_in
from ..stored_times import is_believable

EXPIRY_MARGIN_SECONDS = 60.0


class InUseError(StateError):
    """Another run is uploading the same file."""


class UploadKey(msgspec.Struct, frozen=True):
    """What makes an upload the same."""

    service: str
    account: str
    bytes: int
    sha256: str
    category: str
    owners: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return what stands for it in the database."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """An upload that the service has acknowledged."""

    media_id: str
    media_key: str
    segment_bytes: int
    expires_at: float | None  # Unix seconds
    at: float = 0.0  # when it began


class UploadJournal:
    """The journal of one upload, locked against a second run; raise StateError where it cannot be used."""

    def __init__(self, state_dir: Path, key: UploadKey, label: str) -> None:
        self._store, self._name = store_in(state_dir), key.name
        self._noting, self._is_closed = threading.Lock(), False
        self.begun: Begun | None = None
        self.sent: set[int] = set()
        self.is_finalized = self.is_added = False
        lock = try_lock(state_lock(state_dir, "media", self._name))
        if lock is None:
            hint = "wait until it has ended, and run this again: nothing is uploaded twice"
            raise InUseError(f"another run is uploading the same {label}", hint=hint)
        self._lock = lock
        try:
            self._read()
        except BaseException:
            lock.release()
            raise

    def _read(self) -> None:
        query = "SELECT begun, is_finalized, is_added FROM uploads WHERE name = ?"
        for begun, is_finalized, is_added in self._store.rows(query, (self._name,)):
            self.begun = msgspec.json.decode(begun, type=Begun)
            self.is_finalized, self.is_added = bool(is_finalized), bool(is_added)
        rows = self._store.rows("SELECT segment FROM segments WHERE upload = ?", (self._name,))
        self.sent = {segment for (segment,) in rows}

    @property
    def has_expired(self) -> bool:
        """Tell whether the service may have forgotten the upload."""
        if not self.begun or self.begun.expires_at is None:
            return False
        is_over = self.begun.expires_at < time.time() + EXPIRY_MARGIN_SECONDS
        return is_over or not is_believable(self.begun.at)

    def begin(self, begun: Begun) -> None:
        """Note an upload that the service has acknowledged."""
        self.forget()
        query = "INSERT INTO uploads (name, begun) VALUES (?, ?)"
        self._write(query, self._name, msgspec.json.encode(begun))
        self.begun = begun

    def note_sent(self, segment: int, media_id: str) -> None:
        """Note a segment that the service has acknowledged, of an upload that need not be the latest."""
        with self._noting:
            if self.begun and self.begun.media_id == media_id and not self._is_closed:
                self._write("REPLACE INTO segments VALUES (?, ?)", self._name, segment)
                self.sent.add(segment)

    def finalize(self, media_key: str) -> None:
        """Note that the service has the whole file."""
        assert self.begun
        begun = msgspec.structs.replace(self.begun, media_key=media_key)
        update = "UPDATE uploads SET begun = ?, is_finalized = 1 WHERE name = ?"
        self._write(update, msgspec.json.encode(begun), self._name)
        self.begun, self.is_finalized = begun, True

    def add(self) -> None:
        """Note that the media is in the library."""
        self._write("UPDATE uploads SET is_added = 1 WHERE name = ?", self._name)
        self.is_added = True

    def forget(self) -> None:
        """Forget the upload: it has expired, or its processing has failed."""
        with self._noting:
            self._write("DELETE FROM uploads WHERE name = ?", self._name)
            self.begun, self.sent, self.is_finalized, self.is_added = None, set(), False, False

    def _write(self, statement: str, *values: object) -> None:
        with self._store.writing() as db:
            db.execute(statement, values)

    def close(self) -> None:
        """Release the lock; what a thread notes later is not kept."""
        with self._noting:
            self._is_closed = True
        self._lock.release()
