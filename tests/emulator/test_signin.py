"""Sign-in: request tokens, pages, access tokens."""

import re
import sqlite3
from html import unescape
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import pytest
import time_machine

from .client import errors
from .sign_in import CALLBACK, pin_of
from .wire_names import service_name  # noqa: F401 - every test runs under both


def title(page: httpx.Response) -> str:
    match = re.search(r"<h1>(.*)</h1>", page.text)
    assert match and page.headers["Content-Type"] == "text/html; charset=utf-8", page.text
    return unescape(match[1])


@pytest.fixture
def connection(emulator):
    """The database file, to change what no request can."""
    with sqlite3.connect(emulator.database) as connection:
        yield connection


def test_the_three_steps_end_in_a_token_that_signs(sign_in, local):
    request = sign_in.begin()
    assert set(request) == {"oauth_token", "oauth_token_secret", "oauth_callback_confirmed"}
    assert request["oauth_callback_confirmed"] == "true"
    given, keys = sign_in.run()
    assert set(given) == {"oauth_token", "oauth_token_secret", "user_id", "screen_name"}
    assert given["screen_name"] == "nordlicht"
    local.keys = keys
    assert local.get("/12/accounts").status_code == 200


def test_each_sign_in_issues_another_token(sign_in):
    assert sign_in.run()[0]["oauth_token"] != sign_in.run()[0]["oauth_token"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"oauth_signature": "wrong"}, 32),
        ({"oauth_consumer_key": "nobody"}, 32),
        ({"oauth_nonce": "ü"}, 215),
        ({"oauth_timestamp": "1"}, 135),
    ],
)
def test_a_request_token_requires_the_signature_of_the_app(sign_in, changed, code):
    response = sign_in.post("/oauth/request_token", sign_in.app, oauth_callback="oob", **changed)
    assert response.status_code == 401 and errors(response) == [(code, None)]


@pytest.mark.parametrize("callback", [None, "https://thief.example/", CALLBACK + "/more"])
def test_a_missing_or_unregistered_callback_is_rejected(sign_in, callback):
    response = sign_in.post("/oauth/request_token", sign_in.app, oauth_callback=callback)
    assert response.status_code == 403 and "callback" in response.json()["errors"][0]["message"]


def test_a_request_token_knows_only_the_names_of_its_service(sign_in, service_name):  # noqa: F811
    assert sign_in.ask(**{sign_in.access_type: "write"}).status_code == 200
    other = "platform_auth_access_type" if service_name == "x" else "x_auth_access_type"
    for name, value in ((other, "read"), (sign_in.access_type, "all")):
        response = sign_in.ask(**{name: value})
        assert (response.status_code, errors(response)) == (400, [(38, None)])
        assert name in response.json()["errors"][0]["message"]


def test_the_page_shows_app_user_and_access(sign_in):
    page = sign_in.open_page("/oauth/authorize", oauth_token=sign_in.begin()["oauth_token"])
    assert title(page) == "Authorize adsctl to use your account?"
    assert "@nordlicht" in page.text and "spend your budget" in page.text and "screen_name" not in page.text
    reading = sign_in.begin(access="read")["oauth_token"]
    assert "spend your budget" not in sign_in.open_page("/oauth/authorize", oauth_token=reading).text


def test_pages_forbid_frames_caching_and_referrers(sign_in):
    headers = sign_in.open_page("/oauth/authorize", oauth_token="x").headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy and "script" not in policy
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"


def test_force_login_and_screen_name_ask_for_the_username(sign_in):
    token = sign_in.begin()["oauth_token"]
    forced = {"oauth_token": token, "force_login": "true"}
    page = sign_in.open_page("/oauth/authorize", **forced, screen_name="kontoracht")
    assert 'name="screen_name" value="kontoracht"' in page.text
    assert 'name="screen_name" value=""' in sign_in.open_page("/oauth/authorize", **forced).text
    own = {"oauth_token": token, "screen_name": "nordlicht"}
    assert "<input id=" not in sign_in.open_page("/oauth/authorize", **own).text
    path = f"/oauth/authorize?{urlencode(forced)}"
    assert "The user nobody does not exist." in sign_in.submit(page, path, screen_name="nobody").text
    assert "Type your username." in sign_in.submit(page, path, screen_name=" ").text
    assert pin_of(sign_in.submit(page, path, screen_name="@KontorAcht"))


def test_another_user_can_sign_in(sign_in, local):
    request = sign_in.begin()
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"], screen_name="kontoracht")
    verifier = pin_of(sign_in.submit(page, "/oauth/authorize", screen_name="kontoracht"))
    assert parse_qs(sign_in.exchange(request, verifier).text)["screen_name"] == ["kontoracht"]


def test_an_ab_test_names_the_user_who_creates_it(sign_in, local):
    account = "18ce56pq1rw"
    campaigns = [{"id": id, "name": id, "entity_status": "PAUSED"} for id in ("a", "b")]
    local.emulator.data.add_records("campaign", campaigns, owner=account)
    request = sign_in.begin()
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"], screen_name="kontoracht")
    verifier = pin_of(sign_in.submit(page, "/oauth/authorize", screen_name="kontoracht"))
    given = dict(parse_qsl(sign_in.exchange(request, verifier).text))
    token, secret = given["oauth_token"], given["oauth_token_secret"]
    local.keys = local.keys._replace(access_token=token, access_token_secret=secret)
    groups = [{"entity_ids": [campaign["id"]], "size": "50.00"} for campaign in campaigns]
    times = {"start_time": "2100-01-01T00:00:00Z", "end_time": "2100-01-15T00:00:00Z"}
    body = times | {"entity_type": "CAMPAIGN", "user_groups": groups}
    made = local.send("POST", f"/12/accounts/{account}/ab_tests", json_body=body)
    assert made.status_code == 200, made.text
    assert made.json()["data"]["created_by"] == {"user_id": given["user_id"], "username": "kontoracht"}


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '" autofocus onfocus="alert(1)'])
def test_pages_escape_parameters(sign_in, text):
    page = sign_in.open_page("/oauth/authorize", oauth_token=sign_in.begin()["oauth_token"], screen_name=text)
    assert "<script" not in page.text and 'onfocus="' not in page.text


