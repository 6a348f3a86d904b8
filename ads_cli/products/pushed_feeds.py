"""The versions of remote feeds that were pushed, as their servers name them."""

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..runs.feed_sizes import make_room, note_key, origin_hash
from ..runs.journal import Journal
from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from ..store.notes import Notes
from ..validation.report import ValidationReport
from .sync_state import KIND

if TYPE_CHECKING:
    from ..http.download import Version

VERSIONS = "feed versions"  # the kind of notes, one for each catalog


class PushedFeed(msgspec.Struct):
    """A version of a feed whose push ended with 0."""

    conditions: str  # digest of all that decides, beside the feed and the catalog, what is sent
    etag: str
    last_modified: str
    rows: int
    left_out: int
    warned: int


class _Versions(msgspec.Struct):
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
        self._notes, self._key = Notes(state_dir, VERSIONS), note_key(self._target)
        self._conditions = conditions

    def find(self, address: str) -> PushedFeed | None:
        """Return the feed at an address, if nothing has changed since but perhaps the feed itself."""
        if not self._epochs.is_confirmed(self._target):
            return None  # of a disk that was restored, for all that is known
        feed = self._feeds_of(self._epochs.current(self._target)).get(origin_hash(address))
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
        make_room(feeds, origin_hash(address))
        if any(version):
            feeds[origin_hash(address)] = PushedFeed(
                self._conditions, *version, report.rows, report.left_out, report.warned
            )
        self._notes.put(self._key, _Versions(epoch, feeds))

    def _feeds_of(self, epoch: str) -> dict[str, PushedFeed]:
        """Return the feeds that were stored in a write epoch."""
        versions = self._notes.find(self._key, _Versions)
        return versions.feeds if versions and versions.epoch == epoch != NO_EPOCH else {}
