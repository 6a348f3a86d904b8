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
    assert {load["profile"]: load["status"] for load in json.loads(done.stdout)} == {
        "gone": "access",
        "good": "ok",
    }
    assert "profile gone" in done.stderr
    assert "--all is for --check" in remote("auth", "status", "--all", code=2).stderr


def test_of_several_errors_that_of_a_refused_token_is_the_result(remote, httpserver: HTTPServer):
    address = httpserver.url_for("").rstrip("/")
    for name in ("away", "gone"):
        remote("profile", "set", name, f"ads_url={address}", f"base_url={address}")
    httpserver.expect_ordered_request("/12/accounts").respond_with_data("{}", 404)
    httpserver.expect_ordered_request("/12/accounts").respond_with_response(refused())
    done = remote("auth", "status", "--check", "--all", "-o", "json", code=4)
    assert [load["status"] for load in json.loads(done.stdout)] == ["not_found", "access"]
    assert "profile gone" in done.stderr


def test_where_no_profile_is_to_be_checked_that_is_no_success(remote, httpserver: HTTPServer):
    """As in cron, with another home: nothing was checked."""
    done = remote("auth", "status", "--check", "--all", code=4)
    assert "no profile to check" in done.stderr and "auth status --check" in done.stderr
    assert not httpserver.log
