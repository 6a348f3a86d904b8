"""Serve a webhook over HTTP, with Tornado.

Its server was chosen for its limits: the head and the body of a request each have a deadline as a whole, so
that a client that sends a byte now and then is closed too. uvicorn and waitress begin anew with every byte.
"""

import asyncio
import logging
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from http.client import responses
from typing import Any, cast

from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer
from tornado.httputil import (
    HTTPConnection,
    HTTPHeaders,
    HTTPMessageDelegate,
    HTTPServerConnectionDelegate,
    RequestStartLine,
    ResponseStartLine,
)
from tornado.iostream import IOStream

from .event import MAX_EVENT_BYTES
from .responder import Answer, Responder, refused

READ_TIMEOUT_SECONDS = 10.0  # of a head or a body; the service gives up after that long itself
CLOSE_TIMEOUT_SECONDS = 2.0
MAX_HEADER_BYTES = 16 * 1024
MAX_DRAINED_BYTES = 64 * 1024 * 1024  # read and dropped, so that the sender sees the answer; more is cut off
MAX_HELD_BYTES = 64 * 1024 * 1024  # of all bodies that have not arrived as a whole
MAX_STREAM_BYTES = 256 * 1024  # in the buffer of a connection
MAX_CONNECTIONS = 4096
SPARE_DESCRIPTORS = 100  # for files and connections that are not the server's
BACKLOG = 1024

TOO_LARGE = re.compile("Content-Length too long|body too large")  # as Tornado words it

Refuse = Callable[[str], None]  # is told of each request that is refused


class Receiver:
    """A server that listens from the start. Its thread holds up no end of the program."""

    def __init__(self, responder: Responder, host: str, port: int, refuse: Refuse) -> None:
        self.responder, self.refuse = responder, refuse
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        self._listener.setblocking(False)
        self.address: tuple[str, int] = self._listener.getsockname()[:2]
        self.held_bytes = 0
        self.connections = 0
        self.max_connections = min(MAX_CONNECTIONS, _raised_descriptors() - SPARE_DESCRIPTORS)
        self._loop: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        """Answer requests in a thread of its own, until `stop` is called."""
        self._thread.start()
        self._loop.result()

    def stop(self) -> None:
        """Stop listening, and close the connections once their requests have been answered."""
        loop, stopping = self._loop.result()
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(stopping.set)
        self._thread.join(2 * CLOSE_TIMEOUT_SECONDS)

    def _run(self) -> None:
        """Serve; raise in the thread that waits for the start where that fails."""
        try:
            with _told_by_log(self.refuse):
                asyncio.run(self._serve())
        except BaseException as error:
            if self._loop.done():
                raise
            self._loop.set_exception(error)

    async def _serve(self) -> None:
        server = _Server(
            _Delegate(self),
            max_header_size=MAX_HEADER_BYTES,
            idle_connection_timeout=READ_TIMEOUT_SECONDS,
            body_timeout=READ_TIMEOUT_SECONDS,
            max_body_size=MAX_DRAINED_BYTES,
            max_buffer_size=MAX_STREAM_BYTES,
        )
        server.receiver = self
        server.add_socket(self._listener)
        stopping = asyncio.Event()
        self._loop.set_result((asyncio.get_running_loop(), stopping))
        await stopping.wait()
        server.stop()
        with suppress(TimeoutError):
            await asyncio.wait_for(server.close_all_connections(), CLOSE_TIMEOUT_SECONDS)


class _Server(HTTPServer):
    """A server with a limit on its connections."""

    receiver: Receiver

    def on_close(self, server_conn: object) -> None:
        self.receiver.connections -= 1
        super().on_close(server_conn)

    def handle_stream(self, stream: IOStream, address: tuple[Any, ...]) -> None:
        """Close a connection too many at once: the service delivers again what was not answered."""
        if self.receiver.connections >= self.receiver.max_connections:
            self.receiver.refuse("a connection, because too many are open")
            stream.close()
            return
        self.receiver.connections += 1
        super().handle_stream(stream, address)


