"""Curated categories of line items: where their ads are shown."""

from ...api.line_item_categories import (
    AddLineItemCategory,
    DeleteLineItemCategory,
    GetLineItemCategory,
    ListLineItemCategories,
    UpdateLineItemCategory,
)
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext
from ..storage.store import Record
from .categories import CURATED
from .collection import Collection
from .line_items import LINE_ITEM


def only_category(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError where service x would have a second category for a line item."""
    line_item = after["line_item_id"]
    is_moved = before is None or before["line_item_id"] != line_item
    if context.service == "x" and is_moved:
        for other in context.store.find_all(CHOSEN.kind, context.path_params["account_id"]):
            if other["line_item_id"] == line_item:
                reason = f"the line item {line_item} has a curated category, {other['curated_category_id']}"
                raise invalid_parameter("line_item_id", reason)
    return after


CHOSEN = Collection(
    kind="line_item_curated_category",
    list=ListLineItemCategories,
    get=GetLineItemCategory,
    create=AddLineItemCategory,
    update=UpdateLineItemCategory,
    delete=DeleteLineItemCategory,
    parents={"line_item_id": LINE_ITEM, "curated_category_id": CURATED},
    sortable=("line_item_id", "curated_category_id"),
    prepare=only_category,
)
