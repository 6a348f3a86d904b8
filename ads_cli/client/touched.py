"""The records that changes touch: the changed, the named, and the campaigns of line items."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..api.endpoint import Request
from ..api.record_names import SAME
from ..api.registry import requests_for
from ..errors import AccessError, NotFoundError, RefusedError
from .response import not_understood
from .spending import CAMPAIGN_ID, LINE_ITEM_ID, MOST_IDS, SOURCES

if TYPE_CHECKING:
    from .client import Client
    from .writes import Operation

# Fields that name records of another kind than their own names say.
# Fields that say of which kind the records are that a field beside them names.
KINDS = {"entity_id": "entity_type", "entity_ids": "entity_type", "targeting_value": "targeting_type"}
MEDIA_KEY = "media_key"
PLURALS = ("_ids", "_keys", "_uris")
NOT_TOUCHED = ("account_id", "user_id")  # ends of names: whose settings no change depends on
URI = "_uri"  # ends the name of a field by which records are listed only
WHOLE_LIST = {"with_deleted": True, "with_draft": True, "post_type": "PUBLISHED"}


class Readers(NamedTuple):
    """The requests that read the records of a group of commands."""

    get: type[Request] | None = None
    list: type[Request] | None = None


class RecordName(NamedTuple):
    """What names a record."""

    group: str  # of the commands that read it
    field: str  # that its id has, in its group
    id: str


class TouchedRecord(NamedTuple):
    """A record that changes touch, as the service has it."""

    name: RecordName
    is_own: bool  # it is changed itself
    record: Mapping[str, Any] | None  # by neutral names; None of one that cannot be seen

    def as_dict(self) -> dict[str, Any]:
        """Return it as a plan has it."""
        return {**self.name._asdict(), "is_own": self.is_own, "record": self.record}


def read_touched(client: "Client", operations: Sequence["Operation"], account: str) -> list[TouchedRecord]:
    """Read what changes touch; raise NotFoundError where one that is changed is missing."""
    values: dict[str, Any] = {"account_id": account}
    for operation in operations:
        values |= {name: value for name, value in operation.values.items() if isinstance(value, str)}
    touched: dict[RecordName, TouchedRecord] = {}

    def read(names: Iterable[RecordName], *, is_own: bool = False) -> None:
        missing = [name for name in dict.fromkeys(names) if name not in touched]
        touched.update((record.name, record) for record in _read(client, missing, values, is_own=is_own))

    read((name for operation in operations for name in _own(operation)), is_own=True)
    named: list[RecordName] = []
    for operation in operations:
        record = next((touched[name].record for name in _own(operation)), None) or {}
        others = {name: value for name, value in operation.values.items() if name != operation.id_field}
        named += _named_by(others, client.service, record)
    read(named)
    line_items = [record.record or {} for record in touched.values() if record.name.field == LINE_ITEM_ID]
    campaigns = {str(record[CAMPAIGN_ID]) for record in line_items if record.get(CAMPAIGN_ID)}
    read(RecordName(SOURCES[CAMPAIGN_ID], CAMPAIGN_ID, id) for id in sorted(campaigns))
    return [*touched.values()]


def _own(operation: "Operation") -> Iterator[RecordName]:
    """Yield the name of the record that a change changes; none of a new one."""
    if operation.kind and operation.id:
        group = operation.kind.endpoint.command.rpartition(" ")[0]
        yield RecordName(group, operation.id_field, operation.id)


def _named_by(values: Any, service: str, outer: Mapping[str, Any]) -> Iterator[RecordName]:
    """Yield the names of the records in the values of a change, at any depth."""
    homes = _homes(service)
    for name, value in values.items():
        parsed = _parsed(value)
        items = parsed if isinstance(parsed, list) else [parsed]
        for item in items:
            if isinstance(item, dict):
                yield from _named_by(item, service, {**outer, **values})
        field = name.removesuffix("s") if name.endswith(PLURALS) else name
        if kind := KINDS.get(name):
            field = f"{str(values.get(kind, outer.get(kind))).lower()}_id"
        field = MEDIA_KEY if field.endswith(MEDIA_KEY) else SAME.get(field, field)
        if (group := homes.get(field)) and not field.endswith(NOT_TOUCHED):
            ids = items if isinstance(parsed, list) else str(parsed or "").split(",")
            yield from (RecordName(group, field, str(id).strip()) for id in ids if id)


def _parsed(value: Any) -> Any:
    """Return what a parameter of a query holds: a list or an object is JSON there."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


