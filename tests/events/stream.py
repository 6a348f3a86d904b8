"""A service whose stream a test writes byte by byte, and a clock whose waits take no time."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.conftest import SECRETS
from tests.raw_service import RawService, raw_service

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
Answer = Callable[[socket.socket], None]


class SkippingClock:
    """The clock of this machine, which jumps over each wait."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.skipped

    def condition(self, lock) -> "SkippingClock":
        return self

    def wait(self, seconds: float) -> None:
        self.skipped += seconds

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def sends(*pieces: bytes, then: Answer = lambda connection: None) -> Answer:
    """Open a stream, and send pieces; then do something, by default close it."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD)
        for piece in pieces:
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        then(connection)

    return answer


def waits(connection: socket.socket) -> None:
    """Send nothing more, until the other side closes."""
    while connection.recv(1000):
        pass


def refuses(status: int, body: object, **headers: object) -> Answer:
    content = json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} Status", f"Content-Length: {len(content)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    head = "\r\n".join(lines).encode() + b"\r\n\r\n"
    return lambda connection: connection.sendall(head + content)


@contextmanager
def stream_service(adsctl, *answers: Answer) -> Iterator[RawService]:
    """A service that gives each connection the next answer, and the last one again and again."""
    requests: list[str] = []

    def serve(connection: socket.socket) -> None:
        request = b""
        while b"\r\n\r\n" not in request:
            received = connection.recv(65536)
            if not received:
                return
            request += received
        requests.append(request.decode())
        answers[min(len(requests), len(answers)) - 1](connection)

    with raw_service(serve) as service:
        service.requests = requests
        adsctl.env |= SECRETS | {
            "ADSCTL_BASE_URL": service.address,
            "ADSCTL_ADS_URL": service.address,
            "ADSCTL_BEARER_TOKEN": "bearer-token",
        }
        yield service
