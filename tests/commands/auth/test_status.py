"""Claims about asking the service whether it takes tokens."""

import json

from pytest_httpserver import HTTPServer
from werkzeug import Response


def refused() -> Response:
    body = {"errors": [{"code": 89, "message": "Invalid or expired token."}]}
    return Response(json.dumps(body), 401, mimetype="application/json")


def test_a_status_that_is_checked_asks_the_service(remote, httpserver: HTTPServer):
    httpserver.expect_ordered_request("/12/accounts").respond_with_json({"data": []})
    remote("auth", "status")
    assert not httpserver.log
    remote("auth", "status", "--check")
    httpserver.expect_ordered_request("/12/accounts").respond_with_response(refused())
    remote("auth", "status", "--check", code=4)


def test_all_profiles_are_checked_and_a_revoked_one_ends_with_4(remote, httpserver: HTTPServer):
    address = httpserver.url_for("").rstrip("/")
    for name in ("gone", "good"):
        remote("profile", "set", name, f"ads_url={address}", f"base_url={address}")
    httpserver.expect_ordered_request("/12/accounts").respond_with_response(refused())
    httpserver.expect_ordered_request("/12/accounts").respond_with_json({"data": []})
    done = remote("auth", "status", "--check", "--all", "-o", "json", code=4)
    assert {each["profile"]: each["status"] for each in json.loads(done.stdout)} == {
        "gone": "access",
        "good": "ok",
    }
    assert "profile gone" in done.stderr
    assert "--all is for --check" in remote("auth", "status", "--all", code=2).stderr
