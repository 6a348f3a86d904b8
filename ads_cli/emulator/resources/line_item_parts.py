"""Curated categories of line items: where their ads are shown."""

from ...api import line_item_parts
from ..core.handlers import RequestContext
from ..core.responses import invalid_parameter
from ..storage import Record
from .collection import Collection
from .lookup import CURATED, SERVICE
from .targeting import CATEGORY, require_fitting_targeting


def fitting_category(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError where service x refuses a category: a second one, or one that is shown elsewhere."""
    if context.service != "x" or after == before:
        return after
    line_item = after["line_item_id"]
    for other in context.store.find_all(CATEGORY, context.path_params["account_id"], line_item_id=line_item):
        if before is None or other["id"] != before["id"]:
            reason = f"the line item {line_item} has a curated category, {other['curated_category_id']}"
            raise invalid_parameter("line_item_id", reason)
    category = context.store.find(CURATED, after["curated_category_id"], owner=SERVICE)
    assert category  # a parent
    require_fitting_targeting(context, line_item, category)
    return after


CHOSEN = Collection(
    line_item_parts.CURATED_CATEGORIES,
    sortable=("line_item_id", "curated_category_id"),
    prepare=fitting_category,
)


TRACKING_TAGS = Collection(
    line_item_parts.TRACKING_TAGS,
    defaults={"line_item_id": None, "tracking_tag_type": None, "tracking_tag_url": None},
    filters={"line_item_ids": "line_item_id"},
)
