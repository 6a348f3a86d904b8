"""A request as it goes over the wire, before it is signed."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from ..api.endpoint import Endpoint
from ..api.parts import RequestParts, as_text
from ..api.rates import TOTAL_COUNTS, Rate

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
PIECE = 128 * 1024  # bytes


class PreparedRequest(NamedTuple):
    """A request, ready to be signed and sent as often as it takes."""

    method: str
    url: str
    body: bytes
    content_type: str
    route: str  # requests that share a rate limit
    retry: bool  # whether sending it twice does no harm
    headers: Mapping[str, str] = {}  # of the person's own
    rate: Rate | None = None  # that the specification states
    sensitive: bool = False  # the body is masked, in --debug too
    pieces: Sequence[bytes | memoryview] = ()  # of a body that is too large to be put together

    @property
    def size(self) -> int:
        """Count the bytes of the body."""
        return len(self.body) or sum(map(len, self.pieces))

    def content(self) -> Any:
        """Give the body as it is sent: small pieces, since what is left of one is copied after each write."""
        views = (memoryview(piece) for piece in self.pieces)
        small = (view[at : at + PIECE] for view in views for at in range(0, len(view), PIECE))
        return small if self.pieces else self.body or None


def build_request(
    endpoint: Endpoint, parts: RequestParts, address: str, pieces: Sequence[bytes | memoryview] = ()
) -> PreparedRequest:
    """Write a request down: the address with its query, and the body."""
    url, content_type, body = address + parts.path, "", b""
    if pieces or endpoint.params_in == "json":
        content_type = JSON
        if sum(map(len, pieces)) <= PIECE:
            body, pieces = b"".join(pieces) or msgspec.json.encode(parts.params), ()
    elif endpoint.params_in == "form":
        body, content_type = _encoded(parts.params).encode(), FORM
    elif parts.params:
        url += f"?{_encoded(parts.params)}"
    route = f"{endpoint.method} {endpoint.path}"
    rate = TOTAL_COUNTS if parts.params.get("with_total_count") else endpoint.rate
    return PreparedRequest(
        endpoint.method,
        url,
        body,
        content_type,
        route,
        endpoint.retry,
        rate=rate,
        sensitive=endpoint.sensitive,
        pieces=pieces,
    )


def _encoded(fields: Mapping[str, Any]) -> str:
    return "&".join(
        f"{quote(name, safe='')}={quote(as_text(value), safe='')}" for name, value in fields.items()
    )
