"""Products: written in batches, where each is checked by itself, and listed by groups."""

from collections import Counter
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ...api.products import BATCH, DeleteProducts, ListProducts, Product, PutProducts
from ...api.types import InCatalog
from ...api.validation import InvalidError, Problem, convert
from ..core.incoming import value_of
from ..core.paging import Seq, cursor, position
from ..core.responses import Result
from ..core.routing import Call, handles
from . import product_table
from .catalog import known
from .product_table import Status

REPEATED = "several products of this request have this id, and all of them are ignored"
SPOILED = "fault on demand: this product was not taken"
UNSOLD = "is more than 0 though availability is 'out of stock'"


class Note(msgspec.Struct):
    """An error or a warning about one field of a product."""

    message: str
    parameter: str


class Outcome(msgspec.Struct, kw_only=True):
    """What became of one product of a request."""

    warnings: list[Note] = []
    errors: list[Note] = []
    product_key: str | None = None
    id: str | None
    status: Status = "ERROR"


class Batch(InCatalog):
    """PutProducts with its products unread: a wrong one does not hold up the others."""

    products: Annotated[list[Any], Meta(min_length=1, max_length=BATCH)]


class Item(Product, forbid_unknown_fields=True):
    """A product as a request carries it, where a field that is not declared is a mistake."""


@handles(PutProducts, reads=Batch)
def put_products(call: Call, request: Batch) -> Result:
    """Create or update the sound products of a request, in one transaction."""
    catalog = request.product_catalog_id
    known(call, catalog)
    outcomes, sound = _sorted_out(request.products, call.partial)
    with call.store.writing():
        known(call, catalog)  # it may have been deleted while we waited to write
        statuses = product_table.put(call.store, catalog, list(sound.values()))
    for outcome in outcomes:
        if not outcome.errors and outcome.id is not None:
            outcome.status = statuses[outcome.id]
            outcome.product_key = sound[outcome.id].product_key
    return Result({"products_response": outcomes})


def _sorted_out(items: list[Any], partial: bool) -> tuple[list[Outcome], dict[str, Product]]:
    """Check each item by itself: an outcome for every one, and the sound products by id."""
    instances = Counter(map(_id_of, items))
    outcomes: list[Outcome] = []
    sound: dict[str, Product] = {}
    for place, item in enumerate(items):
        outcome = Outcome(id=_id_of(item))
        outcomes.append(outcome)
        if outcome.id is not None and instances[outcome.id] > 1:
            outcome.errors = [Note(f"id: {REPEATED}", "id")]
        elif partial and place % 2 == 0:
            outcome.errors = [Note(SPOILED, "id")]
        else:
            try:
                product = _product(item)
            except InvalidError as error:
                outcome.errors = [Note(str(problem), problem.path) for problem in error.problems]
            else:
                sound[product.id] = product
                outcome.warnings = _warnings(product)
    return outcomes, sound


def _id_of(item: Any) -> str | None:
    identifier = item.get("id") if isinstance(item, dict) else None
    return identifier if isinstance(identifier, str) else None


def _product(item: Any) -> Product:
    if not isinstance(item, dict):
        raise InvalidError([Problem("", "a product is an object")])
    return convert(Item, item, strict=True)


def _warnings(product: Product) -> list[Note]:
    if product.availability == "out of stock" and (product.inventory or 0) > 0:
        return [Note(f"inventory: {UNSOLD}", "inventory")]
    return []


@handles(ListProducts)
def list_products(call: Call, request: ListProducts) -> Result:
    """List products in the order they were first submitted.

    Of a group, only the member submitted first is shown. With `item_group_key` all members of that
    group are listed; the specification leaves this open, and it is our reading of it.
    """
    catalog, group = request.product_catalog_id, request.item_group_key
    known(call, catalog)
    count: int = value_of(request, "count")
    after = position(request.cursor, tuple[Seq])[0] if request.cursor else 0
    rows = product_table.page(call.store, catalog, group=group, after=after, count=count + 1)
    following = cursor(rows[count - 1][0]) if len(rows) > count else None
    return Result([data for _, data in rows[:count]], following)


@handles(DeleteProducts)
def delete_products(call: Call, request: DeleteProducts) -> Result:
    """Delete products by their keys, for good; unknown keys are told one by one."""
    catalog = request.product_catalog_id
    with call.store.writing():
        known(call, catalog)
        deleted = product_table.delete(call.store, catalog, request.product_keys)
    return Result({"delete_products": [_deletion(key, key in deleted) for key in request.product_keys]})


def _deletion(key: str, deleted: bool) -> dict[str, str | None]:
    if deleted:
        return {"product_key": key, "failed_product_key": None, "message": None}
    message = f"no product of this catalog has the key {key}"
    return {"product_key": None, "failed_product_key": key, "message": message}
