"""HTTP servers of tests: over https or plain, on this machine alone."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeVar


class LocalHandler(BaseHTTPRequestHandler):
    """Answers in silence, over connections that are kept."""

    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        """Answer; a header without a value is not sent."""
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class LocalServer(ThreadingHTTPServer):
    """A server on a free port."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.scheme = "http"

    def handle_error(self, *args: object) -> None:
        pass  # handshakes and downloads that are broken off


POLL_SECONDS = 0.02  # after which a server notices that it is shut down

S = TypeVar("S", bound=LocalServer)


@contextmanager
def running_server(server: S, tls: ssl.SSLContext | None = None) -> Iterator[S]:
    """Serve in a thread, over https where there is a context for it."""
    if tls:
        server.scheme = "https"
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
