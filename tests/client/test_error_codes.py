"""The codes of the public reference: the exit code of each, whether it is retried, and its hint."""

import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from ads_cli.client.api_errors import HINTS
from ads_cli.client.response import read_response
from ads_cli.errors import AdsctlError
from tests.client.test_retries import ACCOUNTS, CATALOGS, Script, failing, ok

# Transcribed from the reference a second time: status, exit code, whether a GET is retried, codes.
TABLE = [
    (400, 6, False, "DUPLICATE_TWEET EXCLUSIVE_PARAMETERS FEATURE_NOT_AVAILABLE ILLEGAL_CHARACTERS "
     "INCLUSIVE_PARAMETERS INVALID_DENOMINATION INVALID_FUNDING_INSTRUMENT INVALID_IMAGE INVALID_MEDIA "
     "INVALID_MEDIA_ID INVALID_PARAMETER INVALID_PLACEMENT_TYPE INVALID_TAILORED_AUDIENCE_TYPE "
     "INVALID_TARGETING_TYPE INVALID_TIME_WINDOW INVALID_TV_SHOW_LOCATIONS INVALID_TWEET INVALID_USER "
     "INVALID_USER_ID MISSING_PARAMETER REQUEST_TOO_COMPLEX SPEND_EXCEEDS_BUDGET TOO_MANY_CAMPAIGNS "
     "TOO_MANY_LINE_ITEMS TV_SHOW_OUTSIDE_MARKET TWEET_CANNOT_BE_BLANK UNKNOWN_CARD_TYPE "
     "UNKNOWN_CRITERIA_TYPE INCOMPATIBLE_LINE_ITEM"),
    (401, 4, False, "UNAUTHORIZED_ACCESS"),
    (403, 4, False, "ACCOUNT_LOCKED_OUT ACCOUNT_NOT_FOUND ACTION_NOT_ALLOWED CURRENT_USER_SUSPENDED "
     "FUNDING_INSTRUMENT_ACCESS_NOT_ALLOWED FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT "
     "GENERIC_TWEET_ERROR MALWARE_STATUS READONLY_CLIENT_APPLICATION TWEET_IS_SPAM "
     "UNAUTHORIZED_CLIENT_APPLICATION USER_NOT_FOUND"),
    (404, 5, False, "ACCOUNT_MEDIA_NOT_FOUND APP_EVENT_PROVIDER_CONFIGURATION_NOT_FOUND "
     "APP_EVENT_TAG_NOT_FOUND BEHAVIOR_OR_BEHAVIOR_EXPANDED_NOT_FOUND CAMPAIGN_NOT_FOUND CARD_NOT_FOUND "
     "FUNDING_INSTRUMENT_NOT_FOUND INVALID_APP_ID INVALID_APP_STORE INVALID_IAB_CATEGORY "
     "INVALID_ID_ILLEGAL_CHARACTERS LINE_ITEM_APP_NOT_FOUND LINE_ITEM_NOT_FOUND MACT_APP_NOT_FOUND "
     "MEDIA_CREATIVE_NOT_FOUND MEDIA_NOT_FOUND NO_PROVIDER_AVAILABLE_FOR_THIS_CLIENT_APPLICATION NOT_FOUND "
     "PROMOTABLE_USER_NOT_FOUND PROMOTED_ACCOUNT_NOT_FOUND PROMOTED_TWEET_NOT_FOUND ROUTE_NOT_FOUND "
     "TAILORED_AUDIENCE_CHANGE_FILE_NOT_FOUND TAILORED_AUDIENCE_NOT_FOUND "
     "TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND TARGETING_CRITERION_NOT_FOUND "
     "TWEET_NOT_FOUND WEB_EVENT_TAG_NOT_FOUND"),
    (405, 6, False, "METHOD_NOT_ALLOWED"),
    (408, 8, True, "CANCELLED_REQUEST"),
    (423, 8, True, "LOCK_ACQUISITION_TIMEOUT"),
    (429, 7, True, "TOO_MANY_REQUESTS"),
    (429, 7, False, "TWEET_RATE_LIMIT_EXCEEDED"),
    (500, 8, True, "INTERNAL_ERROR"),
    (503, 8, True, "SERVICE_UNAVAILABLE OVER_CAPACITY"),
]  # fmt: skip
CODES = [(status, exit_code, code) for status, exit_code, _, codes in TABLE for code in codes.split()]


