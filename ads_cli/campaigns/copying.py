"""Copies of campaigns: what is pulled, changed, and created again, in another account too."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.amounts import decimals_of
from ..api.audiences import ListAudiences
from ..api.funding_instruments import ListFundingInstruments
from ..api.measurement import ListWebEventTags
from ..api.media import ListAccountMedia
from ..api.posts import ListPosts, ListScheduledPosts
from ..api.spending import ACTIVE, DRAFT, PAUSED, STATUS
from ..api.time import Time
from ..client.record_names import label
from ..errors import UsageError
from ..output.text import Lines, first_of, listed
from ..spelling import suggestion
from .account import chunks, list_all
from .campaign_file import CampaignFile
from .file import OPERATORS, file_of
from .kinds import CAMPAIGN, LINE_ITEM, TARGETING, TYPE, VALUE, Kind
from .model import Entry, FileField, Stored, each_entry, fields_by_key, file_fields
from .plan import CampaignPlan
from .writer import document_of

if TYPE_CHECKING:
    from ..client.client import Client

RELATIVE = re.compile(r"([+-])(?>[0-9]{1,12})(\.[0-9]{1,6})?(%)?")
INNER, CRITERIA = "line_items.", "line_items.targeting."
AUDIENCES = ("CUSTOM_AUDIENCE", "CUSTOM_AUDIENCE_EXPANDED")
FIELDS = {  # of the ids in a list of an account, by which their names are known
    ListFundingInstruments: "funding_instrument_id",
    ListWebEventTags: "web_event_tag_id",
    ListAudiences: "custom_audience_id",
    ListPosts: "post_id",
    ListScheduledPosts: "scheduled_post_id",
}
MOST_CHOICES = 5  # in a message
OF_CAMPAIGNS = ("CAMPAIGN_ENGAGEMENT", "CAMPAIGN_ENGAGEMENT_LOOKALIKE")


class CopySetting(NamedTuple):
    """A value that copies have in place of that of the original."""

    kind: Kind
    field: FileField
    value: str
    criterion: str = ""  # as in `EXCLUDE LOCATION`: whose values are replaced

    @property
    def is_relative(self) -> bool:
        """Whether it changes an amount of the original."""
        return self.field.is_money and RELATIVE.fullmatch(self.value) is not None

    def of(self, old: Any, currency: str) -> Any:
        """Return the new value. A relative amount changes the old one. Raise UsageError if there is none."""
        if not self.is_relative:
            return None if self.value in ("", "null") else self.value
        return relative_amount(self.value, old, currency, self.field.key)


def relative_amount(text: str, old: Any, currency: str, name: str) -> str:
    """Change an amount in units: `+10%`, `-5`; rounded to the decimals of its currency."""
    if old is None:
        raise UsageError(
            f"--set {name}={text}: there is no amount to change",
            hint=f"name the whole amount; --where '{name}>0' in place of ids finds those that have one",
        )
    number = Decimal(text.strip("+-%"))
    change = Decimal(str(old)) * number / 100 if text.endswith("%") else number
    amount = Decimal(str(old)) + (change if text.startswith("+") else -change)
    smallest = Decimal(1).scaleb(-decimals_of(currency))
    rounded = amount.quantize(smallest, ROUND_HALF_UP)
    if rounded <= 0:
        raise UsageError(f"--set {name}={text}: {old} becomes {rounded}, which is not more than 0")
    return f"{rounded:f}"


def parse_settings(texts: Iterable[str], *, active: bool) -> list[CopySetting]:
    """Read `daily_budget=+10%` and `line_items.start_time=2031-12-01`; raise UsageError.

    `active` says whether copies may be active.
    """
    statuses = (PAUSED, DRAFT, ACTIVE) if active else (PAUSED, DRAFT)
    settings: dict[str, CopySetting] = {}
    for text in texts:
        path, equals, value = text.partition("=")
        if equals and path.startswith(CRITERIA):  # a type may have several values
            settings[text] = _criterion(text, path.removeprefix(CRITERIA), value)
            continue
        kind = LINE_ITEM if path.startswith(INNER) else CAMPAIGN
        fields = fields_by_key(kind)
        key = path.removeprefix(INNER)
        if not equals or key not in fields:
            near = suggestion(key, fields)
            raise UsageError(
                f"--set {text}: is not FIELD=VALUE or line_items.FIELD=VALUE{near}",
                hint="as in --set daily_budget=+10% --set line_items.start_time=2031-12-01 "
                "--set line_items.targeting.LOCATION=Austria",
            )
        if kind is CAMPAIGN and key == "name":
            raise UsageError(f"--set {text}: the names of copies are those of --name")
        if key == STATUS and value not in statuses:
            raise UsageError(
                f"--set {text}: is not one of {', '.join(statuses)}", hint="--active activates what is active"
            )
        if path in settings:  # a relative amount would change it twice
            raise UsageError(f"--set {text}: {path} is given twice")
        settings[path] = CopySetting(kind, fields[key], value)
    return [*settings.values()]


def _criterion(text: str, criterion: str, value: str) -> CopySetting:
    """Read what the criteria of a type are replaced by."""
    operator, _, type_ = criterion.rpartition(" ")
    fields = file_fields(TARGETING)
    types = fields[TYPE].type.choices
    if operator not in OPERATORS or type_ not in types:
        raise UsageError(
            f"--set {text}: {criterion!r} is not a type of targeting{suggestion(type_, types)}",
            hint="as in --set line_items.targeting.LOCATION=Austria",
        )
    return CopySetting(TARGETING, fields[VALUE], "" if value == "null" else value, criterion)


def parse_map(texts: Iterable[str]) -> dict[str, str]:
    """Read `ID=ID`; raise UsageError."""
    mapping: dict[str, str] = {}
    for text in texts:
        old, _, new = text.partition("=")
        if not old or not new:
            raise UsageError(f"--map {text}: is not ID=ID", hint="as in --map 1nmth=1nmu0")
        if old in mapping:
            raise UsageError(f"--map {text}: {old} is given twice")
        mapping[old] = new
    return mapping


@dataclass
class Copy:
    """Makes the file of a copy."""

    originals: Sequence[Stored]
    source: str  # the account of the originals
    name: str  # of the copies; {name} stands for that of the original
    settings: Sequence[CopySetting]
    mapped: Mapping[str, str]  # values of the copies, by those of the originals
    active: bool  # whether what is active stays so
    left_out: dict[str, list[str]] = field(default_factory=dict)  # originals by what only the service sets
    _wrong: dict[str, list[str]] = field(default_factory=dict)  # records by what is wrong with them
    _mapped: set[str] = field(default_factory=set)  # values of the originals that were replaced

    def file(self) -> CampaignFile:
        """Return the originals as records of a file that are new; what cannot be as it was is noted."""
        document = document_of(self.originals, "")
        del document["account"]
        for record, original in zip(document["campaigns"], self.originals, strict=True):
            self._change(record, original)
            record["name"] = self.name.replace("{name}", original.name or "")
            record["key"] = f"copy of {self.source}/{original.id} {record['name']}"
            items = original.below.get("line_items", ())
            for inner, item in zip(record["line_items"], items, strict=True):
                self._change(inner, item)
                inner.setdefault("name", item.name or f"Line item {item.id}")
                inner["key"] = f"copy of {item.id}"
                inner["targeting"] = [*self._targeting(inner["targeting"])]
                for key in LINE_ITEM.below:
                    for below in inner.get(key, ()):
                        below.pop("id", None)
                        self._map(below)
        if self._wrong:
            lines = (f"{message} ({listed(ids)})" for message, ids in self._wrong.items())
            raise UsageError(
                Lines(lines), hint="nothing was copied; name the whole amount, or copy these without it"
            )
        if unused := [value for value in self.mapped if value not in self._mapped]:
            raise UsageError(
                f"--map {unused[0]}={self.mapped[unused[0]]}: no original has {unused[0]}",
                hint="'adsctl campaigns pull --ids ID' shows what they have; nothing was copied",
            )
        file = file_of(document, "copy", Path())
        for item in (item for original in self.originals for item in original.below["line_items"]):
            for stored in item.below["targeting"]:
                if stored.name:
                    file.value_names[str(stored.fields[TYPE]), str(stored.fields[VALUE])] = stored.name
        for entry in each_entry(file.campaigns):
            end = entry.values.get("end_time")
            if isinstance(end, Time) and end.moment <= datetime.now(UTC):
                text = f"{end} has passed; name another one: --set line_items.end_time=TIME"
                file.note(entry, text, "end_time")
        return file

    def _change(self, record: dict[str, Any], original: Stored) -> None:
        """Take off what the original has by itself, and set what was asked for."""
        del record["id"]
        for setting in self.settings:
            if setting.kind is original.kind:
                key = setting.field.key
                try:
                    record[key] = setting.of(record.get(key), original.currency)
                except UsageError as error:
                    self._wrong.setdefault(error.message, []).append(f"{original.kind.noun} {original.id}")
        for key in [key for key, value in record.items() if value is None]:
            del record[key]
        for file_field in file_fields(original.kind).values():
            if file_field.is_made_by_service(record.get(file_field.key)):
                value = record.pop(file_field.key)
                self.left_out.setdefault(f"{file_field.key} {value}", []).append(original.id)
        if record.get(STATUS) != DRAFT and not (self.active and record.get(STATUS) == ACTIVE):
            record[STATUS] = PAUSED
        self._map(record)

    def _map(self, record: dict[str, Any]) -> None:
        for key, value in record.items():
            if isinstance(value, str) and value in self.mapped:
                record[key] = self.mapped[value]
                self._mapped.add(value)

    def _targeting(self, criteria: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield criteria, those of the types that --set names with its values."""
        settings = [setting for setting in self.settings if setting.kind is TARGETING]
        replaced = {setting.criterion for setting in settings}
        yield from (criterion for criterion in criteria if replaced.isdisjoint(criterion))
        yield from ({setting.criterion: setting.value} for setting in settings if setting.value)

    def note_other_currencies(self, file: CampaignFile, plan: CampaignPlan) -> None:
        """Note amounts of new copies that are paid in another currency than their originals."""
        named = {(setting.kind, setting.field.name) for setting in self.settings if not setting.is_relative}
        currencies = {
            setting.entry: setting.currency for setting in plan.changes if setting.action == "create"
        }
        for top, original in zip(file.campaigns, self.originals, strict=True):
            for entry in each_entry([top]):
                currency, fields = currencies.get(entry), file_fields(entry.kind)
                if not currency or not original.currency or currency == original.currency:
                    continue
                prefix = INNER if entry.kind is LINE_ITEM else ""
                for name, value in entry.values.items():
                    setting = fields[name]
                    if setting.is_money and value is not None and (entry.kind, name) not in named:
                        file.note(
                            entry,
                            f"is in {original.currency}, and the copy is paid in {currency}: "
                            f"--set {prefix}{setting.key}=AMOUNT names the amount",
                            name,
                        )


