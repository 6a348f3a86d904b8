"""What the service answers to a batch: success, refusal, or nothing that can be understood."""

import csv
import json
import socket

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from tests.conftest import feed
from tests.products.stopping import acknowledged

PRODUCTS = "/12/product_catalogs/7/products"
PUSH = ("products", "push", "feed.csv", "--catalog", "7", "-o", "json", "--max-attempts", "1")


def created(*numbers: int) -> list[dict]:
    return [{"id": f"sku-{number}", "status": "CREATE_SUCCESS"} for number in numbers]


def answer(entries: object) -> dict:
    return {"data": {"products_response": entries}}


NOT_UNDERSTOOD = {
    "success with errors": answer([*created(1), created(2)[0] | {"errors": ["no image"]}]),
    "an unknown status": answer([*created(1), {"id": "sku-2", "status": "QUEUED"}]),
    "no status": answer([*created(1), {"id": "sku-2"}]),
    "an entry twice": answer(created(1, 2, 2)),
    "contradicting entries": answer([*created(1, 2), {"id": "sku-2", "status": "ERROR"}]),
    "an entry of another product": answer(created(1, 2, 3)),
    "an entry less": answer(created(1)),
    "an entry that is a text": answer([*created(1), "sku-2"]),
    "a text": answer("ok"),
    "no data": {},
    "null": None,
    "a list": [],
    "a string": "created",
}


@pytest.mark.parametrize("body", NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_a_response_that_is_not_understood_acknowledges_nothing(remote, httpserver: HTTPServer, body):
    httpserver.expect_request(PRODUCTS, method="PUT").respond_with_json(body)
    remote.file("feed.csv", feed(2))
    done = remote(*PUSH, code=8)
    summary, error = json.loads(done.stdout), json.loads(done.stderr.splitlines()[-1])["error"]
    assert "the response of the service is not understood" in error["message"]
    assert "--resume" in error["hint"]
    assert (summary["created"], summary["failed"]) == (0, 0) and not acknowledged(remote)


def test_no_content_acknowledges_nothing(remote, httpserver: HTTPServer):
    httpserver.expect_request(PRODUCTS, method="PUT").respond_with_response(Response(status=204))
    remote.file("feed.csv", feed(2))
    remote(*PUSH, code=8)
    assert not acknowledged(remote)


def test_a_response_that_is_not_understood_is_retried(remote, httpserver: HTTPServer):
    httpserver.expect_ordered_request(PRODUCTS, method="PUT").respond_with_json([])
    httpserver.expect_ordered_request(PRODUCTS, method="PUT").respond_with_json(answer(created(2, 1)))
    remote.file("feed.csv", feed(2))
    summary = json.loads(remote(*PUSH[:-1], "2").stdout)
    assert (summary["created"], summary["requests"], summary["retries"]) == (2, 2, 1)


def test_refusals_are_failures_with_or_without_a_reason(remote, httpserver: HTTPServer):
    refused = [
        {"id": "sku-1", "status": "ERROR", "errors": [{"message": "no image"}]},
        {"id": "sku-2", "status": "ERROR"},
    ]
    httpserver.expect_request(PRODUCTS, method="PUT").respond_with_json(answer([*refused, *created(3)]))
    remote.file("feed.csv", feed(3))
    summary = json.loads(remote(*PUSH, "--failed-out", "f.csv", code=9).stdout)
    assert (summary["created"], summary["failed"]) == (1, 2)
    errors = [row["_error"] for row in csv.DictReader((remote.home / "f.csv").open())]
    assert errors == ["no image", "rejected without a reason"]


# Deletes: a key that the catalog does not have was deleted by an earlier request, if there may have been one.

DELETE = ("products", "delete", "k1", "k2", "--by", "key", "--yes", "-o", "json")


def delete(adsctl, *words: str, code: int):
    """Delete keys that no product has."""
    done = adsctl(*DELETE, *words, code=code)
    return json.loads(done.stdout)


def test_an_unknown_key_is_refused_after_a_rate_limit(adsctl, service):
    service.fail("DELETE * status=429 times=1 retry-after=0")
    summary = delete(adsctl, code=9)
    assert (summary["deleted"], summary["failed"], summary["retries"]) == (0, 2, 1)


@pytest.mark.parametrize("fault", ["reset-after", "status=503 retry-after=0", "truncate"])
def test_an_unknown_key_counts_as_deleted_after_a_request_that_may_have_been_applied(adsctl, service, fault):
    service.fail(f"DELETE * {fault} times=1")
    summary = delete(adsctl, code=0)
    assert (summary["deleted"], summary["failed"]) == (2, 0)


@pytest.mark.parametrize(
    ("fault", "code", "deleted"),
    [
        ("status=401", 4, 0),
        ("status=429 retry-after=999", 7, 0),
        ("status=400", 6, 0),
        ("status=503", 8, 2),
        ("reset-after", 8, 2),
    ],
)
def test_a_resumed_delete_knows_whether_its_request_may_have_been_applied(
    adsctl, service, fault, code, deleted
):
    service.fail(f"DELETE * {fault}")
    delete(adsctl, "--max-attempts", "1", code=code)
    service.fail()
    summary = delete(adsctl, "--resume", code=9 if not deleted else 0)
    assert (summary["deleted"], summary["failed"]) == (deleted, 2 - deleted)


def test_a_resumed_delete_that_never_reached_the_service_reports_refusals(adsctl, service):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # and does not listen
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        adsctl(*DELETE, "--max-attempts", "1", code=8, ADSCTL_ADS_URL=address)
    done = adsctl(*DELETE, "--resume", code=9)
    summary = json.loads(done.stdout)
    assert "resuming job" in done.stderr and (summary["deleted"], summary["failed"]) == (0, 2)


def test_any_other_reason_is_a_refusal_after_a_retry_too(remote, httpserver: HTTPServer):
    locked = [{"product_key": None, "failed_product_key": key, "message": "locked"} for key in ("k1", "k2")]
    httpserver.expect_ordered_request(PRODUCTS, method="DELETE").respond_with_json({}, status=503)
    httpserver.expect_ordered_request(PRODUCTS, method="DELETE").respond_with_json(
        {"data": {"delete_products": locked}}
    )
    done = remote(*DELETE, "--catalog", "7", code=9)
    assert json.loads(done.stdout)["failed"] == 2 and "locked" in done.stderr


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"status": "ERROR"}, "rejected without a reason"),
        ({"status": "error", "message": "locked"}, "locked"),
        ({"message": "internal error"}, "internal error"),
        ({"errors": [{"message": "no permission"}]}, "no permission"),
        ({"error": "no permission"}, "no permission"),
    ],
)
def test_a_deletion_that_carries_an_error_has_failed(remote, httpserver: HTTPServer, message, reason):
    entries = [
        {"product_key": "k1"} | message,
        {"product_key": "k2", "status": "DELETE_SUCCESS", "message": "ok"},
    ]
    httpserver.expect_request(PRODUCTS, method="DELETE").respond_with_json(
        {"data": {"delete_products": entries}}
    )
    done = remote(*DELETE, "--catalog", "7", "-q", code=9)
    summary = json.loads(done.stdout)
    assert (summary["deleted"], summary["failed"]) == (1, 1) and reason in done.stderr


