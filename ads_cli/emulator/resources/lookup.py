"""What the service defines for all accounts: categories of content, and publishers."""

from itertools import combinations

from ...api import categories
from ...api.line_items import ListPlacements
from ...api.types import ALWAYS_SORTABLE
from ..core.handlers import RequestContext, handler
from ..core.paging import invalid_cursor, list_page
from ..core.responses import ApiError, Result
from ..storage import SERVICE, Record, without

BUSINESS, CURATED = "business_category", "curated_category"
IAB_CATEGORY, CONTENT_CATEGORY, PUBLISHER = "iab_category", "content_category", "publisher"


def _all(context: RequestContext, kind: str, *hidden: str) -> list[Record]:
    """Return all records of a kind, without some fields."""
    return [without(record, *hidden) for record in context.store.find_all(kind, SERVICE)]


@handler(categories.ListBusinessCategories)
def _list_business_categories(context: RequestContext, request: categories.ListBusinessCategories) -> Result:
    return Result(_all(context, BUSINESS, *ALWAYS_SORTABLE))


@handler(categories.ListCuratedCategories)
@handler(categories.ListCuratedCategoriesIn)
def _list_curated_categories(
    context: RequestContext, request: categories.ListCuratedCategories | categories.ListCuratedCategoriesIn
) -> Result:
    """List the curated categories, under service x those of some countries; all are on one page.

    The specification does not name the parameter that filters by country, so there is none.
    """
    records = _all(context, CURATED, "deleted")
    if isinstance(request, categories.ListCuratedCategoriesIn):
        if request.cursor is not None:
            raise invalid_cursor()
        wanted = set(request.country_codes)
        records = [record for record in records if wanted & set(record["country_codes"])]
    return Result(records, next_cursor=None, total_count=len(records))


@handler(categories.GetCuratedCategory)
def _get_curated_category(context: RequestContext, request: categories.GetCuratedCategory) -> Result:
    return Result(without(context.require(CURATED, request.curated_category_id, owner=SERVICE), "deleted"))


@handler(categories.ListIabCategories)
def _list_iab_categories(context: RequestContext, request: categories.ListIabCategories) -> Result:
    page = list_page(context.store, request, IAB_CATEGORY, owner=SERVICE)
    return page._replace(data=[without(record, *ALWAYS_SORTABLE) for record in page.data])


@handler(categories.ListContentCategories)
def _list_content_categories(context: RequestContext, request: categories.ListContentCategories) -> Result:
    data = _all(context, CONTENT_CATEGORY, *ALWAYS_SORTABLE)
    return Result(data, next_cursor=None, total_count=len(data))


@handler(categories.ListPublishers)
def _list_publishers(context: RequestContext, request: categories.ListPublishers) -> Result:
    """List the publishers, all on one page; the user identifies one."""
    records = _all(context, PUBLISHER, *ALWAYS_SORTABLE)
    data = [{"user_id": record["id"], **without(record, "id")} for record in records]
    return Result(data, next_cursor=None)


PROFILE, ALL = "PLATFORM_PROFILE", "ALL_ON_PLATFORM"
NETWORK = ("PUBLISHER_NETWORK", "TAP_BANNER", "TAP_FULL", "TAP_FULL_LANDSCAPE", "TAP_NATIVE", "TAP_MRECT")
# By product type: the placements that go together, and those of a network, alone or with all on the platform.
PLACEMENTS = {
    "MEDIA": ((PROFILE, "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), NETWORK[:1]),
    "PROMOTED_ACCOUNT": ((PROFILE, "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), ()),
    "PROMOTED_POSTS": ((PROFILE, "PLATFORM_REPLIES", "PLATFORM_SEARCH", "PLATFORM_TIMELINE"), NETWORK),
}


def allowed_placements(product_type: str) -> list[list[str]]:
    """List the combinations of placements that a product type allows; a profile is never alone."""
    together, network = PLACEMENTS[product_type]
    sizes = range(1, len(together) + 1)
    combined = [list(some) for size in sizes for some in combinations(together, size) if some != (PROFILE,)]
    return [[ALL], *combined, *([code] for code in network), *([ALL, code] for code in network)]


def require_allowed_placements(product_type: str, placements: list[str]) -> None:
    """Raise ApiError (400) for a combination that a product type does not allow."""
    if {*placements} not in map(set, allowed_placements(product_type)):
        message = f"placements: {', '.join(placements)} is not a combination that {product_type} allows"
        raise ApiError(400, "INVALID_PLACEMENT_TYPE", message, parameter="placements")


@handler(ListPlacements)
def _list_placements(context: RequestContext, request: ListPlacements) -> Result:
    names = [request.product_type] if request.product_type else list(PLACEMENTS)
    return Result([{"product_type": name, "placements": allowed_placements(name)} for name in names])