Names = Callable[[str, Sequence[str]], Mapping[str, str]]  # of records by their ids, for a field


def note_missing(client: "Client", account: str, called: str, file: CampaignFile, names: Names) -> None:
    """Note what another account, which is `called` so, does not have: funding, audiences, media, posts, tags.

    `names` are those of the account that has them.
    """
    entries_by_kind: dict[Any, dict[str, list[tuple[Entry, str]]]] = {}
    for entry in each_entry(file.campaigns):
        for kind, name, value in _references(entry):
            entries_by_kind.setdefault(kind, {}).setdefault(value, []).append((entry, name))
    for kind, values in entries_by_kind.items():
        listed_records = [] if kind is None else [*_records(client, account, kind, [*values])]
        known_ids = {str(record.get("id")) for record in listed_records}
        own_names = names(FIELDS[kind], [*values]) if kind in FIELDS else {}
        for value, places in values.items():
            if value not in known_ids:
                what = f"{own_names[value]} ({value})" if value in own_names else value
                text = f"{called} does not have {what}: --map {value}=ID names its own"
                text += _choices(kind, listed_records)
                for entry, name in places:
                    file.note(entry, text, name)


def _choices(kind: Any, records: Sequence[Mapping[str, Any]]) -> str:
    """Say what may be named in place of what is missing."""
    if kind in (None, ListPosts):  # of posts, only those that were asked for are listed
        return ""
    labels = [label(FIELDS.get(kind, ""), str(record.get("id")), record) for record in records]
    return f"; it has {first_of(labels, MOST_CHOICES)}" if labels else "; it has none"


