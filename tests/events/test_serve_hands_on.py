"""webhooks serve --forward-to and --exec; webhooks create and emulator trigger with it; webhooks verify."""

import json
import shlex
import signal
import sys
import threading

import pytest

from ads_cli.webhooks.signature import WebhookKeys, check_delivery, sign
from tests.adsctl import TIMEOUT_SECONDS
from tests.conftest import SECRETS
from tests.events.receivers import receiver
from tests.events.webhook import CONSUMER_SECRET, event, webhook
from tests.raw_service import raw_service

KEYS = WebhookKeys(CONSUMER_SECRET)
USER = "1184672519"


def test_an_event_is_forwarded_with_its_bytes_and_its_signature(adsctl):
    body = b' {"data": {"event_uuid": "1", "event_type": "post.create"}}\n'
    with receiver(500) as (server, url), webhook(adsctl, "--forward-to", url) as hook:
        assert hook.deliver(body).status_code == 200
        hook.says("post.create 1: the receiver answered 500: try later; retrying in 1 s")
        hook.says("post.create 1: the receiver answered 200")
    assert [received for received, _ in server.received] == [body, body]
    assert check_delivery(KEYS, body, server.received[0][1].items()) == "valid"


def test_the_service_is_answered_before_the_receiver_has_answered(adsctl):
    def never_answers(connection) -> None:
        while connection.recv(1000):
            pass

    with raw_service(never_answers) as silent, webhook(adsctl, "--forward-to", silent.address) as hook:
        assert [hook.deliver(event(id)).status_code for id in "123"] == [200, 200, 200]
        hook.events(1)


def test_what_waits_when_it_is_stopped_is_said_with_the_command_that_delivers_it_again(adsctl):
    def never_answers(connection) -> None:
        asked.set()
        while connection.recv(1000):
            pass

    asked = threading.Event()
    with raw_service(never_answers) as silent, webhook(adsctl, "--forward-to", silent.address) as hook:
        assert [hook.deliver(event(id)).status_code for id in "123"] == [200, 200, 200]
        assert asked.wait(TIMEOUT_SECONDS)
        hook.process.send_signal(signal.SIGINT)
        assert hook.process.wait(TIMEOUT_SECONDS) == 130
        hook.says("warning: 3 events not handed on; adsctl webhooks replay delivers them again")


def test_it_listens_on_an_address_of_version_6_of_the_protocol(adsctl):
    with webhook(adsctl, "--host", "::1") as hook:
        assert hook.url.startswith("http://[::1]:") and hook.deliver(event("1")).status_code == 200


def test_an_event_that_was_not_forwarded_is_handed_on_when_it_is_delivered_again(adsctl):
    with receiver(400) as (server, url), webhook(adsctl, "--forward-to", url) as hook:
        hook.deliver(event("1"))
        hook.says("post.create 1 was not forwarded: the receiver answered 400")
        hook.deliver(event("1"))
        hook.says("post.create 1: the receiver answered 200")
        hook.deliver(event("1"))
        hook.deliver(event("2"))
        hook.says("post.create 2: the receiver answered 200")
        assert [shown["data"]["event_uuid"] for shown in hook.events(2)] == ["1", "2"]
    assert [body for body, _ in server.received] == [event("1"), event("1"), event("2")]


def test_a_program_gets_each_event_and_no_secret(adsctl):
    code = "import os, sys; print('got', sys.stdin.read().strip(), 'ADSCTL_CONSUMER_SECRET' in os.environ)"
    command = shlex.join([sys.executable, "-c", code])
    with webhook(adsctl, "--exec", command) as hook:
        hook.deliver(event("1"))
        hook.says(f"got {event('1').decode().replace(', ', ',').replace(': ', ':')} False")
        assert len(hook.events(1)) == 1  # what the program prints is no event


def test_a_program_that_fails_is_said(adsctl):
    with webhook(adsctl, "--exec", f"{sys.executable} -c 'raise SystemExit(3)'") as hook:
        hook.deliver(event("1"))
        hook.says(f"warning: post.create 1: {sys.executable} ended with 3")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--exec", "no-such-program"), "--exec: 'no-such-program' is not a program that can be run"),
        (
            ("--exec", "true", "--forward-to", "http://localhost:1"),
            "--forward-to and --exec exclude each other",
        ),
        (("--forward-to", "http://shop.example/"), "is not https"),
        (("--forward-to", ""), "(from --forward-to) is not a valid address"),
        (("--exec", ""), "--exec names no command"),
        (("--host", ""), "--host: is empty"),
        (("--host", "[::1]"), "an address of this machine with --host, such as ::1"),
        (("--port", "70000"), "70000 is not a whole number (0 to 65535)"),
        (("--host", "no.such.host.invalid"), "cannot listen on no.such.host.invalid"),
        (("--challenge-key", "client"), "the client secret of the app is not known"),
    ],
)
def test_what_cannot_be_served_is_said_before_it_listens(adsctl, options, message):
    done = adsctl("webhooks", "serve", "--port", "0", *options, code=None, **SECRETS)
    assert done.returncode in (2, 4) and message in done.stderr


