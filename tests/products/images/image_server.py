"""A server of images: it records requests, sends parts as careful servers do, and fails as it is told."""

import ssl
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from io import BytesIO
from typing import NamedTuple

from PIL import Image

from tests.local_server import LocalHandler, LocalServer, running_server


class Seen(NamedTuple):
    path: str
    headers: dict[str, str]


class Handler(LocalHandler):
    """Answers as the fault of a path says, or serves the image."""

    server: "ImageServer"

    def do_GET(self) -> None:
        server = self.server
        with server.lock:
            server.seen.append(Seen(self.path, dict(self.headers)))
            faults = server.faults.get(self.path)
            fault = faults.pop(0) if faults else serve
        with suppress(BrokenPipeError, ConnectionResetError, ssl.SSLError):
            fault(self)


Fault = Callable[[Handler], None]


class ImageServer(LocalServer):
    """What is served at each path, and what was asked for."""

    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(Handler)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Fault]] = {}  # of the next requests of a path, in order
        self.seen: list[Seen] = []
        self.lock = threading.Lock()

    def address(self, path: str, host: str = "localhost") -> str:
        return f"{self.scheme}://{host}:{self.server_port}{path}"

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.seen]


def serve(handler: Handler) -> None:
    """Send a part of a file."""
    path = handler.path.partition("?")[0]
    if path not in handler.server.files:
        handler.answer(404, b"<html>no such file")
        return
    content = handler.server.files[path]
    last = int(handler.headers["Range"].removeprefix("bytes=0-"))
    part = content[: last + 1]
    if not content:
        handler.answer(416, Content_Range="bytes */0")
        return
    handler.answer(206, part, Content_Range=f"bytes 0-{len(part) - 1}/{len(content)}")


def whole(handler: Handler) -> None:
    """Send the whole file, as servers do that know no parts."""
    handler.answer(200, handler.server.files[handler.path])


def chunked(handler: Handler) -> None:
    """Send the whole file without telling how large it is."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    content = handler.server.files[handler.path]
    for start in range(0, len(content), 65536):
        part = content[start : start + 65536]
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
    handler.wfile.write(b"0\r\n\r\n")


def status(code: int, **headers: str) -> Fault:
    return lambda handler: handler.answer(code, b"<html>oops", **headers)


def redirect(target: str, code: int = 302, **headers: str) -> Fault:
    return status(code, Location=target, **headers)


def hang_up(handler: Handler) -> None:
    handler.close_connection = True


def image(format: str = "JPEG", width: int = 500, height: int = 500, **options: object) -> bytes:
    """Make the file of an image."""
    file = BytesIO()
    Image.new("RGB", (width, height), (120, 60, 30)).save(file, format, **options)
    return file.getvalue()


def serving(tls: ssl.SSLContext | None = None) -> AbstractContextManager[ImageServer]:
    return running_server(ImageServer(), tls)
