"""Hostile input over the socket: large, slow, malformed and random requests."""

import os
import re
import socket
import threading
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ads_cli.api.fields import fields_of
from ads_cli.api.registry import requests_for
from ads_cli.emulator import server
from ads_cli.emulator.core.request import MAX_BODY_BYTES
from tests.private_hosts import LOCAL_AUTHORITIES, ODD_AUTHORITIES

from .client import InProcess, authorization

fuzzed = settings(
    max_examples=int(os.environ.get("FUZZ", "50")),  # `make chaos` sets more
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def send(address: str, raw: bytes, timeout: float = 5.0) -> bytes:
    """Send bytes, and return what the server sends until it closes or is silent."""
    host, port = address.removeprefix("http://").split(":")
    received = b""
    with suppress(OSError), socket.create_connection((host, int(port)), timeout=timeout) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        while data := connection.recv(65536):
            received += data
    return received


def status_of(response: bytes) -> int:
    return int(response.split(b" ", 2)[1]) if response.startswith(b"HTTP/") else 0


def post(path: str, body: bytes, **headers: str) -> bytes:
    lines = {"Host": "127.0.0.1", "Content_Length": str(len(body))} | headers
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in lines.items() if value)
    return f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", *ODD_AUTHORITIES]
)
def test_dns_rebinding_is_rejected(served, host):
    raw = f"GET /oauth/authorize?oauth_token=x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    assert status_of(send(served.address, raw.encode())) == 403


@pytest.mark.parametrize("host", LOCAL_AUTHORITIES)
def test_each_name_of_this_machine_is_served(served, host):
    raw = f"GET /oauth/authorize?oauth_token=x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    assert status_of(send(served.address, raw.encode())) not in (0, 400, 403)


FORM = {"Content_Type": "application/x-www-form-urlencoded"}
CHUNKED = {"Transfer_Encoding": "chunked", "Content_Length": ""}
TOO_LARGE = b"x" * (2 * MAX_BODY_BYTES)


@pytest.mark.parametrize(
    "raw",
    [
        post("/oauth/authorize", b"", **FORM, Content_Length=str(10**12)),
        post("/oauth/authorize", TOO_LARGE, **FORM),
        post("/oauth/authorize", b"%x\r\n%b" % (10**12, TOO_LARGE), **FORM, **CHUNKED),
    ],
    ids=["nothing of it", "sent at once", "in chunks"],
)
def test_a_client_that_sends_too_much_is_told_so_before_it_is_read(served, raw):
    assert status_of(send(served.address, raw)) == 413


def test_large_headers_are_rejected(served):
    raw = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 1_000_000 + b"\r\n\r\n"
    assert status_of(send(served.address, raw)) == 431
    many = b"".join(b"X-%d: y\r\n" % n for n in range(50_000))
    raw = b"GET / HTTP/1.1\r\nHost: localhost\r\n" + many + b"\r\n"
    assert status_of(send(served.address, raw)) == 431
    assert served.get("/12/accounts").status_code == 200


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (post("/oauth2/token", b"", Content_Length="-1"), 400),
        (post("/oauth2/token", b"", Content_Length="9" * 5000), 400),
        (post("/oauth2/token", b"half", Content_Length="9"), 400),
        (post("/oauth2/token", b"", Content_Length="+1"), 400),
        (post("/oauth2/token", b"half", Content_Length="4\r\nContent-Length: 5"), 400),
        (post("/oauth2/token", b"half", Content_Length="4\r\ncontent-length: 4"), 400),
        (post("/oauth2/token", b"half", Content_Length="4, 4"), 400),
        (post("/oauth2/token", b"0\r\n\r\n", Transfer_Encoding="chunked"), 400),
        (post("/oauth2/token", b"zz\r\n", **CHUNKED), 400),
        (post("/oauth2/token", b"", Transfer_Encoding="gzip"), 501),
        (b"HEAD / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ],
    ids=lambda value: str(value)[2:40],
)
def test_what_is_no_request_is_rejected_with_a_reason(served, raw, status):
    response = send(served.address, raw)
    assert status_of(response) == status and b"connection: close" in response.lower()
    assert raw.startswith(b"HEAD") or b'"message":"cannot read the request: ' in response


def test_what_is_no_request_is_rejected_after_a_request_for_a_head_too(served, capfd):
    head = b"HEAD /emulator HTTP/1.1\r\nHost: localhost\r\n\r\n"
    received = send(served.address, head + b"nonsense\r\n\r\n")
    assert b'"message":"cannot read the request: ' in received.partition(b"HTTP/1.1 400 ")[2]
    assert "Traceback" not in capfd.readouterr().err


def test_a_body_may_speak_of_lengths_and_requests_follow_each_other(served):
    body = b"\r\n\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
    received = send(served.address, post("/nothing", body) * 2 + post("/nothing", b"", Connection="close"))
    assert received.count(b"HTTP/1.1 404 ") == 3


