"""Connections of each thread, and the transport to the emulator in this process."""

import ssl
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import httpx

from .. import __version__
from ..http.response_body import ENCODING
from .prepared_request import PreparedRequest

if TYPE_CHECKING:
    from ..http.network import NetworkTransport

    T = TypeVar("T", bound=NetworkTransport)

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
FAULT_HEADER = "x-emulator-fault"
CACHED_URLS = 32
HEADERS = {"User-Agent": f"adsctl/{__version__}", "Accept": "application/json", "Accept-Encoding": ENCODING}

_parsed_url = lru_cache(CACHED_URLS)(httpx.URL)


class ThreadConnections(threading.local):
    """One connection per thread and host: a shared pool would search all connections for each request."""

    def __init__(
        self,
        app: WsgiApp | None,
        tls: ssl.SSLContext,
        connect_to_stranger: Callable[[httpx.URL], httpx.BaseTransport],
    ) -> None:
        self._app = app
        self._tls = tls
        self._connect_to_stranger = connect_to_stranger
        self._transports: dict[tuple[bytes, bytes, bool], httpx.BaseTransport] = {}

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
        if is_stranger:
            return self._connect_to_stranger(url)
        if self._app:
            return EmulatorTransport(self._app)
        from ..http.network import connect

        return connect(url, self._tls)


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