@pytest.mark.parametrize(
    "answer",
    [
        {"data": {"delete_products": [{"product_key": "k1", "status": "QUEUED"}, {"product_key": "k2"}]}},
        {
            "data": {"delete_products": [{"product_key": "k1"}, {"product_key": "k2"}]},
            "errors": [{"code": "INTERNAL_ERROR", "message": "try again"}],
        },
    ],
)
def test_a_deletion_that_means_neither_deletes_nothing(remote, httpserver: HTTPServer, answer):
    httpserver.expect_request(PRODUCTS, method="DELETE").respond_with_json(answer)
    done = remote(*DELETE, "--catalog", "7", "--max-attempts", "1", code=8)
    assert json.loads(done.stdout)["deleted"] == 0


REPEATED = [
    '{"data": {"products_response": [{"id": "sku-1", "status": "ERROR", "status": "CREATE_SUCCESS"}]}}',
    '{"data": [], "data": {"products_response": [{"id": "sku-1", "status": "NO_CHANGE"}]}}',
]


@pytest.mark.parametrize("body", REPEATED)
def test_an_answer_with_a_key_twice_cannot_be_read(remote, httpserver: HTTPServer, body):
    httpserver.expect_request(PRODUCTS, method="PUT").respond_with_data(body, content_type="application/json")
    remote.file("feed.csv", feed(1))
    done = remote(*PUSH, code=8)
    assert "twice in one object" in done.stderr and json.loads(done.stdout)["created"] == 0


def test_a_refusal_with_a_key_twice_is_no_reason(remote, httpserver: HTTPServer):
    body = '{"errors": [{"code": "A", "code": "B", "message": "no"}]}'
    httpserver.expect_request(PRODUCTS, method="DELETE").respond_with_data(body, status=400)
    assert "twice in one object" in remote(*DELETE, "--catalog", "7", code=6).stderr


def test_a_delete_whose_response_is_not_understood_deleted_nothing(remote, httpserver: HTTPServer):
    httpserver.expect_request(PRODUCTS, method="DELETE").respond_with_json({"data": {"delete_products": []}})
    done = remote(*DELETE, "--catalog", "7", "--max-attempts", "1", code=8)
    assert "does not mention 'k1'" in done.stderr and json.loads(done.stdout)["deleted"] == 0
