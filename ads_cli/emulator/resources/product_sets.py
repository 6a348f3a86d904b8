"""Product sets: a fixed list of products, or filters that are evaluated on every read."""

import msgspec

from ...api.product_sets import CreateProductSet, DeleteProductSet, Filter, GetProductSet, UpdateProductSet
from ..core.errors import invalid_parameter, not_found
from ..core.handlers import RequestContext, handler
from ..core.params import changes_of
from ..core.responses import Result
from ..storage import ids, product_table
from ..storage.store import Record
from . import product_filters
from .catalogs import PRODUCT_SET, require_catalog

MAX_KEYS_IN_MESSAGE = 5


@handler(CreateProductSet)
def create_product_set(context: RequestContext, request: CreateProductSet) -> Result:
    """Create a product set; it is processed when it is first read."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        fields = {
            "name": request.name,
            "description": request.description,
            "type": request.type,
            "filters": msgspec.to_builtins(request.filters or []),
            "product_keys": request.product_keys or [],
            "processing_status": "PROCESSING",
        }
        _require_keys(context, catalog, fields["product_keys"])
        created = context.store.add(PRODUCT_SET, ids.random_base36(), fields, owner=catalog)
    return Result(_with_products(context, catalog, created))


@handler(GetProductSet)
def get_product_set(context: RequestContext, request: GetProductSet) -> Result:
    """Return a product set; this completes its processing."""
    catalog, product_set = request.product_catalog_id, request.product_set_id
    record = _require_set(context, catalog, product_set)
    if record["processing_status"] == "PROCESSING":
        valid = all(product_filters.is_valid(one["operator"], one["value"]) for one in record["filters"])
        fields = {"processing_status": "DONE" if valid else "FAILED"}
        with context.store.transaction():
            record = context.store.update(PRODUCT_SET, product_set, fields, owner=catalog)
    return Result(_with_products(context, catalog, record))


@handler(UpdateProductSet)
def update_product_set(context: RequestContext, request: UpdateProductSet) -> Result:
    """Change a MANUAL set; products that are named replace those that it had."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        record = _require_set(context, catalog, request.product_set_id)
        if record["type"] != "MANUAL":
            reason = f"{record['id']} is of type {record['type']}; only a MANUAL set can be changed"
            raise invalid_parameter("product_set_id", reason)
        _require_keys(context, catalog, request.product_keys or [])
        fields = changes_of(request)
        changed = context.store.update(PRODUCT_SET, record["id"], fields, owner=catalog)
    return Result(_with_products(context, catalog, changed))


@handler(DeleteProductSet)
def delete_product_set(context: RequestContext, request: DeleteProductSet) -> Result:
    """Delete a set; the answer names no products."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        record = _require_set(context, catalog, request.product_set_id)
        deleted = context.store.delete(PRODUCT_SET, record["id"], owner=catalog)
        context.store.purge(PRODUCT_SET, catalog, record["id"])
    return Result(_with_products(context, catalog, deleted) | {"product_ids": []})


def _require_set(context: RequestContext, catalog: str, product_set: str) -> Record:
    """Return a product set of a catalog; raise ApiError (404) if there is none."""
    require_catalog(context, catalog)
    record = context.store.find(PRODUCT_SET, product_set, owner=catalog)
    if record is None:
        raise not_found(PRODUCT_SET, product_set)
    return record


def _require_keys(context: RequestContext, catalog: str, keys: list[str]) -> None:
    existing = product_table.ids_by_key(context.store, catalog, keys)
    if unknown := [key for key in keys if key not in existing]:
        listed = ", ".join(unknown[:MAX_KEYS_IN_MESSAGE])
        raise invalid_parameter("product_keys", f"the catalog has no products with the keys {listed}")


def _with_products(context: RequestContext, catalog: str, record: Record) -> Record:
    """Return a set as the service does, with the ids of its products once it is processed."""
    fields = {name: value for name, value in record.items() if name != "product_keys"}
    if record["type"] == "MANUAL":
        id_of = product_table.ids_by_key(context.store, catalog, record["product_keys"])
        product_ids = [id_of[key] for key in record["product_keys"] if key in id_of]
    elif record["processing_status"] == "DONE":
        filters = msgspec.convert(record["filters"], list[Filter])
        products = map(msgspec.json.decode, product_table.iterate(context.store, catalog))
        product_ids = [
            product["id"]
            for product in products
            if all(product_filters.matches(product, condition) for condition in filters)
        ]
    else:
        product_ids = []
    return fields | {"product_ids": product_ids}