class _Delegate(HTTPServerConnectionDelegate):
    """Makes an exchange of each request."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver

    def start_request(self, server_conn: object, request_conn: HTTPConnection) -> "_Exchange":
        return _Exchange(self._receiver, request_conn)


class _Exchange(HTTPMessageDelegate):
    """A request, and its response."""

    def __init__(self, receiver: Receiver, connection: HTTPConnection) -> None:
        self._receiver, self._connection = receiver, cast(HTTP1Connection, connection)
        self._method = self._query = ""
        self._headers = HTTPHeaders()
        self._body = bytearray()
        self._size = 0
        self._refusal: Answer | None = None

    def headers_received(self, start_line: Any, headers: HTTPHeaders) -> None:
        """Begin to read a body; what is refused for its size is read all the same, and dropped."""
        line = cast(RequestStartLine, start_line)
        self._method, self._headers = line.method, headers
        self._query = line.path.partition("?")[2]

    def data_received(self, chunk: bytes) -> None:
        """Keep a piece of the body, within the limits."""
        self._size += len(chunk)
        if self._size > MAX_EVENT_BYTES:
            self._drop(refused(413, f"a body of more than {MAX_EVENT_BYTES:,} bytes"))
        elif self._receiver.held_bytes + len(chunk) > MAX_HELD_BYTES:
            self._drop(refused(503, "a delivery, because too many arrive at once"))
        if not self._refusal:
            self._body += chunk
            self._receiver.held_bytes += len(chunk)

    def finish(self) -> None:
        """Respond."""
        answer = self._refusal or self._answer()
        self._release()
        if answer.refusal:
            self._receiver.refuse(f"{answer.refusal} (answered {answer.status})")
        headers = HTTPHeaders({"Content-Type": "application/json", "Content-Length": str(len(answer.body))})
        start_line = ResponseStartLine("", answer.status, responses[answer.status])
        self._connection.write_headers(start_line, headers, b"" if self._method == "HEAD" else answer.body)
        self._connection.finish()

    def on_connection_close(self) -> None:
        """Forget what arrived."""
        self._release()

    def _answer(self) -> Answer:
        responder = self._receiver.responder
        if self._method == "GET":
            return responder.challenge(self._query)
        if self._method == "POST":
            return responder.delivery(self._headers.get_all(), bytes(self._body))
        return refused(405, "a request other than GET and POST")

    def _drop(self, refusal: Answer) -> None:
        self._refusal = self._refusal or refusal
        self._release()

    def _release(self) -> None:
        self._receiver.held_bytes -= len(self._body)
        self._body.clear()


@contextmanager
def _told_by_log(refuse: Refuse) -> Iterator[None]:
    """Tell of what the server itself refuses, which it logs."""
    logger, handler = logging.getLogger("tornado"), _Refusals(refuse)
    level, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates


class _Refusals(logging.Handler):
    """Tells of requests that the server refuses by itself, in our words."""

    def __init__(self, refuse: Refuse) -> None:
        super().__init__()
        self._refuse = refuse

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a request that cannot be read, whoever sent it."""
        text = str(record.msg)
        if text.startswith("Malformed HTTP") and TOO_LARGE.search(record.getMessage()):
            self._refuse(f"a body of more than {MAX_DRAINED_BYTES:,} bytes (answered 400)")
        elif text.startswith(("Malformed HTTP", "Unsatisfiable read")):
            self._refuse("a request that is not HTTP, or whose head is too large (closed)")
        elif text.startswith("Timeout reading body"):
            self._refuse("a body that did not arrive in time (closed)")
        else:
            self._refuse(f"a request that failed: {record.getMessage()}")


def _raised_descriptors() -> int:
    """Let this process open as many files as it may; return how many those are."""
    if sys.platform == "win32":
        return MAX_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + SPARE_DESCRIPTORS
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    raised = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        soft = raised
    return soft
