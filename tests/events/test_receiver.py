"""The limits of the server of a webhook, each made small."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest

from ads_cli.events import receiver as server
from ads_cli.events.inbox import Inbox
from ads_cli.events.receiver import Receiver
from ads_cli.events.responder import Responder
from ads_cli.webhooks.signature import LEGACY_HEADER, WebhookKeys, sign
from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.events.webhook import event

KEYS = WebhookKeys("secret")


@contextmanager
def serving(inbox: Inbox) -> Iterator[tuple[Receiver, list[str]]]:
    refusals: list[str] = []
    receiver = Receiver(Responder(KEYS, "consumer", inbox.offer), "127.0.0.1", 0, refusals.append)
    receiver.start()
    try:
        yield receiver, refusals
    finally:
        receiver.stop()


def connected(receiver: Receiver) -> socket.socket:
    return socket.create_connection(receiver.address, TIMEOUT_SECONDS)


def delivered(receiver: Receiver, body: bytes) -> int:
    host, port = receiver.address
    headers = {LEGACY_HEADER: sign("secret", body)}
    return httpx.post(f"http://{host}:{port}/", content=body, headers=headers).status_code


HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n"


@pytest.mark.parametrize("start", [b"", b"GET / HT", HEAD, HEAD + b"half"])
def test_a_request_that_does_not_end_is_closed_even_if_its_bytes_keep_coming(monkeypatch, start):
    monkeypatch.setattr(server, "READ_TIMEOUT_SECONDS", 0.3)
    with serving(Inbox()) as (receiver, _), connected(receiver) as client:
        client.sendall(start)
        client.settimeout(0.05)
        while True:  # ends only if the server closes the connection
            try:
                client.sendall(b"a")
                if client.recv(100) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break


def test_deliveries_are_refused_for_a_while_where_too_many_wait():
    inbox = Inbox(max_events=1)
    with serving(inbox) as (receiver, refusals):
        assert [delivered(receiver, event(id)) for id in "12"] == [200, 503]
        assert inbox.take(0).id == "1"
        assert delivered(receiver, event("2")) == 200
    assert refusals == ["a delivery, because too many wait to be handed on (answered 503)"]


def test_what_all_bodies_hold_in_memory_is_limited(monkeypatch):
    monkeypatch.setattr(server, "MAX_HELD_BYTES", 1000)
    with serving(Inbox()) as (receiver, refusals):
        for _ in range(3):  # what was held is given back
            assert delivered(receiver, b"a" * 2000) == 503
        assert delivered(receiver, event("1")) == 200
        with connected(receiver) as client:
            client.sendall(HEAD + b"half")
            wait_until(lambda: receiver.held_bytes == 4, "the half is held")
        wait_until(lambda: receiver.held_bytes == 0, "the half is forgotten")
    assert {*refusals} == {"a delivery, because too many arrive at once (answered 503)"}


def test_connections_are_limited(monkeypatch):
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 1)
    with serving(Inbox()) as (receiver, refusals):
        with connected(receiver) as first:
            wait_until(lambda: receiver.connections == 1, "the first connection is open")
            with connected(receiver) as second:
                assert second.recv(100) == b""
            assert first.fileno() >= 0
        wait_until(lambda: receiver.connections == 0, "the first connection is closed")
        assert delivered(receiver, event("1")) == 200
    assert refusals == ["a connection, because too many are open"]


def test_an_expected_continue_is_answered():
    with serving(Inbox()) as (receiver, _), connected(receiver) as client:
        client.sendall(HEAD.replace(b"Host: a", b"Host: a\r\nExpect: 100-continue"))
        assert client.recv(100).startswith(b"HTTP/1.1 100")
