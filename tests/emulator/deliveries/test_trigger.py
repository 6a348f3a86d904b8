"""`emulator trigger` delivers an event to the webhooks that are subscribed to it."""

import json
from functools import partial

import pytest

from ads_cli.api.events import EVENT_KINDS, OF_APP, OF_KEYWORD, is_private
from ads_cli.api.names import SERVICES
from ads_cli.emulator.deliveries.challenge import WEBHOOK
from ads_cli.emulator.deliveries.payloads import payload_kinds

USER = "1184672519"
SEEDED = "https://nordlicht.example/events"  # the webhook of the seeded account activity


@pytest.fixture
def trigger(adsctl):
    def run(*words: str, code: int = 0, retries: str = "") -> list[dict]:
        shape = ("--retry-delays", retries, "-o", "json")
        done = adsctl.local("emulator", "trigger", *words, *shape, code=code)
        return [row for row in json.loads(done.stdout) if row["receiver"] != SEEDED] if done.stdout else []

    return run


@pytest.fixture
def subscribe(adsctl, webhook):
    def run(kind: str, *words: str) -> str:
        about = ("--keyword", "mugs") if kind in OF_KEYWORD else () if kind in OF_APP else ("--user-id", USER)
        command = ("events", "subscribe", kind, *about, "--webhook", webhook, *words, "--yes", "-o", "ids")
        return adsctl.local(*command).stdout.strip()

    return run


def test_every_kind_of_events_has_a_payload():
    assert set(payload_kinds()) == set(EVENT_KINDS)


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_a_subscribed_webhook_gets_the_event(receiver, subscribe, trigger, kind):
    subscribe(kind, "--tag", "Ours")
    (row,) = trigger(kind)
    assert (row["receiver"], row["outcome"], row["status"], row["attempt"]) == (
        receiver.url, "acknowledged", 200, 1,
    )  # fmt: skip
    (message,) = receiver.messages
    data = message["data"]
    assert data["event_uuid"] == row["event_uuid"] and data["event_type"] == kind and data["tag"] == "Ours"
    filters = {"keyword": "mugs"} if kind in OF_KEYWORD else {} if kind in OF_APP else {"user_id": USER}
    assert data["filter"] == filters and data["payload"]
    assert "{" not in str(data["payload"]).replace("{'", "")  # every name of the table is filled in
    assert receiver.signatures == ["valid"]


@pytest.mark.parametrize("service", SERVICES)
def test_a_delivery_has_the_headers_of_a_service(adsctl, receiver, subscribe, service):
    subscribe("post.create")
    adsctl.local("emulator", "trigger", "post.create", "--service", service)
    names = {name.lower() for name in receiver.headers[0]}
    legacy = SERVICES[service].header("x-platform-webhooks-signature")
    assert {legacy, f"{legacy}-oauth2"} <= names
    metrics = receiver.messages[0]["data"]["payload"]["public_metrics"]
    assert ("retweet_count" in metrics) == (service == "x")


def test_a_subscription_gets_what_it_is_filtered_by(adsctl, receiver, subscribe, trigger):
    subscribe("like.create", "--direction", "outbound")
    trigger("like.create")
    assert not receiver.bodies
    trigger("like.create", "--direction", "outbound")
    assert len(receiver.bodies) == 1
    trigger("like.create", "--user-id", "5", code=5)
    subscribe("news.new")
    trigger("news.new", "--keyword", "plates", code=5)
    trigger("news.new", "--keyword", "Mugs")
    assert len(receiver.bodies) == 2


def test_an_alias_of_a_kind_is_the_kind(receiver, subscribe, trigger):
    subscribe("chat.conversation.join")
    trigger("chat.conversation_join")
    assert receiver.messages[0]["data"]["event_type"] == "chat.conversation.join"


def test_two_subscriptions_give_two_events(receiver, subscribe, trigger):
    subscribe("post.delete")
    subscribe("post.delete")
    trigger("post.delete")
    assert len({message["data"]["event_uuid"] for message in receiver.messages}) == 2


