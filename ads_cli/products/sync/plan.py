"""The plan of a sync: the writes that make a catalog equal to a feed, and then the deletions."""

from collections.abc import Iterable, Iterator
from itertools import count, islice
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from ... import __version__
from ...api.products import BATCH_SIZE
from ...feeds.rows import Rows
from ...output.text import counted, first_of
from ...uploads.batch import Batch, Batches
from ...uploads.job_key import JobKey, Place
from ...uploads.pending import OnAcknowledged
from ...uploads.plan import this_second
from ...uploads.row_plan import RowPlan
from ...validation.encoded_rows import EncodedRows
from ...validation.report import ValidationReport
from ...validation.result import CheckedRow
from ...validation.schema import RowSchema
from ...validation.validator import OnProgress, Validator
from ..schema import PRODUCT_SCHEMA
from ..sync_state import KIND, SyncState
from .differences import NAMED_IDS, Differences
from .pending_changes import EarlierRuns, PendingChanges
from .remembering import CommitDifferences
from .upload import Deletions, sync_upload

if TYPE_CHECKING:
    from ...uploads.journal import Journal

SYNC, UPDATE = "sync", "update"  # operations

T = TypeVar("T")


class SyncPlan:
    """Carry out what differs between a feed and its catalog.

    Each run finds that out again, and sends nothing that an earlier run of the job has sent.
    """

    noun = "products"
    depends_on_time = False
    parts = 0

    def __init__(
        self,
        feed: RowPlan,
        differences: Differences,
        sync_state: SyncState,
        *,
        prune: bool,
        verify: bool,
        read_in: str,
    ) -> None:
        self.upload = feed.upload
        self.started = this_second()
        self.differences = differences  # once the feed is compared
        self.read_in = read_in  # the generation of the catalog before it was listed
        self._feed = feed
        self._options = {"prune": prune, "verify": verify, "version": __version__}
        self._earlier = EarlierRuns()
        self._resumed: PendingChanges | None = None
        self._bookkeeper = CommitDifferences(sync_state, differences)

    @property
    def rows(self) -> Rows:
        """Return the rows of the feed."""
        return self._feed.rows

    @property
    def validator(self) -> Validator:
        """Return what validates the feed."""
        return self._feed.validator

    @property
    def report(self) -> ValidationReport:
        """Return the report of the last validation."""
        return self._feed.report

    def validate(self, on_progress: OnProgress) -> ValidationReport:
        """Read the whole feed; raise ContentError where it cannot be read."""
        return self._feed.validate(on_progress)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the feed again and yield each row with its problems."""
        return self._feed.checked_rows()

    @property
    def _pending(self) -> PendingChanges:
        return self._resumed or PendingChanges(self.differences, self._earlier)

    @property
    def due(self) -> int:
        """Count the changes, and those that earlier runs have sent."""
        return self._pending.due

    @property
    def batch_count(self) -> int:
        """Count their batches."""
        return self._pending.batches(BATCH_SIZE)

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the batches of writes, and once these are acknowledged those of deletions."""
        for ack in journal.acknowledged.values():
            on_acknowledged(Batch(ack.batch, ()), ack)
        numbers = count(self._earlier.next_batch)
        yield self._write_batches(numbers)
        self._pending.spare(journal.acknowledgements())
        yield self._deletion_batches(numbers)

    def _write_batches(self, numbers: Iterator[int]) -> Batches:
        for part in _parts(self._pending.writes()):
            rows = EncodedRows()
            for change in part:
                rows.add(change.id, change.body, change.record, change.line)
            yield Batch(next(numbers), rows, rows.places)

    def _deletion_batches(self, numbers: Iterator[int]) -> Batches:
        """Yield first what an earlier run may have deleted, each batch under its number."""
        for number, deletions in self._pending.unanswered():
            yield Batch(number, deletions)
        for part in _parts(self._pending.deletions()):
            yield Batch(next(numbers), Deletions.of(part))

    def sample_batches(self) -> Iterable[Batch]:
        """Return no batch: a dry run shows the changes."""
        return ()

    def max_pending(self, threads: int) -> int:
        """Allow one batch in flight and one waiting for each thread."""
        return self._feed.max_pending(threads)

    def place(self, service: str) -> Place:
        """Return the catalog."""
        return self._feed.place(service)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job; what differs does not, since each run finds it out again."""
        key = self._feed.key(service, skip_invalid=skip_invalid)
        upload = {**key.options.upload, **self._options}
        return replace(key, options=replace(key.options, upload=upload))

    def begin(self, journal: "Journal") -> None:
        """Find out what earlier runs have sent, and forget the products that are about to change."""
        self._earlier = EarlierRuns(journal.acknowledged.values(), journal.attempts)
        self._resumed = PendingChanges(self.differences, self._earlier)
        self._bookkeeper.begin(journal)

    def finish(self, journal: "Journal") -> str:
        """Remember the products of the catalog that are as the feed says."""
        told = [self._bookkeeper.finish(journal)]
        if spared := self._pending.spared:
            ids = first_of(spared, NAMED_IDS, repr)
            products = counted(len(spared), "product")
            told.append(f"{products} not deleted, as the service acknowledged rows with their keys: {ids}")
        return "; ".join(filter(None, told))

    @property
    def changed_since(self) -> int:
        """Count what earlier runs have sent, and that differs all the same."""
        return self._pending.not_kept

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the rows that are not sent, and those of which the catalog does not tell."""
        skipped = {"skipped": report.valid - self._pending.written}
        if self._feed.operation == UPDATE:  # of which every product is listed
            return skipped
        return skipped | {
            "unseen": self.differences.unseen,
            "not_kept": self.differences.not_kept + self._pending.not_kept,
        }


def sync_plan(
    rows: Rows,
    catalog: str,
    sync_state: SyncState,
    differences: Differences,
    *,
    prune: bool,
    verify: bool = False,
    strict: bool,
    read_in: str,
    schema: RowSchema = PRODUCT_SCHEMA,
    operation: str = SYNC,
) -> SyncPlan:
    """Plan to make a catalog equal to a feed, or in some fields to the rows of a file."""
    validator = Validator(rows, schema, strict=strict)
    upload = sync_upload(catalog, deletes=operation == SYNC)
    feed = RowPlan("products", validator, upload, KIND, catalog, operation, BATCH_SIZE)
    return SyncPlan(feed, differences, sync_state, prune=prune, verify=verify, read_in=read_in)


def _parts(changes: Iterator[T]) -> Iterator[list[T]]:
    while part := list(islice(changes, BATCH_SIZE)):
        yield part
