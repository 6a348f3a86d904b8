"""A request as it goes over the wire, before it is signed."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from ..api.endpoint import Endpoint, Wire, as_text
from ..api.rates import TOTAL_COUNTS, Rate

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


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


def place(endpoint: Endpoint, parts: Wire, address: str, body: bytes | None = None) -> Outgoing:
    """Write a request down: the address with its query, and the body."""
    url, content_type = address + parts.path, ""
    if body is not None or endpoint.travels == "json":
        body = msgspec.json.encode(parts.fields) if body is None else body
        content_type = JSON
    elif endpoint.travels == "form":
        body, content_type = _encoded(parts.fields).encode(), FORM
    elif parts.fields:
        url += f"?{_encoded(parts.fields)}"
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


def _encoded(fields: Mapping[str, Any]) -> str:
    return "&".join(
        f"{quote(name, safe='')}={quote(as_text(value), safe='')}" for name, value in fields.items()
    )