def test_the_payload_may_be_given(adsctl, receiver, subscribe, trigger):
    subscribe("post.create")
    adsctl.file("post.json", '{"id": "1", "text": "é"}')
    trigger("post.create", "-f", "post.json")
    assert receiver.messages[0]["data"]["payload"] == {"id": "1", "text": "é"}
    assert receiver.signatures == ["valid"]
    adsctl.file("list.json", "[]")
    trigger("post.create", "-f", "list.json", code=3)


def test_what_is_not_acknowledged_is_delivered_again(receiver, subscribe, trigger):
    subscribe("post.create")
    receiver.statuses = [500, 202]
    rows = trigger("post.create", retries="0,0,0")
    assert [(row["attempt"], row["status"], row["outcome"]) for row in rows] == [
        (1, 500, "failed"), (2, 202, "failed"), (3, 200, "acknowledged"),
    ]  # fmt: skip
    assert len({*receiver.bodies}) == 1 and receiver.signatures == ["valid"] * 3
    receiver.statuses = [500, 500]
    assert len(trigger("post.create", retries="0", code=9)) == 2


def test_the_delays_are_those_of_the_service(adsctl, receiver, subscribe, monkeypatch):
    subscribe("post.create")
    waited: list[float] = []
    monkeypatch.setattr("ads_cli.emulator.deliveries.posting.sleep", waited.append)
    receiver.statuses = [500] * 4
    done = adsctl.local("emulator", "trigger", "post.create", code=9)
    assert waited == [3, 27, 242] and "delivered again in 27 s" in done.stderr


@pytest.mark.parametrize(("fault", "words"), [("slow", "within 10 seconds"), ("error", "status 500")])
def test_a_fault_makes_a_receiver_get_an_event_twice(receiver, subscribe, trigger, fault, words):
    subscribe("post.create")
    rows = trigger("post.create", "--fault", fault, retries="0")
    assert words in rows[0]["answer"] and [row["outcome"] for row in rows] == ["failed", "acknowledged"]
    assert len(receiver.bodies) == 2 and len({*receiver.bodies}) == 1


def test_a_fault_signs_with_another_key(receiver, subscribe, trigger):
    subscribe("post.create")
    trigger("post.create", "--fault", "bad-signature")
    assert receiver.signatures == ["wrong"]


def test_duplicates_are_the_same_event(receiver, subscribe, trigger):
    subscribe("post.create")
    trigger("post.create", "--duplicates", "2")
    assert len(receiver.bodies) == 3 and len({*receiver.bodies}) == 1


def test_a_receiver_that_is_slow_is_not_waited_for(adsctl, receiver, subscribe, trigger, monkeypatch):
    subscribe("post.create")
    monkeypatch.setattr("ads_cli.emulator.deliveries.receivers.TIMEOUT_SECONDS", 0.0)
    (row,) = trigger("post.create", code=9)
    assert "no answer within" in row["answer"]


def test_a_webhook_that_is_not_valid_gets_nothing(adsctl, emulator, receiver, webhook, subscribe, trigger):
    subscribe("post.create")
    app = emulator.credentials.consumer_key
    emulator.store.update(WEBHOOK, webhook, {"valid": False}, owner=app)
    (row,) = trigger("post.create", code=9)
    assert "webhooks validate" in row["answer"] and not receiver.bodies
    # One that was valid a day ago is challenged first.
    emulator.store.update(WEBHOOK, webhook, {"valid": True, "passed_at": 0}, owner=app)
    trigger("post.create")
    assert len(receiver.bodies) == 1 and len(receiver.challenges) == 2


def test_a_deleted_webhook_gets_nothing(adsctl, receiver, webhook, subscribe, trigger):
    subscribe("post.repost.create")
    adsctl.local("webhooks", "delete", webhook, "--yes")
    assert trigger("post.repost.create") == [] and not receiver.bodies  # but the seeded webhook of the user


