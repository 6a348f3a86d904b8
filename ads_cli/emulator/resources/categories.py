"""Categories that the service defines for all accounts."""

from ...api.categories import (
    GetCuratedCategory,
    ListBusinessCategories,
    ListCuratedCategories,
    ListCuratedCategoriesIn,
)
from ..core.errors import not_found
from ..core.handlers import RequestContext, handler
from ..core.paging import invalid_cursor
from ..core.responses import Result
from ..storage.store import Record, without
from .accounts import require_account

SERVICE = ""  # owner of records that belong to no user or account
BUSINESS, CURATED = "business_category", "curated_category"


@handler(ListBusinessCategories)
def list_business_categories(context: RequestContext, request: ListBusinessCategories) -> Result:
    """List the business categories that line items can have."""
    records = context.store.find_all(BUSINESS, SERVICE)
    return Result([without(record, "created_at", "updated_at", "deleted") for record in records])


@handler(ListCuratedCategories)
def list_curated_categories(context: RequestContext, request: ListCuratedCategories) -> Result:
    """List all curated categories with their countries.

    The specification does not name the parameter that filters by country, so there is none.
    """
    require_account(context, request.account_id)
    records = _curated(context)
    return Result(records, next_cursor=None, total_count=len(records))


@handler(ListCuratedCategoriesIn)
def list_curated_categories_in(context: RequestContext, request: ListCuratedCategoriesIn) -> Result:
    """List the curated categories of some countries; all are on one page."""
    require_account(context, request.account_id)
    if request.cursor is not None:
        raise invalid_cursor()
    wanted = set(request.country_codes)
    records = [record for record in _curated(context) if wanted & set(record["country_codes"])]
    return Result(records, next_cursor=None, total_count=len(records))


def _curated(context: RequestContext) -> list[Record]:
    return [without(record, "deleted") for record in context.store.find_all(CURATED, SERVICE)]


@handler(GetCuratedCategory)
def get_curated_category(context: RequestContext, request: GetCuratedCategory) -> Result:
    """Return one curated category."""
    require_account(context, request.account_id)
    record = context.store.find(CURATED, request.curated_category_id, owner=SERVICE)
    if record is None:
        raise not_found(CURATED, request.curated_category_id)
    return Result(without(record, "deleted"))
