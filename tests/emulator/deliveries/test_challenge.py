"""A webhook is registered once its address has answered the challenge."""

import json
import re
import socket
import threading
import time
from urllib.parse import parse_qs

import pytest
from werkzeug import Response

from ads_cli.api.names import SERVICES
from ads_cli.emulator.deliveries import receivers
from ads_cli.emulator.deliveries.challenge import WEBHOOK
from ads_cli.webhooks.signature import challenge_token


def create(adsctl, url: str, *words: str, code: int = 0):
    return adsctl.local("webhooks", "create", url, "-o", "json", *words, code=code)


def error(done) -> dict:
    return json.loads(done.stderr.splitlines()[-1])["error"]


@pytest.mark.parametrize("service", SERVICES)
def test_an_address_that_this_machine_serves_is_registered_in_one_go(adsctl, receiver, service):
    made = json.loads(create(adsctl, receiver.url, "--service", service).stdout)
    assert made["url"] == receiver.url and made["valid"] is True
    (query,) = receiver.challenges
    # As it was seen: a UUID in base64, and a number used once.
    assert re.fullmatch("[A-Za-z0-9_-]{48}", challenge_token(query))
    assert re.fullmatch("[A-Za-z0-9_-]{20}", *parse_qs(query)["nonce"])
    listed = json.loads(adsctl.local("webhooks", "list", "-o", "json", "--service", service).stdout)
    assert made in listed


def test_the_query_of_an_address_is_kept(adsctl, receiver):
    create(adsctl, f"{receiver.url}?shop=1")
    assert parse_qs(receiver.challenges[0]).keys() == {"shop", "crc_token", "nonce"}


def wrong(body: str, status: int = 200, **headers: str) -> Response:
    return Response(body, status, headers=headers)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (wrong('{"response_token": "sha256=abc"}'), "the response_token is wrong"),
        (wrong('{"response_token": 5}'), "no JSON object with a response_token"),
        (wrong("[]"), "no JSON object with a response_token"),
        (wrong("[" * 60_000), "no JSON object with a response_token"),
        (wrong("\x00\xff"), "no JSON object with a response_token"),
        (wrong("", 204), "no JSON object with a response_token"),
        (wrong("", 301, Location="/other"), "status 301"),
        (wrong("", 404), "status 404"),
        (wrong("", 503), "status 503"),
        (wrong("x" * 70_000), "more than 65,536 bytes"),
    ],
)
def test_an_address_that_answers_otherwise_is_refused(adsctl, receiver, answer, words):
    receiver.answer = answer
    told = error(create(adsctl, receiver.url, code=6))
    assert "CrcValidationFailed" in told["message"] and words in told["message"]
    assert "crc_token" in told["hint"]
    assert len(receiver.challenges) == 1  # a redirect is not followed
    assert receiver.url not in adsctl.local("webhooks", "list").stdout


def test_either_secret_of_the_app_answers(adsctl, emulator, receiver):
    emulator.store.connection.execute("UPDATE oauth2_apps SET client_secret = 'of the client'")
    receiver.keys = receiver.keys._replace(consumer_secret="of the client")
    create(adsctl, receiver.url)


def test_the_secret_of_another_app_does_not_answer(adsctl, receiver):
    receiver.keys = receiver.keys._replace(consumer_secret="of another app")
    assert "is wrong" in error(create(adsctl, receiver.url, code=6))["message"]


class Silent:
    """Accepts connections; each gets some bytes now and then, and no answer."""

    def __init__(self, dripped: bytes) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.dripped = dripped
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}/"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        client, _ = self.socket.accept()
        with client:
            try:
                while True:
                    client.sendall(self.dripped)
                    time.sleep(0.02)
            except OSError:
                return


@pytest.mark.parametrize("dripped", [b"", b"HTTP/1.1 200 OK\r\nX-A: b\r\n", b"x"])
def test_a_receiver_that_does_not_end_its_answer_is_not_waited_for(adsctl, monkeypatch, dripped):
    monkeypatch.setattr(receivers, "TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr("http.client._MAXHEADERS", 10_000)
    silent = Silent(dripped)
    message = error(create(adsctl, silent.url, code=6))["message"]
    silent.socket.close()
    assert "CrcValidationFailed" in message and "no answer" in message


def test_an_address_that_nothing_listens_on_is_refused(adsctl):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
    assert "no answer" in error(create(adsctl, url, code=6))["message"]


def test_a_certificate_that_is_not_trusted_is_refused(adsctl, tls, httpserver):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            client, _ = server.accept()
            try:
                with tls.wrap_socket(client, server_side=True) as wrapped:
                    wrapped.recv(100)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        message = error(create(adsctl, f"https://localhost:{port}/", code=6))["message"]
    assert "CrcValidationFailed" in message and "TLS failed" in message


@pytest.mark.parametrize(
    "url", ["localhost", "http://", "http://user@localhost/", "http://localhost/#x", "http://localhost:x/"]
)
def test_what_is_no_address_is_refused(adsctl, url):
    assert "UrlValidationFailed" in error(create(adsctl, url, code=6))["message"]


def test_an_app_has_five_webhooks(adsctl):
    for number in range(3):  # beside those that are seeded
        create(adsctl, f"https://shop.example/{number}")
    assert "WebhookLimitExceeded" in error(create(adsctl, "https://shop.example/", code=6))["message"]


def test_a_check_on_demand_decides_whether_a_webhook_is_valid(adsctl, emulator, receiver, webhook):
    def is_valid() -> bool:
        return emulator.store.find(WEBHOOK, webhook)["valid"]

    receiver.answer = wrong("", 503)
    failed = adsctl.local("webhooks", "validate", webhook, "-o", "json", code=6)
    assert "CrcValidationFailed: status 503" in error(failed)["message"] and is_valid()  # it has a day
    receiver.answer = wrong("{}")
    adsctl.local("webhooks", "validate", webhook, code=6)
    assert not is_valid()
    receiver.answer = None
    assert json.loads(adsctl.local("webhooks", "validate", webhook, "-o", "json").stdout) == {"valid": True}
    assert is_valid()


def test_a_receiver_that_is_out_of_order_for_more_than_a_day_is_invalid(adsctl, emulator, receiver, webhook):
    app = emulator.credentials.consumer_key
    emulator.store.update(WEBHOOK, webhook, {"passed_at": time.time() - 29 * 3600}, owner=app)
    receiver.answer = wrong("", 503)
    adsctl.local("webhooks", "validate", webhook, code=6)
    assert emulator.store.find(WEBHOOK, webhook)["valid"] is False


def test_others_write_while_a_receiver_takes_its_time(adsctl, emulator, receiver, monkeypatch):
    answer = receiver.response

    def written_before(query: str) -> Response:
        with emulator.store.in_use(), emulator.store.transaction():
            return answer(query)

    monkeypatch.setattr("ads_cli.emulator.storage.BUSY_TIMEOUT_SECONDS", 0.1)
    receiver.response = written_before
    create(adsctl, receiver.url)


def test_unknown_webhooks_are_named(adsctl):
    for words in (
        "validate 5",
        "delete 5",
        "links create 5",
        "links delete 5",
        "account-activity check --webhook 5",
    ):
        done = adsctl.local("webhooks", *words.split(), "--yes", "-o", "json", code=6)
        assert "WebhookIdInvalid" in error(done)["message"] and "webhooks list" in error(done)["hint"]
