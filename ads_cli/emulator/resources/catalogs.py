"""Product catalogs; each user has at most one."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from ...api.catalog import (
    CreateCatalog,
    CreateProductSet,
    CreateScheduledFeed,
    DeleteCatalog,
    DeleteProductSet,
    DeleteScheduledFeed,
    Filter,
    GetProductSet,
    ListCatalogs,
    ListScheduledFeeds,
    RenameCatalog,
    UpdateProductSet,
    UpdateScheduledFeed,
)
from ..core.handlers import RequestContext, handler
from ..core.request import changes_of
from ..core.responses import ApiError, Result, invalid_parameter, not_found
from ..storage import Record, derived_key, product_table, random_base36, random_number

CATALOG, PRODUCT_SET, SCHEDULED_FEED = "product_catalog", "product_set", "scheduled_feed"


def require_catalog(context: RequestContext, catalog: str) -> None:
    """Raise ApiError (404) unless the user has this catalog."""
    if context.store.find(CATALOG, catalog, owner=context.user) is None:
        raise not_found(CATALOG, catalog)


def _is_signed_in(context: RequestContext, user_id: int | None) -> bool:
    """Return whether the `user_id` of a request is the signed-in user, which is the default."""
    return user_id is None or str(user_id) == context.user


@handler(ListCatalogs)
def list_catalogs(context: RequestContext, request: ListCatalogs) -> Result:
    """List the catalogs of the signed-in user; those of other users are not visible."""
    visible = _is_signed_in(context, request.user_id)
    return Result(context.store.find_all(CATALOG, context.user) if visible else [], next_cursor=None)


@handler(CreateCatalog)
def create_catalog(context: RequestContext, request: CreateCatalog) -> Result:
    """Create the user's catalog, if there is none yet."""
    if not _is_signed_in(context, request.user_id):
        message = f"user_id: the user {context.user} cannot create catalogs for {request.user_id}"
        raise ApiError(403, "FORBIDDEN", message, parameter="user_id")
    with context.store.transaction():
        if existing := context.store.find_all(CATALOG, context.user):
            reason = f"a user has one product catalog, yours is {existing[0]['id']}; rename or delete it"
            raise invalid_parameter("name", reason)
        fields: Record = {"name": request.name}
        return Result(context.store.add(CATALOG, random_number(), fields, owner=context.user))


@handler(RenameCatalog)
def rename_catalog(context: RequestContext, request: RenameCatalog) -> Result:
    """Rename a catalog."""
    with context.store.transaction():
        require_catalog(context, request.product_catalog_id)
        fields: Record = {"name": request.name}
        return Result(context.store.update(CATALOG, request.product_catalog_id, fields, owner=context.user))


