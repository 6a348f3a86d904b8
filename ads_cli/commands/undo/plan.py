"""What undoing logged changes does to each record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...api.amounts import amount_names
from ...api.endpoint import Request
from ...api.names import to_neutral
from ...api.records import differing_fields
from ...api.registry import requests_for
from ...api.spending import PAUSED, STATUS
from ...client.shown_records import shown_record
from ...client.spending import LINE_ITEM_ID
from ...client.writes import request_of_path
from ...console.change_words import each_record
from ...console.invocation import Invocation
from ...console.request_input import request_from_input
from ...errors import AdsctlError, UsageError
from ...masking import MASK
from ...store.changes import UNKNOWN, ChangedRecord, ChangeLog
from . import targeting
from .undone import GONE, NOT_KEPT, NOT_KNOWN, SAME, Undone

MOST_STATES = 16  # in which changes whose outcome is not known may have left a record


class LoggedUpdate(NamedTuple):
    """One update of a record, as the log has it."""

    change: str  # its id
    record: ChangedRecord
    fields: Mapping[str, Any]
    before: Mapping[str, Any] | None
    is_certain: bool  # that it was applied


class Kinds(NamedTuple):
    """The requests about the records of a change, and where these are."""

    update: type[Request] | None
    removal: type[Request] | None
    place: Mapping[str, str]


def planned(call: Invocation, changes: Sequence[Mapping[str, Any]], *, delete: bool) -> Iterator[Undone]:
    """Yield what undoing does to each record that changes are about."""
    log = ChangeLog(call.settings.state_dir)
    named = log.records()
    updates: dict[tuple[type[Request], str], tuple[Kinds, list[LoggedUpdate]]] = {}
    created: set[str] = set()  # what is done to them later is undone with them
    here = (change for change in log.changes() if change["service"] == call.service)
    done = (change for change in here if change["outcome"] == "ok")
    records_done = (record for change in (*changes, *done) for record in named[change["id"]])
    deleted = {record.id for record in records_done if record.action == "delete"} - {"", MASK}
    criteria: list[targeting.LoggedCriterion] = []
    for change in changes:
        kinds = _kinds_of(call, change)
        records = named[change["id"]]
        if not records:
            noun = str(change["path"]).rpartition("/")[2].replace("_", " ")
            yield Undone(ChangedRecord(action="", noun=noun), [change["id"]], why_not="it cannot be undone")
            continue
        is_certain = change["outcome"] != UNKNOWN
        for record, fields, before in each_record(records, change["fields"], change["before"]):
            if kinds.removal and kinds.removal.endpoint.recreatable:
                content = (before if record.action == "delete" else fields) or {}
                if content.get(LINE_ITEM_ID) in created:
                    continue  # a line item without targeting reaches everybody
                entry = change["id"], record, kinds.removal, content, change["time"]
                criteria.append(targeting.LoggedCriterion(*entry))
            elif record.id and record.id in created:
                continue
            elif record.action == "update":
                update = LoggedUpdate(change["id"], record, fields, before, is_certain)
                if kinds.update is None or not _settable(kinds.update):
                    yield Undone(record, [change["id"]], why_not="it cannot be undone")
                else:
                    updates.setdefault((kinds.update, record.id), (kinds, []))[1].append(update)
            else:
                created |= {record.id} if record.action == "create" and record.id else set()
                is_gone = record.action == "create" and record.id in deleted
                undone = _of_creation(kinds, record, change["id"], delete=delete)
                yield undone._replace(why_not=GONE) if is_gone else undone
    yield from targeting.planned(call, criteria)
    for kinds, own in updates.values():
        try:
            yield _of_update(call, kinds, own)
        except UsageError as error:  # a value that the service shows, and takes from nobody
            yield Undone(
                own[-1].record, [update.change for update in own], kinds.update, why_not=error.message
            )


def _kinds_of(call: Invocation, change: Mapping[str, Any]) -> Kinds:
    """Return the requests that update and delete what a change is about."""
    kind, ids = request_of_path(change["method"], change["path"], call.writes.dialect)
    if kind is None:
        return Kinds(None, None, {})
    group = kind.endpoint.command.split()[:-1]
    siblings = [
        other for other in requests_for(call.settings.service) if other.endpoint.command.split()[:-1] == group
    ]

    def named(matches: Callable[[type[Request]], bool]) -> type[Request] | None:
        return next(filter(matches, siblings), None)

    update = named(lambda other: other.endpoint.command.split()[-1] == "update")
    if kind.endpoint.method == "PUT" and _settable(kind):
        update = kind
    removal = named(lambda other: other.endpoint.command.split()[-1] == "delete")
    own = (update or removal or kind).endpoint
    place = {name: id for name, id in ids.items() if name in own.path_fields and name != own.id_field}
    return Kinds(update, removal, place)


def _settable(kind: type[Request]) -> bool:
    """Whether a request sets fields."""
    return bool({*kind.__struct_fields__} - {*kind.endpoint.path_fields})


def _of_creation(kinds: Kinds, record: ChangedRecord, change: str, *, delete: bool) -> Undone:
    """Return how what was created is taken back: paused, or deleted where that is wanted."""
    update, removal, place = kinds
    if record.action != "create":
        return Undone(record, [change], why_not="a deletion cannot be undone")
    if not record.id:
        return Undone(record, [change], why_not="its id is not known")
    if delete and removal:
        return Undone(record, [change], removal, place=place)
    if update and STATUS in update.__struct_fields__ and not delete:
        return Undone(record, [change], update, {STATUS: PAUSED}, place=place)
    hint = "it can only be deleted: add --delete" if removal else "it cannot be taken back"
    return Undone(record, [change], why_not=hint)


def _of_update(call: Invocation, kinds: Kinds, updates: Sequence[LoggedUpdate]) -> Undone:
    """Return how updates of a record are taken back: to the values before the first of them."""
    kind, ids, record = kinds.update, [update.change for update in updates], updates[-1].record
    assert kind
    before: dict[str, Any] = {}
    for update in updates:
        if update.before is None or not update.fields or not update.fields.keys() <= update.before.keys():
            return Undone(record, ids, kind, why_not=NOT_KNOWN)
        before = {**update.before, **before}
    states = _possible_states(before, updates)
    if MASK in str([record.id, *before.values(), *(value for state in states for value in state.values())]):
        return Undone(record, ids, kind, why_not=NOT_KEPT)  # also of a part of a text
    place = {**kinds.place, **({kind.endpoint.id_field: record.id} if kind.endpoint.id_field else {})}
    try:
        shown = to_neutral(shown_record(call.client, call.settings.service, kind, place))
    except (AdsctlError, KeyError) as error:
        return Undone(record, ids, kind, why_not=getattr(error, "message", "") or "it cannot be read")
    undone = Undone(record, ids, kind, before, {name: shown.get(name) for name in before}, kinds.place)
    if not _differing(kind, place, before, shown):
        return undone._replace(why_not=SAME)
    others = [_differing(kind, place, state, shown) for state in states]
    if all(others):
        return undone._replace(why_not=f"{', '.join(others[-1])} was changed since")
    try:
        request_from_input(kind, {**place, **undone.values_to_send}, service=call.settings.service)
    except UsageError as error:
        empty = [amount_names(name)[0] for name, value in undone.values_to_send.items() if value == ""]
        words = f"{', '.join(empty)} had no value before, and cannot be emptied" if empty else error.message
        return undone._replace(why_not=words)
    return undone


def _possible_states(before: Mapping[str, Any], updates: Sequence[LoggedUpdate]) -> list[dict[str, Any]]:
    """Return what updates may have left, the likeliest last: some of them may not have been applied."""
    states = [dict(before)]
    for update in updates:
        applied = [{**state, **update.fields, **update.record.stored} for state in states]
        states = applied if update.is_certain else [*states, *applied][-MOST_STATES:]
    return states


def _differing(
    kind: type[Request], place: Mapping[str, str], values: Mapping[str, Any], shown: Mapping[str, Any]
) -> list[str]:
    """Name the fields of which a record has another value."""
    emptied = [
        name
        for name, value in values.items()
        if value in (None, "") and shown.get(name) not in (None, "", [])
    ]
    given = {name: value for name, value in values.items() if value not in (None, "")}
    if not given:  # a request that changes nothing is none
        return emptied
    return [*emptied, *differing_fields(request_from_input(kind, {**place, **given}), shown)]
