"""What was changed in an account: a record is written with each change."""

from ...api.accounts import ListHistory
from ..core import ids
from ..core.paging import listed
from ..core.responses import Result
from ..core.routing import Call, handles
from ..core.store import Record, Store
from .accounts import known

HISTORY = "account_history"
FIELDS = ("entity", "entity_id", "entity_data", "change_type", "change_time", "change_by", "changes")
UNTOLD = ("id", "created_at", "updated_at")  # these say nothing of the change itself


def write(
    store: Store, account: str, user: str, entity: str, change_type: str, after: Record, before: Record
) -> None:
    """Write down how an entity came from `before` to `after`; where nothing changed, write nothing."""
    changes = {
        name: {"before": before.get(name), "after": value}
        for name, value in after.items()
        if before.get(name) != value and name not in UNTOLD
    }
    if not changes:
        return
    record = {
        "entity": entity,
        "entity_id": after["id"],
        "entity_data": after,
        "change_type": change_type,
        "change_time": after["updated_at"],
        "change_by": {"user_id": user, "platform": "API"},
        "changes": changes,
    }
    store.add(HISTORY, ids.word(), record, owner=account, created_at=after["updated_at"])


@handles(ListHistory)
def list_history(call: Call, request: ListHistory) -> Result:
    """List the changes of one entity from one hour to another, the oldest first."""
    known(call, request.account_id)
    also = {
        "json_extract(data, '$.entity') = ?": request.entity_type,
        "json_extract(data, '$.entity_id') = ?": request.entity_id,
        "created_at >= ?": request.start_time,
        "created_at < ?": request.end_time,
    }
    if request.user_id is not None:
        also["json_extract(data, '$.change_by.user_id') = ?"] = str(request.user_id)
    found = listed(call.store, request, HISTORY, owner=request.account_id, also=also)
    return found._replace(data=[{name: record[name] for name in FIELDS} for record in found.data])
