"""Which requests are retried, and after which delay."""

import json
import time

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.client import rate_limiter
from ads_cli.http.retry import clock_hint, http_date, requested_delay, retry_after

ACCOUNTS = "/12/accounts"
CATALOGS = "/12/product_catalogs"


class Script:
    """Sends its responses in turn, then the last one again; records the requests."""

    def __init__(self, *responses: Response) -> None:
        self.responses = list(responses)
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        return self.responses[min(len(self.requests), len(self.responses)) - 1]


def ok(data: object = None) -> Response:
    return Response(json.dumps({"data": data if data is not None else []}), content_type="application/json")


def failing(status: int, **headers: str) -> Response:
    return Response("{}", status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


@pytest.mark.parametrize("status", [423, 429, 500, 502, 503, 504, 524])
def test_a_get_is_retried(remote, httpserver: HTTPServer, status):
    script = Script(failing(status, Retry_After="0"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list")
    assert len(script.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 404, 409, 501])
def test_other_errors_are_not_retried(remote, httpserver: HTTPServer, status):
    script = Script(failing(status))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", code=None)
    assert len(script.requests) == 1


def test_a_response_that_is_not_json_is_retried(remote, httpserver: HTTPServer):
    script = Script(Response("<html>", content_type="text/html"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list")
    assert len(script.requests) == 2


def test_a_post_that_may_have_been_applied_is_not_retried(remote, httpserver: HTTPServer):
    script = Script(failing(503))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    done = remote("catalog", "create", "--name", "x", code=8)
    assert len(script.requests) == 1
    assert "may have been applied" in done.stderr


def test_a_rate_limited_post_is_retried(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="0"), ok({"id": "1", "name": "x"}))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    remote("catalog", "create", "--name", "x")
    assert len(script.requests) == 2


def test_max_attempts_limits_the_attempts(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="0"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", "--max-attempts", "3", code=7)
    assert len(script.requests) == 3


def test_a_wait_beyond_max_wait_is_not_begun(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="3600"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", "--max-wait", "10s", code=7)
    assert len(script.requests) == 1


def test_a_wait_beyond_max_wait_is_reported_with_both_durations(remote, httpserver: HTTPServer):
    script = Script(failing(503, Retry_After="60"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    done = remote("accounts", "list", "--max-wait", "5s", code=8)
    assert "status 503" in done.stderr
    assert "the service asks to wait 60 s, and --max-wait allows 5 s without progress" in done.stderr


def test_a_retry_waits_for_the_reset_of_the_service(remote, httpserver: HTTPServer):
    reset = int(time.time()) + 2
    limited = failing(429, x_account_rate_limit_remaining="0", x_account_rate_limit_reset=str(reset))
    times = []

    def answer(request: Request) -> Response:
        times.append(time.time())
        return limited if len(times) == 1 else ok()

    httpserver.expect_request(ACCOUNTS).respond_with_handler(answer)
    remote("accounts", "list")
    assert len(times) == 2 and times[1] >= reset - 0.05


def test_a_long_wait_is_reported(remote, httpserver: HTTPServer, monkeypatch):
    monkeypatch.setattr(rate_limiter, "ANNOUNCE_WAIT_SECONDS", 1.0)
    script = Script(failing(429, Retry_After="1"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    assert "slow down: continuing in 1 s" in remote("accounts", "list").stderr


def test_a_404_after_a_lost_response_to_a_delete_is_success(remote, httpserver: HTTPServer):
    script = Script(failing(502, Retry_After="0"), failing(404))
    httpserver.expect_request(f"{CATALOGS}/7").respond_with_handler(script)
    done = remote("catalog", "delete", "7", "--yes", "-o", "json")
    assert json.loads(done.stdout) == {"id": "7", "deleted": True}


def test_a_404_at_the_first_delete_is_an_error(remote, httpserver: HTTPServer):
    httpserver.expect_request(f"{CATALOGS}/7").respond_with_handler(Script(failing(404)))
    done = remote("catalog", "delete", "7", "--yes", code=5)
    methods = [request.method for request, _ in httpserver.log]  # a GET looks for the name
    assert "404" in done.stderr and done.stdout == "" and methods.count("DELETE") == 1


def test_a_service_that_never_responds_times_out(adsctl):
    import socket

    from tests.conftest import SECRETS

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        words = ("accounts", "list", "--timeout", "300ms", "--max-attempts", "1")
        done = adsctl(*words, code=8, ADSCTL_ADS_URL=address, **SECRETS)
        assert "did not respond in time" in done.stderr
        begun = time.monotonic()
        words = ("accounts", "list", "--timeout", "30s", "--max-wait", "1s")
        done = adsctl(*words, code=8, ADSCTL_ADS_URL=address, **SECRETS)
        assert "did not respond in time; --max-wait allows 1 s without progress" in done.stderr
        assert time.monotonic() - begun < 10


def test_account_limits_take_precedence_over_user_limits():
    now = int(time.time())
    headers = {
        "x-rate-limit-remaining": "5",
        "x-rate-limit-reset": str(now + 5),
        "x-account-rate-limit-remaining": "0",
        "x-account-rate-limit-reset": str(now + 60),
    }
    seconds = requested_delay(headers, time.time())
    assert seconds is not None and 58 < seconds <= 60


@pytest.mark.parametrize("reset", ["0", "99999999999", "soon", "-5", ""])
def test_a_past_or_absurd_reset_is_ignored(reset):
    headers = {"x-rate-limit-remaining": "0", "x-rate-limit-reset": reset}
    assert requested_delay(headers, time.time()) is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7.0), ("99999999", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None), ("x", None), ("", None)],
)
def test_a_past_or_absurd_retry_after_is_ignored(text, seconds):
    assert retry_after({"retry-after": text}) == seconds


def test_a_post_with_a_rejected_timestamp_is_retried(remote, httpserver: HTTPServer):
    refused = Response('{"errors": [{"code": 135, "message": "Timestamp out of bounds."}]}', status=401)
    script = Script(refused, ok({"id": "1", "name": "x"}))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    remote("catalog", "create", "--name", "x")
    assert len(script.requests) == 2


def test_a_wrong_clock_is_named_in_the_hint(remote, httpserver: HTTPServer):
    refused = Response('{"errors": [{"code": 135, "message": "No."}]}', status=401)
    httpserver.expect_request(ACCOUNTS).respond_with_handler(Script(refused))
    stderr = remote("accounts", "list", "--max-attempts", "1", code=4).stderr
    assert "hint: set the clock of this machine" in stderr
    assert "s away from the service's" in clock_hint({"date": "Wed, 21 Oct 2015 07:28:00 GMT"})


@pytest.mark.parametrize("date", ["Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 -0000"])
def test_a_date_without_a_zone_is_read_in_utc(monkeypatch, date):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert http_date(date) == http_date("Sun, 06 Nov 1994 08:49:37 GMT")
    finally:
        monkeypatch.undo()
        time.tzset()
