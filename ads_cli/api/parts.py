"""A declared request, taken apart into its path and its parameters."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any, TypeVar

import msgspec

from .endpoint import Request
from .fields import Field, enum_fields, fields_of, path_segment
from .names import GENERIC, Names

R = TypeVar("R", bound=Request)
NO_NAMES: Mapping[str, str] = {}


class RequestParts(msgspec.Struct, frozen=True):
    """A percent-encoded path and the parameters of the query, form or body, by their names on the wire."""

    path: str
    params: dict[str, Any]


def request_parts(request: Request, names: Names = GENERIC) -> RequestParts:
    """Take a request apart; raise UsageError if an id in its path is not valid."""
    params = names.to_wire(params_of(request), enum_fields(type(request)))
    wire_names = request.endpoint.wire_names
    if wire_names:
        params = {wire_names.get(name, name): value for name, value in params.items()}
    return RequestParts(path_of(request, names), params)


def path_of(request: Request, names: Names = GENERIC) -> str:
    """Build the path of a request; raise UsageError if an id in it is not valid.

    Every request passes here, so that no id can lead to another path.
    """
    path = names.path(request.endpoint.path)
    for name in request.endpoint.path_fields:
        segment = path_segment(getattr(request, name), _option_of(type(request), name))
        path = path.replace(f"{{{names.name(name)}}}", segment)
    return path


def params_of(request: Request) -> dict[str, Any]:
    """List the fields that are not in the path, as plain values by their own names; bytes stay bytes."""
    fields: dict[str, Any] = msgspec.to_builtins(request, builtin_types=(bytes,), enc_hook=str)
    for name in request.endpoint.path_fields:
        del fields[name]
    return fields


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
    """Whether a field has no empty value: a name, and a status, which the service might make ACTIVE."""
    is_name = field.name == "name" and bool(field.type.limit("min_length"))
    return is_name or bool(field.type.extra("spends"))


def with_removed(request: R, removed: list[str]) -> R:
    """Let a validated request send some fields empty, whatever their type."""
    for name in removed:
        setattr(request, name, "")
    return request


@cache
def _option_of(request: type[Request], name: str) -> str:
    """Name the option or the argument that sets a field."""
    (field,) = (field for field in fields_of(request) if field.name == name)
    return name.upper() if name == request.endpoint.id_field else field.option


def as_text(value: Any) -> str:
    """Write a value as a query or a form carries it: lists joined by commas, booleans lower-case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(as_text, value))
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return str(value)
