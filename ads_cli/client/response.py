"""A response of the service, and how a prepared request is sent once to get it."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import msgspec

from ..api.names import to_neutral, with_neutral_keys
from ..errors import AccessError, AdsctlError, RateLimitedError, UnavailableError
from ..http.response_body import (
    MAX_DEPTH,
    Parse,
    RepeatedKeyError,
    has_key_per_member,
    is_certificate_error,
    network_error,
    parse_json,
    read_body,
)
from ..http.retry import LONG_LIMITS, RETRIED_STATUSES, FailedAttempt, clock_hint
from ..http.trace import Trace
from ..output.text import shortened
from .prepared_request import PreparedRequest
from .rate_limiter import Permit

if TYPE_CHECKING:
    import httpx

    from .transport import ThreadConnections

_records = msgspec.json.Decoder(list[dict[str, Any]]).decode
BAD_TIMESTAMP = 135  # with status 401: the timestamp is too far from the service's clock


class Response(msgspec.Struct, frozen=True):
    """Status, headers (lower-case names) and JSON body."""

    status: int
    headers: dict[str, str]
    body: Any
    may_be_repeated: bool = False  # the service may have applied an earlier attempt too

    @property
    def data(self) -> Any:
        """`data` of the envelope, as the service sent it; the whole body if there is none."""
        return self.body["data"] if isinstance(self.body, dict) and "data" in self.body else self.body

    @property
    def neutral_data(self) -> Any:
        """`data` by the neutral names of its fields, for code that reads them."""
        return to_neutral(self.data)

    @property
    def records(self) -> list[dict[str, Any]]:
        """`data` as records by the neutral names of fields; raise UnavailableError if it is not a list."""
        records = self.data
        if isinstance(self.body, dict) and records and records is self.body.get("data"):
            records = [records] if isinstance(records, dict) else records  # one object in place of a list
        if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
            raise UnavailableError("the response has no list of records", http_status=self.status)
        return [*map(with_neutral_keys, records)]

    @property
    def encoded_records(self) -> bytes:
        """`data` of a body that `parse_outline` has read, for `parse_records`."""
        data = self.data
        return bytes(data) if isinstance(data, msgspec.Raw) else json.dumps(self.records).encode()

    @property
    def next_cursor(self) -> str | None:
        """The cursor of the next page, or None; raise UnavailableError if it is not text."""
        cursor = self.body.get("next_cursor") if isinstance(self.body, dict) else None
        if cursor and not isinstance(cursor, str):
            raise UnavailableError("next_cursor of the response is not text", http_status=self.status)
        return cursor or None


def parse_records(content: bytes) -> list[dict[str, Any]]:
    """Parse `encoded_records` as `Response.records`; raise UnavailableError if they are no records."""
    with suppress(msgspec.DecodeError, RecursionError):  # of unusual records, or none
        records = _records(content)
        is_flat = content.count(b"{") + content.count(b"[") <= len(records) + MAX_DEPTH
        if is_flat and has_key_per_member(content, records):
            return [*map(with_neutral_keys, records)]
    try:
        data = parse_json(content)
    except RepeatedKeyError as error:
        raise UnavailableError(f"the response cannot be read: {error}") from None
    except (ValueError, RecursionError):
        data = None
    return Response(200, {}, {"data": data}).records


def read_response(
    status: int, headers: dict[str, str], content: bytes, parse: Parse = parse_json
) -> Response:
    """Parse a response; raise the error that it means, or UnavailableError if it cannot be read.

    `parse` reads the body of a success.
    """
    is_success = 200 <= status < 300
    if not is_success:
        parse = parse_json
    repeated = ""
    try:
        body, is_json = parse(content), True
    except RepeatedKeyError as error:
        body, is_json, repeated = None, False, f"; {error}"
    except (ValueError, RecursionError):
        body, is_json = None, status == 204 and not content
    if not is_success:
        from .api_errors import error_of

        raise error_of(status, body, unreadable="" if is_json else _excerpt(headers, content) + repeated)
    if repeated:
        raise UnavailableError(f"the response (status {status}) cannot be read{repeated}", http_status=status)
    if not is_json:
        raise UnavailableError(
            f"the response (status {status}) is not JSON: {_excerpt(headers, content)}", http_status=status
        )
    if isinstance(body, dict) and body.get("errors"):
        from .api_errors import error_of, is_partial

        if not is_partial(body):
            raise error_of(status, body)
    return Response(status, headers, body)


def _excerpt(headers: dict[str, str], content: bytes) -> str:
    """Describe unexpected content in part of a line."""
    if not content:
        return "an empty body"
    content_type = headers.get("content-type", "no content type")
    start = " ".join(content[:120].decode("utf-8", "replace").split())
    return f"{len(content):,} bytes of {content_type}, beginning {start!r}"


MAX_PAGES_WITHOUT_NEW = 10_000  # in succession

_records_of = msgspec.json.Decoder(list[msgspec.Raw]).decode


def follow(fetch: Callable[[str | None], Response]) -> Iterator[Response]:
    """Fetch a page and those after it; raise UnavailableError for a list that would not end.

    A cursor repeats, or none of many pages in succession has a new record.
    """
    cursor: str | None = None
    cursors: set[str] = set()
    seen: set[int] = set()
    without_new = 0
    while True:
        response = fetch(cursor)
        yield response
        cursor = response.next_cursor
        if cursor is None:
            return
        if cursor in cursors:
            raise UnavailableError(f"the service repeats the cursor {cursor!r}; the list would not end")
        cursors.add(cursor)
        found = set(map(hash, _ends(response.data)))
        without_new = 0 if found - seen else without_new + 1
        seen |= found
        if without_new == MAX_PAGES_WITHOUT_NEW:
            raise UnavailableError(
                f"the last {without_new:,} pages have no new record, and each names another cursor; "
                "the list would not end"
            )


def _ends(data: Any) -> list[bytes]:
    """Return the first and the last record of a page as JSON: a million records must not be remembered."""
    if isinstance(data, msgspec.Raw):
        try:
            records = _records_of(data)
        except msgspec.DecodeError:  # one object in place of a list
            return [bytes(data)]
        return [bytes(record) for record in (*records[:1], *records[-1:])]
    if not isinstance(data, list):
        return [] if data is None else [msgspec.json.encode(data)]
    return [msgspec.json.encode(record) for record in (*data[:1], *data[-1:])]


WARNING_HEADER = "x-api-warn"  # sent with responses of what will be switched off


class Sender:
    """Signs and sends a request over a connection of the calling thread, and reads the response."""

    def __init__(
        self,
        connections: "ThreadConnections",
        trace: Trace,
        sign_in_hint: str,
        on_warning: Callable[[str], None],
    ) -> None:
        self.connections = connections
        self.trace = trace
        self.sign_in_hint = sign_in_hint
        self.on_warning = on_warning
        self._warnings = threading.Semaphore()  # one is shown, however many responses have it

    def send(
        self,
        prepared: PreparedRequest,
        auth: "httpx.Auth",
        permit: Permit,
        *,
        timeout: float,
        max_seconds: float,
        parse: Parse,
    ) -> Response:
        """Return the response, or raise the error that it means; FailedAttempt for what may be retried.

        `timeout` limits each network operation and the head of the response, `max_seconds` the attempt.
        """
        import httpx

        from .transport import http_request

        started = time.monotonic()
        request = http_request(prepared, timeout, started + max_seconds)
        shown = _traced(prepared, prepared.body, prepared.size)
        self.trace.request(prepared.method, prepared.url, request.headers, shown)
        request = next(auth.auth_flow(request))
        try:
            transport = self.connections.to(request.url, is_stranger=prepared.to_stranger)
            with closing(transport.handle_request(request)) as http_response:
                content = read_body(http_response)
        except (httpx.TransportError, httpx.DecodingError) as error:
            not_connected = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            described = network_error(error, prepared.url)
            if is_certificate_error(error):  # another attempt would not change that
                raise described from None
            raise FailedAttempt(described, {}, may_be_applied=not not_connected) from error
        except UnavailableError as error:  # of a body that is not read, and would be the same the next time
            error.may_be_applied = True
            raise
        status = http_response.status_code
        headers = {name.lower(): value for name, value in http_response.headers.items()}
        permit.record(status, headers)
        seconds = time.monotonic() - started
        shown = _traced(prepared, content, len(content))
        self.trace.response(prepared.method, prepared.url, status, headers, shown, seconds)
        if (warning := headers.get(WARNING_HEADER)) and self._warnings.acquire(blocking=False):
            self.on_warning(f"the service warns: {shortened(self.trace.mask(warning))}")
        try:
            return read_response(status, headers, content, parse)
        except AdsctlError as error:
            error.message = self.trace.mask(error.message)  # the service may quote what it was sent
            self._raise_if_retried(error, status, headers)
            error.may_be_applied = _has_data(error.body, status)
            if isinstance(error, AccessError):
                error.hint = error.hint or self.sign_in_hint
            raise

    def _raise_if_retried(self, error: AdsctlError, status: int, headers: dict[str, str]) -> None:
        """Raise FailedAttempt if another attempt may succeed."""
        is_rate_limited = isinstance(error, RateLimitedError)
        if error.api_code in LONG_LIMITS:
            return
        is_unreadable = isinstance(error, UnavailableError) and 200 <= status < 300
        has_bad_timestamp = isinstance(error, AccessError) and error.api_code == BAD_TIMESTAMP
        if has_bad_timestamp:
            error.hint = clock_hint(headers)
        if is_rate_limited or is_unreadable or has_bad_timestamp or status in RETRIED_STATUSES:
            may_be_applied = not (is_rate_limited or has_bad_timestamp)
            raise FailedAttempt(
                error, headers, rate_limited=is_rate_limited, may_be_applied=may_be_applied
            ) from None


def _has_data(body: object, status: int) -> bool:
    """Tell whether a response means success, beside an error that it has."""
    return 200 <= status < 300 and isinstance(body, dict) and bool(body.get("data"))


def _traced(prepared: PreparedRequest, content: bytes, size: int) -> bytes:
    """Return what a trace may show of a body."""
    return b"(%d bytes, not shown)" % size if prepared.sensitive and size else content
