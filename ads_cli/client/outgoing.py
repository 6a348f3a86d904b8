"""A request as it goes over the wire, before it is signed."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from ..api.endpoint import Endpoint, Wire, as_text
from ..api.rates import TOTAL_COUNTS, Rate

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
PIECE = 128 * 1024  # bytes


class Outgoing(NamedTuple):
    """A request, ready to be signed and sent as often as it takes."""

    method: str
    url: str
    body: bytes
    content_type: str
    family: str  # requests that share a limit
    retry: bool  # whether sending it twice does no harm
    headers: Mapping[str, str] = {}  # of the person's own
    rate: Rate | None = None  # that the specification states
    private: bool = False  # whether nobody may read along

    @property
    def is_large(self) -> bool:
        """Tell whether the body goes in pieces: the library copies what is left after each that was taken."""
        return len(self.body) > PIECE

    def pieces(self) -> Iterator[bytes]:
        """Cut the body into pieces."""
        return (self.body[at : at + PIECE] for at in range(0, len(self.body), PIECE))


def place(endpoint: Endpoint, parts: Wire, address: str, body: bytes | None = None) -> Outgoing:
    """Write a request down: the address with its query, and the body."""
    url, content_type = address + parts.path, ""
    encoded = "&".join(f"{quote(k, safe='')}={quote(as_text(v), safe='')}" for k, v in parts.fields.items())
    if body is not None or endpoint.travels == "json":
        body = msgspec.json.encode(parts.fields) if body is None else body
        content_type = JSON
    elif endpoint.travels == "form":
        body, content_type = encoded.encode(), FORM
    elif encoded:
        url += f"?{encoded}"
    family = f"{endpoint.method} {endpoint.path}"
    rate = TOTAL_COUNTS if parts.fields.get("with_total_count") else endpoint.rate
    return Outgoing(
        endpoint.method,
        url,
        body or b"",
        content_type,
        family,
        endpoint.retry,
        rate=rate,
        private=endpoint.private,
    )
