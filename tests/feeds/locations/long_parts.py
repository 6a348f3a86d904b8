"""A list of people in many objects of a bucket."""

import io
import json
from hashlib import sha256

import pytest
from pyarrow import csv, parquet
from werkzeug import Response

PUSH = ("audiences", "push", "--audience", "aud", "-o", "json", "--max-attempts", "1")


def table(part: int, count: int = 20) -> bytes:
    return ("email\n" + "".join(f"user{number}.of{part}@x.de\n" for number in range(count))).encode()


def as_parquet(content: bytes) -> bytes:
    written = io.BytesIO()
    parquet.write_table(csv.read_csv(io.BytesIO(content)), written)
    return written.getvalue()


@pytest.fixture
def people(httpserver):
    """The digests of the people who were sent."""
    sent: set[str] = set()

    def answer(request):
        users = [user for operation in json.loads(request.data) for user in operation["params"]["users"]]
        sent.update(value for user in users for value in user["email"])
        counts = {"success_count": len(users), "total_count": len(users)}
        return Response(json.dumps({"data": counts}))

    path = "/12/accounts/acc/custom_audiences/aud/users"
    httpserver.expect_request(path, method="POST").respond_with_handler(answer)
    return sent


@pytest.fixture
def shop(remote, s3):
    remote.env |= s3.environment | {"ADSCTL_ACCOUNT": "acc"}
    return remote


def test_parquet_files_of_a_bucket_are_sent_as_one_list(shop, s3, people):
    for part in range(6):
        s3.put(f"shop/people/part-{part:03}.parquet", as_parquet(table(part)))
    summary = json.loads(shop(*PUSH, "s3://shop/people/part-*.parquet").stdout)
    assert (summary["accepted"], summary["requests"]) == (120, 1)
    everybody = [f"user{number}.of{part}@x.de" for part in range(6) for number in range(20)]
    assert people == {sha256(person.encode()).hexdigest() for person in everybody}


def test_every_object_is_checked_before_the_first_request(shop, s3, people):
    for part in range(2):
        s3.put(f"shop/mixed/part-{part:03}.csv", table(part))
    s3.put("shop/mixed/part-002.parquet", as_parquet(b"name\nx\n"))
    refused = shop(*PUSH, "s3://shop/mixed/part-*", code=3)
    assert "s3://shop/mixed/part-002.parquet:1: has no identifier" in refused.stderr
    assert not people
