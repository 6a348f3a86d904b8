"""Users in audiences and do-not-reach lists: added, removed, rejected and counted."""

import json
import threading
from hashlib import sha256

import pytest

from ads_cli.api.users import UpdateAudienceUsers
from ads_cli.emulator.seed.credentials import USER
from tests.emulator.seeded import CUSTOMERS, UNSUBSCRIBED

from .client import Client, errors
from .wire_names import service_name  # noqa: F401 - every test runs under both

ACCOUNT = "18ce54d4x5t"
USERS = f"/12/accounts/{ACCOUNT}/custom_audiences/{CUSTOMERS}/users"
LIST = f"/12/batch/accounts/{ACCOUNT}/do_not_reach_lists/{UNSUBSCRIBED}/users"


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def user(*names: str, **others: list[str]) -> dict:
    return ({"email": [digest(name) for name in names]} if names else {}) | others


def operation(*users: dict, kind: str = "Update", **params: str) -> dict:
    return {"operation_type": kind, "params": {"users": list(users), **params}}


def post(client: Client, *operations: dict, path: str = USERS):
    return client.send("POST", path, json_body=list(operations))


def count_users(client: Client, audience: str = CUSTOMERS) -> int:
    return next(record["users"] for record in client.emulator.data.audiences() if record["id"] == audience)


@pytest.mark.parametrize("over_a_socket", [False, True])
def test_users_are_added_and_removed(local, served, over_a_socket):
    client = served if over_a_socket else local
    before = count_users(client)
    response = post(client, operation(user("a"), user("b")), operation(user("c")))
    assert response.json()["data"] == {"success_count": 3, "total_count": 3}
    assert response.headers["x-rate-limit-limit"] == "1500" and count_users(client) == before + 3
    assert post(client, operation(user("a"))).status_code == 200 and count_users(client) == before + 3
    assert post(client, operation(user("a"), user("nobody"), kind="Delete")).status_code == 200
    assert count_users(client) == before + 2


def test_users_with_a_shared_identifier_are_merged(local):
    before = count_users(local)
    post(local, operation(user("a"), user("b"), user("c")))
    post(local, operation(user("a", "b", partner_user_id=["k1"])))
    assert count_users(local) == before + 2
    post(local, operation(user(partner_user_id=["k1"]), kind="Delete"))
    assert count_users(local) == before + 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (operation(user(email=["a@x.de"])), "64 hex digits"),
        (operation(user(email=[digest("x").upper()])), "64 hex digits"),
        (operation(user(mail=[digest("x")])), "mail"),
        (operation(), "params.users"),
        (operation(user("x"), kind="Replace"), "operation_type"),
        (operation(user("x"), expires_at="2020-01-01T00:00:00Z"), "later than now"),
        (
            operation(user("x"), effective_at="2030-01-02T00:00:00Z", expires_at="2030-01-01T00:00:00Z"),
            "later than effective_at",
        ),
        (
            operation(user("x"), effective_at="2030-01-01T00:00:00Z", expires_at="2030-01-01T00:00:00Z"),
            "later than effective_at",
        ),
        ({"params": {"users": [user("x")]}}, "operation_type"),
        ("no operation", "object"),
        (operation({}), "needs an identifier"),
        (operation({"partner_user_id": [""]}), "partner_user_id"),
    ],
)
def test_one_invalid_operation_rejects_the_whole_request(local, bad, message):
    before = count_users(local)
    response = post(local, operation(user("good")), bad)
    assert response.status_code == 400 and count_users(local) == before
    good, wrong = response.json()["operation_errors"]
    assert good == [] and wrong[0]["index"] == 1 and message in wrong[0]["message"]


def test_operations_and_bytes_of_a_request_are_limited(local):
    assert post(local, *[operation(user(str(n))) for n in range(2500)]).status_code == 200
    many = post(local, *[operation(user("x"))] * 2501)
    assert many.status_code == 400 and errors(many) == [("TOO_MANY_OPERATIONS", None)]
    assert errors(post(local)) == [("MISSING_PARAMETER", None)]
    large = json.dumps([operation(user("x"))]).encode()
    large = b" " * (5_000_001 - len(large)) + large
    assert local.send("POST", USERS, json_body=large).status_code == 413
    assert local.send("POST", USERS, json_body=large[1:]).status_code == 200
    cut = b'[{"operation_type": "x"}'
    for body in (b"{}", b"[", b"3", cut, cut + b', "\xff"]', b"[" * 100_000):
        assert local.send("POST", USERS, json_body=body).status_code == 400
    assert local.send("POST", USERS).status_code == 400  # without a content type


def test_an_audience_of_another_account_is_not_found(local):
    other = USERS.replace(ACCOUNT, "18ce55gze09")
    assert post(local, operation(user("a")), path=other).status_code == 404
    assert post(local, operation(user("a")), path=USERS.replace(CUSTOMERS, "none")).status_code == 404


def test_a_do_not_reach_list_returns_counts_per_operation(local):
    before = count_users(local, UNSUBSCRIBED)
    response = post(local, operation(user("a"), user("b")), operation(user("c")), path=LIST)
    assert response.json()["data"] == [
        {"success_count": 2, "total_count": 2},
        {"success_count": 1, "total_count": 1},
    ]
    assert count_users(local, UNSUBSCRIBED) == before + 3
    assert response.json()["request"]["operation_type"] == "Update"
    assert post(local, operation(user("d")), operation({}), path=LIST).status_code == 400
    assert count_users(local, UNSUBSCRIBED) == before + 3
    handle = post(local, operation(user(handle=[digest("a")])), path=LIST)
    assert "handle" in handle.json()["operation_errors"][0][0]["message"]


def test_the_1501st_request_in_a_minute_is_rate_limited(local):
    assert post(local, operation(user("a"))).headers["x-rate-limit-remaining"] == "1499"
    for _ in range(1498):
        local.emulator._rate_limits.consume(UpdateAudienceUsers.endpoint, USER, ACCOUNT)
    assert post(local, operation(user("a"))).headers["x-rate-limit-remaining"] == "0"
    response = post(local, operation(user("a")))
    assert response.status_code == 429 and int(response.headers["Retry-After"]) <= 60


def test_the_fault_partial_counts_one_user_less(faulty):
    client = faulty(f"POST {USERS} partial times=1")
    assert post(client, operation(user("a"), user("b"))).json()["data"] == {
        "success_count": 1,
        "total_count": 2,
    }
    assert post(client, operation(user("a"), user("b"))).json()["data"]["success_count"] == 2


def test_concurrent_requests_lose_no_user(served):
    before = count_users(served)
    groups = [[user(f"{thread}.{n}") for n in range(40)] for thread in range(16)]
    threads = [threading.Thread(target=post, args=(served, operation(*group))) for group in groups]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count_users(served) == before + 16 * 40