def test_error_pages_give_the_reason(sign_in, connection):
    open_page = sign_in.open_page
    assert title(open_page("/oauth/authorize")) == "No request token"
    assert title(open_page("/oauth/authorize", oauth_token="x")) == "Unknown request token"
    request = sign_in.begin()
    token = request["oauth_token"]
    assert title(open_page("/oauth/authenticate", oauth_token=token)) == "This page needs a callback"
    page = open_page("/oauth/authorize", oauth_token=token)
    sign_in.submit(page, "/oauth/authorize")
    used = sign_in.submit(page, "/oauth/authorize")
    assert used.status_code == 410 and title(used) == "This request was already answered"
    stale = sign_in.begin()["oauth_token"]
    with time_machine.travel(4_000_000_000):
        assert title(open_page("/oauth/authorize", oauth_token=stale)) == "This request has expired"
    moved = sign_in.begin(CALLBACK)["oauth_token"]
    connection.execute("UPDATE apps SET callbacks = ''")
    connection.commit()
    assert title(open_page("/oauth/authorize", oauth_token=moved)) == "This callback is not registered"
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM apps")
    connection.commit()
    assert title(open_page("/oauth/authorize", oauth_token=moved)) == "This app is not registered"


def test_a_refused_app_gets_no_token(sign_in):
    request = sign_in.begin()
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"])
    assert title(sign_in.submit(page, "/oauth/authorize", "refuse")) == "You refused access"
    assert sign_in.exchange(request, "1234567").status_code == 401
    request = sign_in.begin(CALLBACK)
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"])
    response = sign_in.submit(page, "/oauth/authorize", "refuse")
    assert response.status_code == 303
    assert response.headers["Location"] == f"{CALLBACK}?denied={request['oauth_token']}"


def test_forms_of_other_sites_are_rejected(sign_in):
    request = sign_in.begin()
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"])
    rejected = "This form was sent by another site"
    assert title(sign_in.submit(page, "/oauth/authorize", site="cross-site")) == rejected
    assert title(sign_in.submit(page, "/oauth/authorize", form_token="guess")) == rejected
    assert pin_of(sign_in.submit(page, "/oauth/authorize"))


def test_the_callback_receives_the_verifier(sign_in):
    request = sign_in.begin(CALLBACK)
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"])
    response = sign_in.submit(page, "/oauth/authorize")
    parts = urlsplit(response.headers["Location"])
    given = dict(parse_qsl(parts.query))
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == CALLBACK
    assert given["oauth_token"] == request["oauth_token"]
    assert sign_in.exchange(request, given["oauth_verifier"]).status_code == 200


def test_authenticate_reuses_an_earlier_authorization(sign_in, connection):
    def asked(access: str = "", **shown: str) -> bool:
        token = sign_in.begin(CALLBACK, access)["oauth_token"]
        return sign_in.open_page("/oauth/authenticate", oauth_token=token, **shown).status_code == 200

    connection.execute("UPDATE tokens SET access = 'read'")
    connection.commit()
    assert asked()  # more than was authorized before
    assert not asked("read")
    assert asked("read", force_login="true")
    connection.execute("UPDATE apps SET sign_in = 0")
    connection.commit()
    assert asked("read")


def test_a_request_token_is_exchanged_once(sign_in):
    request = sign_in.begin()
    assert sign_in.exchange(request, "1234567").status_code == 401  # not authorized yet
    verifier = sign_in.allow(request["oauth_token"])
    assert sign_in.exchange(request, verifier).status_code == 200
    assert errors(sign_in.exchange(request, verifier)) == [(89, None)]


def test_a_pin_is_invalid_after_six_wrong_guesses(sign_in):
    request = sign_in.begin()
    verifier = sign_in.allow(request["oauth_token"])
    wrong = "0000000" if verifier != "0000000" else "1111111"
    for _ in range(6):
        assert sign_in.exchange(request, wrong).status_code == 401
    assert errors(sign_in.exchange(request, verifier)) == [(89, None)]


def test_a_read_only_token_cannot_write(sign_in, local):
    local.keys = sign_in.run(access="read")[1]
    assert local.get("/12/accounts").status_code == 200
    response = local.send("PUT", local.products_path, json_body={"products": []})
    assert response.status_code == 403 and errors(response) == [("FORBIDDEN", None)]


@pytest.mark.parametrize("suffix", ["", ".json"])
def test_a_revoked_token_is_rejected_with_code_89(sign_in, local, suffix):
    given, keys = sign_in.run()
    response = sign_in.post(f"/1.1/oauth/invalidate_token{suffix}", keys)
    assert response.json() == {"access_token": given["oauth_token"]}
    again = sign_in.post(f"/1.1/oauth/invalidate_token{suffix}", keys)
    assert again.status_code == 401
    local.keys = keys
    refused = local.get("/12/accounts")
    assert refused.status_code == 401
    assert refused.json() == {"errors": [{"code": 89, "message": "Invalid or expired token."}]}
