"""The sign-in half of the service: who signs what, what is answered, and what is refused."""

import re
import sqlite3
from html import unescape
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import httpx
import pytest
import time_machine

from .speaking import HOST, Client, authorization, errors

CALLBACK = "http://127.0.0.1:8976/callback"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Person:
    """Somebody with a browser, and an app that wants to be let in."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.app = client.keys._replace(access_token="", access_token_secret="")

    def post(self, path: str, keys, *, form: str = "", query: str = "", **oauth) -> httpx.Response:
        url = HOST + path + (f"?{query}" if query else "")
        oauth.setdefault("oauth_token", keys.access_token or None)
        headers = authorization(keys, "POST", url, form, **oauth)
        content = form.encode()
        return self.client.transport.request(
            "POST", url, content=content, headers=headers | (FORM if form else {})
        )

    def begin(self, callback: str | None = "oob", query: str = "") -> dict[str, str]:
        answer = self.post("/oauth/request_token", self.app, oauth_callback=callback, query=query)
        assert answer.status_code == 200, answer.text
        return dict(parse_qsl(answer.text))

    def look(self, path: str, **query: str) -> httpx.Response:
        url = f"{HOST}{path}?{urlencode(query)}"
        return self.client.transport.request("GET", url, headers={})

    def answer(self, page: httpx.Response, path: str, answer: str = "allow", **more: str) -> httpx.Response:
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        headers = FORM | {"Sec-Fetch-Site": more.pop("site", "same-origin")}
        form = urlencode({"answer": answer} | hidden | more).encode()
        return self.client.transport.request("POST", HOST + path, content=form, headers=headers)

    def say_yes(self, token: str, **query: str) -> str:
        page = self.look("/oauth/authorize", oauth_token=token, **query)
        return pin_of(self.answer(page, "/oauth/authorize"))

    def finish(self, request: dict[str, str], verifier: str) -> httpx.Response:
        keys = self.app._replace(
            access_token=request["oauth_token"], access_token_secret=request["oauth_token_secret"]
        )
        return self.post("/oauth/access_token", keys, query=urlencode({"oauth_verifier": verifier}))

    def sign_in(self, **begin: str):
        request = self.begin(**begin)
        given = dict(parse_qsl(self.finish(request, self.say_yes(request["oauth_token"])).text))
        return given, self.app._replace(
            access_token=given["oauth_token"], access_token_secret=given["oauth_token_secret"]
        )


def pin_of(page: httpx.Response) -> str:
    assert page.status_code == 200, page.text
    found = re.search(r'id="pin"[^>]*>(\d+)<', page.text)
    assert found, page.text
    return found[1]


def title(page: httpx.Response) -> str:
    found = re.search(r"<h1>(.*)</h1>", page.text)
    assert found and page.headers["Content-Type"] == "text/html; charset=utf-8", page.text
    return unescape(found[1])


@pytest.fixture
def person(local: Client) -> Person:
    return Person(local)


@pytest.fixture
def connection(emulator):
    """The emulator's own database, to change what no request can."""
    with sqlite3.connect(emulator.database) as connection:
        yield connection


def test_the_three_steps_end_in_a_token_that_signs(person, local):
    request = person.begin()
    assert set(request) == {"oauth_token", "oauth_token_secret", "oauth_callback_confirmed"}
    assert request["oauth_callback_confirmed"] == "true"
    given, keys = person.sign_in()
    assert set(given) == {"oauth_token", "oauth_token_secret", "user_id", "screen_name"}
    assert given["screen_name"] == "nordlicht"
    local.keys = keys
    assert local.get("/12/accounts").status_code == 200


def test_each_sign_in_gives_another_token(person):
    assert person.sign_in()[0]["oauth_token"] != person.sign_in()[0]["oauth_token"]


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"oauth_signature": "wrong"}, 32),
        ({"oauth_consumer_key": "nobody"}, 32),
        ({"oauth_nonce": "ü"}, 215),
        ({"oauth_timestamp": "1"}, 135),
    ],
)
def test_a_request_token_has_to_be_signed_by_the_app(person, changed, code):
    answer = person.post("/oauth/request_token", person.app, oauth_callback="oob", **changed)
    assert answer.status_code == 401 and errors(answer) == [(code, None)]


@pytest.mark.parametrize("callback", [None, "https://thief.example/", CALLBACK + "/more"])
def test_a_callback_is_sent_and_registered(person, callback):
    answer = person.post("/oauth/request_token", person.app, oauth_callback=callback)
    assert answer.status_code == 403 and "callback" in answer.json()["errors"][0]["message"]


def test_the_page_shows_who_asks_for_what(person):
    page = person.look("/oauth/authorize", oauth_token=person.begin()["oauth_token"])
    assert title(page) == "Authorize adsctl to use your account?"
    assert "@nordlicht" in page.text and "spend your budget" in page.text and "screen_name" not in page.text
    reading = person.begin(query="platform_auth_access_type=read")["oauth_token"]
    assert "spend your budget" not in person.look("/oauth/authorize", oauth_token=reading).text


