"""The requests that push and delete products, and what their responses say of each product."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.products import DeleteProducts, PutProducts
from ..client.response import Response, not_understood
from ..output.text import counted, shortened
from ..runs.job import FAILED, Acknowledgement
from ..runs.upload import Batch, digest_of
from .digest_index import NO_KEY, key_hash
from .normal_form import FIELDS

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..runs.journal import Journal

REJECTED = "ERROR"
STATUSES = {"CREATE_SUCCESS": "created", "UPDATE_SUCCESS": "updated", "NO_CHANGE": "unchanged"}
DELETED = "deleted"
NO_REASON = "rejected without a reason"
# What a response to a deletion may have as its status or message after a success. The reference has neither
# there.
CONFIRMATIONS = {"", "OK", "SUCCESS", "DELETED", "DELETE_SUCCESS"}
# Reasons that mean that a catalog does not have a key; any other reason is a refusal.
UNKNOWN_KEY = re.compile(
    r"not found|unknown|does(n't| not) exist|\bno (such )?product\b|not in th(e|is) catalog|already deleted",
    re.I,
)


class ProductUpload:
    """What the uploads of products have in common: their batches are `EncodedRows`."""

    def digest(self, batch: Batch) -> str:
        """Return the digest of the rows and of their record numbers."""
        return digest_of(batch.items.bodies, (record for record, _ in batch.places))


@dataclass(frozen=True)
class PushUpload(ProductUpload):
    """Creates and updates products of a catalog. What is repeated changes nothing, so no attempt is noted."""

    catalog: str
    notes_keys: bool = False  # in acknowledgements, by their hashes
    notes_rows: bool = False  # there too, by their numbers
    statuses: tuple[str, ...] = (*STATUSES.values(), FAILED)

    @cached_property
    def request(self) -> PutProducts:
        """Return the request without its products."""
        return PutProducts(product_catalog_id=self.catalog, products=[])

    def prepare(self, client: "Client", batch: Batch) -> "PreparedRequest":
        """Build the request of a batch."""
        products = client.names.encoded(b",".join(batch.items.bodies), FIELDS)
        return client.prepare(self.request, [b'{"products":[', products, b"]}"])

    def send(self, client: "Client", batch: Batch, journal: "Journal") -> Acknowledgement:
        """Send a batch."""
        ack = Acknowledgement(batch.number, {})

        def read(response: Response) -> None:
            nonlocal ack
            ack = self.acknowledgement(batch, response)

        client.send_untracked(self.prepare(client, batch), check=read)
        return ack

    def acknowledgement(self, batch: Batch, response: Response) -> Acknowledgement:
        """Read the outcome of each row; raise UnavailableError where one is not understood."""
        ack, counts = Acknowledgement(batch.number, {}), Counter[str]()
        if self.notes_rows:
            ack.records = [record for record, _ in batch.places]
        entries = _entries(response, "products_response", batch.items.ids, ("id",))
        for entry, (record, _) in zip(entries, batch.places, strict=True):
            status, errors = entry.get("status"), _message(entry.get("errors"))
            key = NO_KEY
            if status == REJECTED:
                counts[FAILED] += 1
                ack.failed.append((record, errors or NO_REASON))
            elif not isinstance(status, str) or status not in STATUSES or errors:
                raise not_understood(
                    f"{entry.get('id')!r} has the status {status!r} and the errors {errors!r}"
                )
            else:
                counts[STATUSES[status]] += 1
                key = key_hash(str(entry.get("product_key") or ""))
            if self.notes_keys:
                ack.keys.append(key)
            if warning := _message(entry.get("warnings")):
                ack.warned.append((record, warning))
        ack.counts = dict(counts)
        return ack


@dataclass(frozen=True)
class DeleteUpload(ProductUpload):
    """Deletes products of a catalog by their keys.

    The service refuses a key that it does not have, and does not tell whether an earlier request has deleted
    the product. So each attempt is noted before it is sent, and such a key counts as deleted after one.
    """

    catalog: str
    find_key: Callable[[str], str | None] = str  # of what a row names; None where the catalog has no such
    may_be_gone: bool = False  # the keys are those of a listing that may lag
    statuses = (DELETED, FAILED)

    @cached_property
    def request(self) -> DeleteProducts:
        """Return the request without its keys."""
        return DeleteProducts(product_catalog_id=self.catalog, product_keys=[])

    def send(self, client: "Client", batch: Batch, journal: "Journal") -> Acknowledgement:
        """Delete the products that the catalog has; an earlier attempt may have deleted the others."""
        names, was_tried = _names(batch), batch.number in journal.attempts
        keys = [*map(self.find_key, names)]
        refusals: dict[str | None, str] = {None: "" if was_tried else "is not in the catalog"}
        if listed := [key for key in keys if key]:
            refusals |= self._refusals(client, batch.number, listed, journal)
        failed = {at: reason for at, key in enumerate(keys) if (reason := refusals.get(key))}
        counts = {DELETED: len(keys) - len(failed), FAILED: len(failed)}
        ack = Acknowledgement(batch.number, {status: count for status, count in counts.items() if count})
        if batch.places:
            ack.failed = [
                (batch.places[at][0], reason if keys[at] else f"{names[at]!r} {reason}")
                for at, reason in failed.items()
            ]
        else:  # of products that no row has
            ack.deleted = names
            ack.not_deleted = [(batch.items.ids[at], reason) for at, reason in failed.items()]
        return ack

    def _refusals(
        self, client: "Client", batch: int, keys: list[str], journal: "Journal"
    ) -> dict[str | None, str]:
        """Send keys, and return the reasons of those that are refused."""
        refusals: dict[str | None, str] = {}
        body = [b'{"product_keys":', msgspec.json.encode(keys), b"}"]

        def read(response: Response) -> None:
            refusals.clear()
            entries = _entries(response, "delete_products", keys, ("failed_product_key", "product_key"))
            refusals.update(zip(keys, map(_refusal, entries), strict=True))

        with journal.attempt(batch, keys) as on_send:
            response = client.send_untracked(client.prepare(self.request, body), on_send=on_send, check=read)
        if response.may_be_repeated or batch in journal.attempts or self.may_be_gone:
            return {key: reason for key, reason in refusals.items() if not UNKNOWN_KEY.search(reason)}
        return refusals


def _names(batch: Batch) -> list[str]:
    """Return the keys or ids of a batch of deletions."""
    return msgspec.json.decode(b"[%b]" % b",".join(batch.items.bodies), type=list[str])


def _refusal(entry: Mapping[str, Any]) -> str:
    """Return the reason why a key was not deleted; empty where it was."""
    texts = [_message(entry.get(name)) for name in ("message", "error", "errors")]
    message = "; ".join(text for text in texts if text.upper() not in CONFIRMATIONS)
    status = str(entry.get("status") or "").upper()
    if entry.get("failed_product_key") or status == REJECTED or message:
        return message or NO_REASON
    if status not in CONFIRMATIONS:
        raise not_understood(f"{entry.get('product_key')!r} has the status {status!r}")
    return ""


def _entries(
    response: Response, name: str, ids: Sequence[str], keys: Sequence[str]
) -> Iterator[Mapping[str, Any]]:
    """Yield the one entry of each id in a batch response, found by the first of `keys` that it has.

    Raises UnavailableError where the response is not a list of exactly these entries.
    """
    entries = response.data.get(name) if isinstance(response.data, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise not_understood(f"it has no list {name} of objects")
    if errors := _message(response.body.get("errors") if isinstance(response.body, dict) else None):
        raise not_understood(f"it has the errors {errors!r} beside {name}")
    by_key = {str(next(filter(None, map(entry.get, keys)), "")): entry for entry in entries}
    if missing := [id for id in ids if id not in by_key]:
        raise not_understood(f"it does not mention {missing[0]!r}")
    if len(entries) != len(ids):
        raise not_understood(f"it has {counted(len(entries), 'entry', 'entries')} for {len(ids):,} items")
    return (by_key[id] for id in ids)


def _message(errors: Any) -> str:
    """Join the errors of one item, which are texts or objects with a message, to one line."""
    if not errors:
        return ""
    if isinstance(errors, list):
        return "; ".join(filter(None, map(_message, errors)))
    if isinstance(errors, dict):
        return shortened(str(errors.get("message") or errors))
    return shortened(str(errors))
