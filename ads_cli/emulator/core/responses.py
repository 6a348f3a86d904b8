"""HTTP responses: the envelope of the advertising API, its error format, and plain bodies."""

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from ...api.names import ENUMS, GENERIC, Names

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

Headers = tuple[tuple[str, str], ...]
JSON = "application/json;charset=utf-8"
RESULTS = "/stats-results/"  # of jobs; they need no signature: each path has a secret of its own


class HttpResponse(NamedTuple):
    """A response as it is sent."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: Headers = ()

    @property
    def status_line(self) -> str:
        """Return status and reason phrase, the format of WSGI."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return f"{self.status} Unknown"

    def send(self, start_response: "StartResponse", *, without_body: bool = False) -> list[bytes]:
        """Pass the response to a WSGI server."""
        content_headers = [("Content-Type", self.content_type), ("Content-Length", str(len(self.body)))]
        start_response(self.status_line, [*content_headers, *self.headers])
        return [] if without_body else [self.body]


class Result(NamedTuple):
    """What a handler returns; it is sent in the envelope."""

    data: Any
    next_cursor: str | UnsetType | None = UNSET  # null on the last page of a list, absent elsewhere
    total_count: int | UnsetType = UNSET
    enums: Collection[str] = ENUMS  # the fields of `data` with values of an enum
    beside: Mapping[str, Any] = {}  # further keys of the envelope


def envelope(result: Result, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
    """Wrap a result in the envelope of the advertising API, with the parameters of the request."""
    body: dict[str, Any] = {
        "request": {"params": names.to_wire(params)},
        "data": names.to_wire(result.data, result.enums),
        **result.beside,
    }
    if result.next_cursor is not UNSET:
        body["next_cursor"] = result.next_cursor
    if result.total_count is not UNSET:
        body["total_count"] = result.total_count
    return HttpResponse(msgspec.json.encode(body, enc_hook=str))


def message_response(message: str, params: dict[str, Any], names: Names = GENERIC) -> HttpResponse:
    """Return the response of the advertising API that has a message and no data."""
    body = {"request": {"params": names.to_wire(params)}, "message": message}
    return HttpResponse(msgspec.json.encode(body, enc_hook=str))


def error_response(
    status: int, errors: list[dict[str, Any]], params: dict[str, Any], headers: Headers = ()
) -> HttpResponse:
    """Format errors as the advertising API does."""
    body = {"errors": errors, "request": {"params": params}}
    return HttpResponse(msgspec.json.encode(body, enc_hook=str), status, headers=headers)
