"""What is known of the uploads of a file: one journal for each file, account, category and owners.

It makes an upload resumable by segment, and keeps a file from being uploaded twice. A segment that is sent
again does no harm, so that only what ends a step waits for the disk.
"""

import hashlib
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from ..config.atomic_files import append_whole, make_folder
from ..config.file_locks import try_lock
from ..errors import STATE_HINT, StateError
from ..stored_times import is_believable

FOLDER = "media"
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
        """Return the name of its journal, which begins with the size of the file."""
        return f"{self.bytes}-{hashlib.sha256(msgspec.json.encode(self)).hexdigest()[:32]}"


class Begun(msgspec.Struct, frozen=True, tag="begun", kw_only=True):
    """An upload that the service has acknowledged."""

    media_id: str
    media_key: str
    segment_bytes: int
    expires_at: float | None  # Unix seconds
    at: float = 0.0  # when it began; 0 where an earlier version did not note it


class Sent(msgspec.Struct, frozen=True, tag="sent"):
    """A segment that the service has acknowledged."""

    segment: int
    media_id: str = ""  # an answer may come when another upload has begun


class Finalized(msgspec.Struct, frozen=True, tag="finalized"):
    """The service has the whole file."""

    media_key: str


class Added(msgspec.Struct, frozen=True, tag="added"):
    """The media is in the library."""


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten"):
    """What is above is of no use: the upload has expired, or its processing has failed."""


Entry = Begun | Sent | Finalized | Added | Forgotten
_decode = msgspec.json.Decoder(Entry).decode


class UploadJournal:
    """The journal of one upload, locked against a second run; raise StateError where it cannot be used."""

    def __init__(self, state_dir: Path, key: UploadKey, label: str) -> None:
        folder = state_dir / FOLDER
        self._path = folder / f"{key.name}.jsonl"
        self._lock_of_file, self._is_closed = threading.Lock(), False
        try:
            make_folder(folder)
            lock = try_lock(self._path.with_suffix(".lock"))
            if lock is None:
                hint = "wait until it has ended, and run this again: nothing is uploaded twice"
                raise InUseError(f"another run is uploading the same {label}", hint=hint)
            self._lock = lock
            self._read()
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            os.ftruncate(self._file, self._complete)
        except OSError as error:
            raise _unusable(folder, error) from error

    def _read(self) -> None:
        """Read what is known; what follows a damaged line is not."""
        self.begun: Begun | None = None
        self.sent: set[int] = set()
        self.is_finalized = self.is_added = False
        self._complete = 0
        with suppress(FileNotFoundError):
            for line in self._path.read_bytes().splitlines(keepends=True):
                try:
                    entry = _decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError):
                    break
                if not line.endswith(b"\n"):
                    break
                self._complete += len(line)
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        if isinstance(entry, Sent):
            if self.begun and entry.media_id in ("", self.begun.media_id):
                self.sent.add(entry.segment)
        elif isinstance(entry, Finalized):
            self.is_finalized = True
            if self.begun:
                self.begun = msgspec.structs.replace(self.begun, media_key=entry.media_key)
        elif isinstance(entry, Added):
            self.is_added = True
        else:
            self.begun = entry if isinstance(entry, Begun) else None
            self.sent, self.is_finalized, self.is_added = set(), False, False

    @property
    def has_expired(self) -> bool:
        """Tell whether the service may have forgotten the upload."""
        if not self.begun or self.begun.expires_at is None:
            return False
        is_over = self.begun.expires_at < time.time() + EXPIRY_MARGIN_SECONDS
        return is_over or not is_believable(self.begun.at)

    def note(self, entry: Entry) -> None:
        """Note what the service has acknowledged, on the disk unless it is a segment."""
        try:
            with self._lock_of_file:
                if self._is_closed:
                    return  # by a thread whose answer came after the run was stopped
                self._take(entry)
                append_whole(self._file, msgspec.json.encode(entry) + b"\n", sync=False)
            if not isinstance(entry, Sent):
                os.fsync(self._file)
        except OSError as error:
            raise _unusable(self._path.parent, error) from error

    def close(self) -> None:
        """Close the file and release the lock."""
        with self._lock_of_file:
            self._is_closed = True
            os.close(self._file)
        self._lock.release()


def _unusable(folder: Path, error: OSError) -> StateError:
    return StateError(f"the journals in {folder} cannot be used: {error.strerror}", hint=STATE_HINT)
