"""Feeds in object stores; the extra that reads each is named where it is missing."""

import gzip
import json
import socket
import time

import pytest

from tests.conftest import feed
from tests.raw_service import raw_service

CHECK = ("products", "check", "-o", "json", "--max-wait", "5s", "--max-attempts", "2")


def test_a_feed_in_a_bucket_is_pushed(adsctl, service, s3):
    s3.put("shop/feeds/Käse 1.csv.gz", gzip.compress(feed(60).encode()))
    address = "s3://shop/feeds/Käse 1.csv.gz"
    done = adsctl("products", "push", address, "-o", "json", **s3.environment)
    assert json.loads(done.stdout)["created"] == 60 == len(service.stored)
    (job,) = json.loads(adsctl("jobs", "list", "-o", "json").stdout)
    assert job["file"] == address


def test_an_object_larger_than_one_request_arrives_whole(adsctl, s3):
    s3.put("shop/large.csv", feed(8_000).encode())
    done = adsctl(*CHECK, "s3://shop/large.csv", **s3.environment)
    assert json.loads(done.stdout)["rows"] == 8_000
    done = adsctl(*CHECK, "s3://shop/large.csv", "--max-size", "1MB", code=3, **s3.environment)
    assert "is larger than 1 MB" in done.stderr


@pytest.mark.parametrize("address", ["s3://shop/nowhere.csv", "s3://no-such-bucket/feed.csv"])
def test_an_object_that_does_not_exist_ends_with_5(adsctl, s3, address):
    done = adsctl(*CHECK, address, code=5, **s3.environment)
    assert f"{address} does not exist" in done.stderr


def test_without_credentials_it_ends_with_4_and_says_where_they_come_from(adsctl, s3):
    environment = {name: value for name, value in s3.environment.items() if "KEY" not in name}
    done = adsctl(*CHECK, "s3://shop/feed.csv", code=4, **environment)
    assert "not allowed" in done.stderr and "AWS_PROFILE" in done.stderr


def test_a_store_that_cannot_be_reached_ends_with_8(adsctl, s3):
    environment = s3.environment | {"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1"}
    adsctl(*CHECK, "s3://shop/feed.csv", code=8, **environment)


def test_a_store_that_does_not_answer_cannot_hold_up_a_command(adsctl, s3):
    started = time.monotonic()

    def hang(connection: socket.socket) -> None:
        while connection.recv(65536):
            pass

    with raw_service(hang) as service:
        environment = s3.environment | {"AWS_ENDPOINT_URL_S3": service.address}
        done = adsctl(*CHECK, "s3://shop/feed.csv", "--timeout", "300ms", code=8, **environment)
    assert "in time" in done.stderr or "timeout" in done.stderr
    assert time.monotonic() - started < 60
