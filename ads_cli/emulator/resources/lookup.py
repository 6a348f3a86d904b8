"""What the service defines for all accounts: categories of content, and publishers."""

from ...api.lookup import ListContentCategories, ListIabCategories, ListPublishers
from ..core.handlers import RequestContext, handler
from ..core.paging import list_page
from ..core.responses import Result
from ..storage.store import without
from .categories import SERVICE

IAB_CATEGORY, CONTENT_CATEGORY, PUBLISHER = "iab_category", "content_category", "publisher"
MANAGED = ("created_at", "updated_at", "deleted")


@handler(ListIabCategories)
def list_iab_categories(context: RequestContext, request: ListIabCategories) -> Result:
    """List the categories of the IAB, one page at a time."""
    page = list_page(context.store, request, IAB_CATEGORY, owner=SERVICE)
    return page._replace(data=[without(record, *MANAGED) for record in page.data])


@handler(ListContentCategories)
def list_content_categories(context: RequestContext, request: ListContentCategories) -> Result:
    """List the content categories, all on one page."""
    records = context.store.find_all(CONTENT_CATEGORY, SERVICE)
    data = [without(record, *MANAGED) for record in records]
    return Result(data, next_cursor=None, total_count=len(data))


@handler(ListPublishers)
def list_publishers(context: RequestContext, request: ListPublishers) -> Result:
    """List the publishers, all on one page; the user identifies one."""
    records = context.store.find_all(PUBLISHER, SERVICE)
    data = [{"user_id": record["id"], **without(record, "id", *MANAGED)} for record in records]
    return Result(data, next_cursor=None)
