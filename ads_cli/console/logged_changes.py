"""A write as the log of changes has it: without what is personal or secret."""

import getpass
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import msgspec
from msgspec import structs

from ..api.amounts import money_fields
from ..api.endpoint import Request
from ..api.names import to_neutral
from ..api.registry import creation_of, request_of
from ..client.guard import FLEET_COUNT
from ..client.prepared_request import PreparedRequest
from ..client.shown_records import shown_record
from ..client.spending import SOURCES, Record, StoredRecords
from ..client.writes import Operation, Write
from ..config.settings import EMULATOR_URL, Settings
from ..errors import AdsctlError
from ..masking import MASK, is_private_name, mask_address, mask_undeclared
from ..output.text import shell_command, singular
from ..own_ids import new_change_id
from ..people_masking import LISTS, WHERE, mask_people
from ..store.changes import ChangeBegun, ChangedRecord, ChangeLog
from ..stored_times import utc_text
from .caller import Caller
from .change_words import each_record

if TYPE_CHECKING:
    from ..client.response import Response

# Besides what `is_private_name` tells: names whose values the log has of no person, ids of users among them.
OF_USERS = re.compile(r"user|owner|city|tax_id|device|click_id|screen", re.IGNORECASE)
FIELD_NAME = re.compile(r"[\w-]+")
MAX_RECORDS = 1000  # of a change, that are named
MAX_BYTES = 20_000  # of the fields of a change


def begun(call: Caller, write: Write, prepared: PreparedRequest) -> ChangeBegun:
    """Return a change that is about to be sent, as the log has it."""
    read_before(call, write, "update")
    _read_deleted(call, write)
    ids, fields, before = changed(call, write)
    path, words = urlsplit(prepared.url).path, call.parsed.words
    id_field = write.endpoint.id_field if write.endpoint else ""
    if id_field and _is_personal(id_field):
        words = tuple(_without_id(word, ids) for word in words)
        ids, path = [MASK], f"{path.rpartition('/')[0]}/{MASK}"
    return ChangeBegun(
        id=new_change_id(datetime.now(UTC)),
        time=utc_text(),
        profile=call.settings.profile,
        account=write.account or call.chosen_account,
        user=_user(),
        command=call.parsed.mask(shell_command(["adsctl", *_shown(words)])),
        method=prepared.method,
        path=call.parsed.mask(path),
        ids=ids,
        fields=fields,
        before=before,
        job=call.parsed.job or call.client.trace.job,
        records=changed_records(call, write) if len(write.operations) <= MAX_RECORDS else [],
        by=call.parsed.by or ("fleet" if call.settings.environ.get(FLEET_COUNT) else None),
        service=call.service,
        environment=_environment(call),
    )


def _environment(call: Caller) -> str:
    if call.service.startswith(EMULATOR_URL):
        return "emulator"
    return "sandbox" if call.settings.flag("sandbox") else "production"


def recent_changes(settings: Settings, service: str, account: str) -> dict[str, dict[str, Record]]:
    """Return what this machine has set lately of the records of an account, by the field of their ids.

    Lists may not show it yet. Of a record that is new, its id is among what was set.
    """
    from ..runs.lost import LISTED_AFTER_SECONDS

    changes: dict[str, dict[str, Record]] = {}
    for change in ChangeLog(settings.state_dir).since(utc_text(LISTED_AFTER_SECONDS)):
        if (change["account"], change["service"]) != (account, service):
            continue
        path, ids, values = change["path"], change["ids"], change["fields"]
        groups = path.split("/")
        field = next((source for source in SOURCES if SOURCES[source].replace("-", "_") in groups), "")
        own = changes.setdefault(field, {})
        several = values if isinstance(values, list) else [values or {}] * len(ids)
        is_new = change["method"] == "POST" and path.rpartition("/")[2] not in ids
        for identifier, fields in zip(ids, several, strict=False):
            if not fields:
                own.pop(identifier, None)  # it was deleted
            else:
                new = {"id": identifier} if is_new and "name" in fields else {}
                own[identifier] = {**own.get(identifier, {}), **new, **fields}
    return changes


def created_ids(write: Write, response: "Response") -> list[str]:
    """Return the ids of the records in an answer."""
    field = write.endpoint.record_id if write.endpoint else "id"
    data = response.data if write.operations else None
    records = data if isinstance(data, list) else [data]
    if len({operation.action for operation in write.operations}) > 1:
        answered = zip(write.operations, records, strict=False)
        records = [record for operation, record in answered if operation.action == "create"]
    ids = [record.get(field) for record in records if isinstance(record, dict)]
    return [str(id) for id in ids if isinstance(id, str | int) and not _is_personal(field)]


