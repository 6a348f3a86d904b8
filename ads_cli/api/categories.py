"""Categories that the service defines: of businesses, and curated ones of videos."""

from typing import Annotated

from msgspec import Meta

from .endpoint import Request, endpoint
from .types import Country, Cursor, Id, InAccount

CATEGORY_COLUMNS = "id name country_codes description"


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


@endpoint(
    "GET /12/accounts/{account_id}/curated_categories",
    "accounts curated-categories list",
    columns=CATEGORY_COLUMNS,
    example="--query '[].name'",
    service="generic",
)
class ListCuratedCategories(InAccount):
    """List curated categories with the countries where they are available."""


@endpoint(
    "GET /12/accounts/{account_id}/curated_categories",
    "accounts curated-categories list",
    columns=CATEGORY_COLUMNS,
    example="--country-codes US,GB",
    service="x",
)
class ListCuratedCategoriesIn(InAccount, kw_only=True):
    """List the curated categories that are available in some countries."""

    country_codes: Annotated[
        list[Country],
        Meta(min_length=1, max_length=200, description="Countries of two letters, as in US,GB"),
    ]
    cursor: Cursor | None = None


@endpoint(
    "GET /12/accounts/{account_id}/curated_categories/{curated_category_id}",
    "accounts curated-categories get",
    columns=CATEGORY_COLUMNS,
    example="cc1",
)
class GetCuratedCategory(InAccount, kw_only=True):
    """Show one curated category."""

    curated_category_id: Id
