"""A TCP server whose connections a test handles itself."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class RawService:
    """A TCP server that gives each connection to a function, in a thread."""

    def __init__(self, serve: Callable[[socket.socket], None], receive_buffer: int = 0) -> None:
        self._serve = serve
        self.listener = socket.create_server(("127.0.0.1", 0))
        if receive_buffer:  # inherited by accepted connections
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.port = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.accepted = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.accepted += 1
                threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._serve(connection)


@contextmanager
def raw_service(serve: Callable[[socket.socket], None], receive_buffer: int = 0) -> Iterator[RawService]:
    service = RawService(serve, receive_buffer)
    try:
        yield service
    finally:
        service.listener.close()
