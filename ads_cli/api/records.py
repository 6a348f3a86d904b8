"""The values of a request and the records of the service: which of them are sent, and which differ."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar

import msgspec

from .endpoint import Request
from .fields import Field, fields_by_name, fields_of, marked_fields
from .problems import Problem
from .registry import requests_named
from .time import decode_custom
from .values import NOTHING

R = TypeVar("R", bound=Request)
CurrentOf = Callable[[str], Mapping[str, Any]]  # what the service has of the record with an id
Resolve = Callable[[dict[str, Any]], None]  # puts ids in place of the names in values, by neutral names
ADDED = ("id", "created_at", "updated_at", "deleted")  # by the service, to what lies in a record
ONLY_CATALOG = "CATALOG"  # in a dry run: finding the user's only one would send a request
CURRENCY = "currency"  # of the amounts of a record
NO_NAMES: Mapping[str, str] = {}


def without_removed(
    request: type[Request], values: dict[str, Any], other_names: Mapping[str, str] = NO_NAMES
) -> tuple[dict[str, Any], list[str]]:
    """Part the values of a request from the names of the optional fields that it empties.

    Service x removes the value of such a field in a change; names and statuses stay. `other_names` lead to
    fields that may be emptied under another name too; one that is given under several is not.
    """
    endpoint = getattr(request, "endpoint", None)  # a handler may parse a request as a type of its own
    if endpoint is None or endpoint.method != "PUT" or endpoint.params_in != "query":
        return values, []
    removable = removable_fields(request)
    fields = {name: other_names.get(name, name) for name in values}
    once = {field for field, names in Counter(fields.values()).items() if names == 1} & removable
    removed = [name for name, value in values.items() if value in ("", [""]) and fields[name] in once]
    kept = {name: value for name, value in values.items() if name not in removed}
    return kept, [fields[name] for name in removed]


def removable_fields(request: type[Request]) -> frozenset[str]:
    """Name the fields of a change that may be sent empty, so that their value is removed."""
    return frozenset(field.name for field in fields_of(request) if not (field.required or _stays(field)))


def _stays(field: Field) -> bool:
    """Whether a field has no empty value: a name, or a status, which the service might make ACTIVE."""
    is_name = field.name == "name" and bool(field.type.limit("min_length"))
    return is_name or bool(field.type.extra("spends"))


def with_removed(request: R, removed: list[str]) -> R:
    """Let a validated request send some fields empty, whatever their type."""
    for name in removed:
        setattr(request, name, "")
    return request


class RecordValues(NamedTuple):
    """The values of a request in a record as the service sends it."""

    values: dict[str, Any]  # with the id of the record as that of the request
    left_out: list[str]  # what is read only, of a record that the service has shown
    problems: list[Problem]


def values_of_record(
    request: type[Request], values: Mapping[str, Any], options: Mapping[str, Any], current_of: CurrentOf
) -> RecordValues:
    """Part what a request takes from what only records have; both by neutral names.

    An update leaves out invalid values that the service has too. `current_of` is called with the id of the
    record where it is needed, and `options` outrank the values.
    """
    endpoint = request.endpoint
    fields = fields_by_name(request)
    own_id, record_id = endpoint.id_field, endpoint.record_id
    left_out = [
        name for name in values if name not in fields and name in {*endpoint.record_fields, record_id}
    ]
    kept = {name: value for name, value in values.items() if name not in left_out}
    if left_out and endpoint.method == "POST":
        left_out += [
            name for name in kept if fields.get(name) and _is_only_answered(fields[name], kept[name])
        ]
        kept = {name: value for name, value in kept.items() if name not in left_out}
    if left_out:
        kept = {name: _without_own(fields.get(name), value) for name, value in kept.items()}
    problems = []
    if own_id and record_id in left_out and kept.setdefault(own_id, values[record_id]) != values[record_id]:
        problems = [Problem(own_id, f"is {kept[own_id]!r}, and {record_id} is {values[record_id]!r}")]
    problems += _problems_of_place(request, kept, options)
    if {*left_out} <= {record_id}:  # a row of changes that the id of the record names is none of the service
        return RecordValues(kept, [], problems)
    id = own_id and (options.get(own_id) or kept.get(own_id))
    if id and endpoint.method == "PUT":
        kept = _without_same_invalid(request, kept, lambda: current_of(str(id)))
        problems += _problems_of_fixed(request, values, lambda: current_of(str(id)))
    return RecordValues(kept, left_out, problems)


def _problems_of_place(
    request: type[Request], values: Mapping[str, Any], options: Mapping[str, Any]
) -> list[Problem]:
    """Find the account or the catalog of a record that is another one than the command works in."""
    return [
        Problem(name, f"is {values[name]!r}, and the command works in {options[name]!r} (--{option})")
        for name, option in marked_fields(request, "common").items()
        if options.get(name) not in (None, ONLY_CATALOG)
        and str(values.get(name) or options[name]) != options[name]
    ]


def _problems_of_fixed(
    request: type[Request], values: Mapping[str, Any], current: Callable[[], Mapping[str, Any]]
) -> list[Problem]:
    """Find the values of a change that only a creation sets, and the currency, where the record has others.

    `current` is asked for the record only where there is such a value.
    """
    problems = []
    for name, field in _fixed_fields(request).items():
        if (value := values.get(name)) in NOTHING:
            continue
        current_value = current().get(name)
        is_cell = isinstance(current_value, list | dict) and not isinstance(value, list)  # of a table
        if current_value in NOTHING or is_cell:
            continue
        if not (field.type.is_same(value, current_value) if field else value == current_value):
            problems.append(Problem(name, f"is {value!r}, and cannot be changed from {current_value!r}"))
    return problems


@cache
def _fixed_fields(request: type[Request]) -> Mapping[str, Field | None]:
    """Return what of a record a change does not set, as a creation declares it: None for a currency."""
    if request.endpoint.method != "PUT":
        return {}
    *group, _ = request.endpoint.command.split()
    fields: dict[str, Field | None] = {}
    for kind in requests_named((*group, "create")):
        fields |= fields_by_name(kind)
    fields.setdefault(CURRENCY, None)
    return {name: field for name, field in fields.items() if name not in fields_by_name(request)}


def _without_own(field: Field | None, value: Any) -> Any:
    """Leave out what the service adds to objects inside of a record."""
    if field is None or not isinstance(value, list):
        return value
    struct = field.type.item.base if field.type.is_nested else None
    if not (isinstance(struct, type) and issubclass(struct, msgspec.Struct)):
        return value
    added = {*ADDED} - {*struct.__struct_fields__}
    return [
        {name: inner for name, inner in item.items() if name not in added} if isinstance(item, dict) else item
        for item in value
    ]


def _is_only_answered(field: Field, value: Any) -> bool:
    """Whether a value is one that the service answers, and never takes."""
    return bool(field.type.extra("by_service")) and value not in field.type.choices


def _without_same_invalid(
    request: type[Request], values: dict[str, Any], current: Callable[[], Mapping[str, Any]]
) -> dict[str, Any]:
    """Leave out the values of a change that a request does not take, where the record has them already.

    `current` is asked for the record only where there is such a value.
    """
    fields = fields_by_name(request)
    invalid = [
        name for name, value in values.items() if name in fields and not _is_valid(fields[name], value)
    ]
    same = {name for name in invalid if str(values[name]) == str(current().get(name))}
    return {name: value for name, value in values.items() if name not in same}


def _is_valid(field: Field, value: Any) -> bool:
    if value is None:
        return True
    try:
        msgspec.convert(value, field.type.annotation, strict=False, dec_hook=decode_custom)
    except msgspec.ValidationError:
        return False
    return True


def only(request: R, fields: Collection[str]) -> R:
    """Return a change of some fields alone, whose values were validated with the others."""
    own = request.endpoint.path_fields
    names = [name for name in request.__struct_fields__ if name not in own and name not in fields]
    return msgspec.structs.replace(request, **dict.fromkeys(names))


def differing_fields(request: Request, record: Mapping[str, Any]) -> list[str]:
    """Name the fields that a change gives another value than a record has, by neutral names.

    What a record does not have is not known to be the same.
    """
    own = request.endpoint.path_fields
    return [
        field.name
        for field in fields_of(type(request))
        if field.name not in own
        and (value := getattr(request, field.name)) is not None
        and (field.name not in record or not field.type.is_same(value, record[field.name]))
    ]
