"""Categories of content, the publishers in them, and the curated categories of line items."""

from typing import Annotated

from msgspec import Meta

from .conditions import excludes
from .endpoint import Request, Resource, endpoint
from .types import (
    Country,
    Cursor,
    Id,
    InAccount,
    LineItemId,
    PageInAccount,
    PageSize,
    WithTotalCount,
    delete_one,
    get_one,
)


@endpoint(
    "GET /12/iab_categories", "lookup iab-categories", columns="id parent_id name", example="--count 1000"
)
@excludes("with_total_count", "cursor")
class ListIabCategories(Request):
    """List the categories of the IAB, which line items have in --categories."""

    count: PageSize | None = None
    cursor: Cursor | None = None
    with_total_count: WithTotalCount | None = None


@endpoint(
    "GET /12/content_categories",
    "lookup content-categories",
    columns="id name iab_categories publishers_in_last_thirty_days videos_monetized_in_last_thirty_days",
    example="--query '[].[id, name]'",
)
class ListContentCategories(Request):
    """List the content categories that can be targeted.

    A line item has all IAB codes of a category, as criteria of type IAB_CATEGORY, and no curated category.
    """


@endpoint(
    "GET /12/publishers",
    "lookup publishers",
    columns="user_id username content_category_ids monetization_restricted",
    extra_fields="monetizable_country_codes promotion_eligible_country_codes",
    record_id="user_id",
    example="--columns username,monetizable_country_codes",
)
class ListPublishers(Request):
    """List the publishers whose videos ads can run before."""


@endpoint(
    "GET /12/advertiser_business_categories",
    "accounts business-categories",
    columns="id name iab_categories",
    example="--columns name,iab_categories",
)
class ListBusinessCategories(Request):
    """List the business categories.

    A line item for PREROLL_VIEWS has one or two of them, by the codes in iab_categories.
    """


CURATED_CATEGORIES = Resource(
    "/12/accounts/{account_id}/curated_categories",
    "curated_category_id",
    group="accounts curated-categories",
    columns="id name country_codes description",
)


@CURATED_CATEGORIES.list(example="--query '[].name'", service="generic")
class ListCuratedCategories(InAccount):
    """List curated categories with the countries where they are available."""


@CURATED_CATEGORIES.list(example="--country-codes US,GB", service="x")
class ListCuratedCategoriesIn(InAccount, kw_only=True):
    """List the curated categories that are available in some countries."""

    country_codes: Annotated[
        list[Country], Meta(min_length=1, max_length=200, description="Countries of two letters, as in US,GB")
    ]
    cursor: Cursor | None = None


@CURATED_CATEGORIES.get(example="cc1")
class GetCuratedCategory(InAccount, kw_only=True):
    """Show one curated category."""

    curated_category_id: Id


LINE_ITEM_CATEGORIES = Resource(
    "/12/accounts/{account_id}/line_item_curated_categories",
    "line_item_curated_category_id",
    group="line-items curated-categories",
    example="6c0f1",
    parents=("line_item_id", "curated_category_id"),
    columns="id line_item_id curated_category_id deleted",
    extra_fields="created_at updated_at",
)


@LINE_ITEM_CATEGORIES.list(example="--sort-by created_at-desc")
class ListLineItemCategories(PageInAccount):
    """List the curated categories of line items."""


GetLineItemCategory = get_one(LINE_ITEM_CATEGORIES, "Show one curated category of a line item.")


@LINE_ITEM_CATEGORIES.create(
    "line-items curated-categories add", example="--line-item-id 9d4e1 --curated-category-id cc2"
)
class AddLineItemCategory(InAccount, kw_only=True):
    """Add a curated category to a line item."""

    line_item_id: LineItemId
    curated_category_id: Id


@LINE_ITEM_CATEGORIES.update(example="6c0f1 --curated-category-id cc2")
class UpdateLineItemCategory(InAccount, kw_only=True):
    """Change the curated category, or the line item it belongs to."""

    line_item_curated_category_id: Id
    curated_category_id: Id | None = None
    line_item_id: LineItemId | None = None


DeleteLineItemCategory = delete_one(
    LINE_ITEM_CATEGORIES,
    "Remove a curated category from a line item.",
    confirm_prompt="Remove the curated category {line_item_curated_category_id} from its line item",
)
