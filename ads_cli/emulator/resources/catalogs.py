"""Product catalogs; each user has at most one."""

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from ...api import catalog
from ...api.catalog import Filter, GetProductSet, ListCatalogs
from ..core.handlers import RequestContext, handler
from ..core.responses import ApiError, Result, invalid_parameter
from ..storage import Record, derived_key, empty, product_table, random_number, without
from .collection import EVERYWHERE, Collection, of_user

CATALOG, PRODUCT_SET, SCHEDULED_FEED = "product_catalog", "product_set", "scheduled_feed"


def in_catalog(context: RequestContext, request: Any) -> str:
    """Return the catalog in the path; raise ApiError (404) for one of another user."""
    context.require(CATALOG, _catalog_of(context), owner=context.user)
    return _catalog_of(context)


def _catalog_of(context: RequestContext) -> str:
    return context.path_params["product_catalog_id"]


def _only_catalog(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a catalog of another user, and for a second one."""
    owner = str(after.pop("user_id", context.user))
    if owner != context.user:
        message = f"user_id: the user {context.user} cannot create catalogs for {owner}"
        raise ApiError(403, "FORBIDDEN", message, parameter="user_id")
    if before is None and (existing := context.store.find_all(CATALOG, context.user)):
        reason = f"a user has one product catalog, yours is {existing[0]['id']}; rename or delete it"
        raise invalid_parameter("name", reason)
    return after


def _delete_contents(context: RequestContext, deleted: Record) -> None:
    """Delete products, sets and scheduled feeds of a catalog."""
    for kind in (PRODUCT_SET, SCHEDULED_FEED):
        context.store.purge(kind, deleted["id"])
    product_table.clear(context.store, deleted["id"])


def _of_one_user(context: RequestContext, request: ListCatalogs) -> Mapping[str, Any]:
    """List the catalogs of one user; those of other users are not visible."""
    return {} if request.user_id is None else {"owner = ?": str(request.user_id)}


Collection(
    catalog.PRODUCT_CATALOGS,
    purged_in=EVERYWHERE,
    scope=of_user,
    new_id=random_number,
    prepare=_only_catalog,
    before_delete=_delete_contents,
    conditions=_of_one_user,
)


NUMERIC_OPERATORS = ("GREATER_THAN", "LESS_THAN")


def _can_be_evaluated(operator: str, value: str) -> bool:
    """Return whether a filter can be evaluated: numeric operators need a number."""
    return operator not in NUMERIC_OPERATORS or _number(value) is not None


def _matches(product: dict[str, Any], condition: Filter) -> bool:
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


def _prepared_set(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError for a set that cannot be changed, and for products that the catalog does not have."""
    if before and before["type"] != "MANUAL":
        reason = f"{before['id']} is of type {before['type']}; only a MANUAL set can be changed"
        raise invalid_parameter("product_set_id", reason)
    if before is None or before["product_keys"] != after["product_keys"]:
        existing = product_table.ids_by_key(context.store, _catalog_of(context), after["product_keys"])
        if unknown := [key for key in after["product_keys"] if key not in existing]:
            listed = ", ".join(unknown[:MAX_KEYS_IN_MESSAGE])
            raise invalid_parameter("product_keys", f"the catalog has no products with the keys {listed}")
    return after


def _with_products(context: RequestContext, record: Record) -> Record:
    """Return a set as the service does, with the ids of its products once it is processed."""
    store, of_catalog = context.store, _catalog_of(context)
    fields, product_ids = without(record, "product_keys"), list[str]()
    if record["deleted"]:
        return fields | {"product_ids": []}
    if record["type"] == "MANUAL":
        id_of = product_table.ids_by_key(store, of_catalog, record["product_keys"])
        product_ids = [id_of[key] for key in record["product_keys"] if key in id_of]
    elif record["processing_status"] == "DONE":
        filters = msgspec.convert(record["filters"], list[Filter])
        products = map(msgspec.json.decode, product_table.iterate(store, of_catalog))
        product_ids = [
            product["id"]
            for product in products
            if all(_matches(product, condition) for condition in filters)
        ]
    return fields | {"product_ids": product_ids}


PRODUCT_SETS = Collection(
    catalog.PRODUCT_SETS,
    defaults={
        **empty("name description type"),
        "filters": [],
        "product_keys": [],
        "processing_status": "PROCESSING",
    },
    purged_in=EVERYWHERE,
    scope=in_catalog,
    prepare=_prepared_set,
    shown=_with_products,
)


@handler(GetProductSet)
def _get_product_set(context: RequestContext, request: GetProductSet) -> Result:
    """Return a product set; this completes its processing."""
    owner, product_set = in_catalog(context, request), request.product_set_id
    record = PRODUCT_SETS.find(context, owner, product_set)
    if record["processing_status"] == "PROCESSING":
        valid = all(_can_be_evaluated(filter["operator"], filter["value"]) for filter in record["filters"])
        fields = {"processing_status": "DONE" if valid else "FAILED"}
        with context.store.transaction():
            record = context.store.update(PRODUCT_SET, product_set, fields, owner=owner)
    return Result(_with_products(context, record))


def _prepared_feed(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return a scheduled feed as it is stored; raise ApiError for a second one of a catalog.

    A daily feed has no `repeat`: neither the day of a weekly one nor the hours between two imports.
    """
    of_catalog = _catalog_of(context)
    if before:
        return after | ({"repeat": None} if after["frequency"] == "DAILY" else {})
    if existing := context.store.find_all(SCHEDULED_FEED, of_catalog):
        reason = f"a user has one scheduled feed, yours is {existing[0]['id']}; update or delete it"
        raise invalid_parameter("feed_url", reason)
    id = derived_key(of_catalog, "scheduled feed")
    return after | {"id": id, "product_catalog_id": of_catalog}


Collection(
    catalog.SCHEDULED_FEEDS,
    defaults={"repeat": None},
    purged_in=EVERYWHERE,
    scope=in_catalog,
    prepare=_prepared_feed,
)
