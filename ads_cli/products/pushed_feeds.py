"""What is remembered of feeds that were pushed: their rows and columns, and of remote ones the version.

One file an upload target. What cannot be read is not known, and what cannot be stored is not.
"""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..config.atomic_files import make_folder, replacing
from ..errors import AdsctlError
from ..uploads.job_file import UploadTarget
from ..uploads.journal import Journal
from ..uploads.write_epochs import NO_EPOCH, WriteEpochs
from ..validation.report import ValidationReport
from .sync_state import KIND

if TYPE_CHECKING:
    from ..http.download import Version

SIZES_FOLDER, VERSIONS_FOLDER = "feed_sizes", "feeds"  # in the state folder
MAX_FEEDS = 100  # of one upload target; names with a date, and addresses with a new query, add up


class _Sizes(msgspec.Struct):
    """The content of a file of sizes."""

    rows: dict[str, Annotated[int, Meta(ge=0)]]  # by the hash of where the feed is
    columns: dict[str, list[str]] = {}  # by the same hash


_decode_sizes = msgspec.json.Decoder(_Sizes).decode


class LastPush(NamedTuple):
    """What a feed had when it was pushed last."""

    rows: int
    columns: list[str]  # none where they are not known


class FeedSizes:
    """The rows and columns of the feeds that were pushed to one catalog, or of the files of one list.

    So a feed that has lost some is noticed.
    """

    def __init__(self, state_dir: Path, target: UploadTarget) -> None:
        self._path = _file_of(state_dir, SIZES_FOLDER, target)

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
        _store(self._path, sizes)

    def _read(self) -> _Sizes:
        try:
            return _decode_sizes(self._path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return _Sizes({})


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
    """The versions of remote feeds that were pushed to one catalog, so that none is downloaded unchanged.

    One counts only in the write epoch of the catalog that its push ended in: then nothing else was sent there
    since. They may be too few, and then a feed is downloaded that need not be.
    """

    def __init__(self, state_dir: Path, service: str, catalog: str, conditions: str) -> None:
        self._target = UploadTarget(service, KIND, catalog)
        self._epochs = WriteEpochs(state_dir)
        self._path = _file_of(state_dir, VERSIONS_FOLDER, self._target)
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
        _store(self._path, _Content(epoch, feeds))

    def _feeds_of(self, epoch: str) -> dict[str, PushedFeed]:
        """Return the feeds that were stored in a write epoch."""
        try:
            content = _decode(self._path.read_bytes())
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
        return content.feeds if content.epoch == epoch != NO_EPOCH else {}


def _hash(origin: str) -> str:
    return sha256(origin.encode(errors="surrogateescape")).hexdigest()


def _file_of(state_dir: Path, folder: str, target: UploadTarget) -> Path:
    return state_dir / folder / sha256(msgspec.json.encode(target)).hexdigest()[:16]


def _make_room(by_feed: dict[str, Any], feed: str) -> None:
    """Forget a feed, and the oldest ones where there are too many."""
    by_feed.pop(feed, None)
    for oldest in [*by_feed][: len(by_feed) - MAX_FEEDS + 1]:
        del by_feed[oldest]


def _store(path: Path, content: msgspec.Struct) -> None:
    with suppress(OSError, AdsctlError):
        make_folder(path.parent)
        with replacing(path) as file:
            file.write(msgspec.json.encode(content))
