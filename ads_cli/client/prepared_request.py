"""A request before it is signed, and what it is authenticated with."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from random import getrandbits
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, unquote_plus, urlencode

import msgspec

from ..api.endpoint import Endpoint, Request
from ..api.parts import RequestParts, as_text
from ..api.rates import Rate
from ..masking import MASK
from ..people_masking import people_in


class UserKeys(NamedTuple):
    """The four secrets of an OAuth 1.0a signature by a user."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_token_secret: str

    @property
    def holder(self) -> str:
        """Whom the limits of the service count for."""
        return self.access_token

    def __repr__(self) -> str:
        return "UserKeys(***)"


class RenewedToken(Protocol):
    """A bearer token of a user, which is renewed when it expires."""

    holder: str  # whom the limits of the service count for, whichever token is current

    @property
    def access_token(self) -> str:
        """The current token; an expired one is renewed first."""

    def renew(self, rejected: str) -> str:
        """Return another token than the one that the service rejected; raise AccessError if there is none."""


Credentials = UserKeys | RenewedToken


FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
MULTIPART = "multipart/form-data"
NO_FILES: Mapping[str, str] = {}
CHUNK_BYTES = 128 * 1024


class PreparedRequest(msgspec.Struct, frozen=True):
    """A request that can be signed and sent any number of times."""

    method: str
    url: str
    body: bytes
    content_type: str
    route: str  # requests of one route share a rate limit
    retry: bool  # the request is idempotent
    headers: Mapping[str, str] = {}  # added by the user
    rate: Rate | None = None  # to be kept by all processes
    sensitive: bool = False  # the body is masked, in --debug too
    pieces: Sequence[bytes | memoryview] = ()  # of a large body, which are not joined in memory
    to_stranger: bool = False  # to a host that a response named, which must be public
    declared: type[Request] | None = None  # None of a raw request
    max_attempts: int | None = None  # where those of the client are too many

    @property
    def size(self) -> int:
        """The size of the body in bytes."""
        return len(self.body) or sum(map(len, self.pieces))

    @property
    def logged_url(self) -> str:
        """The URL for --log-file: the query of an undeclared request may hold anything, such as a token."""
        path, mark, _ = self.url.partition("?")
        return f"{path}?{MASK}" if mark and not self.declared else self.url

    def content(self) -> Any:
        """Return the body for httpx, in small chunks: after each write the rest of a chunk is copied."""
        views = (memoryview(piece) for piece in self.pieces)
        chunks = (view[at : at + CHUNK_BYTES] for view in views for at in range(0, len(view), CHUNK_BYTES))
        return chunks if self.pieces else self.body or None

    def people(self) -> Iterator[str]:
        """Yield what the body of a sensitive request has of people."""
        if self.sensitive:
            with suppress(msgspec.DecodeError):  # of a form
                yield from people_in(msgspec.json.decode(b"".join(self.pieces) or self.body))


# Headers by which proxies and frameworks take a request for another one, by words of their names. They change
# the method (X-HTTP-Method-Override), the path (X-Original-URL, X-Forwarded-Prefix) or the body.
OVERRIDING_WORDS = (
    "ur[il]|path|prefix|route|host|action|destination|redirect|connection|(?:transfer|content)[\\W_]encoding"
)
OVERRIDING_HEADER = (
    rf"(?i)method|verb|overrid|rewrit|original|forward|upgrade|(?:^|[\W_])(?:{OVERRIDING_WORDS})(?:$|[\W_])"
)
# Fields of a query or a body that do the same, by their names, as `_method` of Rails and Laravel. Frameworks
# drop blanks and brackets around a name. No field of the service begins with an underscore.
OVERRIDING_FIELD = r"(?is)[\s\[]*(?:_|\$)|[\W_]*(?:method|verb)[\W_]*$|(?=.*method)(?=.*(?:http|overrid))"
PARTS = r"[\[\]&;]"  # of a name, as in `a[_method]`


