"""The wire: an HTTP client for each thread, or the emulator in this process."""

import ssl
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from io import BytesIO
from typing import Any

import httpx

from .. import __version__
from ..errors import StateError
from .receive import CODING

WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
FAULT = "x-emulator-fault"
SAME = 32  # addresses that are taken apart once
url_of = lru_cache(SAME)(httpx.URL)


def open_http(app: WsgiApp | None, tls: ssl.SSLContext) -> httpx.Client:
    """Open an HTTP client with one connection; with `app`, requests go to the emulator in this process.

    Redirects are never followed, so that no credential is sent after one.
    """
    limits = httpx.Limits(max_connections=1, max_keepalive_connections=1)
    headers = {
        "User-Agent": f"adsctl/{__version__}",
        "Accept": "application/json",
        "Accept-Encoding": CODING,
    }
    try:
        return httpx.Client(
            limits=limits,
            headers=headers,
            follow_redirects=False,
            verify=tls,
            transport=EmulatorTransport(app) if app else None,
            # Plain http is for this machine alone, and no proxy of the environment may see it.
            mounts=None if app else {"http://": httpx.HTTPTransport(limits=limits, verify=tls)},
        )
    except (ValueError, ImportError, httpx.InvalidURL) as error:
        raise StateError(
            f"a proxy that the environment names cannot be used: {error}",
            hint="HTTPS_PROXY and ALL_PROXY take an address as in http://proxy.example:3128",
        ) from None


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
