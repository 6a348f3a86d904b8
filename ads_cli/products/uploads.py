"""Product uploads and product deletes."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.endpoint import Request
from ..api.fields import fields_of
from ..api.products import BATCH, DeleteProducts, Product, PutProducts
from ..api.types import Id
from ..output.text import shortened
from ..uploads.upload import FAILED, Outcome, RowUpload

if TYPE_CHECKING:
    from ..client.response import Response

STATUS = {"CREATE_SUCCESS": "created", "UPDATE_SUCCESS": "updated", "NO_CHANGE": "unchanged"}
FIELDS = tuple(field.name for field in fields_of(Product))
as_json = msgspec.json.Encoder().encode
UNANSWERED = "the service's answer does not mention it"


class ProductPush(RowUpload):
    """Create and update products, 25 a request."""

    noun = "products"
    item = Product
    unique = "id"
    repeated = "the service ignores every one of them"
    required = tuple(field.name for field in fields_of(Product) if field.required)
    known = FIELDS
    size = BATCH
    field = "products"
    statuses = ("created", "updated", "unchanged", FAILED)

    def __init__(self, catalog: str) -> None:
        self.target = catalog

    @staticmethod
    def encoded(item: Product) -> bytes:
        """Write a product down."""
        return as_json(item)

    def place(self) -> Request:
        """Name the catalog."""
        return PutProducts(product_catalog_id=self.target, products=[])

    def outcomes(self, uniques: Sequence[str], answer: "Response", *, again: bool) -> list[Outcome]:
        """Find each product's entry by its id."""
        entries = entries_by(answer, "products_response", ("id",))
        return [self._outcome(entries.get(id)) for id in uniques]

    def _outcome(self, entry: dict[str, Any] | None) -> Outcome:
        if entry is None:
            return Outcome(FAILED, UNANSWERED)
        warning = words(entry.get("warnings"))
        if status := STATUS.get(str(entry.get("status"))):
            return Outcome(status, "", warning, str(entry.get("product_key") or ""))
        error = words(entry.get("errors")) or f"status {entry.get('status')}, without a reason"
        return Outcome(FAILED, error, warning)


class ProductKey(msgspec.Struct):
    """What names a product to be deleted."""

    product_key: Id


class ProductDelete(RowUpload):
    """Delete products by their keys."""

    noun = "products"
    item = ProductKey
    unique = "product_key"
    repeated = "name it once"
    required = ("product_key",)
    known = FIELDS  # a file that was pulled will do
    size = BATCH
    field = "product_keys"
    statuses = ("deleted", FAILED)
    consequence = "Delete {rows} from the catalog {target}, for good"

    def __init__(self, catalog: str) -> None:
        self.target = catalog

    @staticmethod
    def encoded(item: ProductKey) -> bytes:
        """Write a key down."""
        return as_json(item.product_key)

    def place(self) -> Request:
        """Name the catalog."""
        return DeleteProducts(product_catalog_id=self.target, product_keys=[])

    def outcomes(self, uniques: Sequence[str], answer: "Response", *, again: bool) -> list[Outcome]:
        """Find each key's entry; a key that is unknown because an earlier try deleted it is deleted."""
        entries = entries_by(answer, "delete_products", ("product_key", "failed_product_key"))
        found = []
        for key in uniques:
            entry = entries.get(key)
            if entry is None:
                found.append(Outcome(FAILED, UNANSWERED))
            elif entry.get("failed_product_key") and not again:
                found.append(Outcome(FAILED, words(entry.get("message")) or "refused without a reason"))
            else:
                found.append(Outcome("deleted"))
        return found


def entries_by(answer: "Response", name: str, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Find the entries of a batch's answer by the first of `keys` that they carry."""
    data = answer.neutral_data
    data = data.get(name) if isinstance(data, dict) else None
    found: dict[str, dict[str, Any]] = {}
    for entry in data if isinstance(data, list) else ():
        for key in keys if isinstance(entry, dict) else ():
            if unique := entry.get(key):
                found[str(unique)] = entry
                break
    return found


def words(errors: Any) -> str:
    """Put the errors of one item into a line: texts, or objects with a message."""
    if not errors:
        return ""
    if isinstance(errors, list):
        return "; ".join(filter(None, map(words, errors)))
    if isinstance(errors, dict):
        return shortened(str(errors.get("message") or errors))
    return shortened(str(errors))