def changed(call: Caller, write: Write) -> tuple[list[str], Any, Any]:
    """Return the ids, the fields that are set and what they were, by record where there are several."""
    if not write.operations:  # rows of a file, or a request that is not understood
        return [], None, None
    ids = [operation.id for operation in write.operations if operation.id]
    fields = [_fields(call, operation, is_raw=write.is_raw) for operation in write.operations]
    before = [
        _before(call, write, operation, set_)
        for operation, set_ in zip(write.operations, fields, strict=True)
    ]
    if len(msgspec.json.encode(fields)) > MAX_BYTES:
        return ids, dict.fromkeys(chain.from_iterable(fields), "..."), None
    if len(fields) == 1:
        return ids, fields[0] or None, before[0]
    return ids, fields, before if any(before) else None


def _fields(call: Caller, operation: Operation, *, is_raw: bool) -> dict[str, Any]:
    """Return what an operation sets, by neutral names; of what is not declared, only the names."""
    kind = operation.kind
    if operation.action == "delete" or (kind and kind.endpoint.sensitive):
        return {}
    own = {"account_id", *(kind.endpoint.path_fields if kind else ()), kind and kind.endpoint.id_field}
    money = money_fields(kind) if kind else []
    declared = kind.__struct_fields__ if kind else ()
    fields = {}
    for name, value in operation.values.items():
        if name in own:
            continue
        is_unknown = name not in declared or (is_raw and _is_nested(value))
        is_count = name in money and re.fullmatch("[0-9]{1,18}", str(value))
        fields[name] = MASK if is_unknown else _masked(call, name, int(value) if is_count else value)
    return fields


def _is_nested(value: Any) -> bool:
    """Tell whether a value has fields, which a raw request may name at will."""
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_is_nested, value)))


def _is_personal(name: str) -> bool:
    """Tell whether the value of a field or an option is a person's, or secret."""
    return is_private_name(name) or bool(OF_USERS.search(name))


def _masked(call: Caller, name: str, value: Any) -> Any:
    if _is_personal(name):
        return MASK
    if isinstance(value, dict):
        return {key: _masked(call, str(key), item) for key, item in value.items()}
    if isinstance(value, list):
        return [_masked(call, name, item) for item in value]
    return call.parsed.mask(mask_people(mask_address(value))) if isinstance(value, str) else value