@handler(DeleteCatalog)
def delete_catalog(context: RequestContext, request: DeleteCatalog) -> Result:
    """Delete a catalog with its products, sets and scheduled feeds."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        deleted = context.store.delete(CATALOG, catalog, owner=context.user)
        context.store.purge(CATALOG, context.user, catalog)
        context.store.purge(PRODUCT_SET, catalog)
        context.store.purge(SCHEDULED_FEED, catalog)
        product_table.clear(context.store, catalog)
    return Result(deleted)


NUMERIC_OPERATORS = ("GREATER_THAN", "LESS_THAN")


def is_valid(operator: str, value: str) -> bool:
    """Return whether a filter can be evaluated: numeric operators need a number."""
    return operator not in NUMERIC_OPERATORS or _number(value) is not None


def matches(product: dict[str, Any], condition: Filter) -> bool:
    """Return whether a product matches a filter."""
    value = product.get(condition.attribute)
    if value is None:
        return condition.operator == "NOT_CONTAINS"
    return COMPARISONS[condition.operator](str(value), condition.value)


def _number(text: str) -> Decimal | None:
    """Parse a number, or the number of a price."""
    try:
        number = Decimal(text.split(" ")[0])
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _numeric(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[str, str], bool]:
    def compare_texts(value: str, operand: str) -> bool:
        left, right = _number(value), _number(operand)
        return left is not None and right is not None and compare(left, right)

    return compare_texts


def _equal(value: str, operand: str) -> bool:
    left, right = _number(value), _number(operand)
    return value == operand if left is None or right is None else left == right


COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "GREATER_THAN": _numeric(lambda left, right: left > right),
    "LESS_THAN": _numeric(lambda left, right: left < right),
    "EQUAL_TO": _equal,
    "MATCH": lambda value, operand: value.casefold() == operand.casefold(),
    "CONTAINS": lambda value, operand: operand.casefold() in value.casefold(),
    "NOT_CONTAINS": lambda value, operand: operand.casefold() not in value.casefold(),
}


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
        created = context.store.add(PRODUCT_SET, random_base36(), fields, owner=catalog)
    return Result(_with_products(context, catalog, created))


@handler(GetProductSet)
def get_product_set(context: RequestContext, request: GetProductSet) -> Result:
    """Return a product set; this completes its processing."""
    catalog, product_set = request.product_catalog_id, request.product_set_id
    record = _require_set(context, catalog, product_set)
    if record["processing_status"] == "PROCESSING":
        valid = all(is_valid(one["operator"], one["value"]) for one in record["filters"])
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
            product["id"] for product in products if all(matches(product, condition) for condition in filters)
        ]
    else:
        product_ids = []
    return fields | {"product_ids": product_ids}


@handler(ListScheduledFeeds)
def list_scheduled_feeds(context: RequestContext, request: ListScheduledFeeds) -> Result:
    """List the scheduled feeds of a catalog."""
    require_catalog(context, request.product_catalog_id)
    feeds = context.store.find_all(SCHEDULED_FEED, request.product_catalog_id)
    return Result(feeds, next_cursor=None)


@handler(CreateScheduledFeed)
def create_scheduled_feed(context: RequestContext, request: CreateScheduledFeed) -> Result:
    """Create the scheduled feed of a catalog, if there is none yet."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        if existing := context.store.find_all(SCHEDULED_FEED, catalog):
            reason = f"a user has one scheduled feed, yours is {existing[0]['id']}; update or delete it"
            raise invalid_parameter("feed_url", reason)
        fields: Record = {"repeat": None} | changes_of(request) | {"product_catalog_id": catalog}
        feed = derived_key(catalog, "scheduled feed")
        return Result(context.store.add(SCHEDULED_FEED, feed, fields, owner=catalog))


@handler(UpdateScheduledFeed)
def update_scheduled_feed(context: RequestContext, request: UpdateScheduledFeed) -> Result:
    """Change a scheduled feed; another frequency replaces when it repeats."""
    catalog, feed = request.product_catalog_id, request.scheduled_feed_id
    with context.store.transaction():
        _require_feed(context, catalog, feed)
        fields = ({"repeat": None} if request.frequency else {}) | changes_of(request)
        return Result(context.store.update(SCHEDULED_FEED, feed, fields, owner=catalog))


@handler(DeleteScheduledFeed)
def delete_scheduled_feed(context: RequestContext, request: DeleteScheduledFeed) -> Result:
    """Delete a scheduled feed."""
    catalog, feed = request.product_catalog_id, request.scheduled_feed_id
    with context.store.transaction():
        _require_feed(context, catalog, feed)
        deleted = context.store.delete(SCHEDULED_FEED, feed, owner=catalog)
        context.store.purge(SCHEDULED_FEED, catalog, feed)
    return Result(deleted)


def _require_feed(context: RequestContext, catalog: str, feed: str) -> None:
    """Raise ApiError (404) unless the catalog has this feed."""
    require_catalog(context, catalog)
    if context.store.find(SCHEDULED_FEED, feed, owner=catalog) is None:
        raise not_found(SCHEDULED_FEED, feed)
