"""webhooks serve: it answers challenges, takes what is signed, and hands each event on once."""

import hashlib
import hmac
import json
import signal
import socket
from base64 import b64encode
from contextlib import ExitStack, suppress

import httpx
import pytest

from ads_cli.events.event import MAX_EVENT_BYTES
from ads_cli.webhooks.signature import LEGACY_HEADER, OAUTH2_HEADER, sign
from tests.adsctl import TIMEOUT_SECONDS, wait_until
from tests.events.webhook import CONSUMER_SECRET, Webhook, event, webhook

TOKEN = "ZGJjYTQ2YzktYzdiMy00ZDQwLWE1ZjUtOGM2MDNkNTYxZDA5"
MEGABYTE = 1024 * 1024


@pytest.fixture
def served(adsctl):
    with webhook(adsctl) as hook:
        yield hook


def still_works(hook: Webhook) -> None:
    assert hook.deliver(event("last")).status_code == 200
    wait_until(lambda: any(b'"last"' in line for line in hook.lines), str(hook.messages))


def test_a_challenge_is_answered_with_its_token_keyed_by_the_consumer_secret(served):
    answer = served.challenge(f"crc_token={TOKEN}&nonce=MTc4NjAwMDAwMDAwMA")
    digest = hmac.new(CONSUMER_SECRET.encode(), TOKEN.encode(), hashlib.sha256).digest()
    assert answer.status_code == 200
    assert answer.json() == {"response_token": "sha256=" + b64encode(digest).decode()}


def test_a_challenge_is_answered_with_the_client_secret_where_that_is_asked_for(adsctl):
    with webhook(adsctl, "--challenge-key", "client", ADSCTL_CLIENT_SECRET="client-secret") as hook:
        answer = hook.challenge(f"crc_token={TOKEN}").json()
    assert answer == {"response_token": sign("client-secret", TOKEN.encode())}


BODY = '{"data":{}}'


@pytest.mark.parametrize(
    "query",
    [
        "", "crc_token=", f"crc_token={BODY}", "crc_token=%7B%22data%22%3A1%7D", "crc_token=a%0Ab",
        f"crc_token={'a' * 129}", f"crc_token={TOKEN}&crc_token={TOKEN}", "crc_token=%ff", "token=abc",
    ],
)  # fmt: skip
def test_nothing_is_signed_but_one_token_of_the_shape_that_the_service_sends(served, query):
    answer = served.challenge(query)
    assert answer.status_code == 400 and "response_token" not in answer.text and "sha256=" not in answer.text
    served.says("refused not a challenge: crc_token is")


def test_a_signed_delivery_is_answered_and_printed_as_a_line_of_json(served):
    body = json.dumps(json.loads(event("7", text="Grüße\n")), indent=2).encode()  # several lines
    assert served.deliver(body).status_code == 200
    (shown,) = served.events(1)
    assert shown == json.loads(body)


@pytest.mark.parametrize(
    ("signature", "status"),
    [
        (sign(CONSUMER_SECRET, event("another body")), 403), (sign("another key", event()), 403), ("", 403),
        (sign(CONSUMER_SECRET, event()).upper(), 403), (sign(CONSUMER_SECRET, event()).swapcase(), 403),
        (sign(CONSUMER_SECRET, event()).removeprefix("sha256="), 403), ("sha256=é", 403),
    ],
)  # fmt: skip
def test_a_wrong_signature_is_refused(served, signature, status):
    sent = {LEGACY_HEADER.encode(): signature.encode("latin-1")}
    answer = httpx.post(served.url, content=event(), headers=sent, timeout=TIMEOUT_SECONDS)
    assert answer.status_code == status
    served.says("refused a delivery whose signature is wrong (answered 403)")
    still_works(served)
    assert len(served.lines) == 1


def test_a_delivery_without_a_signature_is_refused(served):
    assert httpx.post(served.url, content=event()).status_code == 401
    served.says("refused a delivery whose signature is missing (answered 401)")


def test_the_newer_header_decides_where_its_key_is_known(adsctl):
    with webhook(adsctl, ADSCTL_CLIENT_SECRET="newer") as hook:
        right, wrong = {OAUTH2_HEADER: sign("newer", event())}, {OAUTH2_HEADER: sign("other", event())}
        assert hook.deliver(event(), signature="sha256=", **right).status_code == 200
        assert hook.deliver(event(), **wrong).status_code == 403  # the older header is right
        assert hook.deliver(event("of the older header alone")).status_code == 200


def test_a_header_is_known_by_its_name_at_service_x_too(adsctl):
    with webhook(adsctl) as hook:
        named = {"X-Twitter-Webhooks-Signature": sign(CONSUMER_SECRET, event())}
        assert httpx.post(hook.url, content=event(), headers=named).status_code == 200


