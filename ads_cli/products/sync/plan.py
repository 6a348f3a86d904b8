"""The plan of a sync: the writes that make a catalog equal to a feed, and then the deletions."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from ... import __version__
from ...api.endpoint import Request
from ...api.products import BATCH_SIZE
from ...feeds.rows import Rows
from ...output.text import counted, first_of
from ...uploads.job_file import JobKey
from ...uploads.journal import Journal
from ...uploads.plan import OnAcknowledged, RowPlan
from ...uploads.upload import Acknowledgement, Batch, Batches
from ...validation import EncodedRows, RowSchema
from ...validation.report import ValidationReport
from ...validation.validator import Validator
from ..digest_index import DIGEST_BYTES, id_hash, key_hash, repeat_hash
from ..normal_form import PRODUCT_SCHEMA
from ..selection import NOT_COMMITTED
from ..sync_state import KIND, SyncState
from .differences import NAMED_IDS, WRITES, Differences
from .upload import Deletions, EarlierRuns, PendingChanges, SyncUpload, sync_upload

if TYPE_CHECKING:
    from ...uploads.journal import Journal


REJECTED = -1


@dataclass
class CommitDifferences:
    """Forget what is about to change, and at the end remember each row that the catalog has."""

    sync_state: SyncState
    differences: Differences

    def begin(self, journal: Journal) -> None:
        """Invalidate the products that are written or deleted."""
        hashes = (id_hash(change.id) for change in self.differences)
        noted = chain.from_iterable((each, repeat_hash(each)) for each in hashes)
        forgotten = (each.ljust(DIGEST_BYTES, b"\0") for each in chain(noted, self.differences.forgotten))
        self.sync_state.invalidate(journal.previous_epoch, journal.job.epoch, forgotten)

    def finish(self, journal: Journal) -> str:
        """Commit the rows that did not differ, and those that were acknowledged."""
        rows = chain(self.differences.equal(), self._accepted(journal.acknowledgements()))
        return "" if self.sync_state.commit(journal.job.epoch, rows) else NOT_COMMITTED

    def _accepted(self, acknowledged: Iterable[Acknowledgement]) -> Iterator[tuple[bytes, int]]:
        """Yield digest and key hash of the rows that were accepted, and have differed from the listing."""
        keys = array("q")  # by record number: the key hash, or REJECTED, also where it was not sent
        for ack in acknowledged:
            rejected = {record for record, _ in ack.failed}
            for record, key in zip(ack.records, ack.keys, strict=True):
                keys.extend([REJECTED] * (record + 1 - len(keys)))
                keys[record] = REJECTED if record in rejected else key
        for change in self.differences.writes():
            key = keys[change.record] if change.record < len(keys) else REJECTED
            if key != REJECTED:
                known = key or key_hash(change.product_key or "")
                yield change.digest, known
                if change.repeat:
                    yield change.repeat, known


SYNC, UPDATE = "sync", "update"  # operations

T = TypeVar("T")


@dataclass(kw_only=True)
class SyncPlan(RowPlan):
    """Carry out what differs between a feed and its catalog.

    Each run finds that out again, and sends nothing that an earlier run of the job has sent.
    """

    upload: SyncUpload
    differences: Differences  # once the feed is compared
    expected_epoch: str  # the write epoch of the catalog before it was listed
    options: dict[str, str | int | bool | None]  # that identify the job, beside those of the feed
    _earlier: EarlierRuns = field(default_factory=EarlierRuns)
    _resumed: PendingChanges | None = None

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

    def write_requests(self) -> Iterable[Request]:
        """Return the request of the writes, and that of the deletions, as far as there are any."""
        counts, deletions = self.differences.counts, self.upload.deletions
        if any(counts.get(action) for action in WRITES) or not counts.get("delete"):
            yield self.upload.request
        if counts.get("delete") and deletions:
            yield deletions.request

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job; what differs does not, since each run finds it out again."""
        key = super().key(service, skip_invalid=skip_invalid)
        return replace(key, options=replace(key.options, upload=key.options.upload | self.options))

    def begin(self, journal: "Journal") -> None:
        """Find out what earlier runs have sent, and forget the products that are about to change."""
        self._earlier = EarlierRuns(journal.acknowledged.values(), journal.attempts)
        self._resumed = PendingChanges(self.differences, self._earlier)
        super().begin(journal)

    def finish(self, journal: "Journal") -> str:
        """Remember the products of the catalog that are as the feed says."""
        notes = [super().finish(journal)]
        if spared := self._pending.spared:
            ids = first_of(spared, NAMED_IDS, repr)
            products = counted(len(spared), "product")
            notes.append(f"{products} not deleted, as the service acknowledged rows with their keys: {ids}")
        return "; ".join(filter(None, notes))

    @property
    def changed_since(self) -> int:
        """Count what earlier runs have sent, and that differs all the same."""
        return self._pending.not_kept

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Count the rows that are not sent, and those of which the catalog does not tell."""
        skipped = {"skipped": report.valid - self._pending.written}
        if self.operation == UPDATE:  # of which every product is listed
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
    expected_epoch: str,
    schema: RowSchema = PRODUCT_SCHEMA,
    operation: str = SYNC,
) -> SyncPlan:
    """Plan to make a catalog equal to a feed, or in some fields to the rows of a file."""
    validator = Validator(rows, schema, strict=strict)
    upload = sync_upload(catalog, deletes=operation == SYNC)
    return SyncPlan(
        noun="products",
        validator=validator,
        upload=upload,
        kind=KIND,
        target=catalog,
        operation=operation,
        batch_size=BATCH_SIZE,
        bookkeeper=CommitDifferences(sync_state, differences),
        differences=differences,
        options={"prune": prune, "verify": verify, "version": __version__},
        expected_epoch=expected_epoch,
    )


def _parts(changes: Iterator[T]) -> Iterator[list[T]]:
    while part := list(islice(changes, BATCH_SIZE)):
        yield part
