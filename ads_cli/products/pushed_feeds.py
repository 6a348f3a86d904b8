"""Which version of a remote feed was pushed last, so that an unchanged feed is not even downloaded.

One file a catalog and service, beside the sync state. An entry counts only in the write epoch of the catalog
that its push ended in: then nothing else was sent to the catalog since. It may know too little, and then a
feed is downloaded that need not be.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import msgspec

from ..config.atomic_files import make_folder, replacing
from ..errors import AdsctlError
from ..http.download import Version
from ..uploads.job_file import UploadTarget
from ..uploads.journal import Journal
from ..uploads.write_epochs import NO_EPOCH, WriteEpochs
from ..validation.report import ValidationReport
from .sync_state import KIND

FOLDER = "feeds"  # in the state folder
MAX_FEEDS = 100  # of one catalog; an address may have another query each night


class PushedFeed(msgspec.Struct):
    """A version of a feed whose push ended with 0."""

    conditions: str  # digest of all that decides, beside the feed and the catalog, what is sent
    etag: str
    last_modified: str
    rows: int
    left_out: int
    warned: int


class _Content(msgspec.Struct):
    """The content of the file."""

    epoch: str = msgspec.field(name="generation")
    feeds: dict[str, PushedFeed]  # by the hash of the address, which may hold a secret


_decode = msgspec.json.Decoder(_Content).decode


class PushedFeeds:
    """The remote feeds that were pushed to one catalog."""

    def __init__(self, state_dir: Path, service: str, catalog: str, conditions: str) -> None:
        self._place = UploadTarget(service, KIND, catalog)
        self._epochs = WriteEpochs(state_dir)
        self._path = state_dir / FOLDER / sha256(msgspec.json.encode(self._place)).hexdigest()[:16]
        self._conditions = conditions

    def find(self, address: str) -> PushedFeed | None:
        """Return the feed at an address, if nothing has changed since but perhaps the feed itself."""
        if not self._epochs.is_confirmed(self._place):
            return None  # of a disk that was restored, for all that is known
        feed = self._feeds_of(self._epochs.current(self._place)).get(_hash(address))
        return feed if feed and feed.conditions == self._conditions else None

    def version(self, address: str) -> Version | None:
        """Return the version that need not be downloaded again."""
        feed = self.find(address)
        return Version(feed.etag, feed.last_modified) if feed else None

    def store(self, address: str, version: Version, report: ValidationReport, journal: Journal) -> None:
        """Store the version of a feed whose push has ended with 0.

        Other feeds remain stored if the push sent nothing. What cannot be stored is not.
        """
        epoch = journal.job.epoch
        sent_nothing = not journal.totals
        feeds = self._feeds_of(journal.previous_epoch) if sent_nothing else {}
        feeds.pop(_hash(address), None)
        for oldest in [*feeds][: len(feeds) - MAX_FEEDS + 1]:
            del feeds[oldest]
        if any(version):
            feeds[_hash(address)] = PushedFeed(
                self._conditions, *version, report.rows, report.left_out, report.warned
            )
        with suppress(OSError, AdsctlError):
            make_folder(self._path.parent)
            with replacing(self._path) as file:
                file.write(msgspec.json.encode(_Content(epoch, feeds)))

    def _feeds_of(self, epoch: str) -> dict[str, PushedFeed]:
        """Return the feeds that were stored in a write epoch."""
        try:
            content = _decode(self._path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return content.feeds if content.epoch == epoch != NO_EPOCH else {}


def _hash(address: str) -> str:
    return sha256(address.encode()).hexdigest()
