"""Connections of httpcore: deadlines, and plain http or hosts that a stranger names only where allowed."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from typing import Any, TypeVar

import httpx

from ..errors import StateError, UnavailableError
from ..hosts import is_loopback, require_public, require_public_name
from .connections import proxy_of, through_proxy
from .response_body import MAX_BODY_BYTES
from .timed_streams import CheckAddresses, Deadline, TimedBackend, httpcore, resolve

KEEP_ALIVE_SECONDS = 5.0


def _require_loopback(host: str, addresses: list[str]) -> None:
    """Refuse to send anything unencrypted to another machine, to which a hosts file may map any name."""
    for address in addresses:
        if not is_loopback(address):
            raise StateError(
                f"{host} is {address}, which is not this machine; nothing was sent",
                hint=f"use an https address, or correct {host} in the hosts file",
            )


class NetworkTransport(httpx.BaseTransport):
    """One connection to a host, kept alive, for one thread.

    The request's extensions have the time-out of each operation, and in `deadline` the end of the attempt.
    `new_connection` says whether the request needs a connection of its own, so that no late response to
    another one can be taken as its response. Plain http connects to this machine only, unless `check` says
    which addresses of a host are allowed. It is not asked about a proxy.
    """

    def __init__(
        self, url: httpx.URL, tls: ssl.SSLContext, proxy: str | None, check: CheckAddresses | None = None
    ) -> None:
        self.deadline = Deadline()
        if check is None and url.scheme == "http":
            check = _require_loopback
        self.pool = _pool(tls, proxy, TimedBackend(self.deadline, None if proxy else check))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and return the response as soon as its head is there."""
        self.deadline.start(request.extensions["deadline"])
        if request.extensions.get("new_connection") or _has_leftover(self.pool):
            self.pool.close()
        with httpx_errors():
            response = self.pool.handle_request(
                httpcore.Request(
                    request.method,
                    httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        self.deadline.end_head()
        return httpx.Response(response.status, headers=response.headers, stream=self.body(response))

    def body(self, response: httpcore.Response) -> httpx.SyncByteStream:
        """Return what reads the body of a response."""
        return _Body(response)

    def close(self) -> None:
        """Close the connection."""
        self.pool.close()


def _has_leftover(pool: httpcore.ConnectionPool) -> bool:
    """Tell whether bytes followed the last response, which would be read as the next one."""
    return any(leftover(connection) != b"" for connection in pool.connections)


def innermost(connection: Any) -> Any:
    """Return the connection below those of a pool, a proxy and a tunnel, which httpcore keeps to itself."""
    while inner := getattr(connection, "_connection", None):
        connection = inner
    return connection


def leftover(connection: Any) -> bytes | None:
    """Return what a connection has received that belongs to no response; None where it cannot be known."""
    state = getattr(innermost(connection), "_h11_state", None)
    return None if state is None else bytes(state.trailing_data[0])


class _Body(httpx.SyncByteStream):
    """The body of a response as it arrives, compressed or not."""

    def __init__(self, response: httpcore.Response, max_bytes: float = MAX_BODY_BYTES) -> None:
        self._response, self._max_bytes = response, max_bytes

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with httpx_errors():
            for part in self._response.iter_stream():
                size += len(part)
                if size > self._max_bytes:  # however little it decompresses to
                    raise UnavailableError(f"the response is larger than {self._max_bytes:,} bytes")
                yield part

    def close(self) -> None:
        self._response.close()


def _pool(tls: ssl.SSLContext, proxy: str | None, backend: TimedBackend) -> httpcore.ConnectionPool:
    options: dict[str, Any] = {
        "ssl_context": tls,
        "max_connections": 1,
        "keepalive_expiry": KEEP_ALIVE_SECONDS,
        "network_backend": backend,
    }
    if proxy is None:
        return httpcore.ConnectionPool(**options)
    parsed = httpx.Proxy(proxy)  # raises ValueError for schemes that are not those of proxies
    if parsed.url.scheme.startswith("socks"):
        raise ValueError(f"{parsed.url.scheme} is not supported")
    return httpcore.HTTPProxy(str(parsed.url), proxy_auth=parsed.raw_auth, **options)


@contextmanager
def httpx_errors() -> Iterator[None]:
    """Raise the errors of httpcore as those of httpx, which have the same names."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raise getattr(httpx, type(error).__name__)(str(error)) from error


MAX_LOOKUP_SECONDS = 5.0  # of a name that is looked up only to be refused


Connected = TypeVar("Connected", bound=NetworkTransport)


def connect_to_public(
    url: httpx.URL,
    tls: Callable[[bool], ssl.SSLContext],
    *,
    allow_private: bool = False,
    kind: type[Connected],
) -> Connected:
    """Make a connection, without sending. Raise PrivateHostError, here or at the first request.

    `tls` is asked for certificates if the host or its proxy needs them, since loading them takes 20 ms.
    """
    proxy = proxy_of(url)  # once, since all variables of the environment are searched
    if proxy and not allow_private:
        _require_public_to_proxy(url)
    is_secure = url.scheme == "https" or (proxy or "").lower().startswith("https:")
    transport = partial(kind, check=_any_address if allow_private else require_public)
    return through_proxy(transport, url, tls(is_secure), lambda url: proxy)


def _any_address(host: str, addresses: list[str]) -> None:
    """Let every address pass."""


def _require_public_to_proxy(url: httpx.URL) -> None:
    """Raise PrivateHostError for a host that a proxy may read as another one, or that is private here."""
    host = url.raw_host.decode("ascii")
    require_public_name(host)
    try:
        addresses = resolve(host, url.port or 0, MAX_LOOKUP_SECONDS)
    except (httpcore.ConnectError, httpcore.ConnectTimeout):
        return  # a proxy may know names that others do not
    require_public(host, addresses)


class StreamTransport(NetworkTransport):
    """A connection for a response that does not end."""

    def body(self, response: httpcore.Response) -> httpx.SyncByteStream:
        """Return what reads the body, however long it is."""
        return _Body(response, max_bytes=inf)

    def hang_up(self) -> None:
        """End what another thread reads."""
        for connection in self.pool.connections:
            stream = getattr(innermost(connection), "_network_stream", None)
            sock = stream and stream.get_extra_info("socket")
            if sock:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)


MAX_SECONDS_TO_CLOSE = 1.0  # of a server that was asked to close the connection


class DownloadTransport(NetworkTransport):
    """A connection for one request with `Connection: close`."""

    def body(self, response: httpcore.Response) -> httpx.SyncByteStream:
        """Return what reads the body and the end of the connection."""
        return _WholeBody(response, self.pool.connections[0])

    def extend_deadline(self, ends_at: float) -> None:
        """Let the reading of a body go on until `ends_at`, in monotonic seconds."""
        self.deadline.start(ends_at)


class _WholeBody(_Body):
    """The body of a response; raise RemoteProtocolError where the server sends more than it states.

    Who counts characters where bytes are to be counted states too little, and the end would be missing.
    """

    def __init__(self, response: httpcore.Response, connection: Any) -> None:
        super().__init__(response)
        self._connection = innermost(connection)

    def __iter__(self) -> Iterator[bytes]:
        with httpx_errors():
            yield from self._response.iter_stream()
            if self._has_length and self._sends_more():
                raise httpcore.RemoteProtocolError("it sends more than the Content-Length that it states")

    @property
    def _has_length(self) -> bool:
        return any(name.lower() == b"content-length" for name, _ in self._response.headers)

    def _sends_more(self) -> bool:
        """Look at what was received, and wait for the end of the connection."""
        if leftover(self._connection):
            return True
        try:
            return bool(self._connection._network_stream.read(1, MAX_SECONDS_TO_CLOSE))
        except (httpcore.TimeoutException, httpcore.NetworkError):
            return False
