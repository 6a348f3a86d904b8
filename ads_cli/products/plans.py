"""The plans of product pushes and deletes, their requests, and the outcome of each product in responses."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ..api.endpoint import Request
from ..api.products import BATCH_SIZE, DeleteProducts, PutProducts
from ..client.response import not_understood
from ..feeds.rows import Rows
from ..output.text import counted, shortened
from ..store.epochs import UploadTarget
from ..uploads.job import Acknowledgement, JobKey, options_of_rows
from ..uploads.plan import Plan, this_second
from ..uploads.upload import (
    FAILED,
    AttemptLog,
    Batch,
    Batches,
    RowOutcome,
    RowUpload,
    Upload,
)
from ..validation import CheckedRow, EncodedRows
from ..validation.report import ValidationReport
from ..validation.validator import OnProgress, Validator
from .digest_index import key_hash
from .listing import find_products
from .normal_form import FIELDS, ID_SCHEMA, KEY_SCHEMA, PRODUCT_SCHEMA
from .selection import Bookkeeper, ChangedRows, CommitAtEnd, ForgetKeys
from .sync_state import KIND, SyncState

if TYPE_CHECKING:
    from ..client.client import Client
    from ..client.prepared_request import PreparedRequest
    from ..client.response import Response
    from ..uploads.journal import Journal

REJECTED = "ERROR"
STATUSES = {"CREATE_SUCCESS": "created", "UPDATE_SUCCESS": "updated", "NO_CHANGE": "unchanged"}
DELETED = "deleted"
# What a response to a deletion may have as its status or message after a success. The reference has neither
# there.
CONFIRMATIONS = {"", "OK", "SUCCESS", "DELETED", "DELETE_SUCCESS"}
# Reasons that mean that a catalog does not have a key; any other reason is a refusal.
UNKNOWN_KEY = re.compile(
    r"not found|unknown|does(n't| not) exist|\bno (such )?product\b|not in th(e|is) catalog|already deleted",
    re.I,
)


def push_upload(catalog: str, *, note_keys: bool = False) -> RowUpload:
    """Return the upload that creates and updates products of a catalog."""
    return RowUpload(
        request=PutProducts(product_catalog_id=catalog, products=[]),
        field="products",
        statuses=(*STATUSES.values(), FAILED),
        read_outcomes=_push_outcomes,
        item_fields=FIELDS,
        key_hash=key_hash if note_keys else None,
    )


def delete_upload(catalog: str) -> RowUpload:
    """Return the upload that deletes products of a catalog."""
    return RowUpload(
        request=DeleteProducts(product_catalog_id=catalog, product_keys=[]),
        field="product_keys",
        statuses=(DELETED, FAILED),
        read_outcomes=_delete_outcomes,
        notes_attempts=True,
    )


def _push_outcomes(ids: Sequence[str], response: "Response") -> list[RowOutcome]:
    return [_push_outcome(entry) for entry in _entries(response, "products_response", ids, ("id",))]


def _push_outcome(entry: Mapping[str, Any]) -> RowOutcome:
    status, errors = entry.get("status"), _message(entry.get("errors"))
    warning = _message(entry.get("warnings"))
    if status == REJECTED:
        return RowOutcome(FAILED, errors or "rejected without a reason", warning)
    if not isinstance(status, str) or status not in STATUSES or errors:
        raise not_understood(f"{entry.get('id')!r} has the status {status!r} and the errors {errors!r}")
    return RowOutcome(STATUSES[status], "", warning, str(entry.get("product_key") or ""))


def _delete_outcomes(keys: Sequence[str], response: "Response") -> list[RowOutcome]:
    entries = _entries(response, "delete_products", keys, ("failed_product_key", "product_key"))
    return [_delete_outcome(entry) for entry in entries]


def _delete_outcome(entry: Mapping[str, Any]) -> RowOutcome:
    """Read the outcome of one key; an earlier request may have deleted the product of an unknown key."""
    texts = [_message(entry.get(name)) for name in ("message", "error", "errors")]
    message = "; ".join(text for text in texts if text.upper() not in CONFIRMATIONS)
    status = str(entry.get("status") or "").upper()
    if entry.get("failed_product_key") or status == REJECTED or message:
        if_repeated = DELETED if UNKNOWN_KEY.search(message) else ""
        return RowOutcome(FAILED, message or "rejected without a reason", if_repeated=if_repeated)
    if status not in CONFIRMATIONS:
        raise not_understood(f"{entry.get('product_key')!r} has the status {status!r}")
    return RowOutcome(DELETED)


def _entries(
    response: "Response", name: str, ids: Sequence[str], keys: Sequence[str]
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
        for id, (record, line) in zip(batch.items.ids, batch.places, strict=True):
            if key := self.keys.get(id):
                listed.add(key, msgspec.json.encode(key), record, line)
        return Batch(batch.number, listed, listed.places)


def find_keys(
    client: "Client", catalog: str, ids: Collection[str], on_progress: Callable[[int], None]
) -> dict[str, str]:
    """Look the keys of ids up in a catalog."""
    products = find_products(client, catalog, ids, ("id",), on_progress)
    return {id: str(key) for id, product in products if (key := product.get("product_key"))}


@dataclass
class ProductPlan(Plan):
    """Send the due rows of a validated file."""

    noun = "products"

    rows: Rows = field(init=False, repr=False)
    validator: Validator
    upload: Upload
    catalog: str
    operation: str  # "push", "delete" or "delete by id"
    bookkeeper: Bookkeeper = field(default_factory=Bookkeeper)
    selection: ChangedRows | None = None  # that of the validator
    started: datetime = field(default_factory=this_second)

    def __post_init__(self) -> None:
        self.rows = self.validator.rows
        if self.selection:
            self.expected_epoch = self.selection.expected_epoch

    @property
    def report(self) -> ValidationReport:
        """Return the report of the last validation."""
        return self.validator.report

    def validate(self, on_progress: OnProgress) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        return self.validator.run(on_progress)

    @property
    def due(self) -> int:
        """Count the rows to be sent."""
        return self.selection.due if self.selection else self.report.valid

    @property
    def batch_count(self) -> int:
        """Count the batches."""
        return -(-self.due // BATCH_SIZE)

    def batches(self) -> Batches:
        """Read the file again and cut the rows to be sent into batches."""
        number, rest = 0, EncodedRows()
        for encoded in self.validator.encoded_rows():
            rest.extend(encoded)
            whole = len(rest) - len(rest) % BATCH_SIZE
            for begin in range(0, whole, BATCH_SIZE):
                part = rest.slice(begin, begin + BATCH_SIZE)
                yield Batch(number, part, part.places)
                number += 1
            rest = rest.slice(whole, len(rest))
        if rest.ids:
            yield Batch(number, rest, rest.places)

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Read the file again and yield each row with its problems, but for rows that are skipped."""
        return self.validator.checked_rows()

    def target(self, service: str) -> UploadTarget:
        """Return what is changed."""
        return UploadTarget(service, KIND, self.catalog)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        options = replace(
            options_of_rows(self.rows, skip_invalid=skip_invalid),
            selection=self.selection.digest if self.selection else "",
            upload={"strict": True} if skip_invalid and self.validator.strict else {},
        )
        return JobKey(self.target(service), self.operation, self.rows.source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Prepare for the first request of a run."""
        self.bookkeeper.begin(journal)

    def finish(self, journal: "Journal") -> str:
        """Record that everything is acknowledged."""
        return self.bookkeeper.finish(journal)

    def totals(self, report: ValidationReport) -> dict[str, int]:
        """Return how many rows the selection skips, where there is one."""
        return self.selection.totals() if self.selection else {}


def push_plan(
    rows: Rows, catalog: str, sync_state: SyncState, selection: ChangedRows | None, *, strict: bool = False
) -> ProductPlan:
    """Plan a push of the selected rows. Without a selection all are sent, and none is remembered."""
    sends_all = not (selection and selection.only_changed)
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict, for_sending=sends_all)
    upload = push_upload(catalog, note_keys=selection is not None)
    bookkeeper = CommitAtEnd(sync_state, selection) if selection else Bookkeeper()
    return ProductPlan(validator, upload, catalog, "push", bookkeeper, selection)


def check_plan(rows: Rows, selection: ChangedRows | None = None, *, strict: bool = False) -> ProductPlan:
    """Plan to validate products, and to send nothing."""
    validator = Validator(rows, PRODUCT_SCHEMA, selection, strict=strict)
    return ProductPlan(validator, push_upload("-"), "-", "push", selection=selection)


def delete_plan(rows: Rows, catalog: str, sync_state: SyncState) -> ProductPlan:
    """Plan a delete of the products whose keys are in a file."""
    validator = Validator(rows, KEY_SCHEMA)

    def keys() -> Iterator[str]:
        return (getattr(row.item, KEY_SCHEMA.id_field) for row in validator.checked_rows() if row.item)

    forget = ForgetKeys(sync_state, keys)
    return ProductPlan(validator, delete_upload(catalog), catalog, "delete", forget)


def delete_by_id_plan(rows: Rows, catalog: str, sync_state: SyncState) -> tuple[ProductPlan, dict[str, str]]:
    """Plan a delete of the products whose ids are in a file; return their keys too, to be looked up."""
    upload = DeleteById(delete_upload(catalog))
    forget = ForgetKeys(sync_state, upload.keys.values)
    plan = ProductPlan(Validator(rows, ID_SCHEMA), upload, catalog, "delete by id", forget)
    return plan, upload.keys
