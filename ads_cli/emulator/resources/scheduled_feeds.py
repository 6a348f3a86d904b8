"""Scheduled feeds, which are kept and never imported; each catalog has at most one."""

from ...api.scheduled_feeds import (
    CreateScheduledFeed,
    DeleteScheduledFeed,
    ListScheduledFeeds,
    UpdateScheduledFeed,
)
from ..core.errors import invalid_parameter, not_found
from ..core.handlers import RequestContext, handler
from ..core.params import changes_of
from ..core.responses import Result
from ..storage import ids
from ..storage.store import Record
from .catalogs import SCHEDULED_FEED, require_catalog


@handler(ListScheduledFeeds)
def list_scheduled_feeds(context: RequestContext, request: ListScheduledFeeds) -> Result:
    """List the scheduled feeds of a catalog."""
    require_catalog(context, request.product_catalog_id)
    feeds = context.store.find_all(SCHEDULED_FEED, request.product_catalog_id)
    return Result(feeds, next_cursor=None)


@handler(CreateScheduledFeed)
def create_scheduled_feed(context: RequestContext, request: CreateScheduledFeed) -> Result:
    """Create the scheduled feed of a catalog, if there is none yet."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        if existing := context.store.find_all(SCHEDULED_FEED, catalog):
            reason = f"a user has one scheduled feed, yours is {existing[0]['id']}; update or delete it"
            raise invalid_parameter("feed_url", reason)
        fields: Record = {"repeat": None} | changes_of(request) | {"product_catalog_id": catalog}
        feed = ids.derived_key(catalog, "scheduled feed")
        return Result(context.store.add(SCHEDULED_FEED, feed, fields, owner=catalog))


@handler(UpdateScheduledFeed)
def update_scheduled_feed(context: RequestContext, request: UpdateScheduledFeed) -> Result:
    """Change a scheduled feed; another frequency replaces when it repeats."""
    catalog, feed = request.product_catalog_id, request.scheduled_feed_id
    with context.store.transaction():
        _require_feed(context, catalog, feed)
        fields = ({"repeat": None} if request.frequency else {}) | changes_of(request)
        return Result(context.store.update(SCHEDULED_FEED, feed, fields, owner=catalog))


@handler(DeleteScheduledFeed)
def delete_scheduled_feed(context: RequestContext, request: DeleteScheduledFeed) -> Result:
    """Delete a scheduled feed."""
    catalog, feed = request.product_catalog_id, request.scheduled_feed_id
    with context.store.transaction():
        _require_feed(context, catalog, feed)
        deleted = context.store.delete(SCHEDULED_FEED, feed, owner=catalog)
        context.store.purge(SCHEDULED_FEED, catalog, feed)
    return Result(deleted)


def _require_feed(context: RequestContext, catalog: str, feed: str) -> None:
    """Raise ApiError (404) unless the catalog has this feed."""
    require_catalog(context, catalog)
    if context.store.find(SCHEDULED_FEED, feed, owner=catalog) is None:
        raise not_found(SCHEDULED_FEED, feed)