@pytest.mark.parametrize(
    "start",
    [b"", b"GET / HTTP/1.1\r\nHost: loc", post("/oauth2/token", b"", Content_Length="9999")],
    ids=["nothing", "half a header", "half a body"],
)
def test_slow_clients_do_not_block_others(emulator, monkeypatch, start):
    """Not only since they lose their connections by their deadlines, which are far away here."""
    monkeypatch.setattr(server, "REQUEST_READ_TIMEOUT_SECONDS", 600.0)
    monkeypatch.setattr(server, "IDLE_TIMEOUT_SECONDS", 600.0)
    done = threading.Event()

    def drip(connection: socket.socket) -> None:
        with suppress(OSError):
            connection.sendall(start)
            while not done.wait(0.2):
                connection.sendall(b"x")

    from .client import Client

    with server.running(emulator) as address:
        host, port = address.removeprefix("http://").split(":")
        slow = [socket.create_connection((host, int(port))) for _ in range(40)]
        threads = [threading.Thread(target=drip, args=(connection,)) for connection in slow]
        for thread in threads:
            thread.start()
        client = Client.over_http(emulator, address)
        client.transport.timeout = 60
        assert client.get("/12/accounts").status_code == 200
        client.close()
        done.set()
        for connection in slow:
            connection.close()


WORDS = """GET POST PUT DELETE OPTIONS CONNECT HTTP/1.1 / // ? & = ; % %00 %ff -1 5 \xc2\xb2 //evil.example
/12/accounts /oauth/authorize?oauth_token= /12/product_catalogs/1/products http://x:y/ Host:localhost
Content-Length: Transfer-Encoding:chunked Authorization: OAuth oauth_nonce=\" """.encode().split()
pieces = st.sampled_from([*WORDS, *[b" ", b"\r\n", b"\r\n\r\n"] * 6]) | st.binary(max_size=40)


@given(raw=st.lists(pieces, max_size=14).map(b"".join))
@fuzzed
def test_random_bytes_cause_no_500(served, raw):
    assert status_of(send(served.address, raw, 2)) != 500


paths = st.lists(
    st.text(max_size=8) | st.sampled_from(["12", "accounts", "..", "%", "%zz", "%ed%a0%80"]), max_size=5
)


@given(
    head=st.builds(
        lambda method, path, query: f"{method} /{'/'.join(path)}?{query} HTTP/1.1",
        st.sampled_from(["GET", "POST", "PUT", "DELETE", "HEAD", "PATCH", "get", "X"]),
        paths,
        st.text(max_size=30),
    ),
    authorization=st.text(max_size=60)
    | st.from_regex(r'OAuth (oauth_[a-z_]{4,16}="[^"]{0,9}",? ?){0,8}', fullmatch=True),
    kind=st.sampled_from(["application/json", "application/x-www-form-urlencoded", "", "text/plain; x=\xff"]),
    body=st.binary(max_size=60),
)
@fuzzed
def test_random_requests_cause_no_500(served, head, authorization, kind, body):
    lines = [
        re.sub(r"[\r\n]", "", line) for line in (f"Authorization: {authorization}", f"Content-Type: {kind}")
    ]
    raw = "\r\n".join(
        [re.sub(r"[\r\n]", "", head), "Host: localhost", *lines, f"Content-Length: {len(body)}", "", ""]
    )
    assert status_of(send(served.address, raw.encode() + body)) < 500


EVERY = list(requests_for("generic"))
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "",
            "\x00",
            "-1",
            "9" * 30,
            "1e400",
            "true",
            "null",
            "[]",
            "{}",
            "\ud800",
            "2026-01-01T00:00:00Z",
            10**40,
        ]
    )
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def known_ids(emulator, name: str) -> list[str]:
    ids = [emulator.account] if "account" in name else [emulator.catalog] if "catalog" in name else []
    return [*ids, "1", "x" * 300, "\x00", "é"]


@given(data=st.data(), kind=st.sampled_from(EVERY))
@fuzzed
def test_random_signed_requests_cause_no_500(emulator, data, kind):
    """Requests of every endpoint, with random fields."""
    import json
    from urllib.parse import quote, urlencode

    endpoint = kind.endpoint
    path = endpoint.path
    for name in endpoint.path_fields:
        path = path.replace(
            f"{{{name}}}",
            quote(
                data.draw(
                    st.sampled_from(known_ids(emulator, name))
                    | st.text(min_size=1, max_size=5).filter(lambda t: t.isprintable())
                ),
                safe="",
            ),
        )
    names = [field.name for field in fields_of(kind) if field.name not in endpoint.path_fields]
    fields = (
        data.draw(st.dictionaries(st.sampled_from([*names, "other"]), values, max_size=6)) if names else {}
    )
    url, content, form, headers = f"http://127.0.0.1{path}", b"", "", {}
    if endpoint.params_in == "json":
        content, headers = json.dumps(fields).encode(), {"Content-Type": "application/json"}
    else:
        text = urlencode(
            {k: v if isinstance(v, str) else json.dumps(v) for k, v in fields.items()},
            errors="replace",
            quote_via=quote,
        )
        if endpoint.params_in == "form":
            form, content, headers = (
                text,
                text.encode(),
                {"Content-Type": "application/x-www-form-urlencoded"},
            )
        elif text:
            url += f"?{text}"
    headers |= authorization(emulator.credentials, endpoint.method, url, form)
    response = InProcess(emulator).request(endpoint.method, url, content=content, headers=headers)
    assert response.status_code < 500 or response.status_code == 501, response.text
