"""Connections of httpcore: deadlines, and plain http or hosts that a stranger names only where allowed."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

import httpx

from ..errors import StateError, UnavailableError
from ..hosts import is_address, is_loopback, require_public, require_public_name
from ..lean_imports import import_without
from .connections import proxy_of, through_proxy
from .response_body import MAX_BODY_BYTES

# What is asynchronous, HTTP/2 and SOCKS: each part with the library that it needs.
OPTIONAL = (
    *("anyio", "httpcore._backends.anyio"),
    *("trio", "httpcore._backends.trio"),
    *("httpcore._async.http2", "httpcore._sync.http2"),
    *("httpcore._async.socks_proxy", "httpcore._sync.socks_proxy"),
)

if TYPE_CHECKING:
    import httpcore
else:
    httpcore = import_without("httpcore", *OPTIONAL)


class Deadline:
    """When the operations of an attempt must have ended, in monotonic seconds.

    `--timeout` limits connecting, writing a piece of the body, the head of a response as a whole, and each
    read of its body. All of them end with the attempt, which has what is left of `--max-wait`.
    """

    def __init__(self) -> None:
        self._attempt = self._head = inf

    def start(self, ends_at: float) -> None:
        """Begin an attempt."""
        self._attempt, self._head = ends_at, inf

    def expect_head(self, timeout: float) -> None:
        """Begin to wait for a response, after something was written."""
        self._head = monotonic() + timeout

    def end_head(self) -> None:
        """Begin to read a body."""
        self._head = inf

    def left(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
        """Return the seconds that the next operation may take; raise `error` if there are none."""
        seconds = min(inf if timeout is None else timeout, min(self._attempt, self._head) - monotonic())
        if seconds <= 0:
            raise error("the response arrives too slowly")
        return seconds


KEEP_ALIVE_SECONDS = 5.0
# Bytes of a request that are sent at once: its head goes with its body. Without this, a push takes a third
# more time and CPU (medians of 15 interleaved runs of 5,000 products, to a served emulator).
HELD_BYTES = 64 * 1024

CheckAddresses = Callable[[str, list[str]], None]  # takes a host and its addresses; raises to refuse them


class _Stream(httpcore.NetworkStream):
    """A connection whose operations end in time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline
        sock = stream.get_extra_info("socket")
        self._plain_socket = None if isinstance(sock, ssl.SSLSocket) else sock
        self._held = bytearray()  # what is written and not sent yet

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._send_held(timeout)
        return self._stream.read(max_bytes, self._deadline.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        if buffer and len(self._held) + len(buffer) <= HELD_BYTES:
            self._held += buffer
            return
        self._send_held(timeout)
        if buffer:  # else it is the end of a body of known length
            self._send(buffer, timeout)

    def _send_held(self, timeout: float | None) -> None:
        if held := bytes(self._held):
            self._held.clear()
            self._send(held, timeout)

    def _send(self, buffer: bytes, timeout: float | None) -> None:
        left = self._deadline.left(timeout, httpcore.WriteTimeout)
        if self._plain_socket:
            _send(self._plain_socket, buffer, left)
        else:
            self._stream.write(buffer, left)  # TLS sends all of it within one timeout
        self._deadline.expect_head(inf if timeout is None else timeout)

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        self._deadline.end_head()  # of a proxy's response
        left = self._deadline.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> object:
        return self._stream.get_extra_info(info)


def _send(sock: socket.socket, buffer: bytes, seconds: float) -> None:
    """Send all of a buffer in time; the stream of httpcore gives each part of it the whole time-out."""
    try:
        sock.settimeout(seconds)
        sock.sendall(buffer)
    except TimeoutError as error:
        raise httpcore.WriteTimeout(str(error)) from error
    except OSError as error:
        raise httpcore.WriteError(str(error)) from error


class _Backend(httpcore.NetworkBackend):
    """Opens connections in time, to the addresses that a check lets pass.

    Hosts are given to the system as bytes: for text, Python imports a codec, a hundredth of a start.
    """

    def __init__(self, deadline: Deadline, check: CheckAddresses | None) -> None:
        self._deadline, self._check = deadline, check
        self._sockets = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        ends_at = monotonic() + self._deadline.left(timeout, httpcore.ConnectTimeout)
        addresses = resolve(host, port, ends_at - monotonic())
        if self._check:
            self._check(host, addresses)
        error: httpcore.ConnectError | httpcore.ConnectTimeout = httpcore.ConnectTimeout(host)
        for tried, address in enumerate(addresses):
            # An address that does not answer leaves time for the others.
            seconds = (ends_at - monotonic()) / (len(addresses) - tried)
            if seconds <= 0:
                break
            try:
                stream = self._sockets.connect_tcp(
                    cast(str, address.encode()), port, seconds, local_address, socket_options
                )
                return _Stream(stream, self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error


def resolve(host: str, port: int, seconds: float) -> list[str]:
    """Look up the addresses of a host, in a thread because the system's lookup has no time-out."""
    if is_address(host):
        return [host]
    from queue import Empty, SimpleQueue

    answers: SimpleQueue[list[str] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            entries = socket.getaddrinfo(host.encode(), port, type=socket.SOCK_STREAM)
            answers.put([str(sockaddr[0]) for *_, sockaddr in entries])
        except (OSError, UnicodeError) as error:
            answers.put(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        addresses = answers.get(timeout=max(seconds, 0))
    except Empty:
        raise httpcore.ConnectTimeout(f"the address of {host} was not found in time") from None
    if isinstance(addresses, Exception):
        raise httpcore.ConnectError(str(addresses)) from addresses
    return addresses


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
        self.pool = _pool(tls, proxy, _Backend(self.deadline, None if proxy else check))

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

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        with httpx_errors():
            for part in self._response.iter_stream():
                size += len(part)
                if size > MAX_BODY_BYTES:  # however little it decompresses to
                    raise UnavailableError(f"the response is larger than {MAX_BODY_BYTES:,} bytes")
                yield part

    def close(self) -> None:
        self._response.close()


def _pool(tls: ssl.SSLContext, proxy: str | None, backend: _Backend) -> httpcore.ConnectionPool:
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
