"""How many rows and which columns a file had when it was pushed last."""

from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ..store.epochs import UploadTarget
from ..store.notes import Notes

SIZES = "feed sizes"  # the kind of notes, one for each upload target
MAX_FEEDS = 100  # of one upload target; a name may hold the date, and an address another query each night


class LastPush(msgspec.Struct):
    """What a feed had when it was pushed last."""

    rows: Annotated[int, Meta(ge=0)]
    columns: list[str] = []  # none where they are not known


class _Sizes(msgspec.Struct):
    feeds: dict[str, LastPush] = {}  # by the hash of where each is


class FeedSizes:
    """The rows and columns of the files that were pushed to one target: one that has lost some is noticed."""

    def __init__(self, state_dir: Path, target: UploadTarget) -> None:
        self._notes, self._key = Notes(state_dir, SIZES), note_key(target)

    def find(self, origin: str) -> LastPush | None:
        """Return what a feed had when it was pushed last, if that is known."""
        return self._read().feeds.get(origin_hash(origin))

    def store(self, origin: str, size: LastPush) -> None:
        """Store the rows and columns of a feed that was pushed."""
        sizes, feed = self._read(), origin_hash(origin)
        make_room(sizes.feeds, feed)
        sizes.feeds[feed] = size
        self._notes.put(self._key, sizes)

    def _read(self) -> _Sizes:
        return self._notes.find(self._key, _Sizes) or _Sizes()


def origin_hash(origin: str) -> str:
    """Identify where a feed is, which may hold a secret."""
    return sha256(origin.encode(errors="surrogateescape")).hexdigest()


def note_key(target: UploadTarget) -> str:
    """Return the key of a note about an upload target."""
    return f"{target.kind} {target.id} at {target.service}"


def make_room(by_feed: dict[str, Any], feed: str) -> None:
    """Forget a feed, and the oldest ones where there are too many."""
    by_feed.pop(feed, None)
    for oldest in [*by_feed][: len(by_feed) - MAX_FEEDS + 1]:
        del by_feed[oldest]
