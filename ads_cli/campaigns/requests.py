"""The requests that changes of a plan become, as the guard judges them and as they are sent."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from ..api.endpoint import Request
from ..api.records import with_removed
from ..api.spending import ACTIVE, DRAFT, PAUSED, STATUS
from ..api.validation import convert
from .model import Entry, creation_values
from .plan import PLACEHOLDER_ID, ROOT, CampaignPlan, Change


class ChangeRequests:
    """Makes the requests of changes; `ids` are those of the records of the file, as far as they exist."""

    def __init__(self, account: str, plan: CampaignPlan) -> None:
        self._account, self._changes = account, plan.changes
        self.ids = {entry: stored.id for entry, stored in plan.matched.items()}

    def planned(self) -> Iterator[tuple[Request, str]]:
        """Yield each change as a request of its own, and what stands for the id of a record that is new."""
        for number, change in enumerate(self._changes):
            if change.action == "create":
                new_id = self.ids[entry_of(change)] = f"{PLACEHOLDER_ID}{number:09}"
                status = {STATUS: ACTIVE} if change.values.get(STATUS) == ACTIVE else {}
                yield replace(self.creation(change), **status), new_id
            elif change.action == "update":
                yield self.update(change, change.values), ""
            else:
                yield self.deletion(change), ""

    def parent_id(self, change: Change) -> str:
        """Return the id of the record above, which exists by now."""
        return self.ids[change.parent] if change.parent else ROOT

    def id_of(self, change: Change) -> str:
        """Return the id of a record, which exists by now."""
        return change.id or self.ids[entry_of(change)]

    def creation(self, *changes: Change) -> Request:
        """Return the request that creates a record, or several of one parent: what may spend is paused."""
        kind = changes[0].kind
        values = creation_values(kind, [change.values for change in changes], self.parent_id(changes[0]))
        if STATUS in kind.create.__struct_fields__:
            values[STATUS] = DRAFT if values.get(STATUS) == DRAFT else PAUSED
        return convert(kind.create, {"account_id": self._account, **values})

    def update(self, change: Change, values: Mapping[str, Any]) -> Request:
        """Return the request that sets values of a record; None removes one."""
        kind = change.kind
        assert kind.update
        sent = {name: value for name, value in values.items() if value is not None}
        removed = [name for name, value in values.items() if value is None]
        own = {"account_id": self._account, kind.id_field: self.id_of(change)}
        return with_removed(convert(kind.update, {**own, **sent}), removed)

    def deletion(self, change: Change) -> Request:
        """Return the request that deletes a record."""
        kind = change.kind
        return convert(kind.delete, {"account_id": self._account, kind.id_field: self.id_of(change)})


def entry_of(change: Change) -> Entry:
    """Return what the file has of a record that is created or changed."""
    assert change.entry
    return change.entry
