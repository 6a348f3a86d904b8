"""Feeds in an object store, which takes seconds to start."""

import gzip
import json

import pytest

from tests.conftest import feed
from tests.feeds.locations.test_object_stores import CHECK


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


def test_files_here_and_objects_of_a_bucket_are_one_feed(adsctl, service, s3):
    header, *rows = feed(30).splitlines()
    for part in range(3):
        content = "\n".join([header, *rows[part * 10 : part * 10 + 10]])
        if part:
            s3.put(f"shop/parts/part-{part}.csv", content.encode())
        else:
            adsctl.file("feed.csv", content)
    words = ("feed.csv", "s3://shop/parts/part-*.csv")
    done = adsctl("products", "push", *words, "-o", "json", **s3.environment)
    assert json.loads(done.stdout)["created"] == 30 == len(service.stored)
