"""Bearer tokens of apps, and webhooks."""

import re
from urllib.parse import parse_qsl, urlencode

import httpx

from .client import HOST, errors
from .sign_in import FORM, SignIn, pin_of


def basic(sign_in: SignIn, **changed: str) -> httpx.Response:
    import base64

    keys = sign_in.client.keys
    pair = f"{keys.consumer_key}:{changed.get('secret', keys.consumer_secret)}"
    headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()} | FORM
    form = urlencode({"grant_type": changed.get("grant_type", "client_credentials")}).encode()
    return sign_in.client.transport.request("POST", f"{HOST}/oauth2/token", content=form, headers=headers)


def webhook(sign_in: SignIn, bearer: str, url: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    content = httpx.Request("POST", HOST, json={"url": url}).content
    return sign_in.client.transport.request("POST", f"{HOST}/2/webhooks", content=content, headers=headers)


def revoke(sign_in: SignIn, token: str, keys=None) -> httpx.Response:
    query = urlencode({"access_token": token})
    return sign_in.post("/oauth2/invalidate_token", keys or sign_in.client.keys, query=query)


def test_an_app_has_one_valid_bearer_token(sign_in):
    first = basic(sign_in).json()
    assert first["token_type"] == "bearer" and basic(sign_in).json() == first
    assert webhook(sign_in, first["access_token"], "https://shop.example/a").status_code == 200
    assert revoke(sign_in, first["access_token"]).json() == {"access_token": first["access_token"]}
    refused = webhook(sign_in, first["access_token"], "https://shop.example/b")
    assert refused.status_code == 401 and errors(refused) == [(89, None)]
    assert revoke(sign_in, first["access_token"]).status_code == 401
    second = basic(sign_in).json()["access_token"]
    assert second != first["access_token"]
    assert webhook(sign_in, second, "https://shop.example/b").status_code == 200


def test_a_bearer_token_requires_the_credentials_of_the_app(sign_in):
    assert errors(basic(sign_in, secret="wrong")) == [(32, None)]
    assert basic(sign_in, grant_type="password").status_code == 400
    response = sign_in.client.transport.request("POST", f"{HOST}/oauth2/token", headers=FORM)
    assert errors(response) == [(215, None)]


def test_the_11th_bearer_token_request_in_a_minute_is_rejected(sign_in):
    responses = [basic(sign_in) for _ in range(11)]
    assert [response.status_code for response in responses[:10]] == [200] * 10
    assert responses[10].status_code == 403 and errors(responses[10]) == [(99, None)]


def test_only_the_owner_can_revoke_the_bearer_token(sign_in):
    token = basic(sign_in).json()["access_token"]
    request = sign_in.begin()
    page = sign_in.open_page("/oauth/authorize", oauth_token=request["oauth_token"], screen_name="kontoracht")
    verifier = pin_of(sign_in.submit(page, "/oauth/authorize", screen_name="kontoracht"))
    given = dict(parse_qsl(sign_in.exchange(request, verifier).text))
    keys = sign_in.app._replace(
        access_token=given["oauth_token"], access_token_secret=given["oauth_token_secret"]
    )
    assert revoke(sign_in, token, keys).status_code == 403
    assert revoke(sign_in, token).status_code == 200


def test_webhooks_follow_the_specification(sign_in, local):
    def create(url):
        return local.send("POST", "/2/webhooks", json_body={"url": url})

    made = create("https://shop.example/events").json()
    assert set(made) == {"id", "url", "valid", "created_at"} and re.fullmatch("[0-9]{1,19}", made["id"])
    assert made["valid"] is True
    for url in ("", "https://shop.example/" + "x" * 180, "http://shop.example/events"):
        refused = create(url)
        assert refused.status_code == 400
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert refused.json()["type"].endswith("/invalid-request")
        assert refused.json()["parameter"] == "url"
    assert create("https://shop.example/events").json()["detail"].startswith("DuplicateUrlFailed: ")
    local.keys = sign_in.run(access="read")[1]
    assert create("https://shop.example/more").status_code == 403
