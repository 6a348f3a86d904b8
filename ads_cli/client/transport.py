"""Send a request once, over a connection of the calling thread, or to the emulator in this process."""

import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import httpx

from .. import __version__
from ..errors import AccessError, AdsctlError, RateLimitedError, UnavailableError
from ..http.connections import through_proxy, tls_context
from ..http.response_body import ENCODING, Parse, is_certificate_error, network_error, read_body
from ..http.retry import LONG_LIMITS, RETRIED_STATUSES, FailedAttempt, clock_hint
from ..http.trace import Trace
from ..output.text import shortened
from ..people_masking import PeopleMask
from .prepared_request import PreparedRequest
from .rate_limiter import Permit
from .response import Response, read_response

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
FAULT_HEADER = "x-emulator-fault"
CACHED_URLS = 32
HEADERS = {"User-Agent": f"adsctl/{__version__}", "Accept": "application/json", "Accept-Encoding": ENCODING}

_parsed_url = lru_cache(CACHED_URLS)(httpx.URL)


class _Transports(dict[tuple[bytes, bytes, bool], httpx.BaseTransport]):
    """The connections of a thread, by host: closed when the thread ends, or nobody uses them any more."""

    def __del__(self) -> None:
        with suppress(Exception):  # at the end of the process
            for transport in self.values():
                transport.close()


class ThreadConnections(threading.local):
    """One connection per thread and host: a shared pool would search all connections for each request."""

    def __init__(self, app: WsgiApp | None, tls: ssl.SSLContext) -> None:
        self._app, self._tls = app, tls
        self._transports = _Transports()

    def to(self, url: httpx.URL, *, is_stranger: bool = False) -> httpx.BaseTransport:
        """Return the connection to a host, or to the emulator in this process.

        A bare transport follows no redirect and keeps no cookie, so credentials stay with their host. A
        stranger is connected to at a public address only: PrivateHostError is raised for any other one.
        """
        host = (url.raw_scheme, url.netloc, is_stranger)
        if host not in self._transports:
            self._transports[host] = self._connect(url, is_stranger=is_stranger)
        return self._transports[host]

    def _connect(self, url: httpx.URL, *, is_stranger: bool) -> httpx.BaseTransport:
        if self._app and not is_stranger:
            return EmulatorTransport(self._app)
        from ..http.network import NetworkTransport, connect_to_public

        if is_stranger:
            return connect_to_public(url, tls_context, kind=NetworkTransport)
        return through_proxy(NetworkTransport, url, self._tls)


def http_request(prepared: PreparedRequest, timeout: float, deadline: float) -> httpx.Request:
    """Build the unsigned HTTP request; `timeout` is in seconds, `deadline` in monotonic seconds."""
    headers = dict(HEADERS)
    if prepared.content_type:
        headers["Content-Type"] = prepared.content_type
    if prepared.pieces:
        headers["Content-Length"] = str(prepared.size)
    request = httpx.Request(
        prepared.method,
        _parsed_url(prepared.url),
        headers=headers,
        content=prepared.content(),
        extensions={
            "timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout),
            "deadline": deadline,
            "new_connection": not prepared.retry,
        },
    )
    request.headers.update(prepared.headers)
    return request


