"""Subscriptions to events: what is asked first, whose token is used, and both shapes of the answers."""

import json
from contextlib import closing

import pytest
from pytest_httpserver import HTTPServer

from ads_cli.api.events import EVENT_KINDS, PRICES
from ads_cli.api.names import SERVICES
from ads_cli.emulator.app import Emulator
from ads_cli.emulator.deliveries.events import SUBSCRIPTION
from ads_cli.emulator.resources.activity import MAX_SUBSCRIPTIONS

USER = "1184672519"
ABOUT = ("post.create", "--user-id", USER)
SEEDED = "1790415000000000201"
RECORD = {"subscription_id": "9", "event_type": "post.create", "filter": {"user_id": USER}, "tag": "Ours"}


def subscribe(adsctl, *words: str, code: int = 0):
    return adsctl.local("events", "subscribe", *words, "--yes", "-o", "json", code=code)


@pytest.mark.parametrize("service", SERVICES)
def test_a_subscription_is_created_listed_changed_and_ended(adsctl, service):
    def run(*words: str):
        return json.loads(adsctl.local("events", *words, "-o", "json", "--service", service).stdout)

    webhook = "1790415000000000102"
    made = run("subscribe", *ABOUT, "--tag", "Ours", "--webhook", webhook, "--yes")["subscription"]
    assert made["filter"] == {"user_id": USER} and made["webhook_id"] == webhook and made["tag"] == "Ours"
    assert made in run("subscriptions")
    changed = run("update", made["subscription_id"], "--tag", "Others")["subscription"]
    assert changed["tag"] == "Others" and changed["webhook_id"] == webhook
    assert run("unsubscribe", made["subscription_id"], "--yes") == {"deleted": True}
    assert made["subscription_id"] not in json.dumps(run("subscriptions"))


def test_pages_follow_one_another(adsctl):
    for number in range(3):
        subscribe(adsctl, *ABOUT, "--tag", str(number))
    listed = adsctl.local("events", "subscriptions", "--count", "2", "--all", "-o", "ids").stdout.split()
    assert len(listed) == len({*listed}) == 5
    first = adsctl.local("events", "subscriptions", "--count", "2", "-o", "ids")
    assert first.stdout.split() == listed[:2] and "there are more" in first.stderr
    envelope = json.loads(
        adsctl.local("events", "subscriptions", "--count", "2", "--envelope", "-o", "json").stdout
    )
    cursor = envelope["meta"]["next_token"]
    rest = adsctl.local("events", "subscriptions", "--cursor", cursor, "-o", "ids").stdout.split()
    assert rest == listed[2:]


def test_several_are_ended_at_once_and_one_that_is_missing_stops_none(adsctl):
    other = "1790415000000000202"
    done = adsctl.local("events", "unsubscribe", SEEDED, "5", other, "--yes", "-o", "json", code=5)
    assert [record["subscription_id"] for record in json.loads(done.stdout)] == [SEEDED, other]
    assert "5: there is no such subscription" in done.stderr
    assert adsctl.local("events", "subscriptions", "-o", "ids").stdout == ""
    missing = adsctl.local("events", "unsubscribe", "5", "6", "--yes", code=5)
    assert "not ended: 5: there is no such subscription; 6: there is" in missing.stderr
    many = map(str, range(101))
    assert "at most 100" in adsctl.local("events", "unsubscribe", *many, "--yes", code=2).stderr
    assert (
        "not confirmed: End the subscription 5" in adsctl.local("events", "unsubscribe", "5", code=12).stderr
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("post.create", "each delivered post.create costs 0.005 USD (August 2026), the same one once a day"),
        ("follow.follow", "costs 0.010 USD"),
        ("mute.mute", "costs 0.001 USD"),
        ("like.create", "list of prices (August 2026) has no price for like.create"),
    ],
)
def test_what_an_event_costs_is_asked_first(adsctl, kind, words):
    command = ("events", "subscribe", kind, "--user-id", USER)
    message = adsctl.local(*command, code=12).stderr
    assert f"Subscribe to {kind}" in message and words in message and "--yes" in message
    dry = adsctl.local(*command, "--dry-run")
    assert words in dry.stderr and "POST" in dry.stdout
    listed = adsctl.local("events", "subscriptions", "-o", "ids").stdout.split()
    assert len(listed) == 2  # those that are seeded
    assert kind in adsctl.local(*command, "--yes").stdout


@pytest.mark.parametrize("kind", ["dm.sent", "post.delete"])
def test_what_is_not_billed_is_said_and_not_asked(adsctl, kind):
    done = adsctl.local("events", "subscribe", kind, "--user-id", USER)
    assert f"{kind} is not billed (August 2026)" in done.stderr and kind in done.stdout


