"""Sign-in: who signs, what is sent where, what is stored."""

import inspect
import json
import re
import stat

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from ads_cli.auth.secret_stores import FileStore
from ads_cli.commands.auth import login
from ads_cli.config.addresses import SERVICE_ADDRESSES
from ads_cli.errors import StateError
from tests.conftest import SECRETS
from tests.signing import parameters_of, signature

KEY, KEY_SECRET = SECRETS["ADSCTL_CONSUMER_KEY"], SECRETS["ADSCTL_CONSUMER_SECRET"]
PATHS = ("/oauth/request_token", "/oauth/access_token", "/1.1/oauth/invalidate_token", "/12/accounts")
FORM = "application/x-www-form-urlencoded"


class Service:
    """The sign-in endpoints of the service."""

    def __init__(self, server: HTTPServer) -> None:
        self.requests: list[Request] = []
        self.confirmed = "true"
        self.pin = "1234567"
        for path in (
            "/oauth/request_token",
            "/oauth/access_token",
            "/1.1/oauth/invalidate_token",
            "/12/accounts",
        ):
            server.expect_request(path).respond_with_handler(self.answer)

    def answer(self, request: Request) -> Response:
        self.requests.append(request)
        if request.path == "/oauth/request_token":
            body = f"oauth_token=rt&oauth_token_secret=rts&oauth_callback_confirmed={self.confirmed}"
            return Response(body, content_type=FORM)
        if request.path == "/oauth/access_token":
            if request.args["oauth_verifier"] != self.pin:
                return Response('{"errors": [{"code": 32, "message": "Wrong."}]}', status=401)
            body = "oauth_token=at&oauth_token_secret=ats&user_id=7&screen_name=nordlicht"
            return Response(body, content_type=FORM)
        return Response('{"data": [], "access_token": "at"}', content_type="application/json")

    def oauth(self, number: int) -> dict[str, str]:
        return parameters_of(self.requests[number].headers["Authorization"])

    def is_signed(self, number: int, token_secret: str) -> bool:
        request = self.requests[number]
        url = f"http://{request.host}{request.environ['REQUEST_URI']}"
        oauth = self.oauth(number)
        return oauth["oauth_signature"] == signature(request.method, url, oauth, KEY_SECRET, token_secret)


@pytest.fixture
def service(httpserver: HTTPServer) -> Service:
    return Service(httpserver)


@pytest.fixture
def shop(adsctl, httpserver: HTTPServer):
    """A user with addresses and the keys of an app, who is not signed in."""
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= {"ADSCTL_CONSUMER_KEY": KEY, "ADSCTL_CONSUMER_SECRET": KEY_SECRET}
    adsctl.env |= {"ADSCTL_BASE_URL": address, "ADSCTL_ADS_URL": address}
    return adsctl


LOGIN = ("auth", "login", "--no-browser", "--token-store", "file")


def test_a_sign_in_with_a_pin_stores_a_token_that_signs(shop, service):
    done = shop(*LOGIN, "--access", "read", input="123-45 67\n")
    assert "/oauth/authorize?oauth_token=rt" in done.stderr and "signed in as @nordlicht (7)" in done.stderr
    assert "user\t@nordlicht (7)\tprofile default" in done.stdout  # a last look, as auth status shows it
    first, second = service.oauth(0), service.oauth(1)
    assert first["oauth_callback"] == "oob" and "oauth_token" not in first
    assert service.requests[0].args.to_dict() == {"platform_auth_access_type": "read"}
    assert service.is_signed(0, "")
    assert second["oauth_token"] == "rt" and "oauth_callback" not in second
    assert service.requests[1].args.to_dict() == {"oauth_verifier": "1234567"}
    assert service.is_signed(1, "rts")
    # Nothing of the environment is needed any more.
    shop.env.clear()
    shop("accounts", "list")
    assert service.oauth(2)["oauth_token"] == "at" and service.is_signed(2, "ats")


def test_the_secrets_file_is_readable_only_by_its_owner(shop, service):
    shop(*LOGIN, input="1234567\n")
    path = shop.home / "config" / "secrets.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "at" not in (shop.home / "config" / "config.yaml").read_text().replace("file", "").split()
    shop.env.clear()
    path.chmod(0o644)
    assert "can be read by others" in shop("accounts", "list", code=11).stderr


def test_a_wrong_pin_stores_nothing(shop, service):
    done = shop(*LOGIN, input="0000000\n", code=4)
    assert "PIN was not accepted" in done.stderr
    assert not (shop.home / "config").exists()


def test_without_a_pin_nothing_is_stored(shop, service):
    shop(*LOGIN, input="", code=2)
    assert not (shop.home / "config").exists()


def test_a_dry_run_of_a_sign_in_asks_nobody_and_stores_nothing(shop, service):
    for words in ((), ("--oauth2", "--client-id", "ID")):
        done = shop(*LOGIN, *words, "--dry-run", input="1234567\n")
        assert "dry run: would sign in, and store the tokens of the profile default" in done.stderr
    assert not service.requests and not (shop.home / "config").exists()


