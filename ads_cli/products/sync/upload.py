"""The uploads of a sync: writes are sent as a push sends them, and deletions as a delete."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from ...api.endpoint import Request
from ...uploads.batch import FAILED, Acknowledgement, Batch
from ...uploads.upload import AttemptLog, RowUpload
from ...validation.encoded_rows import EncodedRows
from ..upload import DELETED, STATUSES, delete_upload, push_upload
from .change import Change

if TYPE_CHECKING:
    from ...client.client import Client
    from ...client.prepared_request import PreparedRequest


class Deletions(msgspec.Struct):
    """The products that one request deletes."""

    keys: EncodedRows
    ids: list[str]  # of the products, in the same order
    gone: list[str]  # keys that an earlier run has sent without an answer, and that are listed no longer

    @classmethod
    def of(cls, changes: list[Change], gone: list[str] | None = None) -> "Deletions":
        """Encode the keys of products."""
        keys = EncodedRows()
        for position, change in enumerate(changes):
            keys.add(change.product_key or "", msgspec.json.encode(change.product_key), position, 0)
        return cls(keys, [change.id for change in changes], gone or [])


@dataclass(frozen=True)
class SyncUpload:
    """Sends batches of rows, and batches of deletions; each acknowledgement names what it is about."""

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
        """Send a batch; what an earlier run has deleted without an answer counts as deleted."""
        upload, rows = self._parts(batch)
        ack = upload.send(client, rows, attempts) if rows.places else Acknowledgement(batch.number, {})
        if not isinstance(batch.items, Deletions):
            ack.records = [record for record, _ in rows.places]
            return ack
        ids, gone = batch.items.ids, batch.items.gone
        ack.deleted = [*rows.items.ids, *gone]
        ack.not_deleted = [(ids[position], reason) for position, reason in ack.failed]
        ack.failed = []
        if gone:
            ack.counts[DELETED] = ack.counts.get(DELETED, 0) + len(gone)
        return ack


def sync_upload(catalog: str, *, deletes: bool) -> SyncUpload:
    """Return the upload that makes a catalog equal to a feed."""
    return SyncUpload(push_upload(catalog, note_keys=True), delete_upload(catalog) if deletes else None)
