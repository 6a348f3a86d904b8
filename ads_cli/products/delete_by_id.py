"""Delete products by the ids of their feed: the service takes keys, which the listing of a catalog tells."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from ..api.endpoint import Request
from ..uploads.batch import FAILED, Acknowledgement, Batch
from ..uploads.upload import AttemptLog, RowUpload
from ..validation.encoded_rows import EncodedRows
from .listing import find_products
from .upload import DELETED

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