def test_a_page_cannot_be_framed_cached_or_leak_its_address(person):
    headers = person.look("/oauth/authorize", oauth_token="x").headers
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "default-src 'none'" in policy and "script" not in policy
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"


def test_who_signs_in_can_be_asked_for_and_suggested(person):
    token = person.begin()["oauth_token"]
    forced = {"oauth_token": token, "force_login": "true"}
    page = person.look("/oauth/authorize", **forced, screen_name="kontoracht")
    assert 'name="screen_name" value="kontoracht"' in page.text
    assert 'name="screen_name" value=""' in person.look("/oauth/authorize", **forced).text
    own = {"oauth_token": token, "screen_name": "nordlicht"}
    assert "<input id=" not in person.look("/oauth/authorize", **own).text
    path = f"/oauth/authorize?{urlencode(forced)}"
    assert "The user nobody does not exist." in person.answer(page, path, screen_name="nobody").text
    assert "Type your username." in person.answer(page, path, screen_name=" ").text
    assert pin_of(person.answer(page, path, screen_name="@KontorAcht"))


def test_the_other_person_gets_a_token_of_their_own(person, local):
    request = person.begin()
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"], screen_name="kontoracht")
    verifier = pin_of(person.answer(page, "/oauth/authorize", screen_name="kontoracht"))
    assert parse_qs(person.finish(request, verifier).text)["screen_name"] == ["kontoracht"]


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '" autofocus onfocus="alert(1)'])
def test_a_page_repeats_nothing_unescaped(person, text):
    page = person.look("/oauth/authorize", oauth_token=person.begin()["oauth_token"], screen_name=text)
    assert "<script" not in page.text and 'onfocus="' not in page.text


def test_a_page_says_why_there_is_no_question(person, connection):
    look = person.look
    assert title(look("/oauth/authorize")) == "No request token"
    assert title(look("/oauth/authorize", oauth_token="x")) == "Unknown request token"
    request = person.begin()
    token = request["oauth_token"]
    assert title(look("/oauth/authenticate", oauth_token=token)) == "This page needs a callback"
    page = look("/oauth/authorize", oauth_token=token)
    person.answer(page, "/oauth/authorize")
    used = person.answer(page, "/oauth/authorize")
    assert used.status_code == 410 and title(used) == "This request was already answered"
    stale = person.begin()["oauth_token"]
    with time_machine.travel(4_000_000_000):
        assert title(look("/oauth/authorize", oauth_token=stale)) == "This request has expired"
    moved = person.begin(CALLBACK)["oauth_token"]
    connection.execute("UPDATE apps SET callbacks = ''")
    connection.commit()
    assert title(look("/oauth/authorize", oauth_token=moved)) == "This callback is not registered"
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("DELETE FROM apps")
    connection.commit()
    assert title(look("/oauth/authorize", oauth_token=moved)) == "This app is not registered"


def test_saying_no_gives_the_app_nothing(person):
    request = person.begin()
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"])
    assert title(person.answer(page, "/oauth/authorize", "refuse")) == "You refused access"
    assert person.finish(request, "1234567").status_code == 401
    request = person.begin(CALLBACK)
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"])
    answer = person.answer(page, "/oauth/authorize", "refuse")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"{CALLBACK}?denied={request['oauth_token']}"


def test_an_answer_from_another_page_counts_for_nothing(person):
    request = person.begin()
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"])
    rejected = "This form was sent by another site"
    assert title(person.answer(page, "/oauth/authorize", site="cross-site")) == rejected
    assert title(person.answer(page, "/oauth/authorize", form_token="guess")) == rejected
    assert pin_of(person.answer(page, "/oauth/authorize"))


def test_a_callback_gets_the_verifier(person):
    request = person.begin(CALLBACK)
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"])
    answer = person.answer(page, "/oauth/authorize")
    parts = urlsplit(answer.headers["Location"])
    given = dict(parse_qsl(parts.query))
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == CALLBACK
    assert given["oauth_token"] == request["oauth_token"]
    assert person.finish(request, given["oauth_verifier"]).status_code == 200


def test_who_said_yes_before_is_not_asked_again(person, connection):
    def asked(query: str = "", **shown: str) -> bool:
        token = person.begin(CALLBACK, query)["oauth_token"]
        return person.look("/oauth/authenticate", oauth_token=token, **shown).status_code == 200

    connection.execute("UPDATE tokens SET access = 'read'")
    connection.commit()
    assert asked()  # more than was given before
    assert not asked("platform_auth_access_type=read")
    assert asked("platform_auth_access_type=read", force_login="true")
    connection.execute("UPDATE apps SET sign_in = 0")
    connection.commit()
    assert asked("platform_auth_access_type=read")


def test_a_request_token_is_exchanged_once(person):
    request = person.begin()
    assert person.finish(request, "1234567").status_code == 401  # nobody said yes
    verifier = person.say_yes(request["oauth_token"])
    assert person.finish(request, verifier).status_code == 200
    assert errors(person.finish(request, verifier)) == [(89, None)]


