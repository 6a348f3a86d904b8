"""Requests to the receivers of webhooks: one attempt, no redirects, a limit of time and of size."""

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from ...hosts import is_loopback

TIMEOUT_SECONDS = 10.0  # that a receiver has to answer
MAX_ANSWER_BYTES = 64 * 1024
USER_AGENT = "adsctl-emulator"
# Names that exist nowhere (RFC 2606): nothing is sent there. Those of .invalid fail, the others are taken to
# answer as they should, so that examples can be run.
FAILING_NAMES, ANSWERING_NAMES = (".invalid",), (".example", ".test")


class Answer(NamedTuple):
    """What a receiver answered, or why it did not."""

    status: int | None = None
    body: bytes = b""
    problem: str = ""  # "" if there was an answer
    is_final: bool = False  # an address that is wrong at once, and not only out of order
    seconds: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether a delivery was acknowledged."""
        return self.status == 200

    @property
    def words(self) -> str:
        """The answer in words."""
        return self.problem or f"status {self.status}"


def imagined_answer(url: str) -> bool | None:
    """Tell what a host that cannot exist answers; None for one that can."""
    host = urlsplit(url).hostname or ""
    if host.endswith(FAILING_NAMES):
        return False
    return True if host.endswith(ANSWERING_NAMES) else None


def is_local(url: str) -> bool:
    """Tell whether a URL is on this machine, where http and ports are allowed."""
    return is_loopback(urlsplit(url).hostname or "")


def send(
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send one request and return the answer; the time is that of the whole exchange."""
    parts, started, timeout_seconds = urlsplit(url), time.monotonic(), TIMEOUT_SECONDS
    connection = _connection(parts, timeout_seconds)
    timer = threading.Timer(timeout_seconds, _shut, (connection,))
    timer.daemon = True
    timer.start()
    try:
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, body, {"User-Agent": USER_AGENT, **(headers or {})})
        response = connection.getresponse()
        answer = Answer(response.status, _read(response), is_final=300 <= response.status < 400)
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or str(error)
        answer = Answer(problem=f"TLS failed: {reason}", is_final=True)
    except (OSError, HTTPException, ValueError) as error:
        answer = Answer(problem=f"no answer: {error or type(error).__name__}")
    finally:
        timer.cancel()
        connection.close()
    seconds = time.monotonic() - started
    if seconds >= timeout_seconds:
        answer = Answer(problem=f"no answer within {timeout_seconds:g} seconds")
    return answer._replace(seconds=seconds)


def _connection(parts: SplitResult, timeout_seconds: float) -> HTTPConnection:
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return HTTPSConnection(host, parts.port, timeout=timeout_seconds, context=context)
    return HTTPConnection(host, parts.port, timeout=timeout_seconds)


def _read(response: HTTPResponse) -> bytes:
    body = response.read(MAX_ANSWER_BYTES + 1)
    if len(body) > MAX_ANSWER_BYTES:
        raise ValueError(f"more than {MAX_ANSWER_BYTES:,} bytes")
    return body


def _shut(connection: HTTPConnection) -> None:
    """End an exchange that takes too long, whatever it waits for."""
    if connection.sock is not None:
        with suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)
