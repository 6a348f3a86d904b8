"""Tracking tags of line items."""

from ...api.tracking_tags import (
    CreateTrackingTag,
    DeleteTrackingTag,
    GetTrackingTag,
    ListTrackingTags,
    UpdateTrackingTag,
)
from .collection import Collection
from .serving import LINE_ITEM

TRACKING_TAGS = Collection(
    kind="tracking_tag",
    list=ListTrackingTags,
    get=GetTrackingTag,
    create=CreateTrackingTag,
    update=UpdateTrackingTag,
    delete=DeleteTrackingTag,
    defaults={"line_item_id": None, "tracking_tag_type": None, "tracking_tag_url": None},
    parents={"line_item_id": LINE_ITEM},
    ids="tracking_tag_ids",
    filters={"line_item_ids": "line_item_id"},
)