def test_a_callback_that_is_not_confirmed_ends_the_sign_in(shop, service):
    service.confirmed = "false"
    assert "not confirm" in shop(*LOGIN, input="1234567\n", code=8).stderr
    assert len(service.requests) == 1


def test_a_stored_token_is_never_sent_to_another_address(shop, service):
    shop(*LOGIN, input="1234567\n")
    shop.env.clear()
    count = len(service.requests)
    done = shop("accounts", "list", code=4, ADSCTL_ADS_URL="http://127.0.0.1:9")
    assert "was not issued for http://127.0.0.1:9" in done.stderr and len(service.requests) == count


def test_every_option_of_a_sign_in_is_of_one_kind_or_of_both():
    of_both = ("ctx", "no_browser", "oauth2", "token_store")
    assert sorted((*of_both, *login.OF_OAUTH1, *login.OF_OAUTH2)) == sorted(
        inspect.signature(login.login).parameters
    )


def test_options_of_the_other_kind_of_sign_in_are_refused(shop):
    of_oauth1 = ("--callback=http://127.0.0.1:1/", "--access=read", "--screen-name=a", "--force-login")
    for word in (*of_oauth1, "--authenticate"):
        assert "cannot be used with --oauth2" in shop(*LOGIN, "--oauth2", word, code=2).stderr
    for word in ("--client-id=a", "--read-only", "--port=9"):
        assert "cannot be used without --oauth2" in shop(*LOGIN, word, code=2).stderr


@pytest.mark.parametrize("step", [(FileStore, "put"), (login, "update")])
def test_a_sign_in_that_is_stopped_at_any_step_leaves_the_one_before(shop, service, monkeypatch, step):
    shop("profile", "set", "default", "client_id=abc")
    path = shop.home / "config" / "secrets.json"
    path.touch(0o600)
    path.write_text(json.dumps({"default": {"oauth2_grant": "of the app abc"}}))

    def full(*words: object) -> None:
        raise StateError("the disk is full")

    monkeypatch.setattr(*step, full)
    assert "the disk is full" in shop(*LOGIN, input="1234567\n", code=11).stderr
    assert "oauth2_grant" in json.loads(path.read_text())["default"]
    assert shop("profile", "show", "--query", "[?setting=='client_id'].value | [0]").stdout == "abc\n"


def test_a_profile_is_of_the_service_that_was_signed_in_to_last(shop, service):
    shop("profile", "set", "default", "service=x")
    shop(*LOGIN, "--service", "generic", input="1234567\n")
    shop.env.clear()
    shop("accounts", "list")
    assert service.requests[-1].path == "/12/accounts" and service.is_signed(-1, "ats")
    assert shop("profile", "show", "--query", "[?setting=='service'].value | [0]").stdout == "generic\n"


def test_a_profile_forgets_addresses_where_the_usual_ones_were_signed_in_to(shop, service, monkeypatch):
    for name in ("base_url", "ads_url"):
        monkeypatch.setitem(SERVICE_ADDRESSES["x"], name, shop.env["ADSCTL_BASE_URL"])
        shop("profile", "set", "default", f"{name}=http://127.0.0.1:9")
    shop(*LOGIN, "--service", "x", input="1234567\n")
    shop.env.clear()
    shown = shop("profile", "show", "--show-origin", "-o", "json")
    origins = {record["setting"]: record["origin"] for record in json.loads(shown.stdout)}
    assert origins["base_url"] == origins["ads_url"] == "service x"
    assert origins["service"] == "profile default"


def test_auth_status_shows_origins_and_no_secrets(shop, service):
    shop(*LOGIN, input="1234567\n")
    shop.env.clear()
    done = shop("auth", "status", "-o", "json")
    rows = {row["what"]: row for row in json.loads(done.stdout)}
    assert rows["user"]["value"] == "@nordlicht (7)"
    assert rows["access_token"] == {"what": "access_token", "value": "***", "origin": "stored (file)"}
    warned = shop("auth", "status", ADSCTL_ACCOUNT="other")
    assert "warning" not in warned.stderr
    shop("profile", "set", "default", "account=mine")
    assert (
        "ADSCTL_ACCOUNT in the environment overrides" in shop("auth", "status", ADSCTL_ACCOUNT="other").stderr
    )


def test_auth_logout_revokes_and_deletes_the_token(shop, service):
    shop(*LOGIN, input="1234567\n")
    shop.env.clear()
    assert shop("auth", "token").stdout == "at\n"
    assert shop("profile", "list", "--query", "[0].user").stdout.startswith("@")
    shop("auth", "logout")
    assert shop("profile", "list", "--query", "[0].user", "-o", "json").stdout == "null\n"
    assert (
        service.requests[-1].path == "/1.1/oauth/invalidate_token"
        and service.oauth(-1)["oauth_token"] == "at"
    )
    shop("accounts", "list", code=4)
    assert "no token is stored" in shop("auth", "logout", code=4).stderr