def test_a_pin_can_be_guessed_a_few_times_only(person):
    request = person.begin()
    verifier = person.say_yes(request["oauth_token"])
    wrong = "0000000" if verifier != "0000000" else "1111111"
    for _ in range(6):
        assert person.finish(request, wrong).status_code == 401
    assert errors(person.finish(request, verifier)) == [(89, None)]


def test_a_read_token_changes_nothing(person, local):
    local.keys = person.sign_in(query="platform_auth_access_type=read")[1]
    assert local.get("/12/accounts").status_code == 200
    answer = local.send("PUT", local.products_path, json_body={"products": []})
    assert answer.status_code == 403 and errors(answer) == [("FORBIDDEN", None)]


@pytest.mark.parametrize("suffix", ["", ".json"])
def test_a_revoked_token_is_refused_with_89(person, local, suffix):
    given, keys = person.sign_in()
    answer = person.post(f"/1.1/oauth/invalidate_token{suffix}", keys)
    assert answer.json() == {"access_token": given["oauth_token"]}
    again = person.post(f"/1.1/oauth/invalidate_token{suffix}", keys)
    assert again.status_code == 401
    local.keys = keys
    refused = local.get("/12/accounts")
    assert refused.status_code == 401
    assert refused.json() == {"errors": [{"code": 89, "message": "Invalid or expired token."}]}


def basic(person: Person, **changed: str) -> httpx.Response:
    import base64

    keys = person.client.keys
    pair = f"{keys.consumer_key}:{changed.get('secret', keys.consumer_secret)}"
    headers = {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()} | FORM
    form = urlencode({"grant_type": changed.get("grant_type", "client_credentials")}).encode()
    return person.client.transport.request("POST", f"{HOST}/oauth2/token", content=form, headers=headers)


def webhook(person: Person, bearer: str, url: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}
    content = httpx.Request("POST", HOST, json={"url": url}).content
    return person.client.transport.request("POST", f"{HOST}/2/webhooks", content=content, headers=headers)


def revoke(person: Person, token: str, keys=None) -> httpx.Response:
    query = urlencode({"access_token": token})
    return person.post("/oauth2/invalidate_token", keys or person.client.keys, query=query)


def test_an_app_has_one_bearer_token_until_it_is_revoked(person):
    first = basic(person).json()
    assert first["token_type"] == "bearer" and basic(person).json() == first
    assert webhook(person, first["access_token"], "https://shop.example/a").status_code == 200
    assert revoke(person, first["access_token"]).json() == {"access_token": first["access_token"]}
    refused = webhook(person, first["access_token"], "https://shop.example/b")
    assert refused.status_code == 401 and errors(refused) == [(89, None)]
    assert revoke(person, first["access_token"]).status_code == 401
    second = basic(person).json()["access_token"]
    assert second != first["access_token"]
    assert webhook(person, second, "https://shop.example/b").status_code == 200


def test_a_bearer_token_is_for_the_app_and_for_nothing_else(person):
    assert errors(basic(person, secret="wrong")) == [(32, None)]
    assert basic(person, grant_type="password").status_code == 400
    answer = person.client.transport.request("POST", f"{HOST}/oauth2/token", headers=FORM)
    assert errors(answer) == [(215, None)]


def test_a_bearer_token_is_not_asked_for_often(person):
    answers = [basic(person) for _ in range(11)]
    assert [answer.status_code for answer in answers[:10]] == [200] * 10
    assert answers[10].status_code == 403 and errors(answers[10]) == [(99, None)]


def test_only_the_owner_revokes_the_bearer_token(person):
    token = basic(person).json()["access_token"]
    request = person.begin()
    page = person.look("/oauth/authorize", oauth_token=request["oauth_token"], screen_name="kontoracht")
    verifier = pin_of(person.answer(page, "/oauth/authorize", screen_name="kontoracht"))
    given = dict(parse_qsl(person.finish(request, verifier).text))
    keys = person.app._replace(
        access_token=given["oauth_token"], access_token_secret=given["oauth_token_secret"]
    )
    assert revoke(person, token, keys).status_code == 403
    assert revoke(person, token).status_code == 200


def test_a_webhook_is_answered_as_the_specification_says(person, local):
    def create(url):
        return local.send("POST", "/2/webhooks", json_body={"url": url})

    made = create("https://shop.example/events").json()
    assert set(made) == {"id", "url", "valid", "created_at"} and re.fullmatch("[0-9]{1,19}", made["id"])
    assert made["valid"] is True and create("http://shop.example/events").json()["valid"] is False
    for url in ("", "https://shop.example/" + "x" * 180):
        refused = create(url)
        assert refused.status_code == 400
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert refused.json()["type"].endswith("/invalid-request")
        assert list(refused.json()["errors"][0]["parameters"]) == ["url"]
    assert create("https://shop.example/events").json()["type"].endswith("/conflict")
    local.keys = person.sign_in(query="platform_auth_access_type=read")[1]
    assert create("https://shop.example/more").json()["type"].endswith("/client-forbidden")
