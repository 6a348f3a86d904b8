"""Connections for downloads: bodies of any size, whose end is as the server states it."""

from collections.abc import Iterator
from typing import Any

import httpx

from .network import NetworkTransport, httpcore, httpx_errors, innermost, leftover

MAX_SECONDS_TO_CLOSE = 1.0  # of a server that was asked to close the connection


class DownloadTransport(NetworkTransport):
    """A connection for one request with `Connection: close`."""

    def body(self, response: httpcore.Response) -> httpx.SyncByteStream:
        """Return what reads the body and the end of the connection."""
        return _WholeBody(response, self.pool.connections[0])

    def extend_deadline(self, ends_at: float) -> None:
        """Let the reading of a body go on until `ends_at`, in monotonic seconds."""
        self.deadline.start(ends_at)


class _WholeBody(httpx.SyncByteStream):
    """The body of a response; raise RemoteProtocolError where the server sends more than it states.

    Who counts characters where bytes are to be counted states too little, and the end would be missing.
    """

    def __init__(self, response: httpcore.Response, connection: Any) -> None:
        self._response = response
        self._connection = innermost(connection)

    def __iter__(self) -> Iterator[bytes]:
        with httpx_errors():
            yield from self._response.iter_stream()
            if self._has_length and self._sends_more():
                raise httpcore.RemoteProtocolError("it sends more than the Content-Length that it states")

    def close(self) -> None:
        self._response.close()

    @property
    def _has_length(self) -> bool:
        return any(name.lower() == b"content-length" for name, _ in self._response.headers)

    def _sends_more(self) -> bool:
        """Look at what was received, and wait for the end of the connection."""
        if leftover(self._connection):
            return True
        try:
            return bool(self._connection._network_stream.read(1, MAX_SECONDS_TO_CLOSE))
        except (httpcore.TimeoutException, httpcore.NetworkError):
            return False
