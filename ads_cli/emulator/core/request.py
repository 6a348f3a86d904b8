"""An HTTP request as received, and its parameters as the declaration of its endpoint names them."""

import re
from collections.abc import Collection, Mapping
from functools import cache, cached_property
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote

import msgspec

from ...api.endpoint import Endpoint, Request
from ...api.fields import FieldType, enum_fields, fields_by_name, fields_of, sent_defaults
from ...api.names import ENUMS, GENERIC, Names
from ...api.parts import params_of
from ...api.problems import InvalidError, Problem
from ...api.validation import convert
from ..storage import without
from .responses import ApiError

R = TypeVar("R", bound=Request)
PART_NAME = re.compile(rb'\b(name|filename)="([^"]*)"', re.IGNORECASE)
MAX_BODY_BYTES = 8_000_000  # the largest body that the specification allows has 5,000,000
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


class IncomingRequest:
    """An HTTP request, read from a WSGI environment."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self._environ = environ
        self.method: str = environ["REQUEST_METHOD"]
        uri: str = environ.get("REQUEST_URI") or _request_uri(environ)
        self.path, _, self.query = uri.partition("?")
        host = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
        self.origin = f"{environ['wsgi.url_scheme']}://{host}"
        # As the client sent and signed it, before any decoding.
        self.url = self.origin + uri
        self.authorization: str = environ.get("HTTP_AUTHORIZATION", "")
        self.content_type: str = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        self.user_agent: str = environ.get("HTTP_USER_AGENT", "")
        self.boundary: str = _boundary(environ.get("CONTENT_TYPE", ""))
        # Sec-Fetch-Site, which browsers send with a form; "" from other clients.
        self.fetch_site: str = environ.get("HTTP_SEC_FETCH_SITE", "")
        self.client: str = environ.get("REMOTE_ADDR", "127.0.0.1")
        # Time-out of a client in the same process; None if the client has a socket.
        self.timeout_seconds: float | None = environ.get("ads_cli.timeout")

    @property
    def is_in_process(self) -> bool:
        """Whether the client is in the process of the emulator, which ends with its command."""
        return self.timeout_seconds is not None

    @cached_property
    def body(self) -> bytes:
        """Read the whole body, once."""
        length = int(self._environ.get("CONTENT_LENGTH") or 0)
        if length > MAX_BODY_BYTES:
            raise ApiError(413, "PAYLOAD_TOO_LARGE", f"a body has at most {MAX_BODY_BYTES:,} bytes")
        body: bytes = self._environ["wsgi.input"].read(length)
        return body

    @cached_property
    def form(self) -> str:
        """Return a form body as sent, which the signature covers; "" for other bodies."""
        return self.body.decode("latin-1") if self.content_type == FORM else ""

    @cached_property
    def parameter_pairs(self) -> list[tuple[str, str]]:
        """Return the parameters of query and form, each as often as it was sent."""
        return parse_qsl(f"{self.query}&{self.form}", keep_blank_values=True)

    @cached_property
    def parameters(self) -> dict[str, str]:
        """Return the parameters of query and form; sign-in endpoints accept them in either."""
        return dict(self.parameter_pairs)


def _request_uri(environ: dict[str, Any]) -> str:
    """Rebuild path and query for servers that do not pass REQUEST_URI."""
    path = quote(environ.get("PATH_INFO", "").encode("latin-1"))
    query = environ.get("QUERY_STRING")
    return f"{path}?{query}" if query else path


# Values of lists that the public SDK of service x has, and its reference no longer.
OLDER_VALUES = {"metric_groups": ("MEDIA",)}


def read_params(
    incoming: IncomingRequest,
    endpoint: Endpoint,
    request_type: type[Request],
    path_params: dict[str, str],
    names: Names,
    *,
    unknown: list[str] | None = None,
) -> dict[str, Any]:
    """Collect the parameters of a request from path, query and body; they are not validated yet.

    Raises InvalidError for names of another service than `names`. With a list `unknown`, what the request
    has no parameter for is left out, and named there.
    """
    own_names = {wire: name for name, wire in endpoint.wire_names.items()}
    ignored = fields_of_record_only(endpoint, request_type, names)
    known_names = None if unknown is None else {*_types_on_the_wire(request_type, names), *own_names}
    query = _text_params(incoming.query, ignored, known_names)
    if endpoint.params_in == "query":
        # The public SDK of service x sends those of a change in a form.
        takes_form = names is not GENERIC and endpoint.method in ("POST", "PUT")
        form = incoming.form if takes_form else ""
        if incoming.body and not form:
            message = "the parameters of this endpoint belong in the query, not in a body"
            raise ApiError(400, "BAD_REQUEST", message)
        params = split_texts(
            request_type, _text_params(f"{incoming.query}&{form}", ignored, known_names), names
        )
    elif misplaced := [name for name in query if known_names is None or name in known_names]:
        raise InvalidError([Problem(name, "belongs in the body, not in the query") for name in misplaced])
    elif endpoint.params_in == "multipart" and incoming.content_type == MULTIPART:
        params = split_texts(request_type, read_multipart(incoming), names)
    elif endpoint.params_in == "form":
        _require_content_type(incoming, FORM)
        params = split_texts(request_type, _text_params(incoming.form), names)
    else:
        params = json_object(incoming) | ({} if unknown is None else query)
    own = {own_names.get(name, name): value for name, value in without(params, *ignored).items()}
    kept = without_unknown(request_type, own, names, unknown)
    return {**read_names(kept, names, enum_fields(request_type)), **path_params}


def _boundary(content_type: str) -> str:
    """Return the boundary of a multipart body; "" where none is named."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.strip().partition("=")
        if name.lower() == "boundary":
            return value.strip('"')
    return ""