def overrides(prepared: PreparedRequest) -> str:
    """Return what may change the method or path of a request, as `the header x-host`, or ""."""
    if header := next((name for name in prepared.headers if re.search(OVERRIDING_HEADER, name)), None):
        return f"the header {header}"
    if prepared.declared:
        return ""
    query = prepared.url.partition("?")[2]
    in_values = re.findall("[&;]([^&;=]*)=", unquote_plus(query))  # for what decodes before it splits
    once = (*_names(query), *in_values, *_names_in_body(prepared))
    names = (part for name in map(unquote_plus, once) for part in (name, *re.split(PARTS, name)))
    return next((f"the field {name!r}" for name in names if re.match(OVERRIDING_FIELD, name)), "")


def _names(form: str) -> Iterator[str]:
    """Yield the names of a form, which some split at semicolons too."""
    for pair in re.split("[&;]", form):
        yield unquote_plus(pair).partition("=")[0]


def _names_in_body(prepared: PreparedRequest) -> Iterator[str]:
    """Yield the names of fields of a body, as any of the content types that it may be taken for."""
    body = prepared.body or b"".join(prepared.pieces)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        text = body.decode("utf-8", "replace")
        yield from _names(text)
        yield from re.findall(r"""(?i)\bname\*?=["']?([^"';\r\n]*)""", text)
        return
    rest = [content]
    while rest:
        value = rest.pop()
        yield from value if isinstance(value, dict) else ()
        if isinstance(value, (dict, list)):
            rest += value.values() if isinstance(value, dict) else value


def is_write(prepared: PreparedRequest) -> bool:
    """Whether a request may change anything; of a raw one the method tells."""
    is_read = prepared.declared is not None and not prepared.declared.endpoint.changes
    return not (is_read or prepared.method == "GET") or bool(overrides(prepared))


def build_request(
    endpoint: Endpoint, parts: RequestParts, address: str, pieces: Sequence[bytes | memoryview] = ()
) -> PreparedRequest:
    """Build the URL with its query, and the body. `pieces` are a body that is encoded already."""
    url, content_type, body = address + parts.path, "", b""
    if endpoint.params_in == "multipart":
        content_type, pieces = multipart(parts.params)
        if sum(map(len, pieces)) <= CHUNK_BYTES:
            body, pieces = b"".join(pieces), ()
    elif pieces or endpoint.params_in == "json":
        content_type = JSON
        if sum(map(len, pieces)) <= CHUNK_BYTES:
            body, pieces = b"".join(pieces) or msgspec.json.encode(parts.params), ()
    elif endpoint.params_in == "form":
        body, content_type = url_encoded(parts.params).encode(), FORM
    elif parts.params:
        url += f"?{url_encoded(parts.params)}"
    return PreparedRequest(
        endpoint.method,
        url,
        body,
        content_type,
        endpoint.route,
        endpoint.retry,
        sensitive=endpoint.sensitive,
        pieces=pieces,
    )


def multipart(params: Mapping[str, Any], files: Mapping[str, str] = NO_FILES) -> tuple[str, list[bytes]]:
    """Encode a form with files (RFC 7578). Return its content type and its body in pieces.

    A value of bytes is a file. Its name is that in `files`, or else that of the field.
    """
    boundary = f"adsctl-{getrandbits(128):032x}"
    pieces: list[bytes] = []
    for name, value in params.items():
        is_file = isinstance(value, bytes)
        file_name = f'; filename="{_quoted(files.get(name, name))}"' if is_file else ""
        content_type = "Content-Type: application/octet-stream\r\n" if is_file else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}"{file_name}\r\n'
        content = value if isinstance(value, bytes) else as_text(value).encode()
        pieces += [f"{head}{content_type}\r\n".encode(), content, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    return f"{MULTIPART}; boundary={boundary}", [piece for piece in pieces if piece]


def _quoted(name: str) -> str:
    """Write a name in the head of a part, as browsers do."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def url_encoded(params: Mapping[str, Any]) -> str:
    """Encode parameters for a query or a form."""
    return urlencode({name: as_text(value) for name, value in params.items()}, safe="", quote_via=quote)
