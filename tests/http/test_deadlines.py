"""Services that drip: `--timeout` and `--max-wait` end every attempt."""

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from ads_cli.api.accounts import ListAccounts
from ads_cli.client.client import Client
from ads_cli.client.prepared_request import PreparedRequest, UserKeys
from ads_cli.errors import UnavailableError
from tests.conftest import SECRETS
from tests.effort import tries
from tests.raw_service import raw_service

LIST = ("accounts", "list", "--timeout", "200ms", "--max-wait", "500ms")
DRIP_SECONDS = 0.05  # between two pieces: less than --timeout
ENDLESS_SECONDS = 60.0  # how long a service drips to a client that does not hang up
PATIENCE_SECONDS = 20.0  # within which every run must end, on a busy machine too

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP_HEAD = HEAD + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(autouse=True)
def short_attempts(monkeypatch) -> None:
    """Let an attempt have less than a second where --max-wait says so."""
    monkeypatch.setattr("ads_cli.client.client.MIN_TIMEOUT_SECONDS", 0.1)


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def gzip_header(flags: int) -> bytes:
    return b"\x1f\x8b\x08" + bytes([flags]) + bytes(6)


EMPTY_DEFLATE_BLOCK = b"\x00\x00\x00\xff\xff"
WITH_NAME = 8

# What comes at once, and what follows without end.
DRIPS = {
    "100 continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "status line": (b"HTTP/1.1 200 ", b"O"),
    "header": (HEAD + b"X-Long: ", b"a"),
    "body": (HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "body until the connection closes": (HEAD + b"\r\n", b" "),
    "chunk size": (CHUNKED, b"0"),
    "chunk extension": (CHUNKED + b"1;", b"e"),
    "trailers": (CHUNKED + b"0\r\nX-Trailer: ", b"t"),
    "gzip name": (GZIP_HEAD + chunk(gzip_header(WITH_NAME)), chunk(b"n")),
    "empty deflate blocks": (GZIP_HEAD + chunk(gzip_header(0)), chunk(EMPTY_DEFLATE_BLOCK)),
    "error body": (HEAD.replace(b"200 OK", b"503 Busy") + b"\r\n", b" "),
}


def read_head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(65536)
    return head


def drip(connection: socket.socket, unit: bytes, seconds: float = DRIP_SECONDS) -> None:
    """Send a piece again and again, until the client hangs up."""
    ends_at = time.monotonic() + ENDLESS_SECONDS
    while time.monotonic() < ends_at:
        connection.sendall(unit)
        time.sleep(seconds)


def dripping(first: bytes, unit: bytes, seconds: float = DRIP_SECONDS) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(first)
        drip(connection, unit, seconds)

    return serve


def client(address: str, **options: float) -> Client:
    limits = {"timeout": 0.2, "max_wait": 0.5} | options
    return Client(lambda base: address, lambda: UserKeys("key", "secret", "token", "hush"), **limits)


@contextmanager
def ends_in_time() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < PATIENCE_SECONDS, "the client did not hang up"


@pytest.mark.parametrize("place", DRIPS)
def test_a_response_that_drips_ends_the_run(adsctl, place):
    with raw_service(dripping(*DRIPS[place])) as service, ends_in_time():
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=service.address, **SECRETS)
    assert f"127.0.0.1:{service.port} did not respond in time" in done.stderr


@pytest.mark.parametrize("place", ["100 continue", "gzip name", "empty deflate blocks"])
def test_a_response_that_says_nothing_at_full_speed_ends_the_run(adsctl, place):
    first, unit = DRIPS[place]
    with raw_service(dripping(first, unit * 1000, 0)) as service, ends_in_time():
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=service.address, **SECRETS)
    assert "did not respond in time" in done.stderr or "larger than" in done.stderr


def test_a_dripped_head_ends_after_timeout_however_long_max_wait_is(adsctl):
    with raw_service(dripping(*DRIPS["header"])) as service, ends_in_time():
        words = ("accounts", "list", "--timeout", "200ms", "--max-wait", "1h", "--max-attempts", "2")
        adsctl(*words, code=8, ADSCTL_ADS_URL=service.address, **SECRETS)
    assert service.accepted == 2


def test_a_response_that_drips_from_any_position_is_given_up():
    body = gzip.compress(b'{"data": []}')
    response = GZIP_HEAD.replace(b"\r\n\r\n", b"\r\nTrailer: X-Sum\r\n\r\n") + chunk(body)
    response = b"HTTP/1.1 100 Continue\r\n\r\n" + response + b"0\r\nX-Sum: 1\r\n\r\n"
    dripped = dict.fromkeys(range(0, len(response), tries(3, 1)), 0)

    def give_up(position: int) -> None:
        def serve(connection: socket.socket) -> None:
            read_head(connection)
            connection.sendall(response[:position])
            for byte in response[position:]:
                time.sleep(2 * DRIP_SECONDS)
                connection.sendall(bytes([byte]))
                dripped[position] += 1

        with raw_service(serve) as service, suppress(UnavailableError):
            client(service.address, max_attempts=1).call(ListAccounts())

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(give_up, dripped))
    assert max(dripped.values()) * 2 * DRIP_SECONDS < PATIENCE_SECONDS / 2


