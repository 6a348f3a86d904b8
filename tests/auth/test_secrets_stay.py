"""Secrets are found only in their store: not in output, logs, the state folder or a crash."""

import base64
import json
import sys
from functools import cache
from urllib.parse import quote

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.auth.test_signin import LOGIN
from tests.conftest import feed

# Each holds what needs an escape in a query, so that another spelling of it would show.
PLANTED = {
    "ADSCTL_CONSUMER_KEY": "key+planted/1",
    "ADSCTL_CONSUMER_SECRET": "app-secret+planted/2",
    "token": "token+planted/3",
    "token secret": "token-secret+planted/4",
    "bearer": "bearer+planted/5",
}
FORM = "application/x-www-form-urlencoded"


@cache
def spellings(secret: str) -> set[bytes]:
    """Return a secret as it is, percent-encoded, and in base64 at each of three offsets."""
    forms = {secret.encode(), quote(secret, safe="").encode()}
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret.encode())
        forms.add(encoded[4 if shift else 0 : -4])
    return forms


def created(request: Request) -> Response:
    entries = [{"id": product["id"], "status": "CREATE_SUCCESS"} for product in request.json["products"]]
    return Response(json.dumps({"data": {"products_response": entries}}), mimetype="application/json")


@pytest.fixture
def shop(adsctl, httpserver: HTTPServer):
    address = httpserver.url_for("").rstrip("/")
    adsctl.env |= {name: PLANTED[name] for name in ("ADSCTL_CONSUMER_KEY", "ADSCTL_CONSUMER_SECRET")}
    adsctl.env |= {"ADSCTL_BASE_URL": address, "ADSCTL_ADS_URL": address}
    token, secret = quote(PLANTED["token"], safe=""), quote(PLANTED["token secret"], safe="")
    pair = f"oauth_token={token}&oauth_token_secret={secret}"
    httpserver.expect_request("/oauth/request_token").respond_with_data(
        "oauth_token=rt&oauth_token_secret=rts&oauth_callback_confirmed=true", content_type=FORM
    )
    httpserver.expect_request("/oauth/access_token").respond_with_data(pair, content_type=FORM)
    httpserver.expect_request("/oauth2/token").respond_with_json(
        {"token_type": "bearer", "access_token": PLANTED["bearer"]}
    )
    echo = {"errors": [{"code": 32, "message": f"what is {PLANTED['token']}?"}]}
    httpserver.expect_request("/12/accounts").respond_with_json(echo, status=401)
    httpserver.expect_request("/12/product_catalogs/7/products").respond_with_handler(created)
    return adsctl


def test_no_secret_is_written_outside_the_store(shop):
    shop.file("feed.csv", feed(30))
    (shop.home / "crash").mkdir()
    crash = "import ads_cli.client.signing as s\ns.SignedAuth.auth_flow = lambda self, request: 1 / 0\n"
    shop.file("crash/sitecustomize.py", crash)
    watched = ("--debug", "--log-file", "log.jsonl", "-v")
    runs = [
        shop(*LOGIN, *watched, input="1234567\n"),
        shop("auth", "bearer", "issue", *watched),
        shop("auth", "status", *watched),
        shop("auth", "status", "-o", "json"),
        shop("profile", "show", "--show-origin"),
        shop("products", "push", "feed.csv", "--catalog", "7", *watched),
        shop("accounts", "list", *watched, code=4),
        shop("accounts", "list", "-o", "json", code=4),
        shop("catalog", "create", "--name", "x", "--dry-run", *watched),
        shop.process(
            "accounts",
            "list",
            *watched,
            code=1,
            PYTHONPATH=f"{shop.home}/crash:{shop.environment['PYTHONPATH']}",
        ),
    ]
    assert "Traceback" in runs[-1].stderr
    written = {f"run {n}": (run.stdout + run.stderr).encode() for n, run in enumerate(runs)}
    store = shop.home / "config" / "secrets.json"
    written |= {str(p): p.read_bytes() for p in shop.home.rglob("*") if p.is_file() and p != store}
    for name, secret in PLANTED.items():
        for place, content in written.items():
            for spelling in spellings(secret):
                assert spelling not in content, f"{name} in {place}"
    kept = store.read_bytes()
    assert all(secret.encode() in kept for secret in PLANTED.values())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows writes no core dumps")
def test_no_process_that_has_secrets_leaves_a_core_dump(adsctl):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_CORE)
    if not limits[1]:
        pytest.skip("this system allows no core dumps at all")
    resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
    try:
        command = "sh -c 'ulimit -c >&2'"
        done = adsctl.local("products", "push", "none.csv", "--on-failure", command, code=2)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    assert done.stderr.splitlines()[-1] == "0"
