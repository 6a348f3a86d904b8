"""Read the first bytes of files that strangers name, and learn how large the files are."""

import re
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple

import httpx

from .. import __version__
from ..masking import mask_address
from .download import REDIRECTS
from .network import NetworkTransport, connect_to_public
from .retry import retry_after
from .trace import Trace

MAX_DRAINED_BYTES = 64 * 1024  # of a body that is not needed, so that its connection can be used again
SIZE = re.compile("[0-9]{1,15}")
CONTENT_RANGE = re.compile(r"bytes (?:0-[0-9]{1,15}|\*)/([0-9]{1,15}|\*)")


class FileStart(NamedTuple):
    """The response of a server: the first bytes of a file, or what it sent in their place."""

    status: int
    data: bytes = b""
    size: int | None = None  # of the whole file; None where the server does not tell
    location: str = ""  # of a redirect
    encoding: str = ""  # that was not asked for
    retry_after: float | None = None  # seconds

    @property
    def is_whole(self) -> bool:
        """Tell whether there is nothing more to read."""
        return self.size is not None and len(self.data) >= self.size


class Reading(NamedTuple):
    """How starts of files are read."""

    timeout: float  # seconds for one response, and for each operation of it
    max_counted: int  # bytes read to count them, where the server does not tell the size of a file
    allow_private: bool
    trace: Trace


class StartReader:
    """A connection to one host, kept alive, for one thread."""

    def __init__(self, url: httpx.URL, tls: Callable[[bool], ssl.SSLContext], reading: Reading) -> None:
        """Make a connection, which nothing is sent on yet; raise PrivateHostError as `read` does."""
        self._reading = reading
        self._transport = connect_to_public(
            url, tls, allow_private=reading.allow_private, kind=NetworkTransport
        )

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def read(self, url: httpx.URL, size: int) -> FileStart:
        """Read up to `size` bytes.

        Raises httpx.TransportError, and PrivateHostError for a host that is not public.
        """
        started = time.monotonic()
        request = self._request(url, size, started + self._reading.timeout)
        shown, trace = mask_address(str(url)), self._reading.trace
        trace.request("GET", shown, request.headers, b"")
        with closing(self._transport.handle_request(request)) as response:
            headers = {name: mask_address(value) for name, value in response.headers.items()}
            seconds = time.monotonic() - started
            trace.response("GET", shown, response.status_code, headers, b"", seconds)
            return self._receive(response, size)

    def _request(self, url: httpx.URL, size: int, deadline: float) -> httpx.Request:
        headers = {
            "User-Agent": f"adsctl/{__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",  # the size is that of the file, and nothing is decompressed
            "Range": f"bytes=0-{size - 1}",
        }
        times = httpx.Timeout(self._reading.timeout).as_dict()
        return httpx.Request("GET", url, headers=headers, extensions={"timeout": times, "deadline": deadline})

    def _receive(self, response: httpx.Response, size: int) -> FileStart:
        status, headers = response.status_code, response.headers
        part = CONTENT_RANGE.fullmatch(headers.get("content-range", "").strip())
        total = int(part[1]) if part and part[1] != "*" else None
        if status != 200 and not (status == 206 and part):
            _first(response, 0, MAX_DRAINED_BYTES)
            if status == 416 and total == 0:  # an empty file has no first byte
                return FileStart(200, size=0)
            location = headers.get("location", "") if status in REDIRECTS else ""
            return FileStart(status, location=location, retry_after=retry_after(headers))
        encoding = headers.get("content-encoding", "").strip().lower()
        if encoding not in ("", "identity"):
            return FileStart(200, encoding=encoding)
        length = headers.get("content-length", "")
        is_stated = status == 206 or SIZE.fullmatch(length)
        data, counted = _first(response, size, 0 if is_stated else self._reading.max_counted)
        if status == 200:
            total = int(length) if is_stated else counted
        return FileStart(200, data, total)


def _first(response: httpx.Response, size: int, max_counted: int) -> tuple[bytes, int]:
    """Return the first bytes of a body, and how many were counted. No more is read."""
    data, counted = bytearray(), 0
    for part in response.iter_raw():
        data += part[: size - len(data)]
        counted += len(part)
        if counted > max(size, max_counted):  # a body that is read to its end leaves the connection open
            break
    return bytes(data), counted
