"""Serve the emulator on a loopback port, each connection in a thread of its own."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..errors import UsageError
from ..hosts import is_loopback, listening_address
from .app import Emulator
from .connection import ClientConnection
from .core.responses import ApiError

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication

CONNECTION = "emulator connection"  # the name of its thread
MAX_CONNECTIONS = 1000
BACKLOG = 128
SHUTDOWN_TIMEOUT_SECONDS = 0.5  # for requests in flight
ACCEPT_TIMEOUT_SECONDS = 5.0  # a stop takes at most this long to be noticed
ACCEPT_RETRY_SECONDS = 0.1  # after which a connection that was hung up on has ended
SIGNAL_INTERVAL_SECONDS = 0.1  # a signal takes at most this long to be noticed


class Server:
    """A server that listens from the start; its threads hold up no end of the program."""

    def __init__(self, application: "WSGIApplication", host: str, port: int) -> None:
        self._application = application
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self._free = threading.Semaphore(MAX_CONNECTIONS)
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
                    self._hang_up_on_slowest()
                    time.sleep(ACCEPT_RETRY_SECONDS)
                    continue
                self._make_room()
                connection = ClientConnection(self._application, client)
                thread = threading.Thread(target=self._run, args=(connection,), name=CONNECTION, daemon=True)
                self._threads[connection] = thread
                thread.start()

    def _make_room(self) -> None:
        """Take a place for a connection; where all are taken, slow clients lose theirs."""
        is_free = self._free.acquire(blocking=False)
        while not is_free:
            self._hang_up_on_slowest()
            is_free = self._free.acquire(timeout=ACCEPT_RETRY_SECONDS)

    def _hang_up_on_slowest(self) -> None:
        """Hang up on the client that has kept its connection waiting longest."""
        waiting = [(each.waiting_since, each) for each in [*self._threads]]
        since = [(at, each) for at, each in waiting if at is not None]
        if since:
            min(since, key=lambda one: one[0])[1].hang_up()

    def _run(self, connection: ClientConnection) -> None:
        try:
            connection.serve()
        finally:
            del self._threads[connection]
            self._free.release()

    def stop(self) -> None:
        """Stop listening; give the requests in flight a moment, then close their connections."""
        self._is_stopping = True
        self._free.release()
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

    def application(environ: dict[str, Any], start_response: "StartResponse") -> list[bytes]:
        host = environ.get("HTTP_HOST", "")
        if not _is_local(host):
            raise ApiError(403, "FORBIDDEN", f"the Host header {host!r} is not a loopback address")
        return emulator(environ, start_response)

    return application


def _is_local(host: str) -> bool:
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
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

    This thread only waits, so that the exception of a signal is never raised inside the server. It waits in
    short steps: Python does not notice a signal that comes right before a wait until that wait ends.
    """
    with running(emulator, port, host=host) as address:
        on_ready(address)
        while True:
            time.sleep(SIGNAL_INTERVAL_SECONDS)