def test_what_cannot_be_remembered_is_said_before_anything_is_acknowledged(adsctl):
    env = SECRETS | {"ADSCTL_STATE_DIR": str(adsctl.file("state", b"no folder"))}
    done = adsctl("webhooks", "serve", "--port", "0", code=11, **env)
    assert "cannot be used" in done.stderr and "listens" not in done.stderr


def test_without_a_secret_nothing_is_served(adsctl):
    assert "ADSCTL_CONSUMER_SECRET" in adsctl("webhooks", "serve", "--port", "0", code=4).stderr


def test_a_port_that_is_open_to_others_is_said(adsctl):
    with webhook(adsctl, "--host", "0.0.0.0") as hook:
        hook.says("warning: it is open to other machines, and not encrypted")


def test_a_webhook_of_this_machine_is_created_and_gets_what_is_triggered(adsctl):
    with webhook(adsctl, "--profile", "local") as hook:
        url = f"{hook.url}/events"
        made = json.loads(adsctl.local("webhooks", "create", url, "-o", "json").stdout)
        assert made["valid"] is True and made["url"] == url
        subscription = ("events", "subscribe", "follow.follow", "--user-id", USER, "--webhook", made["id"])
        adsctl.local(*subscription, "--yes")
        sent = adsctl.local("emulator", "trigger", "follow.follow", "--duplicates", "2", "-o", "json").stdout
        assert {row["outcome"] for row in json.loads(sent) if row["receiver"] == url} == {"acknowledged"}
        adsctl.local(*subscription[:2], "follow.unfollow", *subscription[3:], "--yes")
        adsctl.local("emulator", "trigger", "follow.unfollow")
        kinds = [shown["data"]["event_type"] for shown in hook.events(2)]
    assert kinds == ["follow.follow", "follow.unfollow"]


def test_a_delivery_with_a_wrong_key_is_refused(adsctl):
    with webhook(adsctl, "--profile", "local") as hook:
        made = json.loads(adsctl.local("webhooks", "create", hook.url, "-o", "json").stdout)
        subscription = ("events", "subscribe", "follow.follow", "--user-id", USER, "--webhook", made["id"])
        adsctl.local(*subscription, "--yes")
        trigger = ("emulator", "trigger", "follow.follow", "--fault", "bad-signature", "--retry-delays", "0")
        rows = json.loads(adsctl.local(*trigger, "-o", "json").stdout)
        hook.says("refused a delivery whose signature is wrong (answered 403)")
        assert [row["status"] for row in rows if row["receiver"] == hook.url] == [403, 200]
        assert len(hook.events(1)) == 1


BODY = '{"data":{"text":"ä"}}'.encode()


@pytest.mark.parametrize(
    ("env", "key"),
    [({}, "consumer_secret"), ({"ADSCTL_CLIENT_SECRET": "newer"}, "client_secret")],
)
def test_a_file_of_a_delivery_is_verified(adsctl, env, key):
    adsctl.file("delivery.json", BODY)
    secret = env.get("ADSCTL_CLIENT_SECRET", CONSUMER_SECRET)
    words = ("webhooks", "verify", "delivery.json", "--signature", sign(secret, BODY), "-o", "json")
    shown = json.loads(adsctl(*words, **SECRETS, **env).stdout)
    assert shown == {"file": "delivery.json", "valid": True, "key": key}


def test_standard_input_is_verified(adsctl):
    words = ("webhooks", "verify", "-", "--signature", sign(CONSUMER_SECRET, BODY), "-o", "ids")
    assert adsctl(*words, input=BODY, **SECRETS).stdout == "consumer_secret\n"


@pytest.mark.parametrize(
    ("content", "signature", "hint"),
    [
        (BODY, sign(CONSUMER_SECRET, b"{}"), "the bytes that were received"),
        (BODY, "", "a signature begins with sha256="),
        (BODY, sign(CONSUMER_SECRET, BODY).upper(), "a signature begins with sha256=, in lower case"),
        (BODY, sign(CONSUMER_SECRET, BODY).swapcase().replace("SHA", "sha"), "the bytes that were received"),
        (BODY + b"\n", sign(CONSUMER_SECRET, BODY), "without the line end at its end it was"),
        (b"", sign(CONSUMER_SECRET, BODY), "the bytes that were received"),
        (b"a" * 50 * 1024 * 1024, sign(CONSUMER_SECRET, BODY), "the bytes that were received"),
    ],
)
def test_a_signature_of_anything_else_is_refused(adsctl, content, signature, hint):
    adsctl.file("delivery.json", content)
    done = adsctl("webhooks", "verify", "delivery.json", "--signature", signature, code=6, **SECRETS)
    assert (
        "delivery.json was not signed like this by the consumer secret" in done.stderr and hint in done.stderr
    )
    assert CONSUMER_SECRET not in done.stderr
