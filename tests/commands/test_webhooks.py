"""Webhooks in both forms: a bare object with the older problems, and `data` with those of service x."""

import json

import pytest
from pytest_httpserver import HTTPServer

from ads_cli.api.names import SERVICES

URL = "https://shop.example/events"
WEBHOOK = {"id": "9", "url": URL, "valid": True, "created_at": "2026-03-01T08:00:00Z"}
PROBLEM = {"type": "https://p.example/2/problems/", "title": "Some Title", "detail": "some detail"}
# The types of machine description 2.167.
TYPES = (
    "disallowed-resource", "field-hydration-failure", "field-unauthorized", "internal-error",
    "invalid-request", "not-authorized-for-field", "not-authorized-for-resource", "resource-not-found",
    "resource-unavailable",
)  # fmt: skip
FAILURES = ("CrcValidationFailed", "DuplicateUrlFailed", "UrlValidationFailed", "WebhookLimitExceeded")


def serve(httpserver: HTTPServer, body: object, status: int = 200) -> None:
    httpserver.expect_request("/2/webhooks").respond_with_data(json.dumps(body), status)


def create(adsctl, *words: str, **options):
    return adsctl("webhooks", "create", URL, "-o", "json", *words, **options)


@pytest.mark.parametrize("service", SERVICES)
def test_a_webhook_is_created_at_the_emulator_of_either_service(adsctl, service):
    at = ("--profile", "local", "--service", service)
    made = json.loads(create(adsctl, *at).stdout)
    assert made["url"] == URL and made["valid"] is True and "id" in made
    again = create(adsctl, *at, code=6).stderr
    assert "DuplicateUrlFailed: it is already registered" in again and URL in again


@pytest.mark.parametrize("url", ["http://shop.example/", "https://shop.example:8443/", "ftp://shop.example/"])
def test_an_address_that_the_service_cannot_call_is_refused(adsctl, url):
    done = adsctl.local("webhooks", "create", url, code=6)
    assert "UrlValidationFailed" in done.stderr and "hint: the address must be https" in done.stderr
    assert url in done.stderr  # the parameter and the value of the problem


def test_a_host_that_cannot_exist_answers_no_challenge(adsctl):
    message = adsctl.local("webhooks", "create", "https://shop.invalid/events", code=6).stderr
    assert "CrcValidationFailed" in message and "challenge" in message


@pytest.mark.parametrize("body", [WEBHOOK, {"data": WEBHOOK}, {"data": WEBHOOK, "errors": []}])
def test_both_forms_of_the_answer_are_understood(remote, httpserver, body):
    serve(httpserver, body)
    assert json.loads(create(remote).stdout) == WEBHOOK
    table = remote("webhooks", "create", URL, "-o", "tsv").stdout.splitlines()
    assert table[1].split("\t")[:2] == ["9", URL]


def test_who_is_signed_in_creates_a_webhook_and_else_the_app(remote, httpserver):
    serve(httpserver, WEBHOOK)
    remote.env["ADSCTL_BEARER_TOKEN"] = "of-the-app"
    create(remote)
    del remote.env["ADSCTL_ACCESS_TOKEN"], remote.env["ADSCTL_ACCESS_TOKEN_SECRET"]
    create(remote)
    signed = [request.headers["Authorization"].partition(" ")[0] for request, _ in httpserver.log]
    assert signed == ["OAuth", "Bearer"]


def test_problems_beside_a_created_webhook_are_warnings(remote, httpserver):
    problem = PROBLEM | {"type": PROBLEM["type"] + "field-hydration-failure"}
    serve(httpserver, {"data": WEBHOOK | {"valid": False}, "errors": [problem]})
    done = create(remote)
    assert json.loads(done.stdout)["id"] == "9"
    assert "warning: some detail" in done.stderr and "webhook is not valid" in done.stderr


@pytest.mark.parametrize("slug", TYPES)
def test_each_problem_has_a_hint_alone_and_in_a_list(remote, httpserver, slug):
    problem = PROBLEM | {"type": PROBLEM["type"] + slug, "parameter": "url", "value": URL}
    for body in (problem, {"errors": [problem]}):
        httpserver.clear()
        serve(httpserver, body, 400)
        error = json.loads(create(remote, code=6).stderr.splitlines()[-1])["error"]
        assert "some detail" in error["message"] and error["hint"]


@pytest.mark.parametrize("name", FAILURES)
def test_a_named_failure_says_what_to_do(remote, httpserver, name):
    for body in (
        PROBLEM | {"type": PROBLEM["type"] + "invalid-request", "detail": f"{name}: no"},
        {"errors": [{"code": name, "message": "no"}]},
        {"errors": [{"message": name}]},
    ):
        httpserver.clear()
        serve(httpserver, body, 400)
        error = json.loads(create(remote, code=6).stderr.splitlines()[-1])["error"]
        assert name in error["message"] and "correct the named" not in error["hint"] and error["hint"]
