"""Curated categories of line items."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .products import Url
from .types import Id, Ids, InAccount, LineItemId, LineItemIds, PageInAccount, WithDeleted

CURATED_CATEGORIES = Resource(
    "/12/accounts/{account_id}/line_item_curated_categories",
    "line_item_curated_category_id",
    parents=("line_item_id", "curated_category_id"),
    columns="id line_item_id curated_category_id deleted",
    extra_fields="created_at updated_at",
)


@CURATED_CATEGORIES.list("line-items curated-categories list", example="--sort-by created_at-desc")
class ListLineItemCategories(PageInAccount):
    """List the curated categories of line items."""


@CURATED_CATEGORIES.get("line-items curated-categories get", example="6c0f1")
class GetLineItemCategory(InAccount, kw_only=True):
    """Show one curated category of a line item."""

    line_item_curated_category_id: Id
    with_deleted: WithDeleted | None = None


@CURATED_CATEGORIES.create(
    "line-items curated-categories add", example="--line-item-id 9d4e1 --curated-category-id cc2"
)
class AddLineItemCategory(InAccount, kw_only=True):
    """Add a curated category to a line item."""

    line_item_id: LineItemId
    curated_category_id: Id


@CURATED_CATEGORIES.update("line-items curated-categories update", example="6c0f1 --curated-category-id cc2")
class UpdateLineItemCategory(InAccount, kw_only=True):
    """Change the curated category, or the line item it belongs to."""

    line_item_curated_category_id: Id
    curated_category_id: Id | None = None
    line_item_id: LineItemId | None = None


@CURATED_CATEGORIES.delete(
    "line-items curated-categories delete",
    confirm_prompt="Remove the curated category {line_item_curated_category_id} from its line item",
    example="6c0f1",
)
class DeleteLineItemCategory(InAccount, kw_only=True):
    """Remove a curated category from a line item."""

    line_item_curated_category_id: Id


TagUrl = Annotated[Url, Meta(description="What is fetched")]


TRACKING_TAGS = Resource(
    "/12/accounts/{account_id}/tracking_tags",
    "tracking_tag_id",
    parents=("line_item_id",),
    columns="id line_item_id tracking_tag_type tracking_tag_url deleted",
    extra_fields="created_at updated_at",
)


@TRACKING_TAGS.list("tracking-tags list", example="--line-items 9d4c1")
class ListTrackingTags(PageInAccount):
    """List the tracking tags of an account."""

    line_item_ids: LineItemIds | None = None
    tracking_tag_ids: Ids | None = None


@TRACKING_TAGS.get("tracking-tags get", example="6tt01")
class GetTrackingTag(InAccount, kw_only=True):
    """Show one tracking tag."""

    tracking_tag_id: Id
    with_deleted: WithDeleted | None = None


@TRACKING_TAGS.create(
    "tracking-tags create",
    example="--line-item 9d4c2 --tracking-tag-type CLICK_TRACKER --tracking-tag-url https://m.example/c?n=81",
)
class CreateTrackingTag(InAccount, kw_only=True):
    """Add a tracking tag to a line item."""

    line_item_id: LineItemId
    tracking_tag_type: Literal["IMPRESSION_TAG", "CLICK_TRACKER"]
    tracking_tag_url: TagUrl


@TRACKING_TAGS.update(
    "tracking-tags update", example="6tt01 --tracking-tag-url https://measure.example/i?campaign=spring"
)
class UpdateTrackingTag(InAccount, kw_only=True):
    """Change the address of a tracking tag."""

    tracking_tag_id: Id
    tracking_tag_url: TagUrl


@TRACKING_TAGS.delete(
    "tracking-tags delete", confirm_prompt="Delete the tracking tag {tracking_tag_id}", example="6tt01"
)
class DeleteTrackingTag(InAccount, kw_only=True):
    """Delete a tracking tag."""

    tracking_tag_id: Id
