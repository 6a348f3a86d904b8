"""Connections to the hosts of images, kept while they may be used again."""

import threading
from functools import cache
from ssl import SSLContext

import httpx

from ...client.file_start import Reading, StartReader
from ...client.transport import tls_context

MAX_IDLE = 48


def origin_of(url: httpx.URL) -> str:
    """Return scheme, host and port."""
    return f"{url.scheme}://{url.netloc.decode()}"


class Connections:
    """Idle connections by origin, lent to one thread at a time."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._contexts = cache(tls_context)
        self._lock = threading.Lock()
        self._idle: list[tuple[str, StartReader]] = []

    def _tls(self, is_secure: bool) -> SSLContext:
        with self._lock:
            return self._contexts(is_secure)

    def take(self, url: httpx.URL) -> StartReader:
        """Return an idle connection to the origin of a URL, or a new one."""
        origin = origin_of(url)
        with self._lock:
            found = next((entry for entry in reversed(self._idle) if entry[0] == origin), None)
            if found:
                self._idle.remove(found)
                return found[1]
        return StartReader(url, self._tls, self._reading)

    def give_back(self, url: httpx.URL, reader: StartReader) -> None:
        """Keep a connection that works; of too many, the one that was idle longest is closed."""
        with self._lock:
            self._idle.append((origin_of(url), reader))
            oldest = self._idle.pop(0)[1] if len(self._idle) > MAX_IDLE else None
        if oldest:
            oldest.close()

    def close(self) -> None:
        """Close the idle connections."""
        with self._lock:
            for _, reader in self._idle:
                reader.close()
            self._idle = []