def _before(
    call: Caller, write: Write, operation: Operation, fields: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the fields of a record were, if it was read."""
    record = call.stored_of(write.account).cached(*operation.key)
    if record is None or operation.action == "create":
        return None
    if operation.kind and operation.kind.endpoint.recreatable:  # all that creates it again
        names = _fields_of_creation(operation.kind)
        return {name: _masked(call, name, record[name]) for name in names if name in record} or None
    shown = {name: _masked(call, name, record[name]) for name in fields if name in record}
    return {name: MASK if fields[name] == MASK else value for name, value in shown.items()} or None


def read_before(call: Caller, write: Write, *actions: str) -> None:
    """Read the records that some actions are about, as far as they can be read, and were not read before.

    Of what is created, that is what it lies in, and what pays for it.
    """
    missing: dict[str, list[str]] = {}
    stored = call.stored_of(write.account)
    for operation in write.operations:
        if operation.action not in actions:
            continue
        if operation.action == "update" and operation.id_field not in SOURCES:
            _read_shown(call, operation, stored)
        for field in SOURCES if operation.action == "create" else (operation.id_field,):
            id = str(operation.values.get(field) or "")
            if write.account and field in SOURCES and id and stored.cached(field, id) is None:
                missing.setdefault(field, []).append(id)
    for field, ids in missing.items():
        with suppress(AdsctlError):
            stored.read(field, ids, max_attempts=1)  # no change waits for what it was before


def _read_shown(call: Caller, operation: Operation, stored: StoredRecords) -> None:
    """Read what an update changes of a record that no budget depends on."""
    kind = operation.kind
    if kind and stored.cached(*operation.key) is None and _fields(call, operation, is_raw=False):
        with suppress(AdsctlError, KeyError):  # the last one: there is no command that shows it
            service = call.settings.service
            record = shown_record(call.client, service, kind, operation.values, max_attempts=1)
            stored.note(operation.id_field, {operation.id: to_neutral(record)})


def _fields_of_creation(removal: type[Request]) -> list[str]:
    """Name the fields that create what a request deletes."""
    creation = creation_of(removal)
    return [name for name in creation.__struct_fields__ if name not in creation.endpoint.path_fields]


def _read_deleted(call: Caller, write: Write) -> None:
    """Read what is deleted and can be created again: nothing else has it afterwards.

    The list of the record above the first one has the others too.
    """
    stored = call.stored_of(write.account)
    missing = {
        operation.id: operation
        for operation in write.operations
        if operation.action == "delete"
        and operation.kind
        and operation.kind.endpoint.recreatable
        and stored.cached(*operation.key) is None
    }
    while missing:
        id, operation = missing.popitem()
        assert operation.kind
        try:
            first = shown_record(call.client, call.settings.service, operation.kind, operation.values)
            stored.note(operation.id_field, {id: to_neutral(first)})
            if missing:
                stored.note(operation.id_field, _beside(call, operation, to_neutral(first)))
        except (AdsctlError, KeyError):  # that it is gone, the deletion says
            continue
        missing = {id: other for id, other in missing.items() if stored.cached(*other.key) is None}


def _beside(call: Caller, operation: Operation, record: Record) -> dict[str, Record]:
    """Return the records that lie in the same one as another."""
    assert operation.kind
    listing: Any = request_of((*operation.kind.endpoint.command.split()[:-1], "list"), call.settings.service)
    place = {f"{name}s": [record[name]] for name in record if f"{name}s" in listing.__struct_fields__}
    pages = call.client.pages(listing(account_id=operation.values["account_id"], count=1000, **place))
    return {str(own["id"]): own for page in pages for own in to_neutral(page.records)}


def changed_records(call: Caller, write: Write) -> list[ChangedRecord]:
    """Return what a person calls the records of a change."""
    records = []
    for operation in write.operations:
        endpoint = operation.kind.endpoint if operation.kind else None
        stored = call.stored_of(write.account).cached(*operation.key) if operation.id else None
        shown = {**(operation.values if operation.action == "create" else {}), **(stored or {})}
        currency = shown.get("currency") or _currency_above(call, write, operation)
        is_named = endpoint and not endpoint.sensitive
        records.append(
            ChangedRecord(
                action=operation.action,
                noun=singular(endpoint.noun) if endpoint else "",
                id=operation.id if not _is_personal(operation.id_field) else MASK,
                name=_masked(call, "name", _called(shown)) if is_named else "",
                currency=currency if isinstance(currency, str) else "",
            )
        )
    return records


def _called(record: Record) -> str:
    """Return the name of a record, that of a criterion with its type; empty where it has none."""
    name = record.get("name") or record.get("targeting_value")
    called = name if isinstance(name, str) else ""
    return f"{record['targeting_type']}: {called}" if record.get("targeting_type") and called else called


def as_answered(
    call: Caller, entry: ChangeBegun, write: Write, answers: Iterable[Any]
) -> list[ChangedRecord]:
    """Return the records of a change with what its answer adds; nothing where it adds nothing.

    That are the names of what it has deleted, and fields that the service stores in another form.
    """
    if write.endpoint is None or write.endpoint.sensitive:
        return []
    shown = [answer for answer in answers if isinstance(answer, dict)]
    by_id = {str(answer.get("id")): answer for answer in shown}
    records = []
    for record, (_, fields, _) in zip(
        entry.records, each_record(entry.records, entry.fields, entry.before), strict=True
    ):
        is_only = len(entry.records) == len(shown) == 1 and "id" not in shown[0]
        answer = shown[0] if is_only else by_id.get(record.id, {})
        if record.action == "delete" and not record.name:
            record = structs.replace(record, name=_masked(call, "name", _called(answer)))
        elif record.action == "update":
            stored = {
                name: _masked(call, name, answer[name])
                for name, value in fields.items()
                if name in answer and answer[name] != value and value != MASK
            }
            record = structs.replace(record, stored=stored)
        records.append(record)
    is_small = len(msgspec.json.encode(records, enc_hook=str)) <= MAX_BYTES
    return records if is_small and records != entry.records else []


def _currency_above(call: Caller, write: Write, operation: Operation) -> Any:
    """Return the currency of what a record lies in, or of what pays for it, if that was read."""
    stored = call.stored_of(write.account)
    above = (stored.cached(field, str(operation.values.get(field))) for field in SOURCES)
    return next((record["currency"] for record in above if record and record.get("currency")), None)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without such a user
        return ""


def _without_id(word: str, ids: list[str]) -> str:
    """Return a word without the id that it is, or that the path in it ends with."""
    folder, slash, last = word.rpartition("/")
    return f"{folder}{slash}{MASK}" if last in ids else word


def _shown(words: tuple[str, ...]) -> list[str]:
    """Return the words of a command line without what is personal or secret."""
    shown, is_hidden = [], False
    hidden = {WHERE} if LISTS in words else ()
    for word in mask_undeclared(words):
        name, equals, _ = word.partition("=")
        is_name = bool(equals or word.startswith("--")) and bool(FIELD_NAME.fullmatch(name))
        is_personal = is_name and (name in hidden or _is_personal(name.replace("-", "_")))
        if is_hidden and not word.startswith("--"):
            shown.append(MASK)
        elif is_personal and equals:
            shown.append(f"{name}={MASK}")
        else:
            shown.append(mask_people(mask_address(word)))
        is_hidden = is_personal and not equals
    return shown
