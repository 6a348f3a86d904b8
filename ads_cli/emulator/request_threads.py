"""Threads that serve requests: as many as there are requests in flight, and none that a stop waits for."""

import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from socket import SHUT_RDWR
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cheroot.server import HTTPConnection, HTTPServer

MAX_THREADS = 256


class RequestThreads:
    """The thread pool of a server, with the interface of cheroot's.

    A pool of a fixed size would be held up by as many slow clients. These threads are daemons, because a
    request that waits for its client or for a fault's latency must not hold up the end of the program.
    """

    def __init__(self, server: "HTTPServer") -> None:
        self._server = server
        self._queue: SimpleQueue[HTTPConnection | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)  # threads that wait for a connection
        self._threads: list[threading.Thread] = []
        self._served: set[HTTPConnection] = set()

    def start(self) -> None:
        """Do nothing: threads start when they are needed."""

    def put(self, connection: "HTTPConnection") -> None:
        """Serve the next request of a connection."""
        if not self._idle.acquire(blocking=False) and len(self._threads) < MAX_THREADS:
            thread = threading.Thread(target=self._run, name="emulator request", daemon=True)
            self._threads.append(thread)
            thread.start()
        self._queue.put(connection)

    def stop(self, timeout: float) -> None:
        """Wait for the requests in flight at most `timeout` seconds, then close their connections."""
        ends_at = time.monotonic() + timeout
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(max(ends_at - time.monotonic(), 0))
        for connection in tuple(self._served):
            with suppress(OSError):  # it may be closed already
                connection.socket.shutdown(SHUT_RDWR)

    def _run(self) -> None:
        while connection := self._queue.get():
            self._served.add(connection)
            try:
                self._serve(connection)
            finally:
                self._served.discard(connection)
                self._idle.release()

    def _serve(self, connection: "HTTPConnection") -> None:
        """Serve one request; the server waits for the next one of the connection."""
        try:
            if connection.communicate():  # type: ignore[no-untyped-call]
                self._server.put_conn(connection)
                return
        except (OSError, ValueError):
            pass  # the client hung up, or the server stopped
        connection.close()
