"""What the service defines for all accounts: categories of content, and publishers."""

from .conditions import excludes
from .endpoint import Request, endpoint
from .types import Cursor, PageSize, WithTotalCount


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
    extra_fields=("monetizable_country_codes", "promotion_eligible_country_codes"),
    record_id="user_id",
    example="--columns username,monetizable_country_codes",
)
class ListPublishers(Request):
    """List the publishers whose videos ads can run before."""
