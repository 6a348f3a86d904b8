"""The do-not-reach list of an account."""

from ...api.do_not_reach import CreateDoNotReachList, DeleteDoNotReachList, ListDoNotReachLists
from ..core.errors import ApiError
from ..core.handlers import RequestContext
from ..storage import audience_user_table
from ..storage.store import Record
from .audiences import targetability
from .collection import Collection

DO_NOT_REACH = "do_not_reach_list"
NAME = "Do Not Reach List"  # the service names it


def _only_one(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Raise ApiError where the account has a list."""
    for other in context.store.find_all(DO_NOT_REACH, context.path_params["account_id"]):
        message = f"the account has a do-not-reach list, {other['id']}, and can have one only"
        raise ApiError(400, "INVALID_PARAMETER", message)
    return after


def _shown(context: RequestContext, found: Record) -> Record:
    """Add what follows from the people on the list."""
    size = audience_user_table.count(context.store, found["id"]) or None
    return found | {"list_size": size, **targetability(size)}


DO_NOT_REACH_LISTS = Collection(
    kind=DO_NOT_REACH,
    list=ListDoNotReachLists,
    create=CreateDoNotReachList,
    delete=DeleteDoNotReachList,
    defaults={"name": NAME, "description": None},
    prepare=_only_one,
    shown=_shown,
)
