"""Product catalogs; each user has at most one."""

from ...api.catalog import CreateCatalog, DeleteCatalog, ListCatalogs, RenameCatalog
from ..core.errors import ApiError, invalid_parameter, not_found
from ..core.handlers import RequestContext, handler
from ..core.responses import Result
from ..storage import ids, product_table
from ..storage.store import Record

CATALOG, PRODUCT_SET, SCHEDULED_FEED = "product_catalog", "product_set", "scheduled_feed"


def require_catalog(context: RequestContext, catalog: str) -> None:
    """Raise ApiError (404) unless the user has this catalog."""
    if context.store.find(CATALOG, catalog, owner=context.user) is None:
        raise not_found(CATALOG, catalog)


def _is_signed_in(context: RequestContext, user_id: int | None) -> bool:
    """Return whether the `user_id` of a request is the signed-in user, which is the default."""
    return user_id is None or str(user_id) == context.user


@handler(ListCatalogs)
def list_catalogs(context: RequestContext, request: ListCatalogs) -> Result:
    """List the catalogs of the signed-in user; those of other users are not visible."""
    visible = _is_signed_in(context, request.user_id)
    return Result(context.store.find_all(CATALOG, context.user) if visible else [], next_cursor=None)


@handler(CreateCatalog)
def create_catalog(context: RequestContext, request: CreateCatalog) -> Result:
    """Create the user's catalog, if there is none yet."""
    if not _is_signed_in(context, request.user_id):
        message = f"user_id: the user {context.user} cannot create catalogs for {request.user_id}"
        raise ApiError(403, "FORBIDDEN", message, parameter="user_id")
    with context.store.transaction():
        if existing := context.store.find_all(CATALOG, context.user):
            reason = f"a user has one product catalog, yours is {existing[0]['id']}; rename or delete it"
            raise invalid_parameter("name", reason)
        fields: Record = {"name": request.name}
        return Result(context.store.add(CATALOG, ids.random_number(), fields, owner=context.user))


@handler(RenameCatalog)
def rename_catalog(context: RequestContext, request: RenameCatalog) -> Result:
    """Rename a catalog."""
    with context.store.transaction():
        require_catalog(context, request.product_catalog_id)
        fields: Record = {"name": request.name}
        return Result(context.store.update(CATALOG, request.product_catalog_id, fields, owner=context.user))


@handler(DeleteCatalog)
def delete_catalog(context: RequestContext, request: DeleteCatalog) -> Result:
    """Delete a catalog with its products, sets and scheduled feeds."""
    catalog = request.product_catalog_id
    with context.store.transaction():
        require_catalog(context, catalog)
        deleted = context.store.delete(CATALOG, catalog, owner=context.user)
        context.store.purge(CATALOG, context.user, catalog)
        context.store.purge(PRODUCT_SET, catalog)
        context.store.purge(SCHEDULED_FEED, catalog)
        product_table.clear(context.store, catalog)
    return Result(deleted)
