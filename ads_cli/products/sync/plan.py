"""The plan of a sync: the writes that make a catalog equal to a feed, then the deletions."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count

import msgspec

from ... import __version__
from ...api.endpoint import Request
from ...api.products import BATCH_SIZE
from ...feeds.rows import Rows
from ...parallel import batched
from ...runs.job import Acknowledgement, JobKey, UploadOptions
from ...runs.journal import Journal
from ...runs.plan import OnAcknowledged, Plan, this_second
from ...runs.upload import Batch, Batches
from ...store.epochs import UploadTarget
from ...validation import EncodedRows, RowSchema
from ...validation.validator import Validator
from ..digest_index import DIGEST, NO_KEY, PRODUCT, ProductHashes, id_hash, key_hash, repeat_hash
from ..normal_form import PRODUCT_SCHEMA
from ..plans import product_key
from ..selection import NOT_COMMITTED
from ..sync_state import KIND, SyncState
from ..uploads import DELETED, DeleteUpload, PushUpload
from .comparison import CatalogComparison
from .differences import PENDING, SENT, SPARED, TRIED, Differences, ProductChange

NOT_ACCEPTED = -1  # in place of the hash of a key, which is never negative


@dataclass
class CommitDifferences:
    """The sync state of a run: forgets what is about to change, and remembers what the catalog has then."""

    sync_state: SyncState
    differences: Differences

    def begin(self, journal: Journal) -> None:
        """Invalidate the products that are written or deleted."""
        hashes = (id_hash(change.id) for change in self.differences)
        # A product has a second hash where its row was sent once more, since its values were not kept.
        both_hashes = chain.from_iterable((hashed_id, repeat_hash(hashed_id)) for hashed_id in hashes)
        forgotten = chain(both_hashes, self.differences.forgotten)
        self.sync_state.invalidate(journal.previous_epoch, journal.job.epoch, forgotten)

    def finish(self, journal: Journal) -> str:
        """Commit the rows that did not differ, and those that were acknowledged."""
        rows = chain(PRODUCT.iter_unpack(self.differences.equal), self._accepted(journal.acknowledgements()))
        return "" if self.sync_state.commit(journal.job.epoch, rows) else NOT_COMMITTED

    def _accepted(self, acknowledged: Iterable[Acknowledgement]) -> Iterator[ProductHashes]:
        """Yield the products of the rows that were accepted, and have differed from the listing."""
        keys = array("q")  # by record number: the key hash, or NOT_ACCEPTED, also where it was not sent
        for ack in acknowledged:
            rejected = {record for record, _ in ack.failed}
            for record, key in zip(ack.records, ack.keys, strict=True):
                keys.extend([NOT_ACCEPTED] * (record + 1 - len(keys)))
                keys[record] = NOT_ACCEPTED if record in rejected else key
        for change in self.differences.read(deletions=False):
            key = keys[change.record] if change.record < len(keys) else NOT_ACCEPTED
            if key != NOT_ACCEPTED:
                stored_key = key or key_hash(change.product_key or "")
                for digest in filter(None, (change.digest, change.repeat)):
                    hashed_id, content = DIGEST.unpack(digest)
                    yield hashed_id, content, stored_key


SYNC, UPDATE = "sync", "update"  # operations


@dataclass(kw_only=True)
class SyncPlan(Plan):
    """Carry out what differs between a feed and its catalog.

    Each run finds that out again, and cuts other batches: what earlier runs of the job have sent is known by
    the numbers of rows and by keys, and not sent again.
    """

    noun = "products"

    file: Validator
    catalog: str
    operation: str  # SYNC or UPDATE
    options: UploadOptions  # that identify the job
    upload: PushUpload
    deletions: DeleteUpload | None  # None where no product may be deleted
    differences: Differences  # once the feed is compared
    memory: CommitDifferences
    expected_epoch: str  # the write epoch of the catalog before it was listed
    gone: set[str]  # keys that an earlier run tried to delete, and that are listed no longer
    started: datetime = field(default_factory=this_second)
    spared: list[str] = field(default_factory=list)  # ids of products with the keys of acknowledged rows
    may_lag: bool = False  # the catalog may be listed as it was before earlier runs
    # Changes that earlier runs have sent, and that differ all the same.
    changed_since: int = 0  # by somebody else
    not_listed_yet: int = 0  # as far as a listing that may lag tells
    _sent: int = 0  # rows and keys, by earlier runs
    _written: int = 0  # rows alone
    _sent_batches: int = 0
    _next_batch: int = 0
    _tried: dict[int, list[str]] = field(default_factory=dict)  # keys of unanswered deletions, by batch

    def target(self, service: str) -> UploadTarget:
        """Return what is changed."""
        return UploadTarget(service, KIND, self.catalog)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job, without the differences, since each run compares again."""
        target = self.target(service)
        return product_key(target, self.operation, self.file, skip_invalid, options=self.options)

    @property
    def due(self) -> int:
        """Count the changes, and those that earlier runs have sent."""
        return self._sent + sum(self.differences.due) + sum(map(len, self._tried.values()))

    @property
    def batch_count(self) -> int:
        """Count their batches."""
        pending = sum(-(-changes // BATCH_SIZE) for changes in self.differences.due)
        return self._sent_batches + len(self._tried) + pending

    def write_requests(self) -> Iterable[Request]:
        """Return the request of the writes, and that of the deletions, as far as there are any."""
        writes, deletions = self.differences.count
        if writes or not deletions:
            yield self.upload.request
        if deletions and self.deletions:
            yield self.deletions.request

    def settle(self, journal: Journal) -> None:
        """Find out what earlier runs have sent."""
        changes, acknowledged = self.differences, journal.acknowledged
        if not (acknowledged or journal.attempts):
            return
        self._next_batch = 1 + max((*acknowledged, *journal.attempts), default=-1)
        self._tried = {batch: keys for batch, keys in journal.attempts.items() if batch not in acknowledged}
        self._sent_batches = len(acknowledged)
        refused = set[str | int]()  # ids of products, and numbers of rows
        for ack in acknowledged.values():
            changes.mark(SENT, ack.records, ack.deleted)
            self._sent += sum(ack.counts.values())
            self._written += len(ack.records)
            refused.update(id for id, _ in ack.not_deleted)
            refused.update(record for record, _ in ack.failed)
        for keys in self._tried.values():
            changes.mark(TRIED, keys=keys)
        differing = 0
        for change in changes.read(state=SENT):
            is_equal = change.is_unseen or change.fields.keys() == {"id"}  # as far as can be seen
            differing += not (is_equal or {change.id, change.record} & refused)
        if self.may_lag:
            self.not_listed_yet = differing
        else:
            self.changed_since = differing

    def phases(self, journal: Journal, on_acknowledged: OnAcknowledged) -> Iterator[Batches]:
        """Yield the batches of writes, and once these are acknowledged those of deletions."""
        for ack in journal.acknowledged.values():
            on_acknowledged(Batch(ack.batch, ()), ack)
        numbers = count(self._next_batch)
        yield self._write_batches(numbers)
        if self.differences.due[1]:
            self._spare(journal.acknowledgements())
        yield self._deletion_batches(numbers)

    def _write_batches(self, numbers: Iterator[int]) -> Batches:
        for part in batched(self.differences.read(deletions=False, state=PENDING), BATCH_SIZE):
            rows = EncodedRows()
            for change in part:
                rows.add(change.id, change.body, change.record, change.line)
            yield Batch(next(numbers), rows, rows.places)

    def _spare(self, acknowledged: Iterable[Acknowledgement]) -> None:
        """Leave out deletions of keys that rows were acknowledged with."""
        hashes = {key_hash(change.product_key or "") for change in self._deletions()}
        shared = hashes.intersection(chain.from_iterable(ack.keys for ack in acknowledged)) - {NO_KEY}
        if not shared:
            return
        spared = [change for change in self._deletions() if key_hash(change.product_key or "") in shared]
        self.differences.mark(SPARED, keys=(change.product_key or "" for change in spared))
        self.spared = [change.id for change in spared]

    def _deletions(self) -> Iterator[ProductChange]:
        return self.differences.read(deletions=True, state=PENDING)

    def _deletion_batches(self, numbers: Iterator[int]) -> Batches:
        """Yield first what an earlier run may have deleted, each batch under its number."""
        tried = self.differences.read(state=TRIED) if self._tried else ()
        ids = {change.product_key: change.id for change in tried}
        for number, keys in self._tried.items():
            self.gone.update(key for key in keys if key not in ids)
            yield self._deletion(number, ((ids.get(key, key), key) for key in keys))
        for part in batched(self._deletions(), BATCH_SIZE):
            yield self._deletion(next(numbers), ((change.id, change.product_key or "") for change in part))

    def _deletion(self, number: int, products: Iterable[tuple[str, str]]) -> Batch:
        """Make a batch that deletes products, which are named by ids and keys."""
        ids, keys = zip(*products, strict=True)
        return Batch(number, EncodedRows([*ids], [*map(msgspec.json.encode, keys)]), upload=self.deletions)

    def totals(self) -> dict[str, int]:
        """Count the rows that are not sent, and those of which the catalog does not tell."""
        writes, _ = self.differences.due
        skipped = {"skipped": self.file.report.valid - self._written - writes}
        if not self.deletions:  # of an update, of which every product is listed
            return skipped
        not_kept = self.differences.not_kept + self.changed_since
        return skipped | {"unseen": self.differences.unseen, "not_kept": not_kept}


def sync_plan(
    comparison: CatalogComparison,
    rows: Rows,
    expected_epoch: str,
    *,
    strict: bool,
    schema: RowSchema = PRODUCT_SCHEMA,
    operation: str = SYNC,
) -> SyncPlan:
    """Plan to make a catalog equal to a feed, or in some fields to the rows of a file.

    The rows are kept for the comparison while they are validated.
    """
    catalog, compared, gone = comparison.catalog, comparison.options, set[str]()
    # A key that an earlier run has deleted is in no request again, but counts as deleted.
    deletions: DeleteUpload | None = None
    statuses = PushUpload.statuses
    if operation == SYNC:
        deletions = DeleteUpload(catalog, lambda key: None if key in gone else key, compared.may_lag)
        *others, failed = statuses
        statuses = (*others, DELETED, failed)
    validator = Validator(rows, schema, strict=strict)
    comparison.watch(validator)
    return SyncPlan(
        file=validator,
        catalog=catalog,
        operation=operation,
        options={"prune": compared.prune, "verify": compared.verify, "version": __version__},
        upload=PushUpload(catalog, notes_keys=True, notes_rows=True, statuses=statuses),
        deletions=deletions,
        differences=comparison.differences,
        memory=CommitDifferences(comparison.sync_state, comparison.differences),
        expected_epoch=expected_epoch,
        gone=gone,
        may_lag=compared.may_lag,
    )