def _references(entry: Entry) -> Iterator[tuple[Any, str, str]]:
    """Yield the list in which something that a record names must be, its field and its id."""
    fields = {
        "funding_instrument_id": ListFundingInstruments,
        "primary_web_event_tag": ListWebEventTags,
        "account_media_id": ListAccountMedia,
        "post_id": ListPosts,
        "scheduled_post_id": ListScheduledPosts,
    }
    for name, kind in fields.items():
        if entry.values.get(name) is not None:
            yield kind, name, str(entry.values[name])
    if entry.kind is TARGETING and entry.values.get(TYPE) in AUDIENCES:
        yield ListAudiences, VALUE, str(entry.values.get(VALUE))
    if entry.kind is TARGETING and entry.values.get(TYPE) in OF_CAMPAIGNS:
        yield None, VALUE, str(entry.values.get(VALUE))


def _records(
    client: "Client", account: str, kind: Any, requested_ids: Sequence[str]
) -> Iterator[dict[str, Any]]:
    own: Iterable[dict[str, Any]] = ({},)
    if kind is ListPosts:
        own = (
            {"post_type": "PUBLISHED", "timeline_type": "ALL", "post_ids": ids}
            for ids in chunks(requested_ids)
        )
    for values in own:
        yield from list_all(client, kind, account_id=account, **values)
