"""What goes over the wire for a grant of OAuth 2.0, and answers that are other than the reference says."""

import base64
import hashlib
import json
import time
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.adsctl import Adsctl
from tests.auth.test_grants import ALL, REDIRECT, expire, sign_in, stored


class Lying:
    """A service whose answers tests choose; what it received, in order."""

    def __init__(self, server: HTTPServer, home: Path) -> None:
        self.home = home
        self.forms: list[dict[str, str]] = []
        self.headers: list[str | None] = []
        self.bearer: list[str] = []
        self.stored_at_use: list[str] = []
        self.answer: dict[str, Any] = {}
        server.expect_request("/2/oauth2/token").respond_with_handler(self.token)
        server.expect_request("/2/oauth2/revoke").respond_with_handler(self.token)
        server.expect_request("/12/accounts").respond_with_handler(self.accounts)

    def token(self, request: Request) -> Response:
        self.forms.append(request.form.to_dict())
        self.headers.append(request.headers.get("Authorization"))
        number = len(self.forms)
        body = {
            "token_type": "bearer",
            "expires_in": 7200,
            "access_token": f"access-{number}",
            "refresh_token": f"refresh-{number}",
            "scope": ALL,
        }
        return Response(json.dumps(body | self.answer), content_type="application/json")

    def accounts(self, request: Request) -> Response:
        self.bearer.append(request.headers["Authorization"])
        self.stored_at_use.append((self.home / "config" / "secrets.json").read_text())
        return Response('{"data": []}', content_type="application/json")


@pytest.fixture
def lying(adsctl: Adsctl, httpserver: HTTPServer) -> Lying:
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= {"ADSCTL_BASE_URL": address, "ADSCTL_ADS_URL": address, "ADSCTL_CLIENT_ID": "app"}
    return Lying(httpserver, adsctl.home)


def test_the_wire_of_a_sign_in_and_a_refresh(adsctl, lying):
    page, _ = sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=the-code")
    form = lying.forms[0]
    verifier = form.pop("code_verifier")
    digest = hashlib.sha256(verifier.encode()).digest()
    assert page["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert 43 <= len(verifier) <= 128
    assert form == {
        "grant_type": "authorization_code",
        "code": "the-code",
        "redirect_uri": REDIRECT,
        "client_id": "app",
    }
    expire(adsctl)
    adsctl("-p", "shop", "accounts", "list")
    assert lying.forms[1] == {"grant_type": "refresh_token", "refresh_token": "refresh-1", "client_id": "app"}
    assert lying.headers == [None, None] and lying.bearer == ["Bearer access-2"]
    # The newest refresh token is on the disk before its access token is used.
    assert "refresh-2" in lying.stored_at_use[0] and "refresh-1" not in lying.stored_at_use[0]
    shown = adsctl("-p", "shop", "accounts", "list", "--debug").stderr
    assert "access-2" not in shown and "refresh-2" not in shown
    adsctl("-p", "shop", "auth", "logout")
    assert lying.forms[2:] == [
        {"token": "refresh-2", "client_id": "app"},
        {"token": "access-2", "client_id": "app"},
    ]


def test_nobody_can_guess_the_state_or_the_verifier_of_a_sign_in(adsctl, lying):
    states = []
    for _ in range(3):
        page, _ = sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=the-code")
        states.append(page["state"])
    verifiers = [form["code_verifier"] for form in lying.forms]
    for values in (states, verifiers):
        assert all(len(value) >= 43 and len(set(value)) > 15 for value in values)
        for text, other in combinations([*values, *(value[::-1] for value in values)], 2):
            assert text[:6] != other[:6]  # no counter, time or name of the app
    for state, verifier in product(states, verifiers):
        assert state[:8] not in verifier and verifier[:8] not in state


def test_the_wire_of_a_confidential_app(adsctl, lying):
    sign_in(
        adsctl,
        answer=lambda page: f"{REDIRECT}?state={page['state']}&code=c",
        ADSCTL_CLIENT_SECRET="hush",
    )
    expected = "Basic " + base64.b64encode(b"app:hush").decode()
    expire(adsctl)
    adsctl("-p", "shop", "accounts", "list")
    assert lying.headers == [expected, expected]
    for form in lying.forms:
        assert "client_id" not in form and "hush" not in form.values()


def test_a_stored_grant_is_never_sent_to_another_address(adsctl, lying):
    sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=c")
    adsctl("profile", "set", "shop", "ads_url=http://127.0.0.1:9")
    done = adsctl("-p", "shop", "accounts", "list", code=4)
    assert "was not issued for http://127.0.0.1:9" in done.stderr and not lying.bearer


@pytest.mark.parametrize(
    "answer",
    [
        {"access_token": None},
        {"access_token": "two\nlines"},
        {"token_type": "mac"},
        {"refresh_token": 7},
        {"access_token": "x" * 20_000},
    ],
)
def test_tokens_that_cannot_be_used_are_not_stored(adsctl, lying, answer):
    lying.answer = answer
    sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=c", code=8)
    assert not (adsctl.home / "config" / "secrets.json").exists()


def test_tokens_that_are_longer_together_than_one_may_be_are_used(adsctl, lying):
    lying.answer = {"access_token": "a" * 6000, "refresh_token": "r" * 6000}
    sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=c")
    expire(adsctl)
    adsctl("-p", "shop", "accounts", "list")
    assert lying.bearer == ["Bearer " + "a" * 6000] and lying.forms[1]["refresh_token"] == "r" * 6000


@pytest.mark.parametrize("lifetime", [None, -1, "7200", True, 10**30])
def test_a_lifetime_that_is_not_told_is_the_usual_one(adsctl, lying, lifetime):
    lying.answer = {"expires_in": lifetime}
    sign_in(adsctl, answer=lambda page: f"{REDIRECT}?state={page['state']}&code=c")
    adsctl("-p", "shop", "accounts", "list")
    adsctl("-p", "shop", "auth", "status")
    assert stored(adsctl)["expires_at"] > time.time() + 7000
