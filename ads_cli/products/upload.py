"""Product uploads: the requests, and the outcome of each product in their responses."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..api.products import DeleteProducts, PutProducts
from ..output.text import shortened
from ..uploads.batch import FAILED
from ..uploads.upload import Outcome, RowUpload
from .digest_index import key_hash

if TYPE_CHECKING:
    from ..client.response import Response

STATUSES = {"CREATE_SUCCESS": "created", "UPDATE_SUCCESS": "updated", "NO_CHANGE": "unchanged"}
DELETED = "deleted"
MISSING = "the response does not mention it"


def push_upload(catalog: str, *, note_keys: bool = False) -> RowUpload:
    """Return the upload that creates and updates products of a catalog."""
    return RowUpload(
        request=PutProducts(product_catalog_id=catalog, products=[]),
        field="products",
        statuses=(*STATUSES.values(), FAILED),
        read_outcomes=_push_outcomes,
        key_hash=key_hash if note_keys else None,
    )


def delete_upload(catalog: str) -> RowUpload:
    """Return the upload that deletes products of a catalog."""
    return RowUpload(
        request=DeleteProducts(product_catalog_id=catalog, product_keys=[]),
        field="product_keys",
        statuses=(DELETED, FAILED),
        read_outcomes=_delete_outcomes,
    )


def _push_outcomes(ids: Sequence[str], response: "Response", may_be_applied: bool) -> list[Outcome]:
    entries = _entries(response, "products_response", ("id",))
    return [_push_outcome(entries.get(product_id)) for product_id in ids]


def _push_outcome(entry: dict[str, Any] | None) -> Outcome:
    if entry is None:
        return Outcome(FAILED, MISSING)
    warning = _message(entry.get("warnings"))
    if status := STATUSES.get(str(entry.get("status"))):
        return Outcome(status, "", warning, str(entry.get("product_key") or ""))
    error = _message(entry.get("errors")) or f"status {entry.get('status')}, without a reason"
    return Outcome(FAILED, error, warning)


def _delete_outcomes(keys: Sequence[str], response: "Response", may_be_applied: bool) -> list[Outcome]:
    """Find the outcome of each key; one that an earlier try may have deleted counts as deleted."""
    entries = _entries(response, "delete_products", ("product_key", "failed_product_key"))
    outcomes = []
    for key in keys:
        entry = entries.get(key)
        if entry is None:
            outcomes.append(Outcome(FAILED, MISSING))
        elif entry.get("failed_product_key") and not may_be_applied:
            outcomes.append(Outcome(FAILED, _message(entry.get("message")) or "rejected without a reason"))
        else:
            outcomes.append(Outcome(DELETED))
    return outcomes


def _entries(response: "Response", name: str, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the entries of a batch response by the first of `keys` that each has."""
    data = response.data.get(name) if isinstance(response.data, dict) else None
    found: dict[str, dict[str, Any]] = {}
    for entry in data if isinstance(data, list) else ():
        for key in keys if isinstance(entry, dict) else ():
            if value := entry.get(key):
                found[str(value)] = entry
                break
    return found


def _message(errors: Any) -> str:
    """Join the errors of one item, which are texts or objects with a message, to one line."""
    if not errors:
        return ""
    if isinstance(errors, list):
        return "; ".join(filter(None, map(_message, errors)))
    if isinstance(errors, dict):
        return shortened(str(errors.get("message") or errors))
    return shortened(str(errors))