def body_of(code: str) -> str:
    return json.dumps({"errors": [{"code": code, "message": "Words of the service"}], "request": {}})


def error_of(status: int, code: str) -> AdsctlError:
    with pytest.raises(AdsctlError) as caught:
        read_response(status, {}, body_of(code).encode())
    return caught.value


@pytest.mark.parametrize(("status", "exit_code", "code"), CODES)
def test_each_code_has_its_exit_code_whatever_the_status_of_the_response(status, exit_code, code):
    for sent in (status, 200):
        error = error_of(sent, code)
        assert (error.exit_code, error.api_code) == (exit_code, code)
        assert f"Words of the service [{code}]" in error.message
        assert error.hint == HINTS.get(code, "")
        assert error.retryable == (exit_code in (7, 8))


@pytest.mark.parametrize(("status", "exit_code", "is_retried", "codes"), TABLE)
def test_a_read_is_retried_where_the_reference_says_so(
    remote, httpserver: HTTPServer, status, exit_code, is_retried, codes
):
    for code in codes.split()[:2]:
        failed = Response(body_of(code), status, {"Retry-After": "0"}, content_type="application/json")
        script = Script(failed, ok())
        httpserver.clear()
        httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
        done = remote("accounts", "list", code=0 if is_retried else exit_code)
        assert len(script.requests) == 1 + is_retried, code
        if not is_retried and code in HINTS:
            assert f"hint: {HINTS[code]}" in done.stderr


@pytest.mark.parametrize("status", [408, 423])
def test_a_write_that_may_have_been_applied_is_not_repeated(remote, httpserver: HTTPServer, status):
    script = Script(failing(status), ok())
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    assert "may have been applied" in remote("catalog", "create", "--name", "x", code=8).stderr
    assert len(script.requests) == 1


def test_who_is_not_allowed_is_not_told_to_sign_in_where_that_does_not_help(remote, httpserver: HTTPServer):
    for code, hint in (("TWEET_IS_SPAM", "change its text"), ("ACCOUNT_NOT_FOUND", "adsctl accounts list")):
        httpserver.clear()
        httpserver.expect_request(ACCOUNTS).respond_with_data(body_of(code), 403)
        hinted = remote("accounts", "list", code=4).stderr
        assert hint in hinted and "ADSCTL_ACCESS_TOKEN" not in hinted


PAGE = "<html><body>Nothing here</body></html>"


@pytest.mark.parametrize(
    ("status", "exit_code"), [(400, 6), (401, 4), (403, 4), (404, 5), (408, 8), (429, 7), (500, 8), (503, 8)]
)
def test_the_status_decides_where_the_body_is_not_json(remote, httpserver: HTTPServer, status, exit_code):
    httpserver.expect_request(ACCOUNTS).respond_with_data(PAGE, status, content_type="text/html")
    done = remote("accounts", "list", "--max-attempts", "1", "-o", "json", code=exit_code)
    error = json.loads(done.stderr.splitlines()[-1])["error"]
    assert error["http_status"] == status and error["api_code"] is None
    assert "38 bytes of text/html, beginning '<html>" in error["message"]


def test_details_of_an_error_are_told():
    entry = {"code": "INVALID_PARAMETER", "message": "not so", "parameter": "q", "details": "at most 80"}
    with pytest.raises(AdsctlError, match=r"q: not so \(at most 80\) \[INVALID_PARAMETER\]"):
        read_response(400, {}, json.dumps({"errors": [entry]}).encode())


WARNING = {"x-api-warn": "this path ends in June", "x-current-api-version": "12"}


def pages(count: int) -> list[Response]:
    bodies = [{"data": [], "next_cursor": str(n) if n < count else None} for n in range(1, count + 1)]
    return [Response(json.dumps(body), headers=WARNING, content_type="application/json") for body in bodies]


def test_a_warning_of_the_service_is_told_once_a_run(remote, httpserver: HTTPServer):
    script = Script(*pages(3))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    done = remote("accounts", "list", "--all", "-o", "json")
    assert len(script.requests) == 3 and json.loads(done.stdout) == []
    assert done.stderr.count("note: the service warns: this path ends in June") == 1
    assert "warns" not in remote("accounts", "list", "--all", "-q").stderr
