"""A declared request, taken apart into its path and its parameters."""

from functools import cache
from typing import Any, NamedTuple

import msgspec

from .endpoint import Request
from .fields import enum_fields, fields_of
from .ids import path_segment
from .names import GENERIC, Names


class RequestParts(NamedTuple):
    """A percent-encoded path and the parameters of the query, form or body, by their names on the wire."""

    path: str
    params: dict[str, Any]


def request_parts(request: Request, names: Names = GENERIC) -> RequestParts:
    """Take a request apart; raise UsageError if an id in its path is not valid."""
    return RequestParts(
        path_of(request, names), names.to_wire(params_of(request), enum_fields(type(request)))
    )


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
    """List the fields that are not in the path, as plain values by their own names."""
    fields: dict[str, Any] = msgspec.to_builtins(request, enc_hook=str)
    for name in request.endpoint.path_fields:
        del fields[name]
    return fields


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
