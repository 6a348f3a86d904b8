"""Which records --where means, and in which order --sort shows them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Self
from unicodedata import normalize

from ..api.amounts import amount_names, as_amount
from ..api.endpoint import Request
from ..api.names import neutral_name, to_neutral
from ..api.spending import ACTIVE, DRAFT, PAUSED, STATUS
from ..api.time import Time, is_plain_date
from ..errors import UsageError
from ..feeds.transforms import ParsedAmount, Where, text_of
from ..output.table_view import MONEY, header
from ..spelling import as_stored, suggestion

STATUSES = (ACTIVE, PAUSED, DRAFT)
FLAGS = ("deleted", "servable", "standard_delivery")  # fields of records that are true or false
Record = Mapping[str, Any]  # by neutral names


@dataclass
class RecordFields:
    """The fields of records, as options name them."""

    noun: str  # of the records
    fields: Collection[str]
    key: str = "id"
    key_option: str | None = None  # what an option or argument calls the key
    settable: Collection[str] = ()  # what a change sets

    @classmethod
    def of(cls, kind: type[Request], noun: str) -> Self:
        """Return the fields of the records of a declared request, and what it sets if it changes them."""
        endpoint = kind.endpoint
        # Not the account of a request, nor its other options.
        settable = {*kind.__struct_fields__} if endpoint.method == "PUT" else set[str]()
        settable -= {*endpoint.path_fields}
        return cls(noun, endpoint.record_fields, endpoint.record_id, endpoint.id_field, settable)

    def named(self, typed: str, option: str) -> str:
        """Return the field that was typed; raise UsageError where there is none."""
        known = {*self.fields, *self.amounts, *self.settable, self.key}
        headings = {header(name): name for name in sorted(self.fields)}
        name = neutral_name(typed.replace("-", "_"))
        if name == self.key_option:
            return self.key
        if name not in known:  # it may be the heading of a table
            name = headings.get(name.lower(), name)
        if name not in known:
            near = suggestion(name, known)
            raise UsageError(
                f"{option}: {typed!r} is not a field of {self.noun}{near}",
                hint=f"fields: {', '.join(sorted(headings))}",
            )
        return name

    @cached_property
    def amounts(self) -> dict[str, str]:
        """Name the fields of micro-units by the names of their amounts in whole units."""
        fields = (name for name in self.fields if name.endswith(MONEY))
        return {name: field for field in fields for name in amount_names(field)}

    def value(self, name: str, record: Record) -> str:
        """Return the value of a field as text, an amount in whole units."""
        field = self.amounts.get(name)
        value = in_units(record, field) if field else record.get(name)
        return as_stored(text_of(value))


@dataclass
class Conditions:
    """The conditions of --where."""

    fields: RecordFields
    conditions: Sequence[Where]
    unknown: int = 0  # records that lack a field of them, and are left out

    @classmethod
    def parse(cls, fields: RecordFields, texts: Iterable[str]) -> Self:
        """Parse conditions; raise UsageError."""
        return cls(fields, [_condition(fields, text) for text in texts])

    @cached_property
    def _names(self) -> set[str]:
        return {self.fields.amounts.get(condition.column, condition.column) for condition in self.conditions}

    def hold(self, record: Mapping[str, Any]) -> bool:
        """Tell whether all conditions hold for a record, as the service sends it."""
        neutral = to_neutral(record)
        if not self._names <= neutral.keys():
            self.unknown += 1  # what is not shown is neither equal nor another value
            return False
        value = self.fields.value
        return all(condition.holds(value(condition.column, neutral)) for condition in self.conditions)

    def left_out(self, what: str) -> str:
        """Say that records are left out, since nothing is known of their fields."""
        names = ", ".join(sorted(self._names))
        return f"--where: {what} left out: the service does not show {names} of each"


@dataclass
class Narrowing:
    """The records of a list that are shown, and their order."""

    conditions: Conditions
    sort: str | None = None  # a field, after a dash where the largest is first

    def __post_init__(self) -> None:
        typed = (self.sort or "").strip()
        self._descends = typed.startswith("-")
        self._column = self.conditions.fields.named(typed.lstrip("-"), "--sort") if typed else ""

    def applied(self, records: Iterable[Any]) -> Iterator[Any]:
        """Yield the records that are shown, in their order; without --sort as they come."""
        matching = (record for record in records if self.conditions.hold(record))
        return iter(self._sorted(matching)) if self._column else matching

    def of_document(self, document: Any, key: str) -> Any:
        """Return a response, or the list of records in it, with those that are shown alone."""
        if isinstance(document, list):
            return [*self.applied(document)]
        if not isinstance(document, dict):
            return document
        return {
            name: self.of_document(value, key) if name in (key, "data") else value
            for name, value in document.items()
        }

    def _sorted(self, records: Iterable[Any]) -> list[Any]:
        """Sort records; those without a value are last in either order."""
        keyed = [(_sort_key(self.conditions.fields.value(self._column, to_neutral(r))), r) for r in records]
        valued = sorted((pair for pair in keyed if pair[0]), key=lambda pair: pair[0], reverse=self._descends)
        return [record for _, record in (*valued, *(pair for pair in keyed if not pair[0]))]


def _sort_key(text: str) -> tuple[Any, ...]:
    """Return what a value is sorted by: numbers before texts, which are sorted in any case."""
    if not text:
        return ()
    amount = ParsedAmount.parse(text)
    return (0, amount.number, "") if amount else (1, Decimal(0), text.casefold())


def _condition(fields: RecordFields, text: str) -> Where:
    condition = Where.parse(text)
    name, value = fields.named(condition.column, "--where"), condition.value
    if condition.operator.endswith("~"):
        value = normalize("NFC", value)  # a blank at its end counts
    elif value:
        value = _comparable(fields, name, as_stored(value))
    return Where(name, condition.operator, value)


def _comparable(fields: RecordFields, name: str, text: str) -> str:
    """Return a value as records have it; raise UsageError for one that no record can have."""
    problem = ""
    if name in fields.amounts or name.endswith(MONEY):
        if not (amount := ParsedAmount.parse(text)) or amount.currency:
            problem = "is not an amount, as in 9.50"
    elif name.endswith(("_at", "_time")):
        try:
            if not is_plain_date(text):
                return Time.parse(text)
            Time.parse(f"{text}T00:00:00Z")
        except ValueError:
            problem = "is not a time, as in 2031-12-01 or 2031-12-01T08:00:00Z"
    elif name == STATUS and text not in STATUSES:
        problem = f"is not one of {', '.join(STATUSES)}"
    elif name.endswith("_status") and not text.isupper():  # more statuses than are known
        problem = "is not a status, as in RUNNING"
    elif name in FLAGS and text not in ("true", "false"):
        problem = "is neither true nor false"
    if problem:
        raise UsageError(f"--where: {text!r} {problem}")
    return text


def in_units(record: Record, field: str) -> str | None:
    """Return an amount of a record in units of its currency."""
    micros = record.get(field)
    if not isinstance(micros, int) or isinstance(micros, bool):
        return None
    return as_amount(micros, str(record.get("currency") or "")).replace(",", "")
