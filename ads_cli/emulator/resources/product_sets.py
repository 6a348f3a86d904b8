"""Product sets: products chosen by hand, or by conditions that are tried anew at every look.

The specification names the operators and no more. Here EQUAL_TO compares numbers as numbers and text
exactly, MATCH compares text without regard to case, CONTAINS looks for a part without regard to case,
and GREATER_THAN and LESS_THAN compare numbers; a price is compared by its number. A product without
the attribute fulfils NOT_CONTAINS only. All filters of a set have to be fulfilled.
"""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from ...api.catalog import CreateProductSet, Filter, GetProductSet
from ..core import ids
from ..core.responses import ApiError, Result, not_found
from ..core.routing import Call, handles
from ..core.store import Record
from . import product_table
from .catalog import PRODUCT_SET, known

ORDERED = ("GREATER_THAN", "LESS_THAN")


@handles(CreateProductSet)
def create_product_set(call: Call, request: CreateProductSet) -> Result:
    """Create a product set, which is processed after the answer."""
    catalog = request.product_catalog_id
    with call.store.writing():
        known(call, catalog)
        fields = {
            "name": request.name,
            "description": request.description,
            "type": request.type,
            "filters": msgspec.to_builtins(request.filters or []),
            "product_keys": request.product_keys or [],
            "processing_status": "PROCESSING",
        }
        _refuse_unknown(call, catalog, fields["product_keys"])
        created = call.store.add(PRODUCT_SET, ids.word(), fields, owner=catalog)
    return Result(_with_members(call, catalog, created))


@handles(GetProductSet)
def get_product_set(call: Call, request: GetProductSet) -> Result:
    """Show a product set; whoever looks finds its processing at an end."""
    catalog, wanted = request.product_catalog_id, request.product_set_id
    known(call, catalog)
    found = call.store.find(PRODUCT_SET, wanted, owner=catalog)
    if found is None:
        raise not_found("the product set", wanted)
    if found["processing_status"] == "PROCESSING":
        fields = {"processing_status": "DONE" if _processable(found) else "FAILED"}
        with call.store.writing():
            found = call.store.change(PRODUCT_SET, wanted, fields, owner=catalog)
    return Result(_with_members(call, catalog, found))


def _refuse_unknown(call: Call, catalog: str, keys: list[str]) -> None:
    held = product_table.ids_by_key(call.store, catalog, keys)
    if unknown := [key for key in keys if key not in held]:
        message = f"product_keys: the catalog has no products with the keys {', '.join(unknown[:5])}"
        raise ApiError(400, "INVALID_PARAMETER", message, parameter="product_keys")


def _processable(record: Record) -> bool:
    """Tell whether every filter can be tried; an order among texts that are no numbers cannot."""
    return all(_number(one["value"]) is not None for one in record["filters"] if one["operator"] in ORDERED)


def _with_members(call: Call, catalog: str, record: Record) -> Record:
    """Show a set with the ids of its products, once it is processed."""
    shown = {name: value for name, value in record.items() if name != "product_keys"}
    if record["type"] == "MANUAL":
        held = product_table.ids_by_key(call.store, catalog, record["product_keys"])
        members = [held[key] for key in record["product_keys"] if key in held]
    elif record["processing_status"] == "DONE":
        filters = msgspec.convert(record["filters"], list[Filter])
        products = map(msgspec.json.decode, product_table.every(call.store, catalog))
        members = [product["id"] for product in products if all(_fulfils(product, one) for one in filters)]
    else:
        members = []
    return shown | {"product_ids": members}


def _fulfils(product: dict[str, Any], condition: Filter) -> bool:
    value = product.get(condition.attribute)
    if value is None:
        return condition.operator == "NOT_CONTAINS"
    return COMPARISONS[condition.operator](str(value), condition.value)


def _number(text: str) -> Decimal | None:
    """Read a number, or the number of a price."""
    try:
        number = Decimal(text.split(" ")[0])
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _compared(compare: Callable[[Decimal, Decimal], bool]) -> Callable[[str, str], bool]:
    def fulfils(value: str, wanted: str) -> bool:
        left, right = _number(value), _number(wanted)
        return left is not None and right is not None and compare(left, right)

    return fulfils


def _equal(value: str, wanted: str) -> bool:
    left, right = _number(value), _number(wanted)
    return value == wanted if left is None or right is None else left == right


COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "GREATER_THAN": _compared(lambda left, right: left > right),
    "LESS_THAN": _compared(lambda left, right: left < right),
    "EQUAL_TO": _equal,
    "MATCH": lambda value, wanted: value.casefold() == wanted.casefold(),
    "CONTAINS": lambda value, wanted: wanted.casefold() in value.casefold(),
    "NOT_CONTAINS": lambda value, wanted: wanted.casefold() not in value.casefold(),
}
