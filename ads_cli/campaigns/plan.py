"""What differs between a file and an account."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from ..api.targeting import exclude_each_other
from .kinds import TARGETING, Kind
from .memory import Mark
from .model import Entry, Stored, fields_by_key, file_fields, shown_value

ROOT = ""  # the record above campaigns
UNKNOWN = "?"  # a value that the service does not show
PLACEHOLDER_ID = "new"  # of a record above that is not created yet


class ChangeRecord(TypedDict):
    """A difference, as programs read it."""

    action: str  # create, update or delete
    kind: str
    id: str | None  # None where it is not created yet
    key: str
    name: str | None
    path: str
    before: dict[str, Any] | None  # what the account has of the fields that change
    after: dict[str, Any] | None


@dataclass(eq=False)
class Change:
    """A difference, as it is carried out."""

    action: str  # create, update or delete
    kind: Kind
    path: str  # of the record in the file, or of the list of a deleted one
    key: str  # by which the file knows it, or a label of what it is
    name: str | None
    entry: Entry | None = None
    stored: Stored | None = None
    values: dict[str, Any] = field(default_factory=dict)  # typed, by field: those that are sent
    parent: Entry | None = None  # of what is created
    parent_id: str = ROOT
    replaces: str = ""  # the id of the record in whose place one is created
    replaced_by: Entry | None = None  # what takes the place of one that is deleted
    currency: str = ""

    @property
    def id(self) -> str | None:
        """The id of the record; None where it is not created yet."""
        return self.stored.id if self.stored else None

    @property
    def goes_first(self) -> bool:
        """Whether it is deleted before what takes its place is created: the service refuses both at once."""
        stored, new = self.stored, self.replaced_by
        if not (stored and new and self.kind is new.kind is TARGETING):
            return False
        return exclude_each_other(stored.fields, new.values)

    @property
    def before(self) -> dict[str, Any] | None:
        """What the account has of the fields that change; all of what is deleted."""
        if self.stored is None:
            return None
        if self.action == "delete":
            return self.stored.values()
        fields = self.stored.fields
        shown = self._shown({name: fields.get(name) for name in self.values})
        unknown = {file_fields(self.kind)[name].key for name in self.values if name not in fields}
        return shown | dict.fromkeys(unknown, UNKNOWN)

    @property
    def after(self) -> dict[str, Any] | None:
        """What they become."""
        if self.action == "delete":
            return None
        if self.entry and self.entry.post:
            return self.entry.post.shown
        return self._shown(self.values)

    def _shown(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as a file has them."""
        fields = file_fields(self.kind)
        return {
            fields[name].key: shown_value(fields[name], value, self.currency)
            for name, value in values.items()
        }

    def currency_of(self, key: str) -> str:
        """Return the currency of a value in `before` or `after`; empty where it is no amount."""
        field = fields_by_key(self.kind).get(key)
        return self.currency if field and field.is_money else ""

    def record(self) -> ChangeRecord:
        """Return it as a record of a plan."""
        return {
            "action": self.action,
            "kind": self.kind.name,
            "id": self.id,
            "key": self.key,
            "name": self.name,
            "path": self.path,
            "before": self.before,
            "after": self.after,
        }


@dataclass
class CampaignPlan:
    """What differs between a file and an account."""

    campaigns: Sequence[Stored] = ()  # of the account
    changes: list[Change] = field(default_factory=list)
    ids: dict[Mark, str] = field(default_factory=dict)  # of the keys that were found
    found: set[Mark] = field(default_factory=set)  # under which their creation was noted
    matched: dict[Entry, Stored] = field(default_factory=dict)
    staying: list[Stored] = field(default_factory=list)  # --prune deletes them: the file does not have them
    value_names: dict[tuple[str, str], str] = field(default_factory=dict)  # of criteria, by type and value
    listed: int = 0  # records in the lists that the file has
    not_compared: set[str] = field(default_factory=set)  # keys of fields that the service never shows
    lost: list[Mark] = field(default_factory=list)  # of what a request without a response may have created
    unlisted: list[tuple[Entry, str, str]] = field(default_factory=list)  # with the id, and that above

    def above(self, change: Change) -> Stored | Entry | None:
        """Return what a record lies in: an entry where that is new too; None of a campaign."""
        if change.stored:
            return change.stored.parent
        if change.parent is None or change.parent_id == PLACEHOLDER_ID:
            return change.parent
        return self.matched[change.parent]

    def count(self, action: str) -> int:
        """Count the changes of a kind."""
        return sum(change.action == action for change in self.changes)

    @property
    def pruned(self) -> int:
        """Count the records that are deleted since the file does not have them."""
        return sum(change.action == "delete" and not change.replaced_by for change in self.changes)

    @property
    def words(self) -> str:
        """Count the changes in words."""
        counts = Counter(change.action for change in self.changes)
        named = [
            f"{counts[action]:,} to {action}" for action in ("create", "update", "delete") if counts[action]
        ]
        return ", ".join(named) or "no differences"
