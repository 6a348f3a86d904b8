"""A list of people in many objects of a bucket."""

import io
import json
from hashlib import sha256

import pytest
from pyarrow import csv, parquet
from werkzeug import Response

from ads_cli.feeds.locations import RemoteAccess
from ads_cli.feeds.locations.object_store import ObjectLocation
from ads_cli.http.retry import CopyLimits

PUSH = ("audiences", "push", "--audience", "aud", "-o", "json", "--max-attempts", "1")


def table(part: int, count: int = 20) -> bytes:
    return ("email\n" + "".join(f"user{number}.of{part}@x.de\n" for number in range(count))).encode()


def as_parquet(content: bytes) -> bytes:
    written = io.BytesIO()
    parquet.write_table(csv.read_csv(io.BytesIO(content)), written)
    return written.getvalue()


@pytest.fixture
def people(httpserver):
    """The digests of the people who were sent; `stop_after` requests the service fails."""

    class People(list):
        stop_after = 10**6

        def answer(self, request):
            if len(self) == self.stop_after:
                return Response("{}", 503)
            sent = [user for one in json.loads(request.data) for user in one["params"]["users"]]
            self.append([value for user in sent for value in user["email"]])
            counts = {"success_count": len(sent), "total_count": len(sent)}
            return Response(json.dumps({"data": counts}))

    found = People()
    path = "/12/accounts/acc/custom_audiences/aud/users"
    httpserver.expect_request(path, method="POST").respond_with_handler(found.answer)
    return found


@pytest.fixture
def shop(remote, s3):
    remote.env |= s3.environment | {"ADSCTL_ACCOUNT": "acc"}
    return remote


def everybody(parts: int) -> list[list[str]]:
    return [
        [sha256(f"user{number}.of{part}@x.de".encode()).hexdigest() for number in range(20)]
        for part in range(parts)
    ]


def test_parquet_files_of_a_bucket_are_sent_and_resumed(shop, s3, people):
    words = (*PUSH, "s3://shop/people/part-*.parquet")
    for part in range(6):
        s3.put(f"shop/people/part-{part:03}.parquet", as_parquet(table(part)))
    people.stop_after = 3
    stopped = shop(*words, code=8)
    assert "'s3://shop/people/part-*.parquet' --resume" in stopped.stderr
    people.stop_after = 10**6
    s3.replace("shop/people/part-001.parquet", as_parquet(table(99)))
    s3.replace("shop/people/part-002.parquet", as_parquet(table(2)))  # written again, and the same
    done = shop(*words, "--resume")
    assert people == everybody(6)
    assert "1 file changed after being sent" in done.stderr
    assert "s3://shop/people/part-001.parquet" in done.stderr
    assert json.loads(done.stdout)["accepted"] == 120
    (job,) = json.loads(shop("jobs", "list", "-o", "json").stdout)
    assert (job["state"], job["parts"], job["parts_sent"]) == ("ended", 6, 6)
    assert job["file"] == "s3://shop/people/part-*.parquet"


def test_the_columns_of_every_object_are_checked_before_the_first_request(shop, s3, people):
    for part in range(2):
        s3.put(f"shop/mixed/part-{part:03}.csv", table(part))
    s3.put("shop/mixed/part-002.parquet", as_parquet(b"name\nx\n"))
    refused = shop(*PUSH, "s3://shop/mixed/part-*", code=3)
    assert "s3://shop/mixed/part-002.parquet: the first line names no identifier" in refused.stderr
    assert people == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_finding_the_columns_of_an_object_fetches_little_of_it(kind, shop, s3, monkeypatch):
    content = table(0, count=200_000) if kind == "csv" else as_parquet(table(0, count=200_000))
    s3.put(f"shop/peeked/large.{kind}", content)
    fetched = []

    def read(stream):
        fetch = stream.cache.fetcher
        stream.cache.fetcher = lambda begin, end: (fetched.append(end - begin), fetch(begin, end))[1]
        if kind == "parquet":
            return parquet.read_schema(stream).names
        return [stream.readline().strip().decode()]

    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    location = ObjectLocation(f"s3://shop/peeked/large.{kind}", RemoteAccess(limits=CopyLimits()))
    version, names = location.peek(read)
    assert names == ["email"] and version.startswith(f"{len(content)} ")
    assert 0 < sum(fetched) < len(content) / 5


def test_files_whose_server_names_no_version_are_compared_by_their_bytes(
    shop, people, plain_server, shop_server
):
    addresses = [server.address() for server in (plain_server, shop_server)]
    plain_server.content, shop_server.content = table(0), table(1)
    plain_server.headers.pop("ETag")
    people.stop_after = 1
    shop(*PUSH, *addresses, code=8)
    people.stop_after = 10**6
    plain_server.content = table(99)
    done = shop(*PUSH, *addresses, "--resume")
    assert people == everybody(2)
    assert "1 file changed after being sent" in done.stderr and addresses[0] in done.stderr