def read_multipart(incoming: IncomingRequest) -> dict[str, Any]:
    """Read a form with files (RFC 7578): files as bytes, fields as text. Each name may occur once."""
    marker = b"--" + incoming.boundary.encode()
    start, end = incoming.body.find(marker), incoming.body.rfind(b"\r\n" + marker + b"--")
    if not incoming.boundary or start or end < 0:
        raise ApiError(400, "BAD_REQUEST", "the body is not a complete multipart form")
    fields: dict[str, Any] = {}
    for part in incoming.body[len(marker) : end].split(b"\r\n" + marker):
        head, separator, content = part.partition(b"\r\n\r\n")
        disposition = next(
            (line for line in head.split(b"\r\n") if line.lower().startswith(b"content-disposition:")), b""
        )
        names = dict(PART_NAME.findall(disposition))
        name = names.get(b"name", b"").decode("utf-8", "replace")
        if not separator or not name:
            raise ApiError(400, "BAD_REQUEST", "a part of the multipart form has no name")
        if name in fields:
            raise InvalidError([Problem(name, "is given more than once")])
        is_file = b"filename" in names or name == "media"
        fields[name] = content if is_file else content.decode("utf-8", "replace")
    return fields


@cache
def _types_on_the_wire(struct: type[msgspec.Struct], names: Names) -> dict[str, FieldType]:
    """Return the types of the fields of a Struct by their names on the wire; callers must not change it."""
    return {names.name(field.name): field.type for field in fields_of(struct)}


def without_unknown(
    struct: type[msgspec.Struct],
    values: Mapping[str, Any],
    names: Names,
    unknown: list[str] | None,
    path: str = "",
) -> Mapping[str, Any]:
    """Leave out what a Struct has no field for, at any depth, and add its path to `unknown`.

    Without such a list nothing is left out: validation refuses it.
    """
    if unknown is None or not struct.__struct_config__.forbid_unknown_fields:
        return values
    types = _types_on_the_wire(struct, names)
    result: dict[str, Any] = {}
    for name, value in values.items():
        if name in types:
            if isinstance(value, list) and (older := OLDER_VALUES.get(name)):
                unknown += [f"{path}{name}={item}" for item in value if item in older]
                value = [item for item in value if item not in older]
            result[name] = _without_unknown_inside(types[name], value, names, unknown, path + name)
        elif name == struct.__struct_config__.tag_field:
            result[name] = value
        else:
            unknown.append(path + name)
    return result


def _without_unknown_inside(
    field_type: FieldType, value: Any, names: Names, unknown: list[str], path: str
) -> Any:
    if field_type.base is list and isinstance(value, list):
        items = enumerate(value)
        return [
            _without_unknown_inside(field_type.item, item, names, unknown, f"{path}[{number}]")
            for number, item in items
        ]
    if isinstance(value, Mapping) and (struct := _struct_of(field_type.structs, value)):
        return without_unknown(struct, value, names, unknown, f"{path}.")
    return value