class EmulatorTransport(httpx.BaseTransport):
    """Send requests to a WSGI app in this process; raise its network faults as httpx errors."""

    def __init__(self, app: WsgiApp) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Call the app."""
        own = {
            "REQUEST_URI": request.url.raw_path.decode(),  # as it was signed, before any decoding
            "ads_cli.timeout": request.extensions["timeout"]["read"],
        }
        app = httpx.WSGITransport(lambda environ, start_response: self._app(environ | own, start_response))
        response = app.handle_request(request)
        fault = response.headers.get(FAULT_HEADER)
        if fault == "reset":
            raise httpx.ReadError("connection reset by peer", request=request)
        if fault == "timeout":
            raise httpx.ReadTimeout("the emulator did not respond in time", request=request)
        if fault == "truncate":
            raise httpx.RemoteProtocolError("the response was cut off", request=request)
        return response


BAD_TIMESTAMP = 135  # with status 401: the timestamp is too far from the service's clock
WARNING_HEADER = "x-api-warn"  # sent with responses of what will be switched off


@dataclass
class Sender:
    """Signs and sends a request over a connection of the calling thread, and reads the response."""

    connections: ThreadConnections
    trace: Trace
    sign_in_hint: str
    on_warning: Callable[[str], None]
    # One warning is shown, however many responses have it.
    _warnings: threading.Semaphore = field(default_factory=threading.Semaphore)

    def send(
        self,
        prepared: PreparedRequest,
        auth: httpx.Auth,
        permit: Permit,
        *,
        timeout: float,
        max_seconds: float,
        parse: Parse,
    ) -> Response:
        """Return the response, or raise the error that it means, as a FailedAttempt if it may be retried.

        `timeout` limits each network operation and the head of the response, `max_seconds` the attempt.
        """
        started, trace = time.monotonic(), self.trace
        request = http_request(prepared, timeout, started + max_seconds)
        shown = _traced(prepared, prepared.body, prepared.size)
        trace.request(prepared.method, prepared.url, request.headers, shown)
        http_response, content = self._exchange(prepared, next(auth.auth_flow(request)))
        status = http_response.status_code
        headers = {name.lower(): value for name, value in http_response.headers.items()}
        permit.record(status, headers)
        shown = _traced(prepared, content, len(content))
        seconds = time.monotonic() - started
        trace.response(prepared.method, prepared.logged_url, status, headers, shown, seconds)
        if (warning := headers.get(WARNING_HEADER)) and self._warnings.acquire(blocking=False):
            self.on_warning(f"the service warns: {shortened(trace.mask(warning))}")
        kind = prepared.declared
        if not (kind and kind.endpoint.command.startswith("auth ")):  # whose responses are secrets
            content = trace.mask.values_in(content)
        try:
            return read_response(status, headers, content, parse)
        except AdsctlError as error:
            error.message = trace.mask(error.message)  # the service may quote what it was sent
            if prepared.sensitive:
                error.message = PeopleMask(prepared.people())(error.message)
            _raise_if_retried(error, status, headers)
            error.may_be_applied = _has_data(error.body, status)
            if isinstance(error, AccessError):
                error.hint = error.hint or self.sign_in_hint
            raise

    def _exchange(self, prepared: PreparedRequest, request: httpx.Request) -> tuple[httpx.Response, bytes]:
        """Send a signed request; return the response, and its body."""
        try:
            transport = self.connections.to(request.url, is_stranger=prepared.to_stranger)
            with closing(transport.handle_request(request)) as response:
                return response, read_body(response)
        except (httpx.TransportError, httpx.DecodingError) as error:
            not_connected = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
            described = network_error(error, prepared.url)
            if is_certificate_error(error):  # another attempt would not change that
                raise described from None
            raise FailedAttempt(described, {}, may_be_applied=not not_connected) from error
        except UnavailableError as error:  # of a body that is not read, and would be the same the next time
            error.may_be_applied = True
            raise


def _raise_if_retried(error: AdsctlError, status: int, headers: dict[str, str]) -> None:
    """Raise FailedAttempt if another attempt may succeed."""
    if error.api_code in LONG_LIMITS:
        return
    is_rate_limited = isinstance(error, RateLimitedError)
    is_unreadable = isinstance(error, UnavailableError) and 200 <= status < 300
    has_bad_timestamp = isinstance(error, AccessError) and error.api_code == BAD_TIMESTAMP
    if has_bad_timestamp:
        error.hint = clock_hint(headers)
    if is_rate_limited or is_unreadable or has_bad_timestamp or status in RETRIED_STATUSES:
        may_be_applied = not (is_rate_limited or has_bad_timestamp)
        failed = FailedAttempt(error, headers, rate_limited=is_rate_limited, may_be_applied=may_be_applied)
        raise failed from None


def _has_data(body: object, status: int) -> bool:
    """Tell whether a response means success, beside an error that it has."""
    return 200 <= status < 300 and isinstance(body, dict) and bool(body.get("data"))


def _traced(prepared: PreparedRequest, content: bytes, size: int) -> bytes:
    """Return what a trace may show of a body."""
    return b"(%d bytes, not shown)" % size if prepared.sensitive and size else content
