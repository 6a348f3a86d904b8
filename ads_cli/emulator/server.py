"""Serve the emulator on a loopback port; faults of the network happen on the connection itself."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from cheroot.connections import ConnectionManager
from cheroot.server import HTTPConnection
from cheroot.wsgi import Gateway_10, Server

from ..errors import UsageError
from ..loopback import is_loopback, listening_address
from .app import Emulator
from .core.errors import ApiError
from .core.faults import HEADER
from .core.incoming_request import MAX_BODY_BYTES
from .request_threads import RequestThreads

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

MAX_KEEP_ALIVE_CONNECTIONS = 1000
IDLE_TIMEOUT_SECONDS = 75
SHUTDOWN_TIMEOUT_SECONDS = 0.5  # for requests in flight
REQUEST_READ_TIMEOUT_SECONDS = 15.0
SELECTOR_INTERVAL_SECONDS = 0.1  # between searches for idle connections
SIGNAL_INTERVAL_SECONDS = 0.1  # a signal takes at most this long to be noticed
MAX_HEADER_BYTES = 64 * 1024


class _DeadlineReader(socket.SocketIO):
    """Limit the total time spent reading a request, so that slow clients do not occupy a thread."""

    seconds_spent = 0.0

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection, "rb")
        self._connection = connection

    def readinto(self, buffer: Any) -> int | None:
        started_at = time.monotonic()
        self._connection.settimeout(max(REQUEST_READ_TIMEOUT_SECONDS - self.seconds_spent, 0.001))
        try:
            return super().readinto(buffer)
        finally:
            self.seconds_spent += time.monotonic() - started_at
            self._connection.settimeout(IDLE_TIMEOUT_SECONDS)


class _Connection(HTTPConnection):
    """A connection whose requests are read with a deadline."""

    def __init__(self, server: Any, sock: Any, makefile: Any = None) -> None:
        super().__init__(server, sock)
        self._reader = self.rfile._raw = _DeadlineReader(sock)

    def communicate(self) -> bool:
        """Handle one request; return whether the connection stays open."""
        self._reader.seconds_spent = 0.0
        return bool(super().communicate())  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Close it; what a client that hung up was not sent, a finalizer would write to the closed socket."""
        super().close()
        self.wfile.raw.close()


class _Connections(ConnectionManager):
    """Connections whose selector is woken by a stop, which it would notice up to an interval later."""

    def stop(self) -> None:
        """Stop the selector's loop."""
        self._stop_requested = True
        with suppress(OSError), socket.create_connection(self.server.bind_addr[:2], SHUTDOWN_TIMEOUT_SECONDS):
            super().stop()


class _Server(Server):
    """A server in which a connection takes a thread only when there is something to read."""

    def prepare(self) -> None:
        """Listen."""
        super().prepare()
        self._connections.close()
        self._connections: ConnectionManager = _Connections(self)

    def process_conn(self, conn: HTTPConnection) -> None:
        """Serve the next request of a connection; wait for the first one as for every further one."""
        if conn.last_used is None:
            self.put_conn(conn)
        else:
            super().process_conn(conn)


class _Gateway(Gateway_10):
    """Pass requests to the emulator, and break connections as faults demand."""

    fault = ""

    def start_response(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        """Remove the fault header, which is internal."""
        self.fault = dict(headers).get(HEADER, "")
        sent = [header for header in headers if header[0] != HEADER]
        return super().start_response(status, sent, exc_info)

    def write(self, chunk: bytes) -> None:
        """Send the body, half of it, or reset the connection."""
        if self.fault == "reset":
            self._reset()
            return
        if self.fault == "truncate":
            self.req.close_connection = True
            chunk = chunk[: len(chunk) // 2]
        super().write(chunk)

    def _reset(self) -> None:
        """Reset the connection: closing with a linger time of 0 sends RST."""
        self.env["wsgi.input"].read()  # a client that is still sending would see another error
        connection = self.req.conn
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
        connection.linger = True  # stops cheroot from shutting down the closed socket
        self.req.close_connection = self.req.sent_headers = True


def _require_local_host(emulator: Emulator) -> Callable[..., list[bytes]]:
    """Reject requests for other hosts, which protects against DNS rebinding."""

    def application(environ: dict[str, Any], start_response: "StartResponse") -> list[bytes]:
        host = environ.get("HTTP_HOST", "")
        if _is_local(host):
            return emulator(environ, start_response)
        error = ApiError(403, "FORBIDDEN", f"the Host header {host!r} is not a loopback address")
        return error.to_response({}).send(start_response)

    return application


def _is_local(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def build_server(emulator: Emulator, host: str, port: int) -> Server:
    """Return a server that listens but does not serve yet; raise UsageError if it cannot listen."""
    if not is_loopback(host):
        raise UsageError(
            f"{host} is not a loopback address; the emulator listens on loopback only",
            hint="use 127.0.0.1, ::1 or localhost",
        )
    server = _Server(
        (listening_address(host), port),
        _require_local_host(emulator),
        request_queue_size=128,
        timeout=IDLE_TIMEOUT_SECONDS,
    )
    server.requests = RequestThreads(server)
    server.shutdown_timeout = SHUTDOWN_TIMEOUT_SECONDS
    server.gateway = _Gateway
    server.ConnectionClass = _Connection
    server.max_request_header_size = MAX_HEADER_BYTES
    server.max_request_body_size = 4 * MAX_BODY_BYTES  # below this the emulator itself responds with 413
    server.keep_alive_conn_limit = MAX_KEEP_ALIVE_CONNECTIONS
    server.expiration_interval = SELECTOR_INTERVAL_SECONDS
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


@contextmanager
def running(emulator: Emulator, port: int = 0, *, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve in a background thread during the block, which receives the address."""
    server = build_server(emulator, host, port)
    thread = threading.Thread(target=server.serve, name="emulator", daemon=True)
    thread.start()
    try:
        yield _address(server)
    finally:
        server.stop()
        thread.join()


def serve(
    emulator: Emulator, host: str = "127.0.0.1", port: int = 0, *, on_ready: Callable[[str], None]
) -> None:
    """Serve until interrupted; call `on_ready` with the address once connections are accepted.

    This thread only waits, so that the exception of a signal is never raised inside the server. It waits in
    short steps: Python does not notice a signal that comes right before a wait until that wait ends.
    """
    with running(emulator, port, host=host) as address:
        on_ready(address)
        while True:
            time.sleep(SIGNAL_INTERVAL_SECONDS)
