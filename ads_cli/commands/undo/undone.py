"""What undoing does to a record."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypedDict

from ...api.endpoint import Request
from ...api.spending import ACTIVE, STATUS
from ...client.spending import LINE_ITEM_ID
from ...console.change_words import changes_in_words
from ...console.shown import Result
from ...store.changes import ChangedRecord


class UndoneRecord(TypedDict):
    """What is taken back of a record; `state` says why it is left."""

    action: str
    kind: str
    name: str | None
    change: str | None
    state: str
    changes: list[str]  # their ids
    id: str


UNDONE = Result(UndoneRecord)
DUE, DONE = "to undo", "undone"
SAME, GONE, THERE = "it has these values already", "it is gone already", "it is there already"
NOT_KNOWN, NOT_KEPT = "what it was before is not known", "the log does not keep such values"


class Criterion(NamedTuple):
    """What a targeting criterion says."""

    line_item_id: str
    targeting_type: str
    operator_type: str
    targeting_value: str


class Undone(NamedTuple):
    """What undoing does to a record; `why_not` says why it is left as it is."""

    record: ChangedRecord
    changes: list[str]  # the ids of the changes that are undone
    kind: type[Request] | None = None  # the request that undoes them
    values: Mapping[str, Any] = {}  # that it sets
    now: Mapping[str, Any] = {}  # what these fields are
    place: Mapping[str, str] = {}  # of the path, such as the account
    criterion: Criterion | None = None  # of targeting, that is deleted or created again
    why_not: str = ""

    @property
    def action(self) -> str:
        """What is done to the record."""
        return self.kind.endpoint.action if self.kind else "none"

    @property
    def activates(self) -> bool:
        """Whether the record may serve again."""
        return self.values.get(STATUS) == ACTIVE

    @property
    def is_line_item(self) -> bool:
        """Whether the record has targeting of its own."""
        return self.kind is not None and self.kind.endpoint.id_field == LINE_ITEM_ID

    @property
    def values_to_send(self) -> dict[str, Any]:
        """What is set, as options have it: "" empties a field."""
        return {name: "" if value is None else value for name, value in self.values.items()}

    def as_dict(self, done: str) -> UndoneRecord:
        """Return it as programs read it."""
        words = changes_in_words(self.values, self.now, self.record.currency) if self.why_not != SAME else ""
        return {
            "action": self.action,
            "kind": self.record.noun,
            "name": self.record.name or None,
            "id": self.record.id,
            "change": words or None,
            "state": f"left: {self.why_not}" if self.why_not else done,
            "changes": self.changes,
        }