def test_auth_logout_deletes_a_token_that_is_already_revoked(shop, service, httpserver):
    shop(*LOGIN, input="1234567\n")
    shop.env.clear()
    httpserver.clear()
    gone = {"errors": [{"code": 89, "message": "Invalid or expired token."}]}
    httpserver.expect_request("/12/accounts").respond_with_json(gone, status=401)
    httpserver.expect_request("/1.1/oauth/invalidate_token").respond_with_json(gone, status=401)
    assert "run: adsctl auth login --profile default" in shop("accounts", "list", code=4).stderr
    shop("auth", "logout")
    shop("auth", "token", code=4)


def test_each_profile_has_its_own_token(shop, service):
    shop("-p", "one", *LOGIN, input="1234567\n")
    shop("-p", "two", *LOGIN, input="1234567\n")
    shop.env.clear()
    shop("-p", "one", "auth", "logout")
    assert "adsctl auth login" in shop("-p", "one", "accounts", "list", code=4).stderr
    shop("-p", "two", "accounts", "list")
    assert service.oauth(-1)["oauth_token"] == "at" and service.is_signed(-1, "ats")


def test_debug_masks_the_secrets_of_a_sign_in(shop, service):
    done = shop(*LOGIN, "--debug", "--log-file", "log", input="1234567\n")
    written = done.stderr + (shop.home / "log").read_text()
    for secret in (KEY, KEY_SECRET, "1234567", "rts", "ats"):
        assert not re.search(rf"\b{secret}\b", written)


def test_a_bearer_token_is_requested_once_and_stored(shop, httpserver):
    import base64

    seen = []

    def answer(request: Request) -> Response:
        seen.append(request)
        return Response('{"token_type": "bearer", "access_token": "bt"}', content_type="application/json")

    httpserver.expect_request("/oauth2/token").respond_with_handler(answer)
    shop("auth", "bearer", "issue", ADSCTL_TOKEN_STORE="file")
    assert seen[0].form.to_dict() == {"grant_type": "client_credentials"} and seen[0].content_type == FORM
    assert base64.b64decode(seen[0].headers["Authorization"].split()[1]).decode() == f"{KEY}:{KEY_SECRET}"
    assert shop("auth", "token", "--bearer").stdout == "bt\n"
    webhook = {"id": "1", "url": "https://x.example", "valid": False, "created_at": "2026-01-01T00:00:00Z"}
    httpserver.expect_request("/2/webhooks", headers={"Authorization": "Bearer bt"}).respond_with_json(
        webhook
    )
    done = shop("webhooks", "create", "https://x.example", "-o", "json")
    assert json.loads(done.stdout) == webhook and "not valid" in done.stderr
    shop("webhooks", "create", "x" * 201, code=2)


@pytest.fixture
def revoked(shop, httpserver):
    """The bearer tokens that were revoked; bt is issued and stored."""
    tokens: list[str] = []

    def answer(request: Request) -> Response:
        tokens.append(request.args["access_token"])
        return Response(json.dumps({"access_token": tokens[-1]}), content_type="application/json")

    issued = {"token_type": "bearer", "access_token": "bt"}
    httpserver.expect_request("/oauth2/token").respond_with_json(issued)
    httpserver.expect_request("/oauth2/invalidate_token").respond_with_handler(answer)
    shop.env |= {"ADSCTL_ACCESS_TOKEN": "at", "ADSCTL_ACCESS_TOKEN_SECRET": "ats"}
    shop("auth", "bearer", "issue", ADSCTL_TOKEN_STORE="file")
    return tokens


def test_a_revoked_bearer_token_is_no_longer_stored(shop, revoked):
    assert "is revoked" in shop("auth", "bearer", "revoke").stderr
    assert revoked == ["bt"]
    assert "no bearer token is stored" in shop("auth", "token", "--bearer", code=4).stderr


def test_a_revoked_bearer_token_of_the_environment_leaves_the_stored_one(shop, revoked):
    shop("auth", "bearer", "revoke", ADSCTL_BEARER_TOKEN="other")
    assert revoked == ["other"]
    assert shop("auth", "token", "--bearer").stdout == "bt\n"
    shop("auth", "bearer", "revoke", ADSCTL_BEARER_TOKEN="bt")
    shop("auth", "token", "--bearer", code=4)


def test_too_frequent_bearer_token_requests_exit_with_7(shop, httpserver):
    often = {"errors": [{"code": 99, "message": "Too often."}]}
    httpserver.expect_request("/oauth2/token").respond_with_json(often, status=403)
    done = shop("auth", "bearer", "issue", "--max-attempts", "1", code=7, ADSCTL_TOKEN_STORE="file")
    assert "too often" in done.stderr


def test_without_a_keyring_the_hint_names_the_alternatives(shop, service):
    words = ("auth", "login", "--no-browser")
    done = shop(*words, input="1234567\n", code=11, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    assert "--token-store file" in done.stderr and "ADSCTL_ACCESS_TOKEN" in done.stderr
