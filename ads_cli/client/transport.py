"""The wire: connections for each thread, or the emulator in this process."""

import ssl
import sys
import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from io import BytesIO
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx

from .. import __version__
from ..errors import StateError
from .prepared_request import PreparedRequest
from .response_body import CODING

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
FAULT = "x-emulator-fault"
SAME = 32  # addresses that are taken apart once
ONE = httpx.Limits(max_connections=1, max_keepalive_connections=1)
HEADERS = {
    "User-Agent": f"adsctl/{__version__}",
    "Accept": "application/json",
    "Accept-Encoding": CODING,
}

_url = lru_cache(SAME)(httpx.URL)


class Connections(threading.local):
    """A connection of each thread to each host: one pool for all looks at every one for each request."""

    def __init__(self, app: WsgiApp | None, tls: ssl.SSLContext) -> None:
        self._app = app
        self._tls = tls
        self._to: dict[bytes, httpx.BaseTransport] = {}

    def to(self, url: httpx.URL) -> httpx.BaseTransport:
        """Give the connection to a host, or to the emulator in this process.

        A transport alone follows no redirect and keeps no cookie, so that no credential is sent after one.
        """
        place = url.raw_scheme + url.netloc
        if place not in self._to:
            self._to[place] = EmulatorTransport(self._app) if self._app else _connection(url, self._tls)
        return self._to[place]


def request_of(prepared: PreparedRequest, timeout: float) -> httpx.Request:
    """Make the request that is sent, but for the proof of who sends it; `timeout` is in seconds."""
    headers = dict(HEADERS)
    if prepared.content_type:
        headers["Content-Type"] = prepared.content_type
    if prepared.pieces:
        headers["Content-Length"] = str(prepared.size)
    request = httpx.Request(
        prepared.method,
        _url(prepared.url),
        headers=headers,
        content=prepared.content(),
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)},
    )
    request.headers.update(prepared.headers)
    return request


def _connection(url: httpx.URL, tls: ssl.SSLContext) -> httpx.BaseTransport:
    """Connect to a host, through a proxy where the environment names one for it."""
    try:
        return httpx.HTTPTransport(verify=tls, limits=ONE, proxy=_proxy(url))
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise StateError(
            f"a proxy that the environment names cannot be used: {error}",
            hint="HTTPS_PROXY and ALL_PROXY take an address as in http://proxy.example:3128",
        ) from None


def _proxy(url: httpx.URL) -> str | None:
    """Name the proxy; plain http is for this machine alone, and no proxy may see it."""
    named = getproxies()
    proxy = named.get("https") or named.get("all")
    if url.scheme == "http" or not proxy or proxy_bypass(url.host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def tls_context(secure: bool) -> ssl.SSLContext:
    """Trust the system's certificates (SSL_CERT_FILE respected), from TLS 1.2 on.

    Where every address is loopback http, none are loaded, and none would be trusted.
    """
    context = ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class EmulatorTransport(httpx.BaseTransport):
    """Carry requests to a WSGI app in this process; faults of the network become httpx's own errors."""

    def __init__(self, app: WsgiApp) -> None:
        self._app = app

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Call the app and make its answer a response."""
        content = request.read()
        environ = {
            "REQUEST_METHOD": request.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": request.url.path,
            "QUERY_STRING": request.url.query.decode(),
            "REQUEST_URI": request.url.raw_path.decode(),
            "SERVER_NAME": request.url.host,
            "SERVER_PORT": str(request.url.port or 80),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_LENGTH": str(len(content)),
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": request.url.scheme,
            "wsgi.input": BytesIO(content),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
            "ads_cli.timeout": request.extensions["timeout"]["read"],
        }
        environ |= {f"HTTP_{k.upper().replace('-', '_')}": v for k, v in request.headers.items()}
        started: list[Any] = []
        chunks = self._app(environ, lambda status, headers, exc=None: started.extend((status, headers)))
        body = b"".join(chunks)
        status, headers = int(started[0].split()[0]), dict(started[1])
        fault = next((v for k, v in headers.items() if k.lower() == FAULT), None)
        if fault == "reset":
            raise httpx.ReadError("connection reset by peer", request=request)
        if fault == "timeout":
            raise httpx.ReadTimeout("the emulator did not answer in time", request=request)
        if fault == "truncate":
            raise httpx.RemoteProtocolError("the answer was cut off", request=request)
        return httpx.Response(status, headers=headers, content=body, request=request)
