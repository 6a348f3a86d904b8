"""What a file of campaigns holds: fields of the requests that create records, entries, and stored records.

The fields are those of the declarations in `api/`: a field that is declared there is read, compared, sent and
written by itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from ..api import promoted
from ..api.amounts import amount_names, as_amount
from ..api.fields import Field, FieldType, fields_by_name, fields_of
from ..api.names import ENUMS
from ..api.records import removable_fields
from ..api.spending import STATUS
from ..api.time import decode_custom
from .kinds import CALL_TO_ACTION, MEDIA, OPERATOR, TAG, TARGETING, TYPE, VALUE, Kind

FUNDING = "funding_instrument_id"  # of campaigns
OPERATOR_WORDS = {"EQ": "", "NE": "EXCLUDE ", "LT": "LT ", "GTE": "GTE "}  # before the type of a criterion
KEYS = ("account", "scope", "q", "campaigns")  # of a file
MAX_RECORDS = 200_000  # in a file


class FileProblem(NamedTuple):
    """A mistake in a file."""

    line: int
    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.path else self.text


MAX_REMEMBERED = 20_000  # conversions of a field: most of its values are the same few


@dataclass(frozen=True, eq=False)
class FileField:
    """A field of records of a kind."""

    name: str
    key: str  # in a file
    type: FieldType
    in_update: bool
    is_removable: bool
    required: bool
    is_money: bool  # an amount, which a file has in units of the currency
    is_enum: bool  # its values may have other names on the wire

    def typed(self, value: Any) -> Any:
        """Convert a value of a file or of the account; raise msgspec.ValidationError."""
        return self._remembered_conversion(value) if isinstance(value, str) else self._convert(value)

    @cached_property
    def _remembered_conversion(self) -> Callable[[str], Any]:
        return lru_cache(MAX_REMEMBERED)(self._convert)

    def _convert(self, value: Any) -> Any:
        return msgspec.convert(value, self.type.annotation, strict=False, dec_hook=decode_custom)

    def comparable(self, value: Any) -> Any:
        """Return what is equal for values that mean the same."""
        try:
            return self._remembered_form(tuple(value) if isinstance(value, list) else value)
        except TypeError:  # what is nested has no hash
            return self.type.comparable(value)

    @cached_property
    def _remembered_form(self) -> Callable[[Any], Any]:
        form = self.type.comparable
        return lru_cache(MAX_REMEMBERED, typed=True)(
            lambda value: form([*value] if isinstance(value, tuple) else value)
        )

    def is_made_by_service(self, value: Any) -> bool:
        """Whether a record has a value that only the service gives it, and no request takes."""
        return bool(self.type.extra("by_service")) and value is not None and value not in self.type.choices

    def text_of(self, value: Any) -> str | None:
        """Return the text that is equal for equal values."""
        form = self.comparable(value)
        return None if form is None else str(form)


@cache
def file_fields(kind: Kind) -> Mapping[str, FileField]:
    """Return the fields of a kind by name, in the order of the requests: those that create a record first."""
    own = {"account_id", kind.id_field, kind.parent_field}
    created = {kind.of_several.get(member.name, member.name): member for member in fields_of(kind.create)}
    updated = fields_by_name(kind.update) if kind.update else {}
    removable = removable_fields(kind.update) if kind.update else frozenset()
    fields = {}
    for name in dict.fromkeys((*created, *updated)):
        declared: Field = created.get(name) or updated[name]
        if name in own:
            continue
        type_ = declared.type.item if declared.name in kind.of_several else declared.type
        key = kind.renamed.get(name) or (amount_names(name)[0] if type_.extra("money") else name)
        fields[name] = FileField(
            name,
            key,
            type_,
            in_update=name in updated,
            is_removable=name in removable,
            required=declared.required,
            is_money=bool(type_.extra("money")),
            is_enum=name in ENUMS,
        )
    first = {name: fields[name] for name in ("name", STATUS, *kind.own_fields) if name in fields}
    return first | dict(sorted(fields.items(), key=lambda member: not member[1].required))


@cache
def fields_by_key(kind: Kind) -> Mapping[str, FileField]:
    """Return the fields of a kind by every key that a file may have for them."""
    fields = {}
    for file_field in file_fields(kind).values():
        fields[file_field.name] = fields[file_field.key] = file_field
        if file_field.is_money:
            fields |= dict.fromkeys(amount_names(file_field.name), file_field)
    return fields


@dataclass(eq=False, slots=True)
class Stored:
    """A record of the account, with those below it."""

    kind: Kind
    fields: Mapping[str, Any]  # by neutral names
    parent: "Stored | None" = None
    below: dict[str, list["Stored"]] = field(default_factory=dict)  # by the key of the list
    id: str = ""
    content: tuple[Any, ...] = ()  # what makes it what it is, where it has no name

    def __post_init__(self) -> None:
        self.id = str(self.fields["id"])
        if not self.kind.is_named:
            self.content = content_of(self.kind, self.fields)
        if self._is_preroll:
            self.fields = {name: value for name, value in self.fields.items() if name != "landing_url"}
            self.content = self.content[:1]

    @property
    def _is_preroll(self) -> bool:
        return self.kind is MEDIA and self.fields.get("creative_type") in promoted.PREROLLS

    def is_shown(self, name: str) -> bool:
        """Whether the service is to show a field, as its declaration says."""
        is_ignored = self._is_preroll and name == "landing_url"
        return name in self.kind.list.endpoint.record_fields and not is_ignored

    @property
    def name(self) -> str | None:
        """Its name, where it has one."""
        name = self.fields.get("name")
        return name if isinstance(name, str) else None

    @property
    def currency(self) -> str:
        """The currency of its amounts."""
        currency = self.fields.get("currency") or (self.parent.currency if self.parent else "")
        return currency if isinstance(currency, str) else ""

    def values(self, *, with_nulls: bool = False) -> dict[str, Any]:
        """Return what a file says of it, by the keys of a file; with what is empty and may be set."""
        shown = {}
        for file_field in file_fields(self.kind).values():
            if file_field.name not in self.fields:
                continue
            value = self.fields[file_field.name]
            if value is not None and value != []:
                shown[file_field.key] = shown_value(file_field, value, self.currency)
            elif with_nulls and file_field.is_removable:
                shown[file_field.key] = None
        return shown


def shown_value(field: FileField, value: Any, currency: str) -> Any:
    """Return a value as a file has it: amounts in units of the currency, ids as texts."""
    if value is None or isinstance(value, bool):
        return value
    if field.is_money and isinstance(value, int):
        return as_amount(value, currency).replace(",", "")
    if isinstance(value, list | tuple):
        return [*map(str, value)]
    is_number = isinstance(value, int) and not field.name.endswith("_id")
    return value if is_number else str(value)


@dataclass(eq=False, slots=True)
class NewPost:
    """A post that is created for ads of a file."""

    values: dict[str, Any]  # of the request that creates it, but for those of files
    names: list[str]  # of files of media, as they were written
    places: list[str]  # where they are
    digest: str  # of all of it, with the content of the files
    card: dict[str, Any] | None = None  # as it was written; the media are in it then
    card_digest: str = ""  # of the card and its media
    folder: str = ""  # of its files

    @property
    def label(self) -> str:
        """Name it in a plan: another text or file is another one."""
        return f"new post {self.digest[:12]}"

    @property
    def shown(self) -> dict[str, Any]:
        """Return it as a plan has it."""
        card = {"card": self.card} if self.card else {}
        return {**self.values, **({"media": self.names} if self.names else {}), **card}

    @property
    def stand_in(self) -> int:
        """Return what stands for its id until it has one."""
        return int(self.digest[:12], 16) + 1


@dataclass(eq=False, slots=True)
class Entry:
    """A record of a file."""

    kind: Kind
    path: str  # campaigns[2].line_items[0]
    line: int = 1
    column: int = 0
    is_flow: bool = False  # whether it is in braces
    id: str | None = None
    own_key: str | None = None
    values: dict[str, Any] = field(default_factory=dict)  # typed, by field; None removes one
    invalid: dict[str, str] = field(default_factory=dict)  # why a value is invalid, by field
    lines: dict[str, int] = field(default_factory=dict)  # by field
    below: dict[str, list["Entry"]] = field(default_factory=dict)  # the lists that the file has
    is_looped: bool = False  # one of several that the file has once
    post: NewPost | None = None  # of an ad whose post is created with the file

    @property
    def name(self) -> str | None:
        """Its name, where the file has one."""
        name = self.values.get("name")
        return name if isinstance(name, str) else None

    @property
    def key(self) -> str:
        """By what it is known where it has no id."""
        return self.own_key or self.name or ""

    def line_of(self, field: str) -> int:
        """Return the line of a field, or that where the record begins."""
        return self.lines.get(field, self.line)


def label_of(kind: Kind, values: Mapping[str, Any]) -> str:
    """Name a record that has no name by what it is: `EXCLUDE BROAD_KEYWORD plastic`, `post 1790`."""
    if kind.is_named:
        return str(values.get("name") or "")
    if kind is TARGETING:
        operator = OPERATOR_WORDS.get(str(values.get(OPERATOR) or "EQ"), "")
        return f"{operator}{values.get(TYPE)} {values.get(VALUE)}"
    shown = [str(value) for name in kind.own_fields if (value := values.get(name)) is not None]
    mark = file_fields(kind)[kind.own_fields[0]].key.removesuffix("_id")
    return " ".join(shown if kind in (TAG, CALL_TO_ACTION) else [mark, *shown])


def content_of(kind: Kind, values: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what makes a record without a name what it is."""
    fields, content = file_fields(kind), []
    for name in kind.own_fields:
        value = values.get(name)
        content.append(fields[name].text_of("EQ" if value is None and name == OPERATOR else value))
    return tuple(content)


def creation_values(kind: Kind, records: Sequence[Mapping[str, Any]], parent_id: str) -> dict[str, Any]:
    """Return the values of the request that creates a record, or several of one parent."""
    values = dict(records[0])
    for many, singular in kind.of_several.items():
        if values.pop(singular, None) is not None:
            values[many] = [record[singular] for record in records]
    return values | ({kind.parent_field: parent_id} if kind.parent_field else {})


def each_entry(entries: Sequence[Entry]) -> "list[Entry]":
    """Return records with all below them, parents first."""
    collected = []
    for entry in entries:
        collected.append(entry)
        for inner in entry.below.values():
            collected += each_entry(inner)
    return collected