def test_a_body_that_is_read_a_byte_at_a_time_ends_the_run():
    def serve(connection: socket.socket) -> None:
        ends_at = time.monotonic() + ENDLESS_SECONDS
        while time.monotonic() < ends_at and connection.recv(1):
            time.sleep(DRIP_SECONDS)

    body = bytes(16 * 1024 * 1024)
    for content in ({"body": body}, {"body": b"", "pieces": [body]}):
        with raw_service(serve, receive_buffer=4096) as service, ends_in_time():
            request = PreparedRequest(
                "PUT", service.address, content_type="application/json", route="", retry=True, **content
            )
            with pytest.raises(UnavailableError, match="did not respond in time"):
                client(service.address).exchange(request)


def test_a_body_that_is_taken_in_large_bites_ends_the_run():
    def serve(connection: socket.socket) -> None:
        ends_at = time.monotonic() + ENDLESS_SECONDS
        while time.monotonic() < ends_at and connection.recv(65536):
            time.sleep(0.2)

    with raw_service(serve, receive_buffer=4096) as service, ends_in_time():
        request = PreparedRequest("PUT", service.address, bytes(64 * 1024 * 1024), "a/b", "", retry=True)
        with pytest.raises(UnavailableError, match="did not respond in time"):
            client(service.address).exchange(request)


def test_a_handshake_that_drips_ends_the_run(adsctl):
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"\x16\x03\x03\x40\x00")  # a record of 16 KiB
        drip(connection, b"\x02")

    with raw_service(serve) as service, ends_in_time():
        address = f"https://localhost:{service.port}"
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=address, **SECRETS)
    assert f"localhost:{service.port} did not respond in time" in done.stderr


@pytest.mark.parametrize("place", ["100 continue", "status line", "header"])
def test_a_proxy_that_drips_ends_the_run(adsctl, place):
    with raw_service(dripping(*DRIPS[place])) as proxy, ends_in_time():
        address = "https://ads.example"
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=address, HTTPS_PROXY=proxy.address, **SECRETS)
    assert "ads.example did not respond in time" in done.stderr


def test_a_response_over_tls_that_drips_ends_the_run(adsctl, tls, trusted):
    def serve(connection: socket.socket) -> None:
        with tls.wrap_socket(connection, server_side=True) as secure:
            dripping(*DRIPS["100 continue"])(secure)

    with raw_service(serve) as service, ends_in_time():
        address = f"https://localhost:{service.port}"
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=address, **trusted, **SECRETS)
    assert f"localhost:{service.port} did not respond in time" in done.stderr


def test_a_connection_that_is_not_accepted_ends_the_run(adsctl):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ends_in_time():
        waiting = [socket.socket() for _ in range(4)]  # they fill the queue; further ones get no answer
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        address = f"http://127.0.0.1:{full.getsockname()[1]}"
        done = adsctl(*LIST, code=8, ADSCTL_ADS_URL=address, **SECRETS)
        for connection in waiting:
            connection.close()
    assert "did not respond in time" in done.stderr


def test_a_name_that_is_not_resolved_ends_the_run(adsctl, monkeypatch):
    released = threading.Event()

    def hang(*args: object, **options: object) -> None:
        released.wait(ENDLESS_SECONDS)
        raise OSError("the name server did not respond")

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with ends_in_time():
        words = (*LIST, "--max-attempts", "1")
        try:
            done = adsctl(*words, code=8, ADSCTL_ADS_URL="https://ads.example", **SECRETS)
        finally:
            released.set()
    assert "ads.example did not respond in time" in done.stderr


def test_an_address_that_does_not_answer_leaves_time_for_the_next(monkeypatch):
    def serve(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(HEAD + b'Content-Length: 12\r\n\r\n{"data": []}')

    with raw_service(serve) as service, socket.create_server(("127.0.0.2", service.port), backlog=0) as full:
        waiting = [socket.socket() for _ in range(4)]
        for connection in waiting:
            connection.setblocking(False)
            connection.connect_ex(full.getsockname())
        known = {b"two.localhost": ["127.0.0.2", "127.0.0.1"]}
        lookup = socket.getaddrinfo
        monkeypatch.setattr(
            socket,
            "getaddrinfo",
            lambda host, *args, **options: [
                entry for name in known.get(host, [host]) for entry in lookup(name, *args, **options)
            ],
        )
        address = f"http://two.localhost:{service.port}"
        assert client(address, timeout=1.0, max_attempts=1, max_wait=9.0).call(ListAccounts()).data == []
        for connection in waiting:
            connection.close()


def test_a_slow_response_within_the_limits_is_read(adsctl):
    body = zlib.compress(b'{"data": [{"id": "slow", "name": "Slow"}]}', wbits=31)

    def serve(connection: socket.socket) -> None:
        read_head(connection)
        head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
        for piece in (b"HTTP/1.1 100 Continue\r\n\r\n", head[:20], head[20:], body[:9], body[9:]):
            connection.sendall(piece)
            time.sleep(DRIP_SECONDS)

    with raw_service(serve) as service:
        done = adsctl("accounts", "list", "-o", "ids", ADSCTL_ADS_URL=service.address, **SECRETS)
    assert done.stdout == "slow\n"
