"""The history of what is in an account: its changes, and when it was active."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import NamedTuple

import msgspec

from ...api.accounts import ListHistory, ListWholeHistory
from ..core.handlers import RequestContext, handler
from ..core.paging import field_is, list_page
from ..core.responses import Result
from ..storage import Record, Store, random_base36

HISTORY = "account_history"
HISTORY_FIELDS = ("entity", "entity_id", "entity_data", "change_type", "change_time", "change_by", "changes")
IGNORED = ("id", "created_at", "updated_at")  # not part of the change itself


def note_change(
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
    store.add(HISTORY, random_base36(), entry, owner=account, created_at=after["updated_at"])


@handler(ListWholeHistory)
@handler(ListHistory)
def _list_history(context: RequestContext, request: ListHistory | ListWholeHistory) -> Result:
    """List the changes of one entity in a range of hours, oldest first."""
    user = None if request.user_id is None else str(request.user_id)
    where = (
        field_is("entity", request.entity_type)
        | field_is("entity_id", request.entity_id)
        | field_is("change_by.user_id", user)
    )
    if request.start_time is not None:
        where["created_at >= ?"] = request.start_time
    if request.end_time is not None:
        where["created_at < ?"] = request.end_time
    page = list_page(context.store, request, HISTORY, owner=request.account_id, where=where)
    return page._replace(data=[{name: record[name] for name in HISTORY_FIELDS} for record in page.data])


ALWAYS = datetime.min.replace(tzinfo=UTC)
NEVER = datetime.max.replace(tzinfo=UTC)


class Interval(NamedTuple):
    """A time from its start to its end, which is not in it."""

    start: datetime
    end: datetime

    def within(self, other: "Interval") -> "Interval":
        """Return the part that lies in another interval too; it may be empty."""
        return Interval(max(self.start, other.start), min(self.end, other.end))

    @property
    def is_empty(self) -> bool:
        """Whether no time is in it."""
        return self.end <= self.start


class ActiveTimes:
    """The times at which the entities of an account were active."""

    def __init__(self, store: Store, account: str) -> None:
        self._changes: dict[tuple[str, str], list[Record]] = {}
        query = "SELECT data FROM records WHERE kind = ? AND owner = ? ORDER BY seq"
        for (data,) in store.connection.execute(query, (HISTORY, account)):
            change = msgspec.json.decode(data)
            self._changes.setdefault((change["entity"], change["entity_id"]), []).append(change)

    def of(
        self, entity: str, record: Record, within: Sequence[Interval] = (Interval(ALWAYS, NEVER),)
    ) -> list[Interval]:
        """Return when an entity was active, inside the intervals of what it belongs to."""
        flight = Interval(_time(record.get("start_time"), ALWAYS), _time(record.get("end_time"), NEVER))
        states = [*self._states(entity, record), (NEVER, False)]
        own = [Interval(start, end) for (start, is_active), (end, _) in pairwise(states) if is_active]
        both = (interval.within(flight).within(parent) for interval in own for parent in within)
        return [interval for interval in both if not interval.is_empty]

    def _states(self, entity: str, record: Record) -> Iterator[tuple[datetime, bool]]:
        """Yield the times of changes, and whether the entity was active from then on."""
        changes = self._changes.get((entity, record["id"]), [])
        if not changes:
            yield _time(record["created_at"], ALWAYS), _is_active(record)
        for change in changes:
            yield _time(change["change_time"], ALWAYS), _is_active(change["entity_data"])
        if record["deleted"]:
            yield _time(record["updated_at"], NEVER), False


def _is_active(record: Record) -> bool:
    return record.get("entity_status", "ACTIVE") == "ACTIVE" and not record["deleted"]


def _time(text: str | None, missing: datetime) -> datetime:
    return datetime.fromisoformat(text) if text else missing
