"""Responses and errors of the service: exit codes and messages."""

import json

import pytest
from pytest_httpserver import HTTPServer

from ads_cli.client.response import read_response
from ads_cli.errors import UnavailableError

ACCOUNTS = "/12/accounts"
HINT = "the token comes from the environment: check ADSCTL_ACCESS_TOKEN and ADSCTL_ACCESS_TOKEN_SECRET"
ONCE = ("--max-attempts", "1")


def serve(
    httpserver: HTTPServer, body: str | bytes, status: int = 200, content_type: str = "application/json"
):
    httpserver.expect_request(ACCOUNTS).respond_with_data(body, status=status, content_type=content_type)


@pytest.mark.parametrize(
    ("status", "body", "code", "words"),
    [
        (
            401,
            {"errors": [{"code": 89, "message": "Invalid or expired token."}]},
            4,
            "Invalid or expired token. [89]",
        ),
        (403, {"errors": [{"code": 93, "message": "This application may not."}]}, 4, "may not. [93]"),
        (403, {"errors": [{"code": 99, "message": "Too often."}]}, 7, "Too often. [99]"),
        (
            404,
            {"errors": [{"code": "NOT_FOUND", "message": "No such account"}]},
            5,
            "No such account [NOT_FOUND]",
        ),
        (
            400,
            {"errors": [{"code": "INVALID_PARAMETER", "message": "is bad", "parameter": "q"}]},
            6,
            "q: is bad",
        ),
        (400, {"operation_errors": [[{"index": 3, "message": "no user"}]]}, 6, "item 3: no user"),
        (400, {"code": 32, "message": "Could not authenticate you"}, 6, "Could not authenticate you [32]"),
        (409, {}, 6, "gave no reason"),
        (429, {"errors": [{"code": 88, "message": "Rate limit exceeded"}]}, 7, "Rate limit exceeded"),
        (500, {"errors": [{"message": "Oops"}]}, 8, "Oops (status 500)"),
        (503, [], 8, "status 503"),
        (
            200,
            {"errors": [{"code": "OTHER", "message": "in the middle of a 200"}]},
            6,
            "in the middle of a 200",
        ),
    ],
)
def test_an_error_response_sets_exit_code_and_message(remote, httpserver, status, body, code, words):
    serve(httpserver, json.dumps(body), status)
    done = remote("accounts", "list", *ONCE, code=code)
    assert words in done.stderr
    assert done.stdout == ""


def test_a_refused_token_of_a_file_is_told_by_the_variable_that_names_it(remote, httpserver):
    serve(httpserver, json.dumps({"errors": [{"code": 89, "message": "Invalid or expired token."}]}), 401)
    files = {"ADSCTL_ACCESS_TOKEN": "", "ADSCTL_ACCESS_TOKEN_FILE": str(remote.file("token", "gone"))}
    stderr = remote("accounts", "list", *ONCE, code=4, **files).stderr
    assert "check ADSCTL_ACCESS_TOKEN_FILE and ADSCTL_ACCESS_TOKEN_SECRET" in " ".join(stderr.split())


PROBLEMS = [
    ("client-disconnected", {}),
    ("client-forbidden", {"reason": "client-not-enrolled", "registration_url": "https://x.example/enrol"}),
    ("conflict", {}),
    ("disallowed-resource", {"resource_id": "9", "resource_type": "post", "section": "data"}),
    ("duplicate-rules", {"id": "7", "value": "cats"}),
    ("invalid-request", {"errors": [{"message": "too long", "parameters": {"url": ["https://a"]}}]}),
    ("invalid-rules", {}),
    ("noncompliant-rules", {}),
    ("not-authorized-for-field", {"field": "email", "resource_type": "user", "section": "data"}),
    (
        "not-authorized-for-resource",
        {"value": "5", "resource_id": "5", "resource_type": "user", "section": "data"},
    ),
    ("operational-disconnect", {"disconnect_type": "SlowReader"}),
    ("resource-not-found", {"parameter": "id", "value": "1", "resource_id": "1", "resource_type": "post"}),
    ("resource-unavailable", {"parameter": "id", "resource_id": "1", "resource_type": "post"}),
    ("rule-cap", {}),
    ("streaming-connection", {"connection_issue": "TooManyConnections"}),
    ("unsupported-authentication", {}),
    ("usage-capped", {"period": "Monthly", "scope": "Account"}),
]


