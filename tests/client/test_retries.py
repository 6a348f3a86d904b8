"""When a request is sent again, and when it must not be."""

import json
import time

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.client import rate_limiter
from ads_cli.client.rate_headers import clock_hint, quota_of, retry_after

ACCOUNTS = "/12/accounts"
CATALOGS = "/12/product_catalogs"


class Script:
    """Answers one after the other, the last one again and again; counts the requests."""

    def __init__(self, *answers: Response) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []

    def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        return self.answers[min(len(self.requests), len(self.answers)) - 1]


def ok(data: object = None) -> Response:
    return Response(json.dumps({"data": data if data is not None else []}), content_type="application/json")


def failing(status: int, **headers: str) -> Response:
    return Response("{}", status=status, headers={k.replace("_", "-"): v for k, v in headers.items()})


@pytest.mark.parametrize("status", [423, 429, 500, 502, 503, 504])
def test_a_get_is_tried_again(remote, httpserver: HTTPServer, status):
    script = Script(failing(status, Retry_After="0"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list")
    assert len(script.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 404, 409, 501])
def test_what_is_refused_is_not_tried_again(remote, httpserver: HTTPServer, status):
    script = Script(failing(status))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", code=None)
    assert len(script.requests) == 1


def test_an_answer_that_is_not_json_is_asked_for_again(remote, httpserver: HTTPServer):
    script = Script(Response("<html>", content_type="text/html"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list")
    assert len(script.requests) == 2


def test_a_post_that_may_have_been_applied_is_not_sent_again_and_says_so(remote, httpserver: HTTPServer):
    script = Script(failing(503))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    done = remote("catalog", "create", "--name", "x", code=8)
    assert len(script.requests) == 1
    assert "may have been applied" in done.stderr


def test_a_post_that_was_only_asked_to_slow_down_is_sent_again(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="0"), ok({"id": "1", "name": "x"}))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    remote("catalog", "create", "--name", "x")
    assert len(script.requests) == 2


def test_attempts_are_counted(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="0"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", "--max-attempts", "3", code=7)
    assert len(script.requests) == 3


def test_a_wait_longer_than_allowed_is_not_begun(remote, httpserver: HTTPServer):
    script = Script(failing(429, Retry_After="3600"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    remote("accounts", "list", "--max-wait", "10s", code=7)
    assert len(script.requests) == 1


def test_a_wait_longer_than_allowed_is_told_with_both_numbers(remote, httpserver: HTTPServer):
    script = Script(failing(503, Retry_After="60"))
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    done = remote("accounts", "list", "--max-wait", "5s", code=8)
    assert "status 503" in done.stderr
    assert "the service asks to wait 60 s, and --max-wait allows 5 s without progress" in done.stderr


def test_the_reset_that_the_service_names_is_waited_for(remote, httpserver: HTTPServer):
    reset = int(time.time()) + 2
    limited = failing(429, x_account_rate_limit_remaining="0", x_account_rate_limit_reset=str(reset))
    times = []

    def answer(request: Request) -> Response:
        times.append(time.time())
        return limited if len(times) == 1 else ok()

    httpserver.expect_request(ACCOUNTS).respond_with_handler(answer)
    remote("accounts", "list")
    assert len(times) == 2 and times[1] >= reset - 0.05


def test_a_long_wait_is_told(remote, httpserver: HTTPServer, monkeypatch):
    monkeypatch.setattr(rate_limiter, "ANNOUNCE_WAIT_SECONDS", 1.0)
    script = Script(failing(429, Retry_After="1"), ok())
    httpserver.expect_request(ACCOUNTS).respond_with_handler(script)
    assert "slow down: continuing in 1 s" in remote("accounts", "list").stderr


def test_a_404_after_a_lost_answer_to_a_delete_is_success(remote, httpserver: HTTPServer):
    script = Script(failing(502, Retry_After="0"), failing(404))
    httpserver.expect_request(f"{CATALOGS}/7").respond_with_handler(script)
    done = remote("catalog", "delete", "7", "--yes", "-o", "json")
    assert json.loads(done.stdout) == {"id": "7", "deleted": True}


def test_a_404_at_the_first_delete_is_an_error(remote, httpserver: HTTPServer):
    httpserver.expect_request(f"{CATALOGS}/7").respond_with_handler(Script(failing(404)))
    done = remote("catalog", "delete", "7", "--yes", code=5)
    assert "404" in done.stderr and done.stdout == "" and len(httpserver.log) == 1


def test_a_service_that_never_answers_is_left_after_the_timeout(adsctl):
    import socket

    from tests.conftest import SECRETS

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        words = ("accounts", "list", "--timeout", "300ms", "--max-attempts", "1")
        done = adsctl(*words, code=8, ADSCTL_ADS_URL=address, **SECRETS)
        assert "did not respond in time" in done.stderr
        begun = time.monotonic()
        words = ("accounts", "list", "--timeout", "30s", "--max-wait", "2s")
        done = adsctl(*words, code=8, ADSCTL_ADS_URL=address, **SECRETS)
        assert "did not respond in time; --max-wait allows 2 s without progress" in done.stderr
        assert time.monotonic() - begun < 10


def test_limits_of_the_account_count_before_those_of_the_user():
    now = int(time.time())
    headers = {
        "x-rate-limit-remaining": "5",
        "x-rate-limit-reset": str(now + 5),
        "x-account-rate-limit-remaining": "0",
        "x-account-rate-limit-reset": str(now + 60),
    }
    remaining, seconds = quota_of(headers)
    assert remaining == 0 and seconds is not None and 58 < seconds <= 60


@pytest.mark.parametrize("reset", ["0", "99999999999", "soon", "-5", ""])
def test_a_reset_that_is_past_or_absurd_is_not_believed(reset):
    assert quota_of({"x-rate-limit-remaining": "0", "x-rate-limit-reset": reset})[1] is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("7", 7.0), ("99999999", None), ("Wed, 21 Oct 2015 07:28:00 GMT", None), ("x", None), ("", None)],
)
def test_retry_after_is_read_with_care(text, seconds):
    assert retry_after({"retry-after": text}) == seconds


def test_a_clock_that_jumps_is_waited_out_even_by_a_post(remote, httpserver: HTTPServer):
    refused = Response('{"errors": [{"code": 135, "message": "Timestamp out of bounds."}]}', status=401)
    script = Script(refused, ok({"id": "1", "name": "x"}))
    httpserver.expect_request(CATALOGS, method="POST").respond_with_handler(script)
    remote("catalog", "create", "--name", "x")
    assert len(script.requests) == 2


def test_a_clock_that_stays_wrong_is_told_as_what_it_is(remote, httpserver: HTTPServer):
    refused = Response('{"errors": [{"code": 135, "message": "No."}]}', status=401)
    httpserver.expect_request(ACCOUNTS).respond_with_handler(Script(refused))
    told = remote("accounts", "list", "--max-attempts", "1", code=4).stderr
    assert "hint: set the clock of this machine" in told
    assert "s away from the service's" in clock_hint({"date": "Wed, 21 Oct 2015 07:28:00 GMT"})
