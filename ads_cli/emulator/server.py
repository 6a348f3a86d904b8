"""Serve the emulator on a loopback port, each connection in a thread of its own: HTTP/1.1 with h11."""

import re
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import unquote
from wsgiref.handlers import format_date_time

import h11

from ..errors import UsageError
from ..hosts import host_of, is_loopback, listening_address
from ..signals import NOTICE_SECONDS
from .app import Emulator
from .core.faults import HEADER
from .core.request import MAX_BODY_BYTES
from .core.responses import ApiError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

IDLE_TIMEOUT_SECONDS = 75
REQUEST_READ_TIMEOUT_SECONDS = 15.0
STREAM_WRITE_TIMEOUT_SECONDS = 30.0  # for a client that reads nothing
DRAIN_TIMEOUT_SECONDS = 1.0  # for what a client still sends when its request is refused
MAX_HEADER_BYTES = 64 * 1024
RECEIVE_BYTES = 64 * 1024
END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
CONTENT_LENGTH = re.compile(rb"^content-length:(.*)", re.IGNORECASE | re.MULTILINE)
CONTINUE = h11.InformationalResponse(status_code=100, headers=[], reason="Continue")
RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with no time to linger


class ClientConnection:
    """A connection, whose requests are read with a deadline, so that slow clients do not keep a thread."""

    def __init__(self, application: "WSGIApplication", client: socket.socket) -> None:
        self._application = application
        self._socket = client
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEADER_BYTES)
        self._read_by: float | None = None  # None until the first byte of a request
        self._head = bytearray()  # of the request, as received
        self._method = ""

    def hang_up(self, how: int = socket.SHUT_RDWR) -> None:
        """End what its thread waits for."""
        with suppress(OSError):  # it may be closed already
            self._socket.shutdown(how)

    def serve(self) -> None:
        """Respond to requests until either side hangs up."""
        with self._socket, suppress(OSError):  # the client hung up, or the server stopped
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            while self._respond_to_next():
                self._http.start_next_cycle()
                self._read_by = None

    def _respond_to_next(self) -> bool:
        """Respond to the next request; return whether another one may follow."""
        started: list[Any] = []

        def start_response(*values: Any) -> Any:
            started[:] = values

        try:
            if not (environ := self._read_request()):
                return False
            result = self._application(environ, start_response)
            if not isinstance(result, list):
                return self._send_stream(started[0], started[1], result)
            body = b"".join(result)
        except ApiError as error:
            response = error.to_response({})
            body = b"".join(response.send(start_response, without_body=self._method == "HEAD"))
        status, headers, *_ = started
        return self._send(status, headers, body)

    def _read_request(self) -> dict[str, Any] | None:
        """Read a request. Return None if there is no further one. Raise ApiError if it is invalid."""
        try:
            request = self._read_head()
            if request is None:
                return None
            headers = dict(request.headers)
            declared = int(headers.get(b"content-length", 0))
            if b"content-length" in headers and b"transfer-encoding" in headers:
                raise h11.RemoteProtocolError("it has both Content-Length and Transfer-Encoding")
            body = b"" if declared > MAX_BODY_BYTES else self._read_body()
        except TimeoutError:
            if self._read_by is None:
                return None
            raise ApiError(408, "REQUEST_TIMEOUT", "the request was not received in time") from None
        except h11.RemoteProtocolError as error:
            raise ApiError(
                error.error_status_hint, "BAD_REQUEST", f"cannot read the request: {error}"
            ) from None
        return self._environ(request, max(declared, len(body)), body)

    def _read_head(self) -> h11.Request | None:
        """Read the head of a request; return None if there is no further one."""
        self._head, self._method = bytearray(self._http.trailing_data[0]), ""
        request = self._next_event()
        if not isinstance(request, h11.Request):
            return None
        self._method = request.method.decode("latin-1")
        lengths = CONTENT_LENGTH.findall(END_OF_HEAD.split(self._head, 1)[0])
        if len(lengths) > 1 or b"," in b"".join(lengths):  # h11 takes a length that is repeated
            raise h11.RemoteProtocolError("it has more than one Content-Length")
        return request

    def _read_body(self) -> bytes:
        """Read a body, or as much of it as shows that it is too large."""
        if self._http.they_are_waiting_for_100_continue:
            self._socket.sendall(self._http.send(CONTINUE) or b"")
        body = bytearray()
        while len(body) <= MAX_BODY_BYTES and isinstance(event := self._next_event(), h11.Data):
            body += event.data
        return bytes(body)

    def _next_event(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            left = IDLE_TIMEOUT_SECONDS if self._read_by is None else self._read_by - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            received = self._socket.recv(RECEIVE_BYTES)
            self._http.receive_data(received)
            if self._http.their_state is h11.IDLE:
                self._head += received
            if self._read_by is None:
                self._read_by = time.monotonic() + REQUEST_READ_TIMEOUT_SECONDS
        return event

    def _environ(self, request: h11.Request, length: int, body: bytes) -> dict[str, Any]:
        host, port = self._socket.getsockname()[:2]
        uri = request.target.decode("latin-1")
        path, _, query = uri.partition("?")
        environ = {
            "REQUEST_METHOD": self._method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(path, "latin-1"),
            "QUERY_STRING": query,
            "REQUEST_URI": uri,
            "SERVER_NAME": host,
            "SERVER_PORT": str(port),
            "SERVER_PROTOCOL": f"HTTP/{request.http_version.decode()}",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }
        for name, value in request.headers:
            key = f"HTTP_{name.decode('latin-1').upper().replace('-', '_')}"
            text = value.decode("latin-1")
            environ[key] = f"{environ[key]}, {text}" if key in environ else text
        return environ | {"CONTENT_TYPE": environ.get("HTTP_CONTENT_TYPE", ""), "CONTENT_LENGTH": str(length)}

    def _send(self, status: str, headers: list[tuple[str, str]], body: bytes) -> bool:
        """Send a response, or break the connection as a fault demands. Return whether it stays open."""
        is_read = self._http.their_state in (h11.DONE, h11.MUST_CLOSE)
        fault = dict(headers).get(HEADER)
        head = self._head_of(status, headers, *([] if is_read else [("Connection", "close")]))
        if head is None:
            return False
        parts: list[Any] = [head, h11.Data(data=body), h11.EndOfMessage()]
        if fault == "truncate":
            parts = [head, h11.Data(data=body[: len(body) // 2])]
        self._socket.settimeout(IDLE_TIMEOUT_SECONDS)
        self._socket.sendall(b"".join(self._http.send(part) or b"" for part in parts))
        if not is_read:
            self._drain()
        return self._http.our_state is h11.DONE

    def _head_of(
        self, status: str, headers: list[tuple[str, str]], *others: tuple[str, str]
    ) -> h11.Response | None:
        """Return the head of a response; None where a fault resets the connection."""
        own = dict(headers)
        if own.pop(HEADER, None) == "reset":
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            return None
        date = [] if "Date" in own else [("Date", format_date_time(time.time()))]
        sent = [*(pair for pair in headers if pair[0] != HEADER), *date, *others]
        pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent]
        return h11.Response(status_code=int(status[:3]), reason=status[4:], headers=pairs)

    def _send_stream(self, status: str, headers: list[tuple[str, str]], stream: Iterable[bytes]) -> bool:
        """Send a body whose length is not known, until it ends or the client hangs up."""
        fault = dict(headers).get(HEADER)
        head = self._head_of(status, headers, ("Transfer-Encoding", "chunked"), ("Connection", "close"))
        if head is None:
            return False
        with closing(cast("Generator[bytes]", stream)) as chunks:
            self._socket.settimeout(STREAM_WRITE_TIMEOUT_SECONDS)
            self._socket.sendall(self._http.send(head) or b"")
            for chunk in chunks:
                if chunk:
                    self._socket.sendall(self._http.send(h11.Data(data=chunk)) or b"")
                    if fault == "truncate":
                        return False
                elif self._is_hung_up():
                    return False
            self._socket.sendall(self._http.send(h11.EndOfMessage()) or b"")
        return False

    def _is_hung_up(self) -> bool:
        """Tell whether the client has closed the connection; what else it sends is not read."""
        readable, _, _ = select.select([self._socket], [], [], 0)
        return bool(readable) and not self._socket.recv(RECEIVE_BYTES, socket.MSG_PEEK)

    def _drain(self) -> None:
        """Read on for a moment: closed at once, the connection would be reset before the response is read."""
        self._socket.shutdown(socket.SHUT_WR)
        ends_at = time.monotonic() + DRAIN_TIMEOUT_SECONDS
        while (left := ends_at - time.monotonic()) > 0:
            self._socket.settimeout(left)
            if not self._socket.recv(RECEIVE_BYTES):
                return


CONNECTION = "emulator connection"  # the name of its thread
BACKLOG = 128
SHUTDOWN_TIMEOUT_SECONDS = 0.5  # for requests in flight
ACCEPT_TIMEOUT_SECONDS = 5.0  # a stop takes at most this long to be noticed
ACCEPT_RETRY_SECONDS = 0.1


class Server:
    """A server that listens from the start; its threads hold up no end of the program."""

    def __init__(self, application: "WSGIApplication", host: str, port: int) -> None:
        self._application = application
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self._threads: dict[ClientConnection, threading.Thread] = {}
        self._is_stopping = False
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def start(self) -> None:
        """Accept connections in a thread of its own, until `stop` is called."""
        self._thread.start()

    def _accept(self) -> None:
        self._listener.settimeout(ACCEPT_TIMEOUT_SECONDS)
        with self._listener:
            while not self._is_stopping:
                try:
                    client, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError:  # no descriptor is left for a connection
                    time.sleep(ACCEPT_RETRY_SECONDS)
                    continue
                connection = ClientConnection(self._application, client)
                thread = threading.Thread(target=self._run, args=(connection,), name=CONNECTION, daemon=True)
                self._threads[connection] = thread
                thread.start()

    def _run(self, connection: ClientConnection) -> None:
        try:
            connection.serve()
        finally:
            del self._threads[connection]

    def stop(self) -> None:
        """Stop listening; give the requests in flight a moment, then close their connections."""
        self._is_stopping = True
        with suppress(OSError):  # wakes the thread that accepts connections
            socket.create_connection(self.address, SHUTDOWN_TIMEOUT_SECONDS).close()
        self._thread.join()
        ends_at = time.monotonic() + SHUTDOWN_TIMEOUT_SECONDS
        for how in (socket.SHUT_RD, socket.SHUT_RDWR):  # the first one ends what waits for a request
            for connection in [*self._threads]:
                connection.hang_up(how)
            for thread in [*self._threads.values()]:
                thread.join(max(ends_at - time.monotonic(), 0))


def _for_local_hosts(emulator: Emulator) -> "WSGIApplication":
    """Reject requests for other hosts, which protects against DNS rebinding."""

    def application(environ: dict[str, Any], start_response: "StartResponse") -> Iterable[bytes]:
        host = environ.get("HTTP_HOST", "")
        if not _is_local(host):
            raise ApiError(403, "FORBIDDEN", f"the Host header {host!r} is not a loopback address")
        return emulator(environ, start_response)

    return application


def _is_local(host: str) -> bool:
    try:
        return is_loopback(host_of(host))
    except ValueError:
        return False


def _listen(emulator: Emulator, host: str, port: int) -> Server:
    """Return a server that listens; raise UsageError if it cannot."""
    if not is_loopback(host):
        raise UsageError(
            f"{host} is not a loopback address; the emulator listens on loopback only",
            hint="use 127.0.0.1, ::1 or localhost",
        )
    try:
        return Server(_for_local_hosts(emulator), listening_address(host), port)
    except OSError as error:
        raise UsageError(
            f"cannot listen on {host} port {port}: {error}", hint="choose another port"
        ) from None


def _address(server: Server) -> str:
    host, port = server.address
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def running(emulator: Emulator, port: int = 0, *, host: str = "127.0.0.1") -> Iterator[str]:
    """Serve in a background thread during the block, which receives the address."""
    server = _listen(emulator, host, port)
    server.start()
    try:
        yield _address(server)
    finally:
        server.stop()


def serve(
    emulator: Emulator, host: str = "127.0.0.1", port: int = 0, *, on_ready: Callable[[str], None]
) -> None:
    """Serve until interrupted; call `on_ready` with the address once connections are accepted.

    This thread only waits, so that the exception of a signal is never raised inside the server.
    """
    with running(emulator, port, host=host) as address:
        on_ready(address)
        while True:
            time.sleep(NOTICE_SECONDS)
