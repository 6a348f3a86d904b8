"""Bytes that a connection has left over belong to no later request."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.conftest import SECRETS
from tests.raw_service import raw_service

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CREATE = ("--account", "18ce54", "campaigns", "create", "-f", "campaigns.csv", "-o", "json")
SEND = ("--account", "18ce54", "conversions", "send", "orders.csv", "--pixel", "o8z6j", "-o", "json")
COUNT = 80


class Sloppy:
    """A service that answers each request, and repeats what it wrote as a test says."""

    def __init__(self, repeat: Callable[[socket.socket, bytes], None], chunked: bool = False) -> None:
        self.repeat, self.chunked = repeat, chunked
        self.bodies: list[bytes] = []
        self.asked: list[tuple[int, str]] = []  # the connection and the path of each request
        self.connections = 0

    def __call__(self, connection: socket.socket) -> None:
        self.connections += 1
        number = self.connections
        held = b""
        while True:
            while b"\r\n\r\n" not in held:
                part = connection.recv(65536)
                if not part:
                    return
                held += part
            head, _, held = held.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            size = int(length[1]) if length else 0
            while len(held) < size:
                held += connection.recv(65536)
            body, held = held[:size], held[size:]
            self.asked.append((number, head.split()[1].decode()))
            answer = self._answer(head, body)
            self.repeat(connection, answer)

    def _answer(self, head: bytes, body: bytes) -> bytes:
        data: object = [{"id": "18ce54", "name": f"account {len(self.asked)}"}]
        if head.startswith(b"POST"):
            first = len(self.bodies) * COUNT
            self.bodies.append(body)
            sent = json.loads(body)
            data = [{"id": f"c{first + n}"} for n in range(len(sent))]
            if isinstance(sent, dict):
                data = {"conversions_processed": len(sent["conversions"])}
        content = json.dumps({"data": data}).encode()
        if self.chunked:
            return HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(content), content)
        return HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


def twice(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer * 2)


def once(connection: socket.socket, answer: bytes) -> None:
    connection.sendall(answer)


@contextmanager
def serving(repeat: Callable[[socket.socket, bytes], None], chunked: bool = False) -> Iterator[tuple]:
    service = Sloppy(repeat, chunked)
    with raw_service(service) as raw:
        yield service, SECRETS | {"ADSCTL_ADS_URL": raw.address}


def campaigns(adsctl) -> None:
    rows = "".join(f"Campaign {n:03},4a1n0\n" for n in range(COUNT))
    adsctl.file("campaigns.csv", "name,funding_instrument_id\n" + rows)


@pytest.mark.parametrize("chunked", [False, True])
def test_an_answer_written_twice_is_not_that_of_the_next_creation(adsctl, chunked):
    campaigns(adsctl)
    with serving(twice, chunked) as (service, env):
        done = adsctl(*CREATE, **env)
    ids = [record["id"] for record in json.loads(done.stdout)]
    assert len(service.bodies) == 2 and len(set(ids)) == COUNT


def test_an_answer_that_is_repeated_late_is_not_that_of_the_next_conversions(adsctl):
    """The second answer is on the way while the next request is written; these answers have no ids."""
    answered = threading.Event()
    held: list[bytes] = []

    def late(connection: socket.socket, answer: bytes) -> None:
        connection.sendall(held.pop() + answer if held else answer)
        if not answered.is_set():
            held.append(answer)
        answered.set()

    header = "conversion_time,event_id,platform_click_id\n"
    rows = "".join(f"2026-10-01T10:00:00Z,o3f71,click-{n}\n" for n in range(1000))
    adsctl.file("orders.csv", header + rows)
    with serving(late) as (service, env):
        assert json.loads(adsctl(*SEND, **env).stdout)["sent"] == 1000
    connections = [number for number, path in service.asked if "conversions" in path]
    assert len(set(connections)) == len(connections) == 2


def test_a_connection_without_leftover_bytes_is_used_again(adsctl):
    pages = iter([{"next_cursor": "b"}, {"next_cursor": "c"}, {}])

    def paged(connection: socket.socket, answer: bytes) -> None:
        content = json.dumps({"data": [], **next(pages)}).encode()
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(content), content))

    with serving(paged) as (service, env):
        adsctl("accounts", "list", "--all", **env)
    assert [number for number, _ in service.asked] == [1, 1, 1]


@pytest.mark.parametrize("extra", [b"HTTP/1.1 200 OK\r\n", b"\r\n", b"garbage"])
def test_a_connection_with_any_leftover_bytes_is_closed(adsctl, extra):
    pages = iter([{"next_cursor": "b"}, {"next_cursor": "c"}, {}])

    def paged(connection: socket.socket, answer: bytes) -> None:
        content = json.dumps({"data": [], **next(pages)}).encode()
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(content), content) + extra)

    with serving(paged) as (service, env):
        adsctl("accounts", "list", "--all", **env)
    assert [number for number, _ in service.asked] == [1, 2, 3]
