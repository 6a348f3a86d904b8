"""A server that drips or lies can neither hold up a command nor make it read something else."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.conftest import feed
from tests.http.test_deadlines import CHUNKED, HEAD, chunk, dripping, read_head
from tests.raw_service import raw_service

CHECK = ("products", "check", "-o", "json", "--timeout", "300ms", "--max-wait", "2s", "--max-attempts", "2")
PATIENCE_SECONDS = 20.0  # within which every run must end, on a busy machine too

DRIPS = {
    "100 continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "status line": (b"HTTP/1.1 200 ", b"O"),
    "header": (HEAD + b"X-Long: ", b"a"),
    "body": (HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
    "body until the connection closes": (HEAD + b"\r\n", b"x"),
    "chunks": (CHUNKED, chunk(b"x")),
    "chunk size": (CHUNKED, b"0"),
    "chunk extension": (CHUNKED + b"1;", b"e"),
    "trailers": (CHUNKED + b"0\r\nX-Trailer: ", b"t"),
    "error": (HEAD.replace(b"200 OK", b"503 Busy") + b"\r\n", b" "),
    "redirect": (HEAD.replace(b"200 OK", b"302 Found") + b"Location: ", b"/a"),
}


@contextmanager
def ends_in_time() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < PATIENCE_SECONDS, "the download goes on"


@pytest.mark.parametrize("place", DRIPS)
def test_a_server_that_drips_ends_the_download(adsctl, place):
    with raw_service(dripping(*DRIPS[place])) as service, ends_in_time():
        done = adsctl(*CHECK, f"{service.address}/feed.csv", code=8)
        assert "did not respond in time" in done.stderr or "status 503" in done.stderr
    assert done.stdout == "" and service.accepted == 2


def test_a_slow_server_may_take_longer_than_the_timeout_as_long_as_it_sends(adsctl):
    content = feed(20).encode()

    def serve(connection) -> None:
        read_head(connection)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(content))
        for start in range(0, len(content), 500):
            connection.sendall(content[start : start + 500])
            time.sleep(0.1)

    with raw_service(serve) as service:
        done = adsctl(*CHECK, f"{service.address}/feed.csv", "--timeout", "500ms")
    assert json.loads(done.stdout)["rows"] == 20 and service.accepted == 1


LIES = {
    "shorter than stated": HEAD + b"Content-Length: 5000\r\n\r\n" + feed(3).encode(),
    "two lengths": HEAD + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + b"id\n1\n2\n",
    "a length that is no number": HEAD + b"Content-Length: -1\r\n\r\n" + feed(3).encode(),
    "a chunk that ends early": CHUNKED + b"fff\r\n" + feed(3).encode(),
    "no last chunk": CHUNKED + chunk(feed(3).encode()),
    "not HTTP": b"220 ftp ready\r\n",
    "nothing": b"",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_about_the_length_is_not_believed(adsctl, lie):
    def serve(connection) -> None:
        read_head(connection)
        connection.sendall(LIES[lie])

    with raw_service(serve) as service, ends_in_time():
        done = adsctl(*CHECK, f"{service.address}/feed.csv", code=8)
    assert "cannot be reached, or closed the connection" in done.stderr and done.stdout == ""


def test_parts_that_end_before_the_whole_are_not_believed(adsctl):
    """The first answer breaks off; each part after it has its length, and is not the rest."""
    content, ends = feed(300).encode(), []

    def serve(connection) -> None:
        read_head(connection)
        begin = 1000 * len(ends)
        ends.append(begin + 1000)
        head = HEAD if not begin else HEAD.replace(b"200 OK", b"206 Partial Content")
        length = len(content) if not begin else 1000
        part = f"Content-Range: bytes {begin}-{begin + 999}/{len(content)}\r\n" if begin else ""
        fields = f'ETag: "a"\r\n{part}Content-Length: {length}\r\n\r\n'
        connection.sendall(head + fields.encode() + content[begin : begin + 1000])

    with raw_service(serve) as service, ends_in_time():
        done = adsctl(*CHECK, "--max-attempts", "3", f"{service.address}/feed.csv", code=8)
    assert f"of {len(content):,} bytes" in done.stderr and done.stdout == "" and len(ends) > 1


def test_a_server_that_sends_more_than_it_states_is_not_believed(adsctl):
    """PHP counts characters where it should count bytes: the end of the feed would be missing."""
    content = feed(3).encode()

    def serve(connection) -> None:
        read_head(connection)
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (len(content) - 7))
        connection.sendall(content)

    with raw_service(serve) as service, ends_in_time():
        done = adsctl(*CHECK, f"{service.address}/feed.csv", code=8)
    assert "it sends more than the Content-Length that it states" in done.stderr
