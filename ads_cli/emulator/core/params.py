"""Parameters of a request: read from path, query and body as its endpoint declares."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from ...api.endpoint import Endpoint, Request
from ...api.fields import FieldType, enum_fields, fields_of
from ...api.names import ENUMS, GENERIC, Names
from ...api.parts import params_of
from ...api.problems import InvalidError, Problem
from .errors import ApiError
from .incoming_request import FORM, IncomingRequest


def read_params(
    incoming: IncomingRequest,
    endpoint: Endpoint,
    request_type: type[Request],
    path_params: dict[str, str],
    names: Names = GENERIC,
    *,
    takes_form: bool = False,
    ignored: Collection[str] = (),
) -> dict[str, Any]:
    """Collect the parameters of a request from path, query and body; they are not validated yet.

    With `takes_form`, those of a POST or PUT may be in a form beside the query. `ignored` are left out.
    Raises InvalidError for names of another service than `names`.
    """
    left_out = {names.name(name) for name in ignored}
    query = _text_params(incoming.query, left_out)
    if endpoint.params_in == "query":
        form = incoming.form if takes_form and endpoint.method in ("POST", "PUT") else ""
        if incoming.body and not form:
            message = "the parameters of this endpoint belong in the query, not in a body"
            raise ApiError(400, "BAD_REQUEST", message)
        params = split_texts(request_type, _text_params(f"{incoming.query}&{form}", left_out), names)
    elif query:
        raise InvalidError([Problem(name, "belongs in the body, not in the query") for name in query])
    elif endpoint.params_in == "form":
        _require_content_type(incoming, FORM)
        params = split_texts(request_type, _text_params(incoming.form), names)
    else:
        params = json_object(incoming)
    kept = {name: value for name, value in params.items() if name not in left_out}
    return {**read_names(kept, names, enum_fields(request_type)), **path_params}


def record_fields_only(endpoint: Endpoint, request_type: type[Request]) -> frozenset[str]:
    """Name the fields of the endpoint's record that its request does not have, where it changes one."""
    if not endpoint.mutates:
        return frozenset()
    return endpoint.record_fields - {field.name for field in fields_of(request_type)}


def read_names(value: Any, names: Names, enums: Collection[str] = ENUMS) -> Any:
    """Return a value under neutral names; raise InvalidError for names of another service."""
    if foreign := [Problem(path, "is not a known name or value") for path in names.foreign(value, enums)]:
        raise InvalidError(foreign)
    return names.to_neutral(value, enums)


def json_object(incoming: IncomingRequest) -> dict[str, Any]:
    """Decode a body that must be a JSON object."""
    _require_content_type(incoming, "application/json")
    try:
        values = msgspec.json.decode(incoming.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "BAD_REQUEST", f"the body is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise ApiError(400, "BAD_REQUEST", "the body is not a JSON object")
    return values


def _require_content_type(incoming: IncomingRequest, content_type: str) -> None:
    if incoming.content_type != content_type:
        raise ApiError(400, "BAD_REQUEST", f"the body of this endpoint has the content type {content_type}")


def _text_params(encoded: str, ignored: Collection[str] = ()) -> dict[str, str]:
    """Decode a query or a form; each name may occur once, but for those that are ignored."""
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, errors="strict")
    except ValueError:
        raise ApiError(400, "BAD_REQUEST", "the parameters are not UTF-8") from None
    pairs = [(name, value) for name, value in pairs if name not in ignored]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise InvalidError([Problem(name, "is given more than once") for name in _repeated_names(pairs)])
    return params


def _repeated_names(pairs: Iterable[tuple[str, str]]) -> list[str]:
    names = [name for name, _ in pairs]
    return sorted({name for name in names if names.count(name) > 1})


def split_texts(request_type: type[Request], params: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Split comma-separated lists and decode JSON in texts; validation converts the other types."""
    types = {names.name(field.name): field.type for field in fields_of(request_type)}
    return {name: _parse_text(types.get(name), value) for name, value in params.items()}


def _parse_text(field_type: FieldType | None, text: Any) -> Any:
    if not isinstance(text, str):
        return text
    if field_type and field_type.is_comma_list:
        return text.split(",")
    if field_type and field_type.is_nested:
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text  # validation rejects it, naming the field
    return text


def echoed_params(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """Return the parameters that the envelope repeats, defaults included.

    Those of a JSON body are left out: a batch would double the size of the response.
    """
    if endpoint.params_in == "json":
        names = endpoint.path_fields
    else:
        names = [field.name for field in fields_of(type(request))]
    values = {name: value_or_default(request, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def changes_of(request: Request) -> dict[str, Any]:
    """List what a change sets, by the names of the record; an empty value removes one."""
    return {name: None if value == "" else value for name, value in params_of(request).items()}


def value_or_default(request: Request, name: str) -> Any:
    """Return a parameter, or its declared default if it was not sent."""
    value = getattr(request, name, None)
    if value is not None:
        return value
    return next(
        (field.type.extra("default") for field in fields_of(type(request)) if field.name == name), None
    )
