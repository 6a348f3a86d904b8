"""What the service has of the records that a command means: of these ids, or of all that --where finds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ...api.amounts import amount_names, as_amount
from ...api.endpoint import Request
from ...api.names import neutral_name, to_neutral
from ...api.records import differing_fields, only
from ...api.registry import is_of_service, requests_named
from ...client.spending import SOURCES
from ...console.invocation import Invocation
from ...console.results import show
from ...errors import NotFoundError, UsageError
from ...output.table_view import MONEY, header
from ...output.text import listed, singular
from ...spelling import suggestion

if TYPE_CHECKING:
    from ...feeds.transforms import Where

IDS_PER_REQUEST, PAGE_SIZE = 200, 1000
Record = Mapping[str, Any]


class Chosen(NamedTuple):
    """What a command line says of the records that are meant."""

    ids: Sequence[str]
    where: Sequence[str]
    settings: Sequence[str]

    @property
    def is_one(self) -> bool:
        """Whether one record is named, and nothing of it is needed."""
        return len(self.ids) <= 1 and not self.where

    def require_one_way(self, file: str | None) -> None:
        """Raise UsageError where records are named in two ways."""
        if self.where and self.ids:
            raise UsageError("--where: stands in place of ids", hint="give ids, or --where")
        if file and (not self.is_one or self.settings):
            named = "--where" if self.where else "--set" if self.settings else "several ids"
            raise UsageError(f"--file: cannot be used with {named}", hint="the file names its records")


@dataclass
class RecordSearch:
    """Finds the records that a command line names, or that `--where` describes, in the list of their kind."""

    call: Invocation
    kind: type[Request]
    values: Mapping[str, Any]  # of options, and the account
    chosen: Chosen

    def __post_init__(self) -> None:
        endpoint = self.kind.endpoint
        self.id_field = str(endpoint.id_field)
        self._group = endpoint.command.split()[:-1]
        # Not `Endpoint.noun`, which names jobs on disk: here, promoted posts are no posts.
        self.noun = endpoint.batch.noun if endpoint.batch else " ".join(self._group).replace("-", " ")
        self.singular = singular(self.noun)

    def named(self, ids: Sequence[str]) -> str:
        """Name records by their ids: `line items 9d4c1, 9d4c2`."""
        return f"{self.singular if len(ids) == 1 else self.noun} {listed(ids)}"

    def find(self) -> list[Any]:
        """Return the records that are meant, as the service sends them, in the order of the ids."""
        if not self.chosen.where:
            ids = [*dict.fromkeys(self.chosen.ids)]
            found = {str(record.get("id")): record for record in self._listed(ids)}
            return [found[id] for id in ids if id in found]
        conditions = self._conditions()
        return [
            record
            for record in self._listed()
            if all(self._holds(each, to_neutral(record)) for each in conditions)
        ]

    def _listed(self, ids: Sequence[str] | None = None) -> Iterator[Any]:
        """List records by their ids, or all of them."""
        kind = _request_of_group(self.call, self._group, "list")
        known, own = {*kind.__struct_fields__}, f"{self.id_field}s"
        shared = {name: value for name, value in self.values.items() if name in known and value is not None}
        shared |= {"with_draft": True} if "with_draft" in known else {}
        parts: list[Any] = [None]
        if ids is not None:
            parts = [[*ids[at : at + IDS_PER_REQUEST]] for at in range(0, len(ids), IDS_PER_REQUEST)]
        for part in parts:
            for page in self.call.client.pages(kind(**{**shared, "count": PAGE_SIZE, own: part})):
                _ = page.records  # raises where it has none
                yield from page.data if isinstance(page.data, list) else [page.data]

    def _conditions(self) -> "list[Where]":
        from ...feeds.transforms import Where

        fields = self.kind.endpoint.record_fields
        known = {*fields, *self.kind.__struct_fields__, *self._amounts}
        headings = {header(name): name for name in fields}
        found = []
        for text in self.chosen.where:
            condition = Where.parse(text)
            name = neutral_name(condition.column.replace("-", "_"))
            if name not in known:  # it may be the heading of a table
                name = headings.get(name.lower(), name)
            if name not in known:
                near = suggestion(name, known)
                raise UsageError(
                    f"--where: {condition.column!r} is not a field of {self.noun}{near}",
                    hint=f"fields: {', '.join(sorted(headings))}",
                )
            found.append(Where(name, condition.operator, condition.value))
        return found

    @cached_property
    def _amounts(self) -> dict[str, str]:
        """Name the fields of micro-units by the names of their amounts in whole units."""
        fields = (name for name in self.kind.endpoint.record_fields if name.endswith(MONEY))
        return {name: field for field in fields for name in amount_names(field)}

    def _holds(self, condition: "Where", record: Record) -> bool:
        from ...feeds.transforms import text_of

        field = self._amounts.get(condition.column)
        value = in_units(record, field) if field else record.get(condition.column)
        return condition.holds(text_of(value).strip())


def only_what_differs(call: Invocation, requests: Sequence[Request]) -> list[Request | None]:
    """Return changes with the fields alone that differ from what the service has; None where none does.

    In a dry run nothing is asked, and they stay as they are.
    """
    if call.dry_run and not call.settings.is_local:
        return [*requests]
    found: list[Request | None] = []
    for request, record in zip(requests, _current(call, requests), strict=True):
        fields = differing_fields(request, record)
        found.append(only(request, fields) if fields else None)
    return found


def current_of(call: Invocation, kind: type[Request], id: str) -> Record:
    """Return what the service has of a record that a change names; nothing in a dry run."""
    field = str(kind.endpoint.id_field)
    if field not in SOURCES or (call.dry_run and not call.settings.is_local):
        return {}
    return call.stored.named(field, id)


def show_current(call: Invocation, request: Request) -> None:
    """Show the record that a change leaves as it is."""
    call.messages.say("nothing to change: the service has it so")
    show(call, request, _shown_record(call, request))


def _current(call: Invocation, requests: Sequence[Request]) -> Iterator[Record]:
    """Yield what the service has of the records that requests change."""
    field = str(requests[0].endpoint.id_field) if requests else ""
    ids = [str(getattr(request, field)) for request in requests]
    if field in SOURCES and len(ids) > 1:
        found = call.stored.read(field, ids)
        yield from (found[id] for id in ids)
    elif field in SOURCES:
        yield from (call.stored.named(field, id) for id in ids)
    else:
        yield from (to_neutral(_shown_record(call, request)) for request in requests)


def _shown_record(call: Invocation, request: Request) -> Any:
    """Return the record that a change names, as the service sends it; from its list, where none shows it."""
    endpoint, group = request.endpoint, request.endpoint.command.split()[:-1]
    id = str(getattr(request, str(endpoint.id_field)))
    known = {name: getattr(request, name) for name in endpoint.path_fields}
    try:
        kind = _request_of_group(call, group, "get")
    except KeyError:
        kind = _request_of_group(call, group, "list")
    shown = kind(**{name: value for name, value in known.items() if name in kind.__struct_fields__})
    for page in call.client.pages(shown):
        records = page.data if isinstance(page.data, list) else [page.data]
        for record in records:
            if isinstance(record, dict) and str(record.get("id")) == id:
                return record
    raise NotFoundError(f"there is no {' '.join(group)} {id}")


def _request_of_group(call: Invocation, group: Sequence[str], verb: str) -> Any:
    """Return the request of a command such as `campaigns list`; raise KeyError where there is none."""
    named = requests_named((*group, verb))
    return next(each for each in named if is_of_service(each, call.settings.service))


def in_units(record: Record, field: str) -> str | None:
    """Return an amount of a record in units of its currency."""
    micros = record.get(field)
    if not isinstance(micros, int) or isinstance(micros, bool):
        return None
    return as_amount(micros, str(record.get("currency") or "")).replace(",", "")