def test_prices_are_those_of_kinds():
    assert {*PRICES} < {*EVENT_KINDS} and {*PRICES.values()} == {0, 0.001, 0.005, 0.01}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("post.create",), "KIND: post.create needs user_id"),
        (("news.new", "--user-id", "1"), "KIND: news.new is not filtered by user_id"),
        (("news.new",), "KIND: news.new needs keyword"),
        (("post.create", "--user-id", "1", "--keyword", "x"), "KIND: post.create is not filtered by keyword"),
        (("mute.mute", "--user-id", "1", "--direction", "inbound"), "KIND: mute.mute has no direction"),
        (("posts.create", "--user-id", "1"), "did you mean 'post.create'"),
        (("post.create", "--user-id", "nordlicht"), "--user-id: 'nordlicht' is not allowed"),
        (("post.create", "--user-id", "1", "--tag", "x" * 201), "--tag: "),
        (("news.new", "--keyword", "x" * 151), "--keyword: "),
    ],
)
def test_a_kind_takes_what_its_events_are_about(adsctl, words, message):
    assert message in subscribe(adsctl, *words, code=2).stderr


def test_an_app_has_1500_subscriptions(adsctl, emulator):
    app = emulator.credentials.consumer_key
    records = ({"id": str(number), "event_type": "post.create"} for number in range(MAX_SUBSCRIPTIONS - 2))
    emulator.data.add_records(SUBSCRIPTION, records, owner=app)
    assert "1,500 subscriptions" in subscribe(adsctl, *ABOUT, code=4).stderr


@pytest.fixture
def emulator(adsctl):
    with closing(Emulator(adsctl.copy_emulator())) as emulator:
        yield emulator


def test_a_private_kind_takes_the_token_of_its_user(adsctl):
    assert subscribe(adsctl, "dm.received", "--user-id", USER).stdout
    message = subscribe(adsctl, "dm.received", "--user-id", "5", code=4).stderr
    assert "dm.received is private" in message
    assert (
        "is private" in subscribe(adsctl, "block.block", "--user-id", USER, "--as", "bearer", code=4).stderr
    )
    assert subscribe(adsctl, *ABOUT, "--as", "bearer").stdout


def test_a_webhook_that_does_not_exist_is_named(adsctl):
    assert "WebhookIdInvalid" in subscribe(adsctl, *ABOUT, "--webhook", "5", code=6).stderr
    done = adsctl.local("events", "update", SEEDED, "--webhook", "5", code=6)
    assert "WebhookIdInvalid" in done.stderr
    assert "Could not find" in adsctl.local("events", "update", "5", "--tag", "x", code=5).stderr


@pytest.fixture
def remote(remote):
    remote.env["ADSCTL_BEARER_TOKEN"] = "AAAAAAAAofTheApp"
    return remote


def schemes(httpserver: HTTPServer) -> list[str]:
    return [request.headers["Authorization"].partition(" ")[0] for request, _ in httpserver.log]


@pytest.mark.parametrize(
    ("command", "scheme"),
    [
        ("webhooks list", "Bearer"),
        ("webhooks validate 9", "OAuth"),
        ("webhooks delete 9", "OAuth"),
        ("webhooks replay --webhook 9 --from-date 202603010800 --to-date 202603010900", "Bearer"),
        ("webhooks links list", "Bearer"),
        ("webhooks links create 9", "Bearer"),
        ("webhooks links delete 9", "Bearer"),
        ("webhooks account-activity create --webhook 9", "OAuth"),
        ("webhooks account-activity check --webhook 9", "OAuth"),
        ("webhooks account-activity list --webhook 9", "Bearer"),
        ("webhooks account-activity delete 5 --webhook 9", "Bearer"),
        ("webhooks account-activity count", "Bearer"),
        ("events subscribe post.create --user-id 5", "OAuth"),
        ("events subscribe post.create --user-id 5 --as bearer", "Bearer"),
        ("events subscriptions", "OAuth"),
        ("events update 9 --tag x", "Bearer"),
        ("events unsubscribe 9", "Bearer"),
        ("events unsubscribe 9 8", "Bearer"),
        ("events connections list", "Bearer"),
        ("events connections delete 9", "Bearer"),
        ("events connections delete --endpoint filtered_stream", "Bearer"),
        ("events connections delete --all", "Bearer"),
    ],
)
def test_a_request_has_a_token_that_its_endpoint_takes(remote, httpserver, command, scheme):
    httpserver.expect_request("").respond_with_json({"data": {}})
    remote(*command.split(), "--yes")
    assert schemes(httpserver)[-1:] == [scheme]  # an update reads before it what it changes
    for name in ("ADSCTL_ACCESS_TOKEN", "ADSCTL_ACCESS_TOKEN_SECRET"):
        del remote.env[name]
    httpserver.clear_log()
    signed_out = remote(*command.split(), "--yes", code=None)
    is_of_user = command.startswith(("webhooks account-activity create", "webhooks account-activity check"))
    assert (signed_out.returncode, {*schemes(httpserver)}) == ((4, set()) if is_of_user else (0, {"Bearer"}))


