"""What is known of images, in a temporary database; addresses are stored as digests."""

import sqlite3
import threading
from collections.abc import Iterator
from hashlib import blake2b

import msgspec

from ...api.problems import Problem, quoted
from ...api.products import MAX_IMAGE_BYTES, MIN_IMAGE_SIDE
from ...errors import TEMPORARY_HINT, StateError
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


GONE = ("status 404", "status 410")


class Unreachable(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Why an image could not be looked at."""

    kind: str  # the same for addresses that have one cause
    reason: str

    def problems(self, field: str, link: str) -> Iterator[Problem]:
        """Yield a warning: the service may reach what this machine cannot."""
        what = "does not exist" if self.kind in GONE else "was not checked"
        message = f"{quoted(link)} {what}: {self.reason}"
        yield Problem(field, message, "warning", rule=f"image_{self.kind}")


Outcome = ImageInfo | Unreachable


DIGEST_BYTES = 16

_encode = msgspec.msgpack.Encoder().encode
_decode_outcome = msgspec.msgpack.Decoder(Outcome).decode


def digest_of(link: str) -> bytes:
    """Return what an address is stored by."""
    return blake2b(link.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest()


class ImageOutcomes:
    """The outcome of each address; several threads use it, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(
            "", isolation_level=None, check_same_thread=False
        )  # a temporary file, which SQLite deletes
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
