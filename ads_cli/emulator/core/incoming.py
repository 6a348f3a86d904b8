"""A request as it came in, and its parameters as the declaration of its endpoint wants them."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, quote, unquote

import msgspec

from ...api.endpoint import Endpoint, Request
from ...api.fields import FieldType, fields_of
from ...api.validation import InvalidError, Problem
from .responses import ApiError

MOST_BYTES = 8_000_000  # the largest body that the specification allows has 5,000,000
FORM = "application/x-www-form-urlencoded"


class Incoming:
    """An HTTP request before anything is known of its meaning."""

    def __init__(self, environ: dict[str, Any]) -> None:
        self._environ = environ
        self.method: str = environ["REQUEST_METHOD"]
        uri: str = environ.get("REQUEST_URI") or _rebuilt(environ)
        self.path, _, self.query = uri.partition("?")
        host = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
        self.origin = f"{environ['wsgi.url_scheme']}://{host}"
        # What the client signed: the address as it was sent, before any decoding.
        self.url = self.origin + uri
        self.authorization: str = environ.get("HTTP_AUTHORIZATION", "")
        self.content_type: str = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
        # What a browser says of the page that sends a form; "" from any other client.
        self.site: str = environ.get("HTTP_SEC_FETCH_SITE", "")
        # How long a client in the same process waits before it gives up; None where it has a socket.
        self.patience: float | None = environ.get("ads_cli.timeout")

    @cached_property
    def body(self) -> bytes:
        """Read the whole body, once."""
        length = MOST_BYTES + 1
        if not self._environ.get("wsgi.input_terminated"):  # else it comes in chunks, of no known length
            length = _length(self._environ.get("CONTENT_LENGTH") or "0")
        body: bytes = b"" if length > MOST_BYTES + 1 else self._received(length)
        if len(body) > MOST_BYTES or length > MOST_BYTES + 1:
            raise ApiError(413, "PAYLOAD_TOO_LARGE", f"a body has at most {MOST_BYTES:,} bytes")
        return body

    def _received(self, length: int) -> bytes:
        try:
            body: bytes = self._environ["wsgi.input"].read(length)
        except TimeoutError:
            raise ApiError(408, "REQUEST_TIMEOUT", "the body takes too long") from None
        except Exception as error:  # of whatever kind the server has for chunks that are none
            raise ApiError(400, "BAD_REQUEST", f"the body cannot be read: {error}") from None
        return body

    @cached_property
    def form(self) -> str:
        """Give a form body as it was sent, or nothing; a signature covers it."""
        return self.body.decode("latin-1") if self.content_type == FORM else ""

    @cached_property
    def parameters(self) -> dict[str, str]:
        """Give the parameters of query and form together; signing in takes them in either."""
        return dict(parse_qsl(f"{self.query}&{self.form}", keep_blank_values=True))


def _rebuilt(environ: dict[str, Any]) -> str:
    """Write the address again where the server did not keep it as it was sent."""
    path = quote(environ.get("PATH_INFO", "").encode("latin-1"))
    query = environ.get("QUERY_STRING")
    return f"{path}?{query}" if query else path


def _length(text: str) -> int:
    if not text.isdecimal():
        raise ApiError(400, "BAD_REQUEST", "Content-Length is not a number")
    return int(text)


def decoded(segment: str) -> str:
    """Take the percent-encoding off one segment of a path."""
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise ApiError(400, "BAD_REQUEST", "the path is not UTF-8") from None


def read(incoming: Incoming, endpoint: Endpoint, kind: type[Request], ids: dict[str, str]) -> dict[str, Any]:
    """Gather the parameters of a request from where its endpoint wants them: path, query and body."""
    query = _texts(incoming.query)
    if endpoint.params_in == "query":
        if incoming.body:
            raise ApiError(
                400, "BAD_REQUEST", "parameters of this endpoint travel in the query, not in a body"
            )
        return _typed(kind, query) | ids
    if query:
        known = "in the body, not in the query"
        raise InvalidError([Problem(name, f"belongs {known}") for name in query])
    if endpoint.params_in == "form":
        _expect(incoming, FORM)
        return _typed(kind, _texts(incoming.form)) | ids
    return object_of(incoming) | ids


def _expect(incoming: Incoming, content_type: str) -> None:
    if incoming.content_type != content_type:
        raise ApiError(400, "BAD_REQUEST", f"the body of this endpoint has the content type {content_type}")


def object_of(incoming: Incoming) -> dict[str, Any]:
    """Read a body that is a JSON object."""
    _expect(incoming, "application/json")
    try:
        values = msgspec.json.decode(incoming.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ApiError(400, "BAD_REQUEST", f"the body is not JSON: {error}") from None
    if not isinstance(values, dict):
        raise ApiError(400, "BAD_REQUEST", "the body is not a JSON object")
    return values


def _texts(encoded: str) -> dict[str, str]:
    """Read a query or a form; a name stands in it once."""
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, errors="strict")
    except ValueError:
        raise ApiError(400, "BAD_REQUEST", "the parameters are not UTF-8") from None
    texts = dict(pairs)
    if len(texts) < len(pairs):
        raise InvalidError([Problem(name, "is given more than once") for name in _twice(pairs)])
    return texts


def _twice(pairs: Iterable[tuple[str, str]]) -> list[str]:
    names = [name for name, _ in pairs]
    return sorted({name for name in names if names.count(name) > 1})


def _typed(kind: type[Request], texts: dict[str, str]) -> dict[str, Any]:
    """Take lists and objects out of the text they travel as; the check converts the rest."""
    kinds = {field.name: field.type for field in fields_of(kind)}
    return {name: _value(kinds.get(name), text) for name, text in texts.items()}


def _value(kind: FieldType | None, text: str) -> Any:
    if kind and kind.is_comma_list:
        return text.split(",")
    if kind and kind.is_nested:
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text  # which the check refuses, by its name
    return text


def echo(request: Request, endpoint: Endpoint) -> dict[str, Any]:
    """List the parameters that were used, the service's defaults with them.

    What came as a JSON body is not told back, since a batch would double the answer.
    """
    if endpoint.params_in == "json":
        names = endpoint.path_fields
    else:
        names = [field.name for field in fields_of(type(request))]
    values = {name: value_of(request, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def value_of(request: Request, name: str) -> Any:
    """Give a parameter, or the default that its declaration states."""
    value = getattr(request, name, None)
    if value is not None:
        return value
    return next(
        (field.type.extra("default") for field in fields_of(type(request)) if field.name == name), None
    )
