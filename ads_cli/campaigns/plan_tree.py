"""A plan of campaigns for people: records by their names, each below what it lies in."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple

from ..output.figures import number_of
from ..output.text import cell
from .kinds import MEDIA, OPERATOR, POST, SCHEDULED_POST, TARGETING, TYPE, VALUE
from .model import FUNDING, OPERATOR_WORDS, Entry, Stored, label_of
from .plan import UNKNOWN, CampaignPlan, Change

MAX_POST_TEXT = 60  # characters
NAMED_BY_ID_TOO = ("CUSTOM_AUDIENCE", "CUSTOM_AUDIENCE_EXPANDED")  # several may have the same name
NAMED_BY_CONTENT = (POST, SCHEDULED_POST, MEDIA)  # kinds of ads
Record = Stored | Entry  # an entry where it is new


class FieldEdit(NamedTuple):
    """A field that changes, in words; None where it has no value."""

    key: str
    before: str | None
    after: str | None
    currency: str


@dataclass(eq=False)
class PlanNode:
    """A record of a plan, with those below it."""

    record: Record
    change: Change | None = None  # None where only what lies in it changes
    replaced: Stored | None = None  # the criterion whose place it takes
    below: list["PlanNode"] = field(default_factory=list)
    staying: list[Stored] = field(default_factory=list)  # what the file does not have

    @property
    def action(self) -> str:
        """What is done to the record; empty where it stays as it is."""
        if self.replaced:
            return "update"
        return self.change.action if self.change else ""

    @property
    def edits(self) -> list[FieldEdit]:
        """The fields that change, and all that a new record has besides its title."""
        change, kind = self.change, self.record.kind
        if change is None or change.action == "delete":
            return []
        before, after = change.before or {}, change.after or {}
        in_title = {"name", "text"} if kind.is_named else {"text", *kind.own_fields, *kind.renamed.values()}
        return [
            FieldEdit(key, _text(before.get(key)), _text(value), change.currency_of(key))
            for key, value in after.items()
            if change.action == "update" or key not in in_title
        ]


def plan_tree(plan: CampaignPlan) -> list[PlanNode]:
    """Return the records of a plan below those that they lie in; the last one of all has no parent."""
    tops, nodes = list[PlanNode](), dict[Record, PlanNode]()
    above = {change.entry: plan.above(change) for change in plan.changes if change.action == "create"}

    def node_of(record: Record) -> PlanNode:
        if record not in nodes:
            nodes[record] = node = PlanNode(record)
            parent = record.parent if isinstance(record, Stored) else above[record]
            (node_of(parent).below if parent else tops).append(node)
        return nodes[record]

    for change in plan.changes:
        record = change.stored or change.entry
        assert record
        node_of(record).change = change
    for stored in plan.staying:
        if stored.parent:
            node_of(stored.parent).staying.append(stored)
    for node in nodes.values():
        _pair(node)
    return tops


def _pair(node: PlanNode) -> None:
    """Show as one change the only criterion of a type that goes, and the only one that comes."""
    by_type: dict[Any, list[PlanNode]] = {}
    for inner in node.below:
        if inner.record.kind is TARGETING:
            values = _values(inner.record)
            by_type.setdefault((values.get(TYPE), values.get(OPERATOR) or "EQ"), []).append(inner)
    for pair in by_type.values():
        if sorted(inner.action for inner in pair) == ["create", "delete"]:
            new, old = sorted(pair, key=lambda inner: inner.action)
            assert isinstance(old.record, Stored)
            new.replaced = old.record
            node.below.remove(old)


class Titles:
    """Names the records of a plan."""

    def __init__(
        self,
        plan: CampaignPlan,
        ad_names: Mapping[str, str],
        ids: Mapping[Entry, str] | None = None,
        *,
        funding: Callable[[str], str] = str,
        zone: Callable[[], tzinfo] = lambda: UTC,
    ) -> None:
        self._ad_names, self._ids = ad_names, ids or {}
        self._funding, self._zone = funding, zone
        self._value_names = {
            (str(stored.fields.get(TYPE)), str(stored.fields.get(VALUE))): stored.name
            for stored in _criteria(plan.campaigns)
            if stored.name
        } | plan.value_names
        names = Counter((type_, name) for (type_, _), name in self._value_names.items())
        self._shared_names = {name for name, count in names.items() if count > 1}

    def of(self, record: Record) -> str:
        """Name a record by what it is, and by its id where that tells it from others."""
        kind, values = record.kind, _values(record)
        if kind.is_named:
            id = self.id_of(record)
            return f"{kind.noun} {values.get('name') or ''}{f' ({id})' if id else ''}"
        if kind is TARGETING:
            return f"{self.criterion(record)}: {self.target(record)}"
        if kind in NAMED_BY_CONTENT:
            return f"{kind.noun} {self._ad(record)}"
        return f"{kind.noun} {label_of(kind, values)}"

    def edits(self, node: PlanNode) -> list[FieldEdit]:
        """Return the fields that change, with the name of what pays and times where the account is."""
        return [
            edit._replace(before=self._in_words(edit, edit.before), after=self._in_words(edit, edit.after))
            for edit in node.edits
        ]

    def _in_words(self, edit: FieldEdit, text: str | None) -> str | None:
        key = edit.key
        if text is None or text == UNKNOWN:
            return text
        if edit.currency and (amount := number_of(text)) is not None:
            return f"{amount:,f}"
        if key == FUNDING:
            return self._funding(text)
        if key.endswith("_time"):
            return f"{datetime.fromisoformat(text).astimezone(self._zone()):%Y-%m-%d %H:%M %Z}"
        return text

    def id_of(self, record: Record) -> str:
        """Return the id of a record; empty where it is not created yet."""
        return record.id or "" if isinstance(record, Stored) else self._ids.get(record, "")

    @staticmethod
    def criterion(record: Record) -> str:
        """Name the type of a criterion, as in `EXCLUDE LOCATION`."""
        values = _values(record)
        return f"{OPERATOR_WORDS.get(str(values.get(OPERATOR) or 'EQ'), '')}{values.get(TYPE)}"

    def target(self, record: Record) -> str:
        """Name what a criterion targets."""
        values = _values(record)
        type_, value = str(values.get(TYPE)), str(values.get(VALUE))
        name = self._value_names.get((type_, value), value)
        needs_id = type_ in NAMED_BY_ID_TOO or (type_, name) in self._shared_names
        return f"{name} ({value})" if needs_id and name != value else name

    def _ad(self, record: Record) -> str:
        post = record.post if isinstance(record, Entry) else None
        id = str(_values(record).get(record.kind.own_fields[0]))
        noun = (
            "new post" if post else f"{record.kind.own_fields[0].removesuffix('_id').replace('_', ' ')} {id}"
        )
        text = post.values.get("text") if post else self._ad_names.get(id)
        return f'"{post_text(str(text))}" ({noun})' if text else noun


def _criteria(campaigns: Sequence[Stored]) -> Iterator[Stored]:
    for campaign in campaigns:
        for item in campaign.below.get("line_items", ()):
            yield from item.below.get("targeting", ())


def _values(record: Record) -> Mapping[str, Any]:
    return record.fields if isinstance(record, Stored) else record.values


def _text(value: Any) -> str | None:
    """Write the value of a field as a person does."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return ", ".join(str(_text(item)) for item in value) or None
    return None if value is None else cell(value)


def post_text(text: str) -> str:
    """Return the text of a post on one line, cut to a readable length."""
    words = " ".join(text.split())
    return words if len(words) <= MAX_POST_TEXT else f"{words[:MAX_POST_TEXT].rstrip()}…"
