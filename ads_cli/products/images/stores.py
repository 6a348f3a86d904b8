"""What is known of images: from earlier runs in the state folder, from this run in a temporary database.

Addresses are stored as digests. Each store is used by several threads, one at a time.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from ...api.problems import Problem, quoted
from ...api.products import MAX_IMAGE_BYTES, MIN_IMAGE_SIDE
from ...config.atomic_files import make_folder
from ...errors import TEMPORARY_HINT, AdsctlError, StateError
from ...http.download import Version
from ...media_files import ALLOWED_FORMATS

ALLOWED_WORDS = "only JPG, GIF, WEBP and PNG are allowed"


class ImageInfo(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """What the beginning of a file tells."""

    format: str  # "" where it is not known
    width: int  # pixels; 0 where the file states none
    height: int
    size: int | None  # bytes; None where the server does not tell

    def problems(self, field: str, link: str) -> Iterator[Problem]:
        """Yield what the service refuses."""
        shown = quoted(link)
        if self.size == 0:
            yield Problem(field, f"{shown} is empty", rule="image_empty")
        elif self.format not in ALLOWED_FORMATS:
            what = f"is {self.format}" if self.format else "is not an image"
            yield Problem(field, f"{shown} {what}; {ALLOWED_WORDS}", rule="image_content")
        elif not (self.width and self.height):
            message = f"{shown} is a damaged {self.format}: it states no pixels"
            yield Problem(field, message, rule="image_damaged")
        elif min(self.width, self.height) < MIN_IMAGE_SIDE:
            least = f"at least {MIN_IMAGE_SIDE}x{MIN_IMAGE_SIDE} are needed"
            message = f"{shown} has {self.width}x{self.height} pixels, {least}"
            yield Problem(field, message, rule="image_pixels")
        if self.size is not None and self.size > MAX_IMAGE_BYTES:
            message = f"{shown} has {self.size / 1e6:,.1f} MB, at most 5 MB are allowed"
            yield Problem(field, message, rule="image_bytes")


class Unreachable(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Why an image could not be looked at."""

    kind: str  # the same for addresses that have one cause
    reason: str

    def problems(self, field: str, link: str) -> Iterator[Problem]:
        """Yield a warning: the service may reach what this machine cannot."""
        message = f"{quoted(link)} was not checked: {self.reason}"
        yield Problem(field, message, "warning", rule=f"image_{self.kind}")


Outcome = ImageInfo | Unreachable


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
_decode_image = msgspec.msgpack.Decoder(ImageInfo).decode
_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


def digest_of(link: str) -> bytes:
    """Return what an address is stored by."""
    return blake2b(link.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


class ImageOutcomes:
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
        """Return how many rows a statement changed, and its first row. Raise StateError."""
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

    def find(self, address: bytes) -> tuple[Version, ImageInfo] | None:
        """Return the version of an image that was looked at before, and what it was."""
        query = "SELECT etag, last_modified, image FROM images WHERE address = ?"
        with self._lock, suppress(sqlite3.Error, msgspec.DecodeError):
            row = self._database.execute(query, (address,)).fetchone() if self._database else None
            return (Version(row[0], row[1]), _decode_image(row[2])) if row else None
        return None

    def put(self, address: bytes, version: Version, image: ImageInfo) -> None:
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
    """Open the file, and create it again if it is damaged. Return None if it cannot be used."""
    for _ in range(2):
        try:
            make_folder(path.parent)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            database = _connect(str(path))
        except (OSError, AdsctlError, sqlite3.Error):
            return None
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(REMEMBERED_TABLE)
            return database
        except sqlite3.DatabaseError as error:
            database.close()
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
                return None  # another program has it: it is not damaged
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    path.with_name(path.name + suffix).unlink()
    return None
