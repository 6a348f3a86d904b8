"""Curated categories of line items."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .products import Url
from .types import Id, Ids, InAccount, LineItemId, LineItemIds, PageInAccount, WithDeleted

CURATED_CATEGORY_COLUMNS = "id line_item_id curated_category_id deleted"
CURATED_CATEGORIES = "/12/accounts/{account_id}/line_item_curated_categories"


@endpoint(
    f"GET {CURATED_CATEGORIES}",
    "line-items curated-categories list",
    columns=CURATED_CATEGORY_COLUMNS,
    extra_fields=("created_at", "updated_at"),
    example="--sort-by created_at-desc",
)
class ListLineItemCategories(PageInAccount):
    """List the curated categories of line items."""


@endpoint(
    f"GET {CURATED_CATEGORIES}/{{line_item_curated_category_id}}",
    "line-items curated-categories get",
    columns=CURATED_CATEGORY_COLUMNS,
    extra_fields=("created_at", "updated_at"),
    example="6c0f1",
)
class GetLineItemCategory(InAccount, kw_only=True):
    """Show one curated category of a line item."""

    line_item_curated_category_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {CURATED_CATEGORIES}",
    "line-items curated-categories add",
    columns=CURATED_CATEGORY_COLUMNS,
    extra_fields=("created_at", "updated_at"),
    example="--line-item-id 9d4e1 --curated-category-id cc2",
)
class AddLineItemCategory(InAccount, kw_only=True):
    """Add a curated category to a line item."""

    line_item_id: LineItemId
    curated_category_id: Id


@endpoint(
    f"PUT {CURATED_CATEGORIES}/{{line_item_curated_category_id}}",
    "line-items curated-categories update",
    columns=CURATED_CATEGORY_COLUMNS,
    extra_fields=("created_at", "updated_at"),
    example="6c0f1 --curated-category-id cc2",
)
class UpdateLineItemCategory(InAccount, kw_only=True):
    """Change the curated category, or the line item it belongs to."""

    line_item_curated_category_id: Id
    curated_category_id: Id | None = None
    line_item_id: LineItemId | None = None


@endpoint(
    f"DELETE {CURATED_CATEGORIES}/{{line_item_curated_category_id}}",
    "line-items curated-categories delete",
    columns=CURATED_CATEGORY_COLUMNS,
    extra_fields=("created_at", "updated_at"),
    confirm_prompt="Remove the curated category {line_item_curated_category_id} from its line item",
    example="6c0f1",
)
class DeleteLineItemCategory(InAccount, kw_only=True):
    """Remove a curated category from a line item."""

    line_item_curated_category_id: Id


COLUMNS = "id line_item_id tracking_tag_type tracking_tag_url deleted"
FIELDS = ("created_at", "updated_at")
TAGS = "/12/accounts/{account_id}/tracking_tags"
TAG = f"{TAGS}/{{tracking_tag_id}}"

TagUrl = Annotated[Url, Meta(description="What is fetched")]


@endpoint(
    f"GET {TAGS}", "tracking-tags list", columns=COLUMNS, extra_fields=FIELDS, example="--line-items 9d4c1"
)
class ListTrackingTags(PageInAccount):
    """List the tracking tags of an account."""

    line_item_ids: LineItemIds | None = None
    tracking_tag_ids: Ids | None = None


@endpoint(f"GET {TAG}", "tracking-tags get", columns=COLUMNS, extra_fields=FIELDS, example="6tt01")
class GetTrackingTag(InAccount, kw_only=True):
    """Show one tracking tag."""

    tracking_tag_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {TAGS}",
    "tracking-tags create",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="--line-item 9d4c2 --tracking-tag-type CLICK_TRACKER --tracking-tag-url https://m.example/c?n=81",
)
class CreateTrackingTag(InAccount, kw_only=True):
    """Add a tracking tag to a line item."""

    line_item_id: LineItemId
    tracking_tag_type: Literal["IMPRESSION_TAG", "CLICK_TRACKER"]
    tracking_tag_url: TagUrl


@endpoint(
    f"PUT {TAG}",
    "tracking-tags update",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="6tt01 --tracking-tag-url https://measure.example/i?campaign=spring",
)
class UpdateTrackingTag(InAccount, kw_only=True):
    """Change the address of a tracking tag."""

    tracking_tag_id: Id
    tracking_tag_url: TagUrl


@endpoint(
    f"DELETE {TAG}",
    "tracking-tags delete",
    columns=COLUMNS,
    extra_fields=FIELDS,
    confirm_prompt="Delete the tracking tag {tracking_tag_id}",
    example="6tt01",
)
class DeleteTrackingTag(InAccount, kw_only=True):
    """Delete a tracking tag."""

    tracking_tag_id: Id
