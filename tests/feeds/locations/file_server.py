"""A server of one feed, over https or on this machine alone: it records requests, and fails as it is told."""

import ssl
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from tests.conftest import feed
from tests.local_server import LocalHandler, LocalServer, running_server

ETAG = '"v1"'
LAST_MODIFIED = "Sat, 21 Nov 2026 03:10:00 GMT"


class Handler(LocalHandler):
    """Answers as the server's next fault says, or serves the feed."""

    server: "FileServer"

    def do_GET(self) -> None:
        self.server.seen.append((self.path, dict(self.headers)))
        fault = self.server.faults.pop(0) if self.server.faults else None
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLError):
            (fault or serve)(self)


Fault = Callable[[Handler], None]


class FileServer(LocalServer):
    """What is served, and what was asked for."""

    def __init__(self) -> None:
        super().__init__(Handler)
        self.content = feed(60).encode()
        self.headers: dict[str, str] = {"ETag": ETAG, "Accept-Ranges": "bytes"}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.faults: list[Fault] = []  # of the next requests, in order

    def address(self, path: str = "/feed.csv", user: str = "") -> str:
        return f"{self.scheme}://{user and user + '@'}localhost:{self.server_port}{path}"

    @property
    def bytes_asked(self) -> list[str]:
        """The ranges of all requests; "" stands for everything."""
        return [headers.get("Range", "") for _, headers in self.seen]


def serve(handler: Handler) -> None:
    """Serve the feed as a careful server does, in parts and only if it has changed."""
    server, asked = handler.server, handler.headers
    if asked.get("If-None-Match", "").strip() == server.headers.get("ETag"):
        handler.answer(304, **server.headers)
        return
    if (part := asked.get("Range")) and asked.get("If-Range") == server.headers.get("ETag"):
        start, size = int(part.removeprefix("bytes=").partition("-")[0]), len(server.content)
        headers = server.headers | {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
        handler.answer(206, server.content[start:], **headers)
        return
    handler.answer(200, server.content, **server.headers)


def status(code: int, **headers: str) -> Fault:
    """Answer with a status."""
    return lambda handler: handler.answer(code, b"<html>secret detail</html>", **headers)


def part_of_now(handler: Handler) -> None:
    """Answer with the part of the feed as it is now, whatever `If-Range` says."""
    server = handler.server
    start, size = int((handler.headers.get("Range") or "bytes=0-")[6:-1]), len(server.content)
    headers = server.headers | {"Content-Range": f"bytes {start}-{size - 1}/{size}"}
    handler.answer(206, server.content[start:], **headers)


def cut(size: int) -> Fault:
    """Send the first bytes of the feed, and hang up."""

    def fault(handler: Handler) -> None:
        server, start = handler.server, int((handler.headers.get("Range") or "bytes=0-")[6:-1])
        whole = len(server.content)
        handler.send_response(206 if start else 200)
        for name, value in server.headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(whole - start))
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
        handler.end_headers()
        handler.wfile.write(server.content[start : start + size])
        handler.close_connection = True

    return fault


def serving(tls: ssl.SSLContext | None = None) -> AbstractContextManager[FileServer]:
    return running_server(FileServer(), tls)
