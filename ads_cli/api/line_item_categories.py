"""Curated categories of line items."""

from .endpoint import endpoint
from .types import Id, InAccount, LineItemId, PageInAccount, WithDeleted

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
