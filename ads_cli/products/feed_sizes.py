"""How many rows each feed had when it was pushed last, so that a feed that has lost many is noticed.

One file a catalog, or list of people, and service. What cannot be read is not known, and what cannot be
stored is not.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from ..config.atomic_files import make_folder, replacing
from ..errors import AdsctlError
from ..uploads.job_file import UploadTarget

FOLDER = "feed_sizes"  # in the state folder
MAX_FEEDS = 100  # of one place; a name may hold the date


class _Content(msgspec.Struct):
    """The content of the file."""

    rows: dict[str, Annotated[int, Meta(ge=0)]]  # by the hash of where the feed is


_decode = msgspec.json.Decoder(_Content).decode


class FeedSizes:
    """The numbers of rows of the feeds that were pushed to one catalog, or of the files of one list."""

    def __init__(self, state_dir: Path, place: UploadTarget) -> None:
        name = sha256(msgspec.json.encode(place)).hexdigest()[:16]
        self._path = state_dir / FOLDER / name

    def find(self, origin: str) -> int | None:
        """Return the rows that a feed had when it was pushed last, if that is known."""
        return self._read().get(_hash(origin))

    def store(self, origin: str, rows: int) -> None:
        """Store the rows of a feed that was pushed."""
        known = self._read()
        known.pop(_hash(origin), None)
        for oldest in [*known][: len(known) - MAX_FEEDS + 1]:
            del known[oldest]
        known[_hash(origin)] = rows
        with suppress(OSError, AdsctlError):
            make_folder(self._path.parent)
            with replacing(self._path) as file:
                file.write(msgspec.json.encode(_Content(known)))

    def _read(self) -> dict[str, int]:
        try:
            return _decode(self._path.read_bytes()).rows
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


def _hash(origin: str) -> str:
    return sha256(origin.encode(errors="surrogateescape")).hexdigest()
