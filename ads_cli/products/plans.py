"""The plans of product pushes and deletes."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from ..api.endpoint import Request
from ..api.products import BATCH_SIZE
from ..feeds.rows import Rows
from ..uploads.plan import Bookkeeper, RowPlan
from ..uploads.upload import FAILED, Acknowledgement, AttemptLog, Batch, RowUpload, Upload
from ..validation import EncodedRows
from ..validation.validator import Validator
from .listing import find_products
from .normal_form import ID_SCHEMA, KEY_SCHEMA, PRODUCT_SCHEMA
from .selection import ChangedRows, CommitAtEnd, ForgetKeys
from .sync_state import KIND, SyncState
from .upload import DELETED, delete_upload, push_upload

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest


@dataclass(frozen=True)
class DeleteById:
    """Deletes batches of ids, whose keys were looked up; an id without a key is a rejected row."""

    by_key: RowUpload
    keys: dict[str, str] = field(default_factory=dict)  # by id

    @property
    def request(self) -> Request:
        """Return the request without its items."""
        return self.by_key.request

    @property
    def statuses(self) -> tuple[str, ...]:
        """Name what can become of a row."""
        return self.by_key.statuses

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        return self.by_key.prepare(client, self._listed(batch))

    def digest(self, batch: Batch) -> str:
        """Return the digest of the ids, which stays the same when their products are gone."""
        return self.by_key.digest(batch)

    def send(self, client: "Client", batch: Batch, attempts: AttemptLog) -> Acknowledgement:
        """Delete the products that are listed; an earlier run may have deleted the others."""
        listed = self._listed(batch)
        ack = Acknowledgement(batch.number, {})
        if listed.places:
            ack = self.by_key.send(client, listed, attempts)
        status = DELETED if attempts.may_be_applied(batch.number) else FAILED
        for id, (record, _) in zip(batch.items.ids, batch.places, strict=True):
            if id not in self.keys:
                ack.counts[status] = ack.counts.get(status, 0) + 1
                if status == FAILED:
                    ack.failed.append((record, f"{id!r} is not in the catalog"))
        return ack

    def _listed(self, batch: Batch) -> Batch:
        """Return the part of a batch whose ids have keys, with those in their place."""
        listed = EncodedRows()
        for id, place in zip(batch.items.ids, batch.places, strict=True):
            if key := self.keys.get(id):
                listed.ids.append(key)
                listed.bodies.append(msgspec.json.encode(key))
                listed.places.append(place)
        return Batch(batch.number, listed, listed.places)


def find_keys(
    client: "Client", catalog: str, ids: Collection[str], on_progress: Callable[[int], None]
) -> dict[str, str]:
    """Look the keys of ids up in a catalog."""
    found = find_products(client, catalog, ids, ("id",), on_progress)
    return {id: str(key) for id, product in found if (key := product.get("product_key"))}


def push_plan(
    rows: Rows, catalog: str, sync_state: SyncState, selection: ChangedRows | None, *, strict: bool = False
) -> RowPlan:
    """Plan a push of the rows that a selection takes; None sends all, and remembers none."""
    sends_all = not (selection and selection.only_changed)
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict, for_sending=sends_all)
    upload = push_upload(catalog, note_keys=selection is not None)
    bookkeeper = CommitAtEnd(sync_state, selection, BATCH_SIZE) if selection else None
    return _plan(validator, upload, catalog, "push", bookkeeper)


def check_plan(rows: Rows, selection: ChangedRows | None = None, *, strict: bool = False) -> RowPlan:
    """Plan to validate products, and to send nothing."""
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict)
    return _plan(validator, push_upload("-"), "-", "push")


def delete_plan(rows: Rows, catalog: str, sync_state: SyncState) -> RowPlan:
    """Plan a delete of the products whose keys are in a file."""
    validator = Validator(rows, KEY_SCHEMA)

    def keys() -> Iterator[str]:
        return (getattr(each.item, KEY_SCHEMA.id_field) for each in validator.checked_rows() if each.item)

    forget = ForgetKeys(sync_state, keys)
    return _plan(validator, delete_upload(catalog), catalog, "delete", forget)


def delete_by_id_plan(rows: Rows, catalog: str, sync_state: SyncState) -> tuple[RowPlan, dict[str, str]]:
    """Plan a delete of the products whose ids are in a file; return their keys too, to be looked up."""
    upload = DeleteById(delete_upload(catalog))
    forget = ForgetKeys(sync_state, upload.keys.values)
    return _plan(Validator(rows, ID_SCHEMA), upload, catalog, "delete by id", forget), upload.keys


def _plan(
    validator: Validator, upload: Upload, catalog: str, operation: str, bookkeeper: Bookkeeper | None = None
) -> RowPlan:
    return RowPlan("products", validator, upload, KIND, catalog, operation, BATCH_SIZE, bookkeeper)