@cache
def _readers(service: str) -> Mapping[str, Readers]:
    """Return what reads the records of each group of commands."""
    readers: dict[str, Readers] = {}
    for kind in requests_for(service):
        group, _, verb = kind.endpoint.command.rpartition(" ")
        if verb in Readers._fields and kind.endpoint.method == "GET":
            readers[group] = readers.get(group, Readers())._replace(**{verb: kind})
    return readers


@cache
def _homes(service: str) -> Mapping[str, str]:
    """Return the group whose records each field names."""
    groups: dict[str, str] = {}
    for kind in requests_for(service):
        group = kind.endpoint.command.rpartition(" ")[0]
        if (field := kind.endpoint.id_field) and field != "id" and group in _readers(service):
            groups.setdefault(field, group)
    for group, readers in _readers(service).items():
        for name in readers.list.__struct_fields__ if readers.list else ():
            if name.endswith(f"{URI}s"):
                groups.setdefault(name.removesuffix("s"), group)
    return groups


def _read(
    client: "Client", names: Iterable[RecordName], values: Mapping[str, Any], *, is_own: bool
) -> Iterator[TouchedRecord]:
    """Read records, many of a kind at once."""
    kinds: dict[tuple[str, str], list[RecordName]] = {}
    for name in names:
        kinds.setdefault((name.group, name.field), []).append(name)
    for (group, field), some in kinds.items():
        is_needed = is_own or field in SOURCES
        try:
            readers = _readers(client.service).get(group, Readers())
            records = _records(client, readers, field, [name.id for name in some], values)
        except (RefusedError, NotFoundError, AccessError):
            if is_needed:
                raise
            records = {}
        for name in some:
            if is_needed and name.id not in records:
                raise NotFoundError(f"{group}: there is no {name.id}")
            yield TouchedRecord(name, is_own, records.get(name.id))


def _records(
    client: "Client", readers: Readers, field: str, ids: list[str], values: Mapping[str, Any]
) -> dict[str, Mapping[str, Any]]:
    """Return records by their ids, those that a list does not have left out."""
    get, listing = readers
    filter = f"{field}s"
    is_filtered = listing is not None and filter in listing.__struct_fields__
    if get and not field.endswith(URI) and not (is_filtered and len(ids) > 1):
        own = get.endpoint.id_field or field
        return {
            id: _only_record(get, id, client.call(_request(get, values, {own: id})).neutral_data)
            for id in ids
        }
    if not listing:
        return {}
    key = field if field.endswith(URI) else listing.endpoint.record_id
    records: dict[str, Mapping[str, Any]] = {}
    for at in range(0, len(ids), MOST_IDS if is_filtered else len(ids)):
        request = _request(listing, values, {**WHOLE_LIST, filter: ids[at : at + MOST_IDS]})
        for page in client.pages(request):
            records |= {
                str(record.get(key)): record for record in page.records if str(record.get(key)) in ids
            }
    return records


def _request(kind: type[Request], values: Mapping[str, Any], more: Mapping[str, Any]) -> Request:
    """Make a request with the ids of its path, and of `more` what it has fields for."""
    path = {name: values[name] for name in kind.endpoint.path_fields if name in values}
    return kind(**path | {name: value for name, value in more.items() if name in kind.__struct_fields__})


def _only_record(kind: type[Request], id: str, record: Any) -> Mapping[str, Any]:
    """Return the only record of a response. Raise UnavailableError if there is none or another one.

    Service x answers with a list of one card.
    """
    if isinstance(record, list) and len(record) == 1:
        (record,) = record
    if not isinstance(record, dict) or str(record.get(kind.endpoint.record_id, id)) != id:
        raise not_understood(f"it is not the record {id}")
    return record
