"""Which tokens the endpoints of webhooks and events take, and what scopes they need."""

import json
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

USER = "1184672519"
POSTS = {"event_type": "post.create", "filter": {"user_id": "5"}}
MESSAGES = {"event_type": "dm.received", "filter": {"user_id": USER}}
LIKES = {"event_type": "like.create", "filter": {"user_id": USER}}


@pytest.fixture
def ask(service):
    """Send a request with a token of OAuth 2.0; return the status and the body."""

    def send(method: str, path: str, token: str, body: dict | None = None) -> tuple[int, dict]:
        parts = urlsplit(service.address)
        connection = HTTPConnection(parts.hostname, parts.port, timeout=20)
        headers = {"Authorization": f"Bearer {token}"} | (
            {"Content-Type": "application/json"} if body else {}
        )
        connection.request(method, path, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        answer = response.status, json.loads(response.read())
        connection.close()
        return answer

    return send


@pytest.fixture
def granted(service):
    """Make a token of the seeded user with some scopes."""

    def make(*scopes: str) -> str:
        token = f"token-{'-'.join(scopes)}"
        service.emulator.store.insert(
            "oauth2_tokens",
            token=token,
            is_refresh=0,
            grant_id=token,
            client_id="adsctl-emulator",
            user_id=USER,
            scopes=" ".join(scopes),
            expires=time.time() + 600,
        )
        return token

    return make


@pytest.mark.parametrize(
    ("body", "scopes", "status"),
    [
        (POSTS, ("tweet.read",), 200),
        (POSTS, ("ads.read", "ads.write"), 403),
        (MESSAGES, ("dm.read",), 200),
        (MESSAGES, ("tweet.read",), 403),
        (MESSAGES | {"filter": {"user_id": "5"}}, ("dm.read",), 403),
        (LIKES, ("like.read",), 200),
    ],
)
def test_a_user_subscribes_with_the_scope_of_the_kind(ask, granted, body, scopes, status):
    answered, answer = ask("POST", "/2/activity/subscriptions", granted(*scopes), body)
    assert answered == status
    assert status == 200 or answer["type"].endswith("/not-authorized-for-resource")


def test_subscriptions_are_listed_with_two_scopes(ask, granted):
    path = "/2/activity/subscriptions"
    assert ask("GET", path, granted("like.read", "tweet.read"))[0] == 200
    assert "like.read" in ask("GET", path, granted("tweet.read"))[1]["detail"]


def test_activities_of_a_user_need_four_scopes(ask, granted):
    path = "/2/account_activity/webhooks/1790415000000000101/subscriptions/all"
    assert ask("GET", path, granted("users.read", "tweet.read", "dm.read", "dm.write"))[0] == 200
    assert ask("GET", path, granted("users.read", "tweet.read"))[0] == 403


def test_a_token_that_an_endpoint_does_not_take_is_refused(service, ask, granted):
    of_app = service.emulator.bearer_token()
    activities = "/2/account_activity/webhooks/1790415000000000101/subscriptions/all"
    for path, token in (("/2/webhooks", granted("tweet.read", "ads.read")), (activities, of_app)):
        status, problem = ask("GET", path, token)
        assert status == 403 and problem["type"].endswith("/unsupported-authentication")
    assert ask("GET", "/2/webhooks", of_app)[0] == 200
    assert ask("GET", "/2/webhooks", "unknown")[0] == 401


def test_each_app_has_its_own_webhooks(service, ask):
    with service.emulator.store.transaction() as connection:
        service.emulator.store.insert(
            "apps", consumer_key="other", consumer_secret="s", name="other", owner=USER, callbacks=""
        )
        service.emulator.store.insert("bearer_tokens", token="of-other", consumer_key="other")
        assert connection.in_transaction
    assert ask("GET", "/2/webhooks", "of-other")[1] == {"data": [], "meta": {"result_count": 0}}


def test_a_limit_has_a_code_of_the_platform(service, ask):
    token = service.emulator.bearer_token()
    path = "/2/connections/all"
    answers = [ask("DELETE", path, token) for _ in range(26)]
    assert [status for status, _ in answers] == [200] * 25 + [429]
    assert answers[-1][1]["errors"][0]["code"] == 88


def test_other_keys_of_a_subscription_are_refused(service, ask):
    token = service.emulator.bearer_token()
    for body in (
        POSTS | {"other": 1},
        POSTS | {"filter": {"user_id": "5", "other": "1"}},
        POSTS | {"tag": ""},
    ):
        status, problem = ask("POST", "/2/activity/subscriptions", token, body)
        assert status == 400 and problem["type"].endswith("/invalid-request")
