"""A declared request as what is sent: a path and parameters, or an operation of a batch."""

import re
from functools import cache
from typing import Any, cast
from urllib.parse import quote

import msgspec

from ..errors import UsageError
from .endpoint import Request, endpoint
from .fields import enum_fields, fields_by_name, fields_of, sent_defaults
from .names import GENERIC, Names
from .types import ID_PATTERN, ID_WORDS, InAccount, InCatalog


class RequestParts(msgspec.Struct, frozen=True):
    """A percent-encoded path and the parameters of the query, form or body, by their names on the wire."""

    path: str
    params: dict[str, Any]


def request_parts(request: Request, names: Names = GENERIC) -> RequestParts:
    """Take a request apart; raise UsageError if an id in its path is not valid."""
    params = names.to_wire(params_of(request), enum_fields(type(request)))
    own = request.endpoint.wire_names
    return RequestParts(
        path_of(request, names), {own.get(name, name): value for name, value in params.items()}
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
    """List the fields that are not in the path, as plain values by their own names. Bytes stay bytes."""
    fields: dict[str, Any] = msgspec.to_builtins(request, builtin_types=(bytes,), enc_hook=str)
    for name, value in sent_defaults(type(request)).items():
        if fields.get(name) is None:
            fields[name] = value
    for name in request.endpoint.path_fields:
        del fields[name]
    return fields


def _option_of(request: type[Request], name: str) -> str:
    """Name the option or the argument that sets a field."""
    return name.upper() if name == request.endpoint.id_field else fields_by_name(request)[name].option


def path_segment(id: str, option: str) -> str:
    """Percent-encode an id for a path; raise UsageError, naming the option, if it is not valid."""
    if not re.match(ID_PATTERN, id):
        shown = id if len(id) <= 60 else f"{id[:57]}..."
        raise UsageError(f"{option}: {shown!r} is not a valid id", hint=f"write {ID_WORDS}; not . or ..")
    return quote(id, safe="")


def as_text(value: Any) -> str:
    """Write a value as a query or a form carries it: lists joined by commas, booleans lower-case."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ",".join(map(as_text, value))
    if isinstance(value, dict):
        return msgspec.json.encode(value).decode()
    return str(value)


# The fields that take a media key, and the name of the option and of the key in a document that take a file.
FILE_NAMES = {
    "media_keys": "media",
    "media_key": "media",
    "poster_media_key": "poster",
    "unlocked_image_media_key": "unlocked_image",
    "unlocked_video_media_key": "unlocked_video",
}


def media_file_fields(request: type[Request]) -> dict[str, str]:
    """Return the fields of a request that take a file, by the name that takes it."""
    endpoint = request.endpoint
    if not endpoint.mutates or endpoint.method == "DELETE":
        return {}
    fields = fields_of(request)
    names = {FILE_NAMES[field.name]: field.name for field in fields if field.name in FILE_NAMES}
    if endpoint.command.startswith("media library"):
        names.pop("media", None)  # which is what was uploaded already
    if any(field.name == "components" for field in fields):
        names["media"] = "components"
    return names


def operation_of(declared: type[Request]) -> str:
    """Return the operation_type of a request in a batch."""
    return declared.endpoint.action.capitalize()


@cache
def has_batch_options(declared: type[Request]) -> bool:
    """Tell whether a file may have several records: those with the media of an ad are sent one by one."""
    endpoint = declared.endpoint
    return endpoint.batch is not None or (endpoint.makes_anew and "media" in media_file_fields(declared))


@cache
def batch_request(declared: type[Request]) -> type[Request]:
    """Return the request that carries many of a declared one, or names where they go one by one.

    Creating twice makes two records, so that only the other operations may be repeated.
    """
    single = declared.endpoint
    path = single.batch.path if single.batch else single.path.partition(f"/{{{single.id_field}}}")[0]
    bind = endpoint(
        f"POST {path}",
        single.command,
        columns=" ".join(single.columns),
        extra_fields=" ".join(single.extra_fields),
        record_id=single.record_id,
        params_in="json" if single.batch else single.params_in,
        retry=single.method != "POST",
        service=single.service,
    )

    base = InAccount if "account_id" in single.path_fields else InCatalog
    return bind(cast(type[Request], msgspec.defstruct("Many", [], bases=(base,))))


def operation(request: Request, names: Names) -> dict[str, Any]:
    """Return a request as an operation of a batch. Its lists are texts, as in a query."""
    kind = type(request)
    path = {name: getattr(request, name) for name in request.endpoint.path_fields if name != "account_id"}
    params = names.to_wire(path | params_of(request), enum_fields(kind))
    for field in fields_of(kind):
        if field.type.is_comma_list and (name := names.name(field.name)) in params:
            params[name] = as_text(params[name])
    return {"operation_type": operation_of(kind), "params": params}


encode_operation = msgspec.json.Encoder().encode
