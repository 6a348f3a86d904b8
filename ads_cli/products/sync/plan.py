"""The plan of a sync: the writes that make a catalog equal to a feed, then the deletions."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ... import __version__
from ...api.endpoint import Request
from ...api.products import BATCH_SIZE
from ...feeds.rows import Rows
from ...output.text import counted, first_of
from ...parallel import batched
from ...uploads.job import Acknowledgement, JobKey
from ...uploads.journal import Journal
from ...uploads.plan import OnAcknowledged
from ...uploads.upload import FAILED, AttemptLog, Batch, Batches, RowUpload
from ...validation import EncodedRows, RowSchema
from ...validation.report import ValidationReport
from ...validation.validator import Validator
from ..digest_index import DIGEST, NO_KEY, ProductHashes, id_hash, key_hash, repeat_hash
from ..normal_form import PRODUCT_SCHEMA
from ..plans import DELETED, STATUSES, ProductPlan, delete_upload, push_upload
from ..selection import NOT_COMMITTED, Bookkeeper
from ..sync_state import SyncState
from .differences import NAMED_IDS, WRITES, Differences, ProductChange

if TYPE_CHECKING:
    from ...client.client import Client
    from ...client.prepared_request import PreparedRequest


class Deletions(msgspec.Struct):
    """The products that one request deletes."""

    keys: EncodedRows
    ids: list[str]  # of the products, in the same order
    missing: list[str]  # keys that an earlier run has sent without a response, and that are listed no longer

    @classmethod
    def of(cls, changes: list[ProductChange], missing: list[str] | None = None) -> "Deletions":
        """Encode the keys of products."""
        keys = EncodedRows()
        for position, change in enumerate(changes):
            keys.add(change.product_key or "", msgspec.json.encode(change.product_key), position, 0)
        return cls(keys, [change.id for change in changes], missing or [])


@dataclass(frozen=True)
class SyncUpload:
    """Sends batches of rows, and batches of deletions. Each acknowledgement names its products."""

    writes: RowUpload
    deletions: RowUpload | None  # None where no product may be deleted

    @property
    def request(self) -> Request:
        """Return the request of a write, without its rows."""
        return self.writes.request

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a row, or of a product that no row has."""
        return (*STATUSES.values(), *([DELETED] if self.deletions else ()), FAILED)

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        upload, rows = self._parts(batch)
        return upload.prepare(client, rows)

    def digest(self, batch: Batch) -> str:
        """Return the digest of what a batch sends."""
        upload, rows = self._parts(batch)
        return upload.digest(rows)

    def _parts(self, batch: Batch) -> tuple[RowUpload, Batch]:
        """Return the upload that sends a batch, and the batch as that takes it."""
        if isinstance(batch.items, Deletions):
            assert self.deletions
            keys = batch.items.keys
            return self.deletions, Batch(batch.number, keys, keys.places)
        return self.writes, batch

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Send a batch; what an earlier run has deleted without a response counts as deleted."""
        upload, rows = self._parts(batch)
        ack = upload.send(client, rows, attempts) if rows.places else Acknowledgement(batch.number, {})
        if not isinstance(batch.items, Deletions):
            ack.records = [record for record, _ in rows.places]
            return ack
        ids, missing = batch.items.ids, batch.items.missing
        ack.deleted = [*rows.items.ids, *missing]
        ack.not_deleted = [(ids[position], reason) for position, reason in ack.failed]
        ack.failed = []
        if missing:
            ack.counts[DELETED] = ack.counts.get(DELETED, 0) + len(missing)
        return ack


class EarlierRuns:
    """What earlier runs of a job have sent, by record number and by key.

    Each run lists the catalog again and cuts other batches, so that their numbers say nothing.
    """

    def __init__(
        self, acknowledged: Iterable[Acknowledgement] = (), attempts: Mapping[int, list[str]] = {}
    ) -> None:
        self.sent = self.written = self.batches = 0  # rows and keys; rows alone; their batches
        self._records = bytearray()  # by record number: whether the row was acknowledged
        self._keys: set[str] = set()  # whose deletion was acknowledged, or refused
        self._refused: set[str] = set()  # ids of the latter
        self._rejected: set[int] = set()  # record numbers
        answered: set[int] = set()
        for ack in acknowledged:
            answered.add(ack.batch)
            self.batches += 1
            self.sent += sum(ack.counts.values())
            self.written += len(ack.records)
            for record in ack.records:
                self._records.extend(bytes(max(0, record + 1 - len(self._records))))
                self._records[record] = True
            self._keys.update(ack.deleted)
            self._refused.update(id for id, _ in ack.not_deleted)
            self._rejected.update(record for record, _ in ack.failed)
        self.next_batch = 1 + max((*answered, *attempts), default=-1)
        # The keys of requests that the service may have applied, by batch.
        self.unanswered = {batch: keys for batch, keys in attempts.items() if batch not in answered}

    def has_sent(self, change: ProductChange) -> bool:
        """Tell whether a change was acknowledged, or refused."""
        if change.action in WRITES:
            return change.record < len(self._records) and bool(self._records[change.record])
        return change.product_key in self._keys

    def was_refused(self, change: ProductChange) -> bool:
        """Tell whether the service has refused a change."""
        return change.id in self._refused or change.record in self._rejected


class PendingChanges:
    """The changes that a run has to send, and how many they are."""

    def __init__(self, differences: Differences, earlier: EarlierRuns) -> None:
        self._differences, self._earlier = differences, earlier
        self._unanswered = {key for keys in earlier.unanswered.values() for key in keys}
        self._spared = set[int]()  # hashes of keys
        self.spared: list[str] = []  # ids of the products with these
        self.not_kept = 0  # changes that an earlier run has sent, and that differ all the same
        counts = differences.counts
        self._writes = sum(counts.get(action, 0) for action in WRITES)
        self._deletions = counts.get("delete", 0)
        if earlier.next_batch:
            self._leave_out_sent()

    def _leave_out_sent(self) -> None:
        """Count again, without what earlier runs have sent."""
        for change in self._differences:
            is_sent = self._earlier.has_sent(change)
            is_equal = change.is_unseen or change.fields.keys() == {"id"}  # as far as can be seen
            if is_sent and not (is_equal or self._earlier.was_refused(change)):
                self.not_kept += 1
            if change.action in WRITES:
                self._writes -= is_sent
            else:
                self._deletions -= self._was_tried(change)

    def _was_tried(self, deletion: ProductChange) -> bool:
        """Tell whether an earlier run has sent a deletion, with a response or without."""
        return self._earlier.has_sent(deletion) or deletion.product_key in self._unanswered

    def spare(self, acknowledged: Iterable[Acknowledgement]) -> None:
        """Leave out deletions of keys that rows were acknowledged with."""
        hashes = {key_hash(change.product_key or ""): change.id for change in self._differences.deletions()}
        self._spared = {key for ack in acknowledged for key in ack.keys if key in hashes} - {NO_KEY}
        self.spared = [hashes[key] for key in self._spared]
        for change in self._differences.deletions() if self._spared else ():
            self._deletions -= self._is_spared(change) and not self._was_tried(change)

    def _is_spared(self, change: ProductChange) -> bool:
        return key_hash(change.product_key or "") in self._spared

    def writes(self) -> Iterator[ProductChange]:
        """Yield the creations and updates."""
        return (change for change in self._differences.writes() if not self._earlier.has_sent(change))

    def deletions(self) -> Iterator[ProductChange]:
        """Yield the deletions that were never sent."""
        for change in self._differences.deletions():
            if not (self._was_tried(change) or self._is_spared(change)):
                yield change

    def unanswered(self) -> Iterator[tuple[int, Deletions]]:
        """Yield what earlier runs tried to delete, without a response, with the number of each batch."""
        if not self._unanswered:
            return
        changes = self._differences.deletions()
        listed = {
            str(change.product_key): change for change in changes if change.product_key in self._unanswered
        }
        for batch, keys in self._earlier.unanswered.items():
            products = [listed[key] for key in keys if key in listed]
            missing = [key for key in keys if key in self._unanswered and key not in listed]
            yield batch, Deletions.of(products, missing)

    @property
    def due(self) -> int:
        """Count the changes, and those that earlier runs have sent."""
        return self._earlier.sent + self._writes + self._deletions + len(self._unanswered)

    @property
    def written(self) -> int:
        """Count the rows that are written, by earlier runs too."""
        return self._earlier.written + self._writes

    def batches(self, size: int) -> int:
        """Count the batches, and those that earlier runs have sent."""
        requests = -(-self._writes // size) - (-self._deletions // size)
        return self._earlier.batches + len(self._earlier.unanswered) + requests


NOT_ACCEPTED = -1  # in place of the hash of a key


@dataclass
class CommitDifferences(Bookkeeper):
    """Forget what is about to change, and at the end remember each row that the catalog has."""

    sync_state: SyncState
    differences: Differences

    def begin(self, journal: Journal) -> None:
        """Invalidate the products that are written or deleted."""
        hashes = (id_hash(change.id) for change in self.differences)
        both_hashes = chain.from_iterable((hashed_id, repeat_hash(hashed_id)) for hashed_id in hashes)
        forgotten = chain(both_hashes, self.differences.forgotten)
        self.sync_state.invalidate(journal.previous_epoch, journal.job.epoch, forgotten)

    def finish(self, journal: Journal) -> str:
        """Commit the rows that did not differ, and those that were acknowledged."""
        rows = chain(self.differences.equal(), self._accepted(journal.acknowledgements()))
        return "" if self.sync_state.commit(journal.job.epoch, rows) else NOT_COMMITTED

    def _accepted(self, acknowledged: Iterable[Acknowledgement]) -> Iterator[ProductHashes]:
        """Yield the products of the rows that were accepted, and have differed from the listing."""
        keys = array("q")  # by record number: the key hash, or NOT_ACCEPTED, also where it was not sent
        for ack in acknowledged:
            rejected = {record for record, _ in ack.failed}
            for record, key in zip(ack.records, ack.keys, strict=True):
                keys.extend([NOT_ACCEPTED] * (record + 1 - len(keys)))
                keys[record] = NOT_ACCEPTED if record in rejected else key
        for change in self.differences.writes():
            key = keys[change.record] if change.record < len(keys) else NOT_ACCEPTED
            if key != NOT_ACCEPTED:
                stored_key = key or key_hash(change.product_key or "")
                for digest in filter(None, (change.digest, change.repeat)):
                    hashed_id, content = DIGEST.unpack(digest)
                    yield hashed_id, content, stored_key


SYNC, UPDATE = "sync", "update"  # operations


@dataclass(kw_only=True)
class SyncPlan(ProductPlan):
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

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the batches of writes, and once these are acknowledged those of deletions."""
        for ack in journal.acknowledged.values():
            on_acknowledged(Batch(ack.batch, ()), ack)
        numbers = count(self._earlier.next_batch)
        yield self._write_batches(numbers)
        self._pending.spare(journal.acknowledgements())
        yield self._deletion_batches(numbers)

    def _write_batches(self, numbers: Iterator[int]) -> Batches:
        for part in batched(self._pending.writes(), BATCH_SIZE):
            rows = EncodedRows()
            for change in part:
                rows.add(change.id, change.body, change.record, change.line)
            yield Batch(next(numbers), rows, rows.places)

    def _deletion_batches(self, numbers: Iterator[int]) -> Batches:
        """Yield first what an earlier run may have deleted, each batch under its number."""
        for number, deletions in self._pending.unanswered():
            yield Batch(number, deletions)
        for part in batched(self._pending.deletions(), BATCH_SIZE):
            yield Batch(next(numbers), Deletions.of(part))

    def write_requests(self) -> Iterable[Request]:
        """Return the request of the writes, and that of the deletions, as far as there are any."""
        counts, deletions = self.differences.counts, self.upload.deletions
        if any(counts.get(action) for action in WRITES) or not counts.get("delete"):
            yield self.upload.request
        if counts.get("delete") and deletions:
            yield deletions.request

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job, without the differences, since each run compares again."""
        key = super().key(service, skip_invalid=skip_invalid)
        return replace(key, options=replace(key.options, upload=key.options.upload | self.options))

    def begin(self, journal: Journal) -> None:
        """Find out what earlier runs have sent, and forget the products that are about to change."""
        self._earlier = EarlierRuns(journal.acknowledged.values(), journal.attempts)
        self._resumed = PendingChanges(self.differences, self._earlier)
        super().begin(journal)

    def finish(self, journal: Journal) -> str:
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
    return SyncPlan(
        validator=Validator(rows, schema, strict=strict),
        upload=SyncUpload(
            push_upload(catalog, note_keys=True), delete_upload(catalog) if operation == SYNC else None
        ),
        catalog=catalog,
        operation=operation,
        bookkeeper=CommitDifferences(sync_state, differences),
        differences=differences,
        options={"prune": prune, "verify": verify, "version": __version__},
        expected_epoch=expected_epoch,
    )