def test_without_a_token_of_the_app_it_is_said_how_to_get_one(remote, httpserver):
    del remote.env["ADSCTL_BEARER_TOKEN"]
    message = remote("webhooks", "list", code=4).stderr
    assert "no bearer token of the app is stored" in message and "adsctl auth bearer issue" in message
    assert "auth login" not in message
    for name in ("ADSCTL_ACCESS_TOKEN", "ADSCTL_ACCESS_TOKEN_SECRET"):
        del remote.env[name]
    assert "or sign in: adsctl auth login" in remote("webhooks", "delete", "9", "--yes", code=4).stderr
    assert httpserver.log == []


def test_a_raw_request_may_have_the_token_of_the_app(remote, httpserver):
    httpserver.expect_request("/2/webhooks").respond_with_json({"data": []})
    words = ("api", "GET", "/2/webhooks", "--base", "platform")
    remote(*words)
    remote(*words, "--as", "bearer")
    assert schemes(httpserver) == ["OAuth", "Bearer"]
    assert "Authorization: Bearer" in remote(*words, "--as", "bearer", "--as-curl").stdout
    assert "AAAAAAAA" not in remote("webhooks", "list", "--debug", "--yes").stderr


def test_a_dry_run_names_the_kind_of_token(adsctl):
    def scheme(*words: str) -> str:
        shown = json.loads(adsctl.local(*words, "--dry-run", "-o", "json").stdout)
        return shown["headers"]["Authorization"]

    assert scheme("webhooks", "links", "delete", "9") == "Bearer ***"
    assert scheme("webhooks", "delete", "9") == "OAuth ***"


@pytest.mark.parametrize("shape", [{"subscription": RECORD, "total_subscriptions": 3}, RECORD, [RECORD]])
def test_each_shape_of_a_changed_subscription_is_a_record(remote, httpserver, shape):
    httpserver.expect_request("").respond_with_json({"data": shape, "meta": {"total_subscriptions": 3}})
    for words in (("subscribe", *ABOUT, "--yes"), ("update", "9", "--tag", "Ours")):
        table = remote("events", *words, "-o", "tsv").stdout.splitlines()
        assert table[1].split("\t")[:2] == ["9", "post.create"] and len(table) == 2
        assert remote("events", *words, "-o", "ids").stdout == "9\n"
        assert json.loads(remote("events", *words, "-o", "json").stdout) == shape


def test_links_below_a_key_are_records_too(remote, httpserver):
    link = {"webhook_id": "9", "application_id": "1", "fields": ["post.fields=id"]}
    for data in ([link], {"links": [link]}):
        httpserver.clear()
        httpserver.expect_request("").respond_with_json({"data": data})
        assert remote("webhooks", "links", "list", "-o", "ids").stdout == "9\n"


def test_lists_show_the_fields_that_are_asked_for(adsctl):
    def shown(*words: str) -> list[dict]:
        return json.loads(adsctl.local(*words, "-o", "json").stdout)

    assert shown("webhooks", "list", "--fields", "url")[0] == {"url": "https://nordlicht.example/events"}
    words = ("events", "connections", "list", "--status", "inactive", "--fields", "id,disconnect_reason")
    (ended,) = shown(*words)
    assert ended == {"id": "1790415000000000401", "disconnect_reason": "operator_disconnect"}
    assert shown("events", "connections", "list") == []


def test_a_change_of_nothing_is_refused(adsctl):
    assert "is required" in adsctl.local("events", "update", SEEDED, code=2).stderr


@pytest.mark.parametrize(
    "command", ["events subscribe dm.sent --user-id 5", "events unsubscribe 5", "webhooks delete 5"]
)
def test_the_guard_may_refuse_all_of_it(adsctl, command):
    guard = adsctl.file("guard.yaml", "deny: [webhooks]\n")
    guard.chmod(0o600)
    message = adsctl.local(*command.split(), "--yes", code=12, ADSCTL_GUARD=str(guard)).stderr
    assert "deny" in message and "webhooks" in message
