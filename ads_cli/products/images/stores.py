"""What is known of images: from earlier runs in the state folder, from this run in a temporary database.

Addresses are stored as digests. Each store is used by several threads, one at a time.
"""

import os
import sqlite3
import threading
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from ...client.download import Version
from ...config.atomic_files import make_folder
from ...errors import TEMPORARY_HINT, AdsctlError, StateError
from .outcome import Image, Outcome

FILE = "images.db"  # in the state folder
MAX_REMEMBERED = 1_000_000  # addresses, 150 bytes each
UNWRITTEN_IMAGES = 200  # that a kill may lose
BUSY_SECONDS = 5.0
DIGEST_BYTES = 16

REMEMBERED_TABLE = """
CREATE TABLE IF NOT EXISTS images (
    address BLOB PRIMARY KEY,
    etag TEXT NOT NULL,
    last_modified TEXT NOT NULL,
    image BLOB NOT NULL,
    checked INTEGER NOT NULL
) WITHOUT ROWID
"""
FORGET_OLDEST = """
DELETE FROM images WHERE address IN (
    SELECT address FROM images ORDER BY checked LIMIT max(0, (SELECT count(*) FROM images) - ?)
)
"""

_encode = msgspec.msgpack.Encoder().encode
_decode_image = msgspec.msgpack.Decoder(Image).decode
_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


def digest_of(link: str) -> bytes:
    """Return what an address is stored by."""
    return blake2b(link.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


class Outcomes:
    """The outcome of each address of this run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = _connect("")  # a temporary file, which SQLite deletes
        self._execute("CREATE TABLE outcomes (address BLOB PRIMARY KEY, outcome BLOB) WITHOUT ROWID")

    def claim(self, address: bytes) -> bool:
        """Note that an address is looked at; return False if it is already."""
        count, _ = self._execute("INSERT OR IGNORE INTO outcomes VALUES (?, NULL)", address)
        return count > 0

    def put(self, address: bytes, outcome: Outcome) -> None:
        """Store the outcome of an address that was claimed."""
        self._execute("UPDATE outcomes SET outcome = ? WHERE address = ?", _encode(outcome), address)

    def find(self, address: bytes) -> Outcome | None:
        """Return the outcome of an address; None if it was not looked at."""
        _, row = self._execute("SELECT outcome FROM outcomes WHERE address = ?", address)
        return _decode_outcome(row[0]) if row and row[0] else None

    def _execute(self, statement: str, *values: bytes) -> tuple[int, tuple[bytes | None] | None]:
        """Execute a statement; return how many rows it changed, and the one it found, or raise StateError."""
        try:
            with self._lock:
                cursor = self._database.execute(statement, values)
                return cursor.rowcount, cursor.fetchone()
        except sqlite3.Error as error:
            message = f"a temporary database cannot be used: {error}"
            raise StateError(message, hint=TEMPORARY_HINT) from None

    def close(self) -> None:
        """Delete the database; a thread that still fetches an image finds it closed."""
        with self._lock:  # SQLite crashes where another thread is in it
            self._database.close()


class RememberedImages:
    """The images that servers named a version of; without a usable file, there are none."""

    def __init__(self, state_dir: Path) -> None:
        self._lock = threading.Lock()
        self._unwritten: dict[bytes, tuple[str, str, bytes, int]] = {}
        self._database = _open(state_dir / FILE)

    def find(self, address: bytes) -> tuple[Version, Image] | None:
        """Return the version of an image that was looked at before, and what it was."""
        query = "SELECT etag, last_modified, image FROM images WHERE address = ?"
        with self._lock, suppress(sqlite3.Error, msgspec.DecodeError):
            row = self._database.execute(query, (address,)).fetchone() if self._database else None
            return (Version(row[0], row[1]), _decode_image(row[2])) if row else None
        return None

    def put(self, address: bytes, version: Version, image: Image) -> None:
        """Remember an image whose server names its version."""
        if any(version):
            with self._lock:
                self._unwritten[address] = (*version, _encode(image), int(time.time()))
                if len(self._unwritten) >= UNWRITTEN_IMAGES:
                    self._write()

    def close(self) -> None:
        """Write what is new, and forget what was checked longest ago."""
        if self._database is None:
            return
        with self._lock:
            self._write()
            with suppress(sqlite3.Error):
                self._database.execute(FORGET_OLDEST, (MAX_REMEMBERED,))
            self._database.close()

    def _write(self) -> None:
        rows = [(address, *values) for address, values in self._unwritten.items()]
        self._unwritten = {}
        if self._database is not None:
            with suppress(sqlite3.Error), self._database:  # one transaction
                self._database.execute("BEGIN IMMEDIATE")
                self._database.executemany("REPLACE INTO images VALUES (?, ?, ?, ?, ?)", rows)


def _connect(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)


def _open(path: Path) -> sqlite3.Connection | None:
    """Open the file, or create it again if it is damaged; return None if it cannot be used."""
    for _ in range(2):
        try:
            make_folder(path.parent)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            database = _connect(str(path))
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(REMEMBERED_TABLE)
            return database
        except sqlite3.DatabaseError:
            database.close()
            for name in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))):
                with suppress(OSError):
                    name.unlink()
        except (OSError, AdsctlError):
            return None
    return None
