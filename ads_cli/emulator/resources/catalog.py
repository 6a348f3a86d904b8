"""Product catalogs: one to a user."""

from ...api.catalog import CreateCatalog, DeleteCatalog, ListCatalogs, RenameCatalog
from ..core import ids
from ..core.responses import ApiError, Result, not_found
from ..core.routing import Call, handles
from ..core.store import Record
from . import product_table

CATALOG, PRODUCT_SET = "product_catalog", "product_set"


def known(call: Call, catalog: str) -> None:
    """Refuse a catalog that does not exist, or that is another user's."""
    if call.store.find(CATALOG, catalog, owner=call.user) is None:
        raise not_found("the product catalog", catalog)


def _owner(call: Call, user_id: int | None) -> str:
    return call.user if user_id is None else str(user_id)


@handles(ListCatalogs)
def list_catalogs(call: Call, request: ListCatalogs) -> Result:
    """List the catalogs of the user; another user's are not shown."""
    own = _owner(call, request.user_id) == call.user
    return Result(call.store.all(CATALOG, call.user) if own else [], next_cursor=None)


@handles(CreateCatalog)
def create_catalog(call: Call, request: CreateCatalog) -> Result:
    """Create the user's catalog, unless there is one already."""
    if _owner(call, request.user_id) != call.user:
        message = (
            f"user_id: you are signed in as {call.user}, who cannot create catalogs for {request.user_id}"
        )
        raise ApiError(403, "FORBIDDEN", message, parameter="user_id")
    with call.store.writing():
        if held := call.store.all(CATALOG, call.user):
            message = (
                f"a user has one product catalog, and yours is {held[0]['id']}; rename or delete that one"
            )
            raise ApiError(400, "INVALID_PARAMETER", message, parameter="name")
        return Result(call.store.add(CATALOG, ids.number(), {"name": request.name}, owner=call.user))


@handles(RenameCatalog)
def rename_catalog(call: Call, request: RenameCatalog) -> Result:
    """Give a catalog another name."""
    with call.store.writing():
        known(call, request.product_catalog_id)
        fields: Record = {"name": request.name}
        return Result(call.store.change(CATALOG, request.product_catalog_id, fields, owner=call.user))


@handles(DeleteCatalog)
def delete_catalog(call: Call, request: DeleteCatalog) -> Result:
    """Delete a catalog with its products and sets, for good."""
    catalog = request.product_catalog_id
    with call.store.writing():
        known(call, catalog)
        deleted = call.store.delete(CATALOG, catalog, owner=call.user)
        call.store.erase(CATALOG, call.user, catalog)
        call.store.erase(PRODUCT_SET, catalog)
        product_table.clear(call.store, catalog)
    return Result(deleted)
