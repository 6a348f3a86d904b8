"""Product uploads: the requests, and the outcome of each product in their responses."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..api.products import DeleteProducts, PutProducts
from ..output.text import counted, shortened
from ..uploads.upload import FAILED, RowOutcome, RowUpload, not_understood
from .digest_index import key_hash
from .normal_form import FIELDS

if TYPE_CHECKING:
    from ..client.response import Response

REJECTED = "ERROR"
STATUSES = {"CREATE_SUCCESS": "created", "UPDATE_SUCCESS": "updated", "NO_CHANGE": "unchanged"}
DELETED = "deleted"
# What an answer to a deletion may say of a success; the reference has no status there, and no message.
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
    entries = _entries(response, "products_response", ids, ("id",))
    return [_push_outcome(entry) for entry in entries]


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
    said = [_message(entry.get(name)) for name in ("message", "error", "errors")]
    message = "; ".join(each for each in said if each.upper() not in CONFIRMATIONS)
    status = str(entry.get("status") or "").upper()
    if entry.get("failed_product_key") or status == REJECTED or message:
        is_unknown = bool(UNKNOWN_KEY.search(message))
        return RowOutcome(FAILED, message or "rejected without a reason", if_repeated=DELETED * is_unknown)
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
    found = {str(next(filter(None, map(entry.get, keys)), "")): entry for entry in entries}
    if missing := [id for id in ids if id not in found]:
        raise not_understood(f"it does not mention {missing[0]!r}")
    if len(entries) != len(ids):
        raise not_understood(f"it has {counted(len(entries), 'entry', 'entries')} for {len(ids):,} items")
    return (found[id] for id in ids)


def _message(errors: Any) -> str:
    """Join the errors of one item, which are texts or objects with a message, to one line."""
    if not errors:
        return ""
    if isinstance(errors, list):
        return "; ".join(filter(None, map(_message, errors)))
    if isinstance(errors, dict):
        return shortened(str(errors.get("message") or errors))
    return shortened(str(errors))
