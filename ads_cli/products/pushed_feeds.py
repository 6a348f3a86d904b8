"""What is noted of feeds that were pushed: their rows and columns, and of remote ones the version."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from ..store.notes import Notes
from ..uploads.journal import Journal
from ..validation.report import ValidationReport
from .sync_state import KIND

if TYPE_CHECKING:
    from ..http.download import Version

SIZES, VERSIONS = "feed sizes", "feed versions"  # kinds of notes, one for each upload target
MAX_FEEDS = 100  # of one upload target; a name may hold the date, and an address another query each night


class _Sizes(msgspec.Struct):
    """A note of sizes."""

    rows: dict[str, Annotated[int, Meta(ge=0)]]  # by the hash of where the feed is
    columns: dict[str, list[str]] = {}  # by the same hash


class LastPush(NamedTuple):
    """What a feed had when it was pushed last."""

    rows: int
    columns: list[str]  # none where they are not known


class FeedSizes:
    """The rows and columns of the feeds that were pushed to one catalog, or of the files of one list.

    So a feed that has lost some is noticed.
    """

    def __init__(self, state_dir: Path, target: UploadTarget) -> None:
        self._notes, self._key = Notes(state_dir, SIZES), _key_of(target)

    def find(self, origin: str) -> LastPush | None:
        """Return what a feed had when it was pushed last, if that is known."""
        sizes, feed = self._read(), _hash(origin)
        return LastPush(sizes.rows[feed], sizes.columns.get(feed, [])) if feed in sizes.rows else None

    def store(self, origin: str, rows: int, columns: list[str]) -> None:
        """Store the rows and columns of a feed that was pushed."""
        sizes, feed = self._read(), _hash(origin)
        for by_feed in (sizes.rows, sizes.columns):
            _make_room(by_feed, feed)
        sizes.rows[feed], sizes.columns[feed] = rows, columns
        self._notes.put(self._key, sizes)

    def _read(self) -> _Sizes:
        return self._notes.find(self._key, _Sizes) or _Sizes({})


class PushedFeed(msgspec.Struct):
    """A version of a feed whose push ended with 0."""

    conditions: str  # digest of all that decides, beside the feed and the catalog, what is sent
    etag: str
    last_modified: str
    rows: int
    left_out: int
    warned: int


class _Versions(msgspec.Struct):
    """A note of versions."""

    epoch: str
    feeds: dict[str, PushedFeed]  # by the hash of the address, which may hold a secret


class PushedFeeds:
    """The versions of remote feeds that were pushed to one catalog, so that none is downloaded unchanged.

    One counts only in the write epoch of the catalog that its push ended in: then nothing else was sent there
    since. They may be too few, and then a feed is downloaded that need not be.
    """

    def __init__(self, state_dir: Path, service: str, catalog: str, conditions: str) -> None:
        self._target = UploadTarget(service, KIND, catalog)
        self._epochs = WriteEpochs(state_dir)
        self._notes, self._key = Notes(state_dir, VERSIONS), _key_of(self._target)
        self._conditions = conditions

    def find(self, address: str) -> PushedFeed | None:
        """Return the feed at an address, if nothing has changed since but perhaps the feed itself."""
        if not self._epochs.is_confirmed(self._target):
            return None  # of a disk that was restored, for all that is known
        feed = self._feeds_of(self._epochs.current(self._target)).get(_hash(address))
        return feed if feed and feed.conditions == self._conditions else None

    def version(self, address: str) -> "Version | None":
        """Return the version that need not be downloaded again."""
        from ..http.download import Version

        feed = self.find(address)
        return Version(feed.etag, feed.last_modified) if feed else None

    def store(self, address: str, version: "Version", report: ValidationReport, journal: Journal) -> None:
        """Store the version of a feed whose push has ended with 0.

        Other feeds remain stored if the push sent nothing. What cannot be stored is not.
        """
        epoch = journal.job.epoch
        sent_nothing = not journal.totals
        feeds = self._feeds_of(journal.previous_epoch) if sent_nothing else {}
        _make_room(feeds, _hash(address))
        if any(version):
            feeds[_hash(address)] = PushedFeed(
                self._conditions, *version, report.rows, report.left_out, report.warned
            )
        self._notes.put(self._key, _Versions(epoch, feeds))

    def _feeds_of(self, epoch: str) -> dict[str, PushedFeed]:
        """Return the feeds that were stored in a write epoch."""
        versions = self._notes.find(self._key, _Versions)
        return versions.feeds if versions and versions.epoch == epoch != NO_EPOCH else {}


def _hash(origin: str) -> str:
    return sha256(origin.encode(errors="surrogateescape")).hexdigest()


def _key_of(target: UploadTarget) -> str:
    return f"{target.kind} {target.id} at {target.service}"


def _make_room(by_feed: dict[str, Any], feed: str) -> None:
    """Forget a feed, and the oldest ones where there are too many."""
    by_feed.pop(feed, None)
    for oldest in [*by_feed][: len(by_feed) - MAX_FEEDS + 1]:
        del by_feed[oldest]
