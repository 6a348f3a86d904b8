"""The emulator behind a socket: loopback only, with faults of the network made on the connection itself."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cheroot.server import HTTPConnection
from cheroot.wsgi import Gateway_10, Server

from ..errors import UsageError
from ..loopback import is_loopback
from .app import Emulator
from .core.faults import HEADER
from .core.incoming import MOST_BYTES
from .core.responses import ApiError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

THREADS = 32  # as many requests at once; idle connections take none
IDLE_SECONDS = 75  # how long a connection is kept without a request
STOP_SECONDS = 2
REQUEST_SECONDS = 15.0  # how long a request may keep a thread waiting for its bytes
MOST_HEADER_BYTES = 64 * 1024


class _Hurried(socket.SocketIO):
    """Reads from a client for so many seconds a request, however the bytes drip in."""

    waited = 0.0

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection, "rb")
        self._connection = connection

    def readinto(self, buffer: Any) -> int | None:
        begun = time.monotonic()
        self._connection.settimeout(max(REQUEST_SECONDS - self.waited, 0.001))
        try:
            return super().readinto(buffer)
        finally:
            self.waited += time.monotonic() - begun
            self._connection.settimeout(IDLE_SECONDS)


class _Connection(HTTPConnection):
    """Gives every request its seconds."""

    def __init__(self, server: Any, sock: Any, makefile: Any = None) -> None:
        super().__init__(server, sock)
        self._hurried = self.rfile._raw = _Hurried(sock)

    def communicate(self) -> bool:
        """Read a request and answer it; tell whether the connection is kept."""
        self._hurried.waited = 0.0
        return bool(super().communicate())  # type: ignore[no-untyped-call]


class _Gateway(Gateway_10):
    """Hands requests to the emulator, and breaks the connections that a fault asks for."""

    fault = ""

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        """Keep the mark of a fault to ourselves."""
        self.fault = dict(headers).get(HEADER, "")
        sent = [header for header in headers if header[0] != HEADER]
        return super().start_response(status, sent, exc_info)

    def write(self, chunk: bytes) -> None:
        """Send an answer, half of it, or nothing at all."""
        if self.fault == "reset":
            self._reset()
            return
        if self.fault == "truncate":
            self.req.close_connection = True
            chunk = chunk[: len(chunk) // 2]
        super().write(chunk)

    def _reset(self) -> None:
        """Drop the connection: with nothing left to linger for, closing sends a reset."""
        self.env["wsgi.input"].read()  # or the client would fail in other ways, while it is still sending
        connection = self.req.conn
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
        connection.linger = True  # or cheroot would shut down what is closed already
        self.req.close_connection = self.req.sent_headers = True


def _local_only(emulator: Emulator) -> Callable[..., list[bytes]]:
    """Refuse a Host that is not this machine: no web page reaches the emulator by a name of its own."""

    def guarded(environ: dict[str, Any], start_response: "StartResponse") -> list[bytes]:
        host = environ.get("HTTP_HOST", "")
        if _is_local(host):
            return emulator(environ, start_response)
        refusal = ApiError(403, "FORBIDDEN", f"the emulator answers to this machine only, not as {host!r}")
        return refusal.plain({}).send(start_response)

    return guarded


def _is_local(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def _prepared(emulator: Emulator, host: str, port: int) -> Server:
    if not is_loopback(host):
        raise UsageError(
            f"{host} is not this machine; the emulator listens on loopback only",
            hint="use 127.0.0.1, ::1 or localhost",
        )
    server = Server(
        (host, port),
        _local_only(emulator),
        numthreads=THREADS,
        request_queue_size=128,
        timeout=IDLE_SECONDS,
        shutdown_timeout=STOP_SECONDS,
    )
    server.gateway = _Gateway
    server.ConnectionClass = _Connection
    server.max_request_header_size = MOST_HEADER_BYTES
    server.max_request_body_size = 4 * MOST_BYTES  # up to here the refusal has the service's words
    server.keep_alive_conn_limit = 1000
    server.expiration_interval = 0.1  # how long stopping waits for the selector
    try:
        server.prepare()
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error}", hint="choose another port"
        ) from None
    return server


def _address(server: Server) -> str:
    host, port = server.bind_addr[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    emulator: Emulator, host: str = "127.0.0.1", port: int = 0, *, ready: Callable[[str], None]
) -> None:
    """Serve until interrupted; `ready` is called with the address once requests are taken."""
    server = _prepared(emulator, host, port)
    try:
        ready(_address(server))
        server.serve()
    finally:
        server.stop()


@contextmanager
def running(emulator: Emulator, port: int = 0) -> Iterator[str]:
    """Serve in the background for the length of a block, and give the address."""
    server = _prepared(emulator, "127.0.0.1", port)
    thread = threading.Thread(target=server.serve, name="emulator", daemon=True)
    thread.start()
    try:
        yield _address(server)
    finally:
        server.stop()
        thread.join()