def test_an_event_is_handed_on_once_also_by_a_server_that_is_started_again(adsctl):
    with webhook(adsctl) as hook:
        for _ in range(3):
            assert hook.deliver(event("1")).status_code == 200
        still_works(hook)
        assert [shown["data"]["event_uuid"] for shown in hook.events(2)] == ["1", "last"]
        port = str(hook.port)
    with webhook(adsctl, "--port", port) as again:
        assert again.deliver(event("1")).status_code == 200
        assert again.deliver(event("2")).status_code == 200
        assert [shown["data"]["event_uuid"] for shown in again.events(1)] == ["2"]


def test_the_id_of_an_earlier_event_with_another_content_is_dropped_and_said(served):
    served.deliver(event("1", text="first"))
    assert served.deliver(event("1", text="second")).status_code == 200
    served.says("post.create 1: dropped, since its id is that of an earlier event")
    assert [shown["data"]["payload"]["text"] for shown in served.events(1)] == ["first"]


def test_an_event_without_an_id_is_known_by_its_bytes(served):
    for body in (event("", text="a"), event("", text="a"), event("", text="b")):
        assert served.deliver(body).status_code == 200
    still_works(served)
    assert [shown["data"]["payload"].get("text") for shown in served.events(3)] == ["a", "b", None]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"data": "half \xf0\x9f of an emoji"}', "it is not UTF-8 at byte 16"),
        (b'{"data": ', "it is not JSON"),
        (b'["a"]', "it is not an object"),
        (b'{"data": NaN}', "it is not JSON"),
        (b'{"a":' * 100_000, "it is nested too deep"),
        (b"", "it is not JSON"),
    ],
)
def test_a_signed_body_that_cannot_be_read_is_refused_and_said(served, body, reason):
    assert served.deliver(body).status_code == 400
    served.says(f"refused a signed delivery that cannot be read: {reason}")
    still_works(served)


def test_a_body_of_50_megabytes_is_refused_and_harms_nothing(served):
    assert served.deliver(b"a" * 50 * MEGABYTE).status_code == 413
    served.says(f"refused a body of more than {MAX_EVENT_BYTES:,} bytes (answered 413)")
    chunked = httpx.post(served.url, content=(b"a" * MEGABYTE for _ in range(50)), timeout=TIMEOUT_SECONDS)
    assert chunked.status_code == 413
    still_works(served)


def test_a_body_that_is_too_large_to_be_read_and_dropped_is_said_as_one(served):
    head = b"POST /events HTTP/1.1\r\nHost: localhost\r\nContent-Length: 70000000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", served.port), TIMEOUT_SECONDS) as client:
        client.sendall(head)
        assert client.recv(1000).startswith(b"HTTP/1.1 400")
    served.says("refused a body of more than 67,108,864 bytes (answered 400)")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "HEAD"])
def test_other_methods_are_refused(served, method):
    assert httpx.request(method, served.url).status_code == 405


@pytest.mark.parametrize("request_line", [b"nonsense\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"G" * 100_000])
def test_what_is_not_http_is_refused_and_said(served, request_line):
    with socket.create_connection(("127.0.0.1", served.port)) as client:
        client.sendall(request_line)
        client.settimeout(TIMEOUT_SECONDS)
        with suppress(ConnectionResetError):  # it was still being sent
            assert client.recv(100)[:12] in (b"HTTP/1.1 400", b"")
    served.says("refused a request that is not HTTP, or whose head is too large")
    still_works(served)


HALVES = (b"GET / HT", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf", b"")


def test_a_thousand_connections_that_send_half_a_request_keep_nobody_out(served):
    with ExitStack() as stack:
        for number in range(1000):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", served.port)))
            client.sendall(HALVES[number % len(HALVES)])
        still_works(served)


def test_a_thousand_deliveries_at_once_are_all_taken(served):
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port))) for _ in range(1000)
        ]
        for number, client in enumerate(clients):
            body = event(str(number))
            head = f"POST / HTTP/1.1\r\n{LEGACY_HEADER}: {sign(CONSUMER_SECRET, body)}\r\n"
            client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        assert {client.recv(15) for client in clients} == {b"HTTP/1.1 200 OK"}
    assert len({shown["data"]["event_uuid"] for shown in served.events(1000)}) == 1000


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_its_code(served, signum):
    with socket.create_connection(("127.0.0.1", served.port)):
        served.process.send_signal(signum)
        assert served.process.wait(TIMEOUT_SECONDS) == 128 + signum
    served.says(f"stopped by {signum.name}")


def test_a_closed_pipe_ends_it_as_it_ends_a_list(adsctl):
    with webhook(adsctl, reads=False) as hook:
        hook.process.stdout.close()
        hook.deliver(event("1"))
        assert hook.process.wait(TIMEOUT_SECONDS) == 141
