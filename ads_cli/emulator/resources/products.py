"""Products: written in batches, where each is validated by itself, and listed by group.

A product that is sent again replaces the stored one; under service x it changes only what is sent.
"""

from collections import Counter
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ...api.fields import fields_of
from ...api.names import GENERIC, Names
from ...api.problems import InvalidError, Problem
from ...api.products import BATCH_SIZE, DeleteProducts, ListProducts, Product, PutProducts
from ...api.types import InCatalog
from ...api.validation import broken_rules, convert, errors_in
from ..core.faults import HIDE_VARIANTS
from ..core.handlers import RequestContext, handler
from ..core.paging import Seq, decode_cursor, encode_cursor
from ..core.request import value_or_default, without_unknown
from ..core.responses import Result
from ..storage import product_table
from ..storage.product_table import Status
from .catalogs import in_catalog

REPEATED = "several products of this request have this id; all of them are ignored"
REJECTED_BY_FAULT = "fault on demand: this product was rejected"
OUT_OF_STOCK_INVENTORY = "is greater than 0, but availability is 'out of stock'"
OPTIONAL = frozenset(field.name for field in fields_of(Product) if not field.required)


class Note(msgspec.Struct):
    """An error or a warning about one field of a product."""

    message: str
    parameter: str


class ProductResult(msgspec.Struct, kw_only=True):
    """The result for one product of a request."""

    warnings: list[Note] = []
    errors: list[Note] = []
    product_key: str | None = None
    id: str | None
    status: Status = "ERROR"


class UnparsedProducts(InCatalog):
    """PutProducts without validation of the products, so that an invalid one does not affect others."""

    products: Annotated[list[Any], Meta(min_length=1, max_length=BATCH_SIZE)]


class StrictProduct(Product, forbid_unknown_fields=True):
    """A product in a request; undeclared fields are errors."""


class ListedProduct(Product, omit_defaults=False):
    """A product as service x lists it: what it does not have is null, or an empty text."""

    product_type: str = ""


class SentProduct(NamedTuple):
    """A valid product of a request, and the names of the fields that it empties."""

    product: Product
    emptied: frozenset[str]


@handler(PutProducts, parse_as=UnparsedProducts, item_type=StrictProduct)
def _put_products(context: RequestContext, request: UnparsedProducts) -> Result:
    """Create or update the valid products of a request, in one transaction."""
    batch = _Batch(request.products, context)
    with context.store.transaction():
        catalog = in_catalog(context, request)
        if context.service == "x":
            batch.merge(catalog)
        products = [sent.product for sent in batch.valid.values()]
        statuses = product_table.put(context.store, catalog, products)
    for result in batch.results:
        if not result.errors and result.id is not None:
            result.status = statuses[result.id]
            result.product_key = batch.valid[result.id].product.product_key
    return Result({"products_response": batch.results})


class _Batch:
    """The items of a request, each validated by itself: a result for each, and the valid products by id.

    The fault `partial` rejects every other item.
    """

    def __init__(self, items: list[Any], context: RequestContext) -> None:
        self._context = context
        self.results: list[ProductResult] = []
        self.valid: dict[str, SentProduct] = {}
        occurrences = Counter(map(_id_of, items))
        for index, item in enumerate(items):
            result = ProductResult(id=_id_of(item))
            self.results.append(result)
            if result.id is not None and occurrences[result.id] > 1:
                result.errors = [Note(f"id: {REPEATED}", "id")]
            elif context.partial and index % 2 == 0:
                result.errors = [Note(REJECTED_BY_FAULT, "id")]
            else:
                try:
                    sent = _parse(item, context)
                except InvalidError as error:
                    result.errors = _notes(error.problems, context.names)
                else:
                    self.valid[sent.product.id] = sent
                    result.warnings = _warnings(sent.product)

    def merge(self, catalog: str) -> None:
        """Complete each product by what is stored of it; reject those that do not suit it."""
        for result in self.results:
            if result.errors or result.id is None:
                continue
            sent = self.valid[result.id]
            stored = product_table.find(self._context.store, catalog, result.id)
            product = _merged(sent, stored) if stored else sent.product
            if errors := errors_in(broken_rules(product)):
                result.errors = _notes(errors, self._context.names)
                del self.valid[result.id]
            else:
                self.valid[result.id] = sent._replace(product=product)


def _merged(sent: SentProduct, stored: bytes) -> Product:
    product = msgspec.json.decode(stored, type=Product)
    for name, value in msgspec.structs.asdict(sent.product).items():
        if value is not None or name in sent.emptied:
            setattr(product, name, value)
    return product


def _notes(problems: list[Problem], names: Names) -> list[Note]:
    renamed = (problem._replace(path=names.dotted(problem.path)) for problem in problems)
    return [Note(names.text(str(problem)), problem.path) for problem in renamed]


def _id_of(item: Any) -> str | None:
    identifier = item.get("id") if isinstance(item, dict) else None
    return identifier if isinstance(identifier, str) else None


def _parse(item: Any, context: RequestContext) -> SentProduct:
    if not isinstance(item, dict):
        raise InvalidError([Problem("", "a product must be an object")])
    item = without_unknown(StrictProduct, item, GENERIC, context.unknown)
    emptied: set[str] = set()
    if context.service == "x":
        emptied = {name for name in OPTIONAL & item.keys() if item[name] in ("", None)}
        item = {name: value for name, value in item.items() if name not in emptied}
    return SentProduct(convert(StrictProduct, item, strict=True), frozenset(emptied))


def _warnings(product: Product) -> list[Note]:
    if product.availability == "out of stock" and (product.inventory or 0) > 0:
        return [Note(f"inventory: {OUT_OF_STOCK_INVENTORY}", "inventory")]
    return []


@handler(ListProducts)
def _list_products(context: RequestContext, request: ListProducts) -> Result:
    """List products in the order they were first submitted.

    Of each group, only the first submitted product is listed. With `item_group_key`, all products of that
    group are. The specification leaves this open, so that the fault `hide-variants` shows one there too.
    """
    catalog, group = in_catalog(context, request), request.item_group_key
    count: int = value_or_default(request, "count")
    list_name = f"product {catalog}"
    after = decode_cursor(request.cursor, list_name, Seq) if request.cursor else 0
    rows = product_table.page(context.store, catalog, group=group, after=after, count=count + 1)
    if group and context.fault == HIDE_VARIANTS:
        rows = [] if after else rows[:1]
    next_cursor = encode_cursor(list_name, rows[count - 1][0]) if len(rows) > count else None
    products = [msgspec.Raw(_listed(data, context)) for _, data in rows[:count]]
    return Result(products, next_cursor, enums=())


def _listed(data: msgspec.Raw, context: RequestContext) -> bytes | memoryview:
    if context.service != "x":
        return data
    product = msgspec.json.decode(data, type=ListedProduct)
    return context.names.encoded(msgspec.json.encode(product), Product.__struct_fields__)


@handler(DeleteProducts)
def _delete_products(context: RequestContext, request: DeleteProducts) -> Result:
    """Delete products by their keys; unknown keys are reported one by one."""
    with context.store.transaction():
        catalog = in_catalog(context, request)
        deleted = product_table.delete(context.store, catalog, request.product_keys)
    return Result({"delete_products": [_deletion(key, key in deleted) for key in request.product_keys]})


def _deletion(key: str, deleted: bool) -> dict[str, str | None]:
    if deleted:
        return {"product_key": key, "failed_product_key": None, "message": None}
    message = f"no product of this catalog has the key {key}"
    return {"product_key": None, "failed_product_key": key, "message": message}
