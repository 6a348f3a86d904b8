"""An object store that does not answer; what one that does is read is in long_object_stores.py."""

import socket
import time

from tests.feeds.locations.s3_server import S3Server
from tests.raw_service import raw_service

CHECK = ("products", "check", "-o", "json", "--max-wait", "5s", "--max-attempts", "2")


def test_a_store_that_cannot_be_reached_ends_with_8(adsctl):
    environment = S3Server("http://127.0.0.1:9").environment | {"AWS_MAX_ATTEMPTS": "1"}
    adsctl(*CHECK, "s3://shop/feed.csv", code=8, **environment)


def test_a_store_that_does_not_answer_cannot_hold_up_a_command(adsctl):
    started = time.monotonic()

    def hang(connection: socket.socket) -> None:
        while connection.recv(65536):
            pass

    with raw_service(hang) as service:
        environment = S3Server(service.address).environment
        done = adsctl(*CHECK, "s3://shop/feed.csv", "--timeout", "300ms", code=8, **environment)
    assert "in time" in done.stderr or "timeout" in done.stderr
    assert time.monotonic() - started < 60