@pytest.mark.parametrize(("slug", "extra"), PROBLEMS)
def test_a_problem_object_is_reported_with_its_members(remote, httpserver, slug, extra):
    problem = {"type": f"https://p.example/problems/{slug}", "title": "Some Title", "detail": "some detail"}
    serve(httpserver, json.dumps(problem | extra), 400, "application/problem+json")
    done = remote("accounts", "list", *ONCE, code=6)
    assert "Some Title: some detail" in done.stderr and "hint:" in done.stderr
    for value in extra.values():
        if isinstance(value, str):
            assert value in done.stderr
    if slug == "invalid-request":
        assert "too long (url=https://a)" in done.stderr


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"<html><body>Maintenance</body></html>", "text/html"),
        (b'{"data": [{"id": "1', "application/json"),
        (b"", "application/json"),
        (b"\xff\xfe\x00", "application/octet-stream"),
        (b"[" * 100_000, "application/json"),
    ],
)
def test_an_unreadable_response_is_reported_with_its_status(remote, httpserver, body, content_type):
    serve(httpserver, body, 200, content_type)
    done = remote("accounts", "list", *ONCE, code=8)
    assert "status 200" in done.stderr and "Traceback" not in done.stderr


def test_an_error_page_of_ten_megabytes_is_shortened(remote, httpserver):
    serve(httpserver, b"<p>" + b"x" * 10_000_000, 502, "text/html")
    done = remote("accounts", "list", *ONCE, code=8)
    assert "502" in done.stderr and len(done.stderr) < 1000


def test_a_repeated_cursor_ends_the_list_with_an_error(remote, httpserver):
    serve(httpserver, '{"data": [{"id": "1"}], "next_cursor": "again"}')
    done = remote("accounts", "list", "--all", code=8)
    assert "repeats the cursor 'again'" in done.stderr


def test_a_redirect_is_not_followed(remote, httpserver):
    other = HTTPServer()
    other.start()
    try:
        other.expect_request("/").respond_with_json({"data": []})
        headers = {"Location": other.url_for("/")}
        httpserver.expect_request(ACCOUNTS).respond_with_data("", status=302, headers=headers)
        done = remote("accounts", "list", code=8)
        assert "another address" in done.stderr
        assert not other.log
    finally:
        other.stop()


def test_with_json_output_the_last_line_of_stderr_is_the_error_as_json(remote, httpserver):
    serve(httpserver, '{"errors": [{"code": 89, "message": "Invalid or expired token."}]}', 401)
    done = remote("-o", "json", "accounts", "list", code=4)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error == {
        "code": "access",
        "exit_code": 4,
        "http_status": 401,
        "api_code": 89,
        "message": "Invalid or expired token. [89] (status 401)",
        "hint": HINT,
        "retryable": False,
    }


def test_an_unreachable_service_is_reported_with_its_address(adsctl):
    from tests.conftest import SECRETS

    done = adsctl("accounts", "list", *ONCE, code=8, ADSCTL_ADS_URL="http://127.0.0.1:9", **SECRETS)
    assert "127.0.0.1:9" in done.stderr


def test_an_address_without_https_is_rejected(adsctl):
    done = adsctl("accounts", "list", code=11, ADSCTL_ADS_URL="http://ads.example")
    assert "not https" in done.stderr


def test_escape_sequences_in_a_response_are_shown_escaped(remote, httpserver):
    serve(httpserver, json.dumps({"data": [{"id": "1", "name": "a\x1b[31m\u202eb\tc"}]}))
    for output in ("tsv", "table", "json", "yaml", "jsonl"):
        done = remote("accounts", "list", "-o", output)
        assert "\x1b" not in done.stdout and "\u202e" not in done.stdout
    assert r"a\x1b[31m\u202eb\tc" in remote("accounts", "list", "-o", "tsv").stdout


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        ('{"data":[{"id":"a","price":"1"},{"id":"b"}],"next_cursor":null}', True),
        ('{"data": [{"id" : "a: \\": x"}, {"id":"a","values":[{"id":"b"}]}]}', True),
        ('{"data":[{"id":"a","id":"b"}]}', False),
        ('{"data":[{"id" : "a","id" :"\\":"}]}', False),
        ('{"data":[{"id":"a","values":[{"b":1,"b":2}]}]}', False),
        ('{"data":[{"id":"a"}],"data":[{"id":"b"}]}', False),
        ('{"data":[{"id":"a"}],"data":[{"id":"a"}]}', False),
        ('{"data":[{"id":"a"}],"next_cursor":"a","next_cursor":"b"}', False),
    ],
)
def test_a_listing_with_a_key_twice_in_one_object_cannot_be_read(body, is_read):
    def read():
        return read_response(200, {}, body.encode()).records

    if is_read:
        assert read() == json.loads(body)["data"]
    else:
        with pytest.raises(UnavailableError, match="twice in one object"):
            read()
