"""The change history of an account."""

from ...api.history import ListHistory, ListWholeHistory
from ..core.handlers import RequestContext, handler
from ..core.paging import list_page
from ..core.responses import Result
from ..storage import ids
from ..storage.store import Record, Store
from .accounts import require_account

HISTORY = "account_history"
FIELDS = ("entity", "entity_id", "entity_data", "change_type", "change_time", "change_by", "changes")
IGNORED = ("id", "created_at", "updated_at")  # not part of the change itself


def write(
    store: Store, account: str, user: str, entity: str, change_type: str, after: Record, before: Record
) -> None:
    """Add an entry for the change of an entity from `before` to `after`, unless they are equal."""
    changes = {
        name: {"before": before.get(name), "after": value}
        for name, value in after.items()
        if before.get(name) != value and name not in IGNORED
    }
    if not changes:
        return
    entry = {
        "entity": entity,
        "entity_id": after["id"],
        "entity_data": after,
        "change_type": change_type,
        "change_time": after["updated_at"],
        "change_by": {"user_id": user, "platform": "API"},
        "changes": changes,
    }
    store.add(HISTORY, ids.random_base36(), entry, owner=account, created_at=after["updated_at"])


@handler(ListWholeHistory)
@handler(ListHistory)
def list_history(context: RequestContext, request: ListHistory | ListWholeHistory) -> Result:
    """List the changes of one entity in a range of hours, oldest first."""
    require_account(context, request.account_id)
    where: dict[str, str] = {
        "json_extract(data, '$.entity') = ?": request.entity_type,
        "json_extract(data, '$.entity_id') = ?": request.entity_id,
    }
    if request.start_time is not None:
        where["created_at >= ?"] = request.start_time
    if request.end_time is not None:
        where["created_at < ?"] = request.end_time
    if request.user_id is not None:
        where["json_extract(data, '$.change_by.user_id') = ?"] = str(request.user_id)
    page = list_page(context.store, request, HISTORY, owner=request.account_id, where=where)
    return page._replace(data=[{name: record[name] for name in FIELDS} for record in page.data])