def _struct_of(
    structs: tuple[type[msgspec.Struct], ...], value: Mapping[str, Any]
) -> type[msgspec.Struct] | None:
    """Return which of some Structs a value is by its tag, or None."""
    if len(structs) == 1:
        return structs[0]
    tags = ((struct.__struct_config__.tag_field, struct.__struct_config__.tag, struct) for struct in structs)
    return next((struct for field, tag, struct in tags if field and value.get(field) == tag), None)


def fields_of_record_only(endpoint: Endpoint, request_type: type[Request], names: Names) -> set[str]:
    """Name on the wire what a record has and its change does not: the SDK of service x sends it back."""
    if names is GENERIC or not endpoint.mutates:
        return set()
    return {*map(names.name, endpoint.record_fields - fields_by_name(request_type).keys())}


def read_names(value: Any, names: Names, enums: Collection[str] = ENUMS) -> Any:
    """Return a value under neutral names; raise InvalidError for names of another service."""
    if foreign := [Problem(path, "is not a known name or value") for path in names.foreign(value, enums)]:
        raise InvalidError(foreign)
    return names.to_neutral(value, enums)


def json_object(incoming: IncomingRequest) -> dict[str, Any]:
    """Decode a body that must be a JSON object."""
    _require_content_type(incoming, "application/json")
    values = json_value(incoming)
    if not isinstance(values, dict):
        raise ApiError(400, "BAD_REQUEST", "the body is not a JSON object")
    return values


def json_value(incoming: IncomingRequest) -> Any:
    """Decode a body that must be JSON."""
    try:
        return msgspec.json.decode(incoming.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "BAD_REQUEST", f"the body is not JSON: {error}") from None


def _require_content_type(incoming: IncomingRequest, content_type: str) -> None:
    if incoming.content_type != content_type:
        raise ApiError(400, "BAD_REQUEST", f"the body of this endpoint has the content type {content_type}")


def _text_params(
    encoded: str, ignored: Collection[str] = (), known_names: Collection[str] | None = None
) -> dict[str, str]:
    """Decode a query or a form without ignored names. The others, or only the known, may occur once."""
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, errors="strict")
    except ValueError:
        raise ApiError(400, "BAD_REQUEST", "the parameters are not UTF-8") from None
    pairs = [(name, value) for name, value in pairs if name not in ignored]
    params = dict(pairs)
    if len(params) < len(pairs):
        names = [name for name, _ in pairs if known_names is None or name in known_names]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise InvalidError([Problem(name, "is given more than once") for name in repeated])
    return params


def split_texts(request_type: type[Request], params: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Split comma-separated lists and decode JSON in texts; validation converts the other types."""
    types = dict(_types_on_the_wire(request_type, names))
    for name, wire in request_type.endpoint.wire_names.items() if hasattr(request_type, "endpoint") else ():
        if name in types:  # under the name that this service has for it
            types[wire] = types[name]
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


def converted(request_type: type[R], values: Mapping[str, Any], *, strict: bool = False) -> R:
    """Convert the parameters of a request; raise InvalidError with every error.

    What a client sends by default is required: a default is the client's, not that of the service.
    """
    missing = [
        Problem(name, "is required") for name in sent_defaults(request_type) if values.get(name) is None
    ]
    try:
        request = convert(request_type, values, strict=strict)
    except InvalidError as error:
        raise InvalidError([*error.problems, *missing]) from None
    if missing:
        raise InvalidError(missing)
    return request


def echoed_params(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """Return the parameters that the envelope repeats, defaults included.

    Those of a JSON body are left out: a batch would double the size of the response.
    """
    names = endpoint.path_fields if endpoint.params_in == "json" else [*request.__struct_fields__]
    values = ((name, value_or_default(request, name)) for name in names)
    return {name: value for name, value in values if value is not None}


def changes_of(request: Request) -> dict[str, Any]:
    """List what a change sets, by the names of the record; an empty value removes one."""
    return {name: None if value == "" else value for name, value in params_of(request).items()}


def value_or_default(request: Request, name: str) -> Any:
    """Return a parameter, or its declared default if it was not sent."""
    value = getattr(request, name, None)
    if value is not None:
        return value
    field = fields_by_name(type(request)).get(name)
    return field.type.extra("default") if field else None
