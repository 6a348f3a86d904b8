"""Products: written in batches, where each is validated by itself, and listed by group."""

from collections import Counter
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ...api.names import Names
from ...api.products import BATCH_SIZE, DeleteProducts, ListProducts, Product, PutProducts
from ...api.types import InCatalog
from ...api.validation import InvalidError, Problem, convert
from ..core.handlers import RequestContext, handler
from ..core.paging import Seq, decode_cursor, encode_cursor
from ..core.params import value_or_default
from ..core.responses import Result
from ..storage import product_table
from ..storage.product_table import Status
from .catalogs import require_catalog

REPEATED = "several products of this request have this id; all of them are ignored"
REJECTED_BY_FAULT = "fault on demand: this product was rejected"
OUT_OF_STOCK_INVENTORY = "is greater than 0, but availability is 'out of stock'"


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


@handler(PutProducts, parse_as=UnparsedProducts)
def put_products(context: RequestContext, request: UnparsedProducts) -> Result:
    """Create or update the valid products of a request, in one transaction."""
    catalog = request.product_catalog_id
    require_catalog(context, catalog)
    results, valid = _validate(request.products, context.partial, context.names)
    with context.store.transaction():
        require_catalog(context, catalog)  # it may have been deleted while this request waited
        statuses = product_table.put(context.store, catalog, list(valid.values()))
    for result in results:
        if not result.errors and result.id is not None:
            result.status = statuses[result.id]
            result.product_key = valid[result.id].product_key
    return Result({"products_response": results})


def _validate(
    items: list[Any], partial: bool, names: Names
) -> tuple[list[ProductResult], dict[str, Product]]:
    """Validate each item by itself: return one result per item, and the valid products by id.

    The fault `partial` rejects every other item.
    """
    occurrences = Counter(map(_id_of, items))
    results: list[ProductResult] = []
    valid: dict[str, Product] = {}
    for index, item in enumerate(items):
        result = ProductResult(id=_id_of(item))
        results.append(result)
        if result.id is not None and occurrences[result.id] > 1:
            result.errors = [Note(f"id: {REPEATED}", "id")]
        elif partial and index % 2 == 0:
            result.errors = [Note(REJECTED_BY_FAULT, "id")]
        else:
            try:
                product = _parse(item)
            except InvalidError as error:
                problems = [one._replace(path=names.dotted(one.path)) for one in error.problems]
                result.errors = [Note(str(problem), problem.path) for problem in problems]
            else:
                valid[product.id] = product
                result.warnings = _warnings(product)
    return results, valid


def _id_of(item: Any) -> str | None:
    identifier = item.get("id") if isinstance(item, dict) else None
    return identifier if isinstance(identifier, str) else None


def _parse(item: Any) -> Product:
    if not isinstance(item, dict):
        raise InvalidError([Problem("", "a product must be an object")])
    return convert(StrictProduct, item, strict=True)


def _warnings(product: Product) -> list[Note]:
    if product.availability == "out of stock" and (product.inventory or 0) > 0:
        return [Note(f"inventory: {OUT_OF_STOCK_INVENTORY}", "inventory")]
    return []


@handler(ListProducts)
def list_products(context: RequestContext, request: ListProducts) -> Result:
    """List products in the order they were first submitted.

    Of each group, only the first submitted product is listed. With `item_group_key`, all products of that
    group are; the specification leaves this open.
    """
    catalog, group = request.product_catalog_id, request.item_group_key
    require_catalog(context, catalog)
    count: int = value_or_default(request, "count")
    after = decode_cursor(request.cursor, tuple[Seq])[0] if request.cursor else 0
    rows = product_table.page(context.store, catalog, group=group, after=after, count=count + 1)
    next_cursor = encode_cursor(rows[count - 1][0]) if len(rows) > count else None
    encoded, fields = context.names.encoded, Product.__struct_fields__
    products = [msgspec.Raw(encoded(data, fields)) for _, data in rows[:count]]
    return Result(products, next_cursor, enums=())


@handler(DeleteProducts)
def delete_products(context: RequestContext, request: DeleteProducts) -> Result:
    """Delete products by their keys; unknown keys are reported one by one."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        deleted = product_table.delete(context.store, catalog, request.product_keys)
    return Result({"delete_products": [_deletion(key, key in deleted) for key in request.product_keys]})


def _deletion(key: str, deleted: bool) -> dict[str, str | None]:
    if deleted:
        return {"product_key": key, "failed_product_key": None, "message": None}
    message = f"no product of this catalog has the key {key}"
    return {"product_key": None, "failed_product_key": key, "message": message}