def test_all_activities_of_a_user_are_delivered(adsctl, receiver, webhook, trigger):
    of_webhook = ("--webhook", webhook)
    group = partial(adsctl.local, "webhooks", "account-activity")
    assert json.loads(group("create", *of_webhook, "-o", "json").stdout) == {"subscribed": True}
    assert "DuplicateSubscriptionFailed" in group("create", *of_webhook, code=6).stderr
    assert json.loads(group("check", *of_webhook, "-o", "json").stdout) == {"subscribed": True}
    assert json.loads(group("count", "-o", "json").stdout)["subscriptions_count_all"] == "2"
    trigger("follow.follow")
    trigger("oauth.revoke")
    follow, revoke = receiver.messages
    assert follow["for_user_id"] == USER and follow["follow_events"][0]["type"] == "follow"
    assert "for_user_id" not in revoke and revoke["user_event"]["revoke"]["source"]["user_id"] == USER
    assert json.loads(group("delete", USER, *of_webhook, "--yes", "-o", "json").stdout) == {
        "subscribed": False
    }
    assert "SubscriptionNotFound" in group("delete", USER, *of_webhook, "--yes", code=6).stderr
    assert json.loads(group("check", *of_webhook, "-o", "json").stdout) == {"subscribed": False}


@pytest.mark.parametrize(("service", "name"), [("generic", "post"), ("x", "tweet")])
def test_activities_have_the_names_of_a_service(adsctl, receiver, webhook, service, name):
    adsctl.local("webhooks", "account-activity", "create", "--webhook", webhook)
    adsctl.local("emulator", "trigger", "post.create", "--service", service)
    assert f"{name}_create_events" in receiver.messages[0]


def test_a_linked_webhook_gets_what_matches_the_filtered_stream(adsctl, receiver, webhook, trigger):
    adsctl.local("webhooks", "links", "create", webhook, "--post-fields", "id,text")
    links = json.loads(adsctl.local("webhooks", "links", "list", "-o", "json").stdout)
    assert ["post.fields=id,text"] in [link["fields"] for link in links if link["webhook_id"] == webhook]
    trigger("filtered_stream")
    (match,) = receiver.messages
    assert match.keys() == {"data", "includes", "matching_rules"}
    assert json.loads(adsctl.local("webhooks", "links", "delete", webhook, "--yes", "-o", "json").stdout)[
        "deleted"
    ]
    trigger("filtered_stream")
    assert len(receiver.bodies) == 1


def test_nobody_who_is_subscribed_is_said(adsctl):
    message = adsctl.local("emulator", "trigger", "spaces.start", "--user-id", "7", code=5).stderr
    assert "nobody is subscribed to spaces.start of the user 7" in message
    assert "adsctl events subscribe spaces.start --user-id 7" in message
    message = adsctl.local("emulator", "trigger", "posts.create", code=2).stderr
    assert "did you mean 'post.create'" in message
    message = adsctl.local("emulator", "trigger", "post.create", "--user-id", "abc", code=2).stderr
    assert "--user-id: 'abc' is not allowed: an id of 1 to 19 digits" in message
    assert "dry run: would trigger" in adsctl.local("emulator", "trigger", "post.create", "--dry-run").stderr


def test_a_command_of_an_emulator_triggers_in_its_own_world(adsctl):
    line = "adsctl events unsubscribe 1790415000000000201 --yes -q -o none"
    shell = ("emulator", "exec", "--", "sh", "-c", f"{line} && adsctl emulator trigger post.create -o json")
    done = adsctl.process(*shell, PATH=adsctl.installed()["PATH"])
    assert [row["event_uuid"] for row in json.loads(done.stdout)] == [""]  # only the activity of the user


def test_which_kinds_are_private():
    assert is_private("dm.sent") and is_private("like.create") and not is_private("post.create")
