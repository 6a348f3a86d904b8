"""Streams of httpcore whose operations end in time, to the addresses that are allowed."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, cast

from ..hosts import is_address
from ..lean_imports import import_without

# What is asynchronous, HTTP/2 and SOCKS: each part with the library that it needs.
OPTIONAL = (
    *("anyio", "httpcore._backends.anyio"),
    *("trio", "httpcore._backends.trio"),
    *("httpcore._async.http2", "httpcore._sync.http2"),
    *("httpcore._async.socks_proxy", "httpcore._sync.socks_proxy"),
)

if TYPE_CHECKING:
    import httpcore as httpcore  # for other modules too
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


class TimedBackend(httpcore.NetworkBackend):
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
        """Connect to the first address of a host that answers."""
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
