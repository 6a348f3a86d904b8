"""The listener that waits for the callback of a sign-in."""

import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest

from ads_cli.auth import sign_in
from tests.adsctl import TIMEOUT_SECONDS
from tests.auth.test_signin import LOGIN, service, shop  # noqa: F401 - fixtures
from tests.ports import HOST, free_port


def test_a_listener_accepts_only_the_callback_of_its_request_token(shop, service):  # noqa: F811
    process = shop.beside(*LOGIN, "--callback", "http://127.0.0.1:18976/back", "--authenticate")
    said = ""
    while "oauth_token=rt" not in said:
        said += process.stderr.readline().decode()
    assert "/oauth/authenticate?oauth_token=rt" in said
    address = "http://127.0.0.1:18976"

    def get(path: str, **options: object) -> httpx.Response:
        return httpx.request(options.pop("method", "GET"), address + path, verify=False, **options)

    assert get("/other?oauth_token=rt&oauth_verifier=1").status_code == 404
    assert get("/back?oauth_token=else&oauth_verifier=1").status_code == 403
    assert get("/back?oauth_token=rt").status_code == 400
    assert get("/back?oauth_token=rt&oauth_verifier=1", method="POST").status_code == 405
    assert get("/back?oauth_token=rt&oauth_verifier=1", headers={"Host": "evil.example"}).status_code == 403
    assert "<script" not in get("/back?oauth_token=<script>&oauth_verifier=<script>").text
    assert get("/back?oauth_token=rt&oauth_verifier=1234567").status_code == 200
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert service.oauth(0)["oauth_callback"] == f"{address}/back"


def test_a_callback_counts_once():
    address = f"http://127.0.0.1:{free_port()}/back"
    with sign_in.Listener(address) as listener:
        waiting = threading.Thread(target=listener.wait_for, args=["rt"])
        waiting.start()
        callback = f"{address}?oauth_token=rt&oauth_verifier=1"
        assert [httpx.get(callback, verify=False).status_code for _ in range(2)] == [200, 403]
        waiting.join()


def test_a_refusal_by_the_user_exits_with_4(shop, service):  # noqa: F811
    process = shop.beside(*LOGIN, "--callback", "http://127.0.0.1:18977/")
    said = ""
    while "oauth_token=rt" not in said:
        said += process.stderr.readline().decode()
    assert httpx.get("http://127.0.0.1:18977/?denied=rt", verify=False).status_code == 200
    process.communicate(timeout=20)
    assert process.returncode == 4


def listening(shop) -> tuple[subprocess.Popen, tuple[str, int]]:  # noqa: F811
    """Start a sign-in; return its process, and where it listens."""
    address = HOST, free_port()
    process = shop.beside(*LOGIN, "--callback", f"http://127.0.0.1:{address[1]}/")
    said = ""
    while "oauth_token=rt" not in said:
        said += process.stderr.readline().decode()
    return process, address


@contextmanager
def held_up(address: tuple[str, int]) -> Iterator[None]:
    """Hold connections to a listener: silent ones, and one that drips."""
    done = threading.Event()

    def drip(connection: socket.socket) -> None:
        with suppress(OSError):
            while not done.wait(0.1):
                connection.sendall(b"X")

    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection(address, timeout=TIMEOUT_SECONDS)) for _ in range(9)
        ]
        connections[0].sendall(b"GET / HTTP/1.1\r\nX-Long: ")
        dripping = threading.Thread(target=drip, args=connections[:1])
        dripping.start()
        yield
        done.set()
        dripping.join()


def test_connections_that_say_nothing_do_not_hold_up_a_callback(shop, service):  # noqa: F811
    process, address = listening(shop)
    with held_up(address):
        url = f"http://127.0.0.1:{address[1]}/?oauth_token=rt&oauth_verifier=1234567"
        page = httpx.get(url, verify=False, timeout=sign_in.REQUEST_TIMEOUT_SECONDS / 2)
        assert "You are signed in" in page.text
        process.communicate(timeout=sign_in.REQUEST_TIMEOUT_SECONDS / 2)
    assert process.returncode == 0


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_sign_in_whose_listener_is_held_up(shop, service, signum):  # noqa: F811
    process, address = listening(shop)
    with held_up(address):
        process.send_signal(signum)
        _, stderr = process.communicate(timeout=sign_in.REQUEST_TIMEOUT_SECONDS / 2)
    assert process.returncode == 128 + signum
    assert stderr.decode().splitlines()[-1] == f"stopped by {signum.name}"


def test_a_listener_closes_a_connection_that_drips(monkeypatch):
    monkeypatch.setattr(sign_in, "REQUEST_TIMEOUT_SECONDS", 0.5)
    address = HOST, free_port()
    with ExitStack() as stack:
        stack.enter_context(sign_in.Listener(f"http://app.localhost:{address[1]}/"))
        connection = stack.enter_context(socket.create_connection(address, timeout=TIMEOUT_SECONDS))
        connection.sendall(b"GET / HTTP/1.1\r\nX-Long: ")
        with pytest.raises(ConnectionError):
            for _ in range(200):
                connection.sendall(b"X")
                time.sleep(0.05)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "https://shop.example/back",
            "http://shop.example:80/",
            "http://127.0.0.1/",
            "http://127.0.0.1:99999/",
        ),
        *("http://[::1].shop.example:8976/", "http://[::1", "http://me@127.0.0.1:8976/"),
    ],
)
def test_a_callback_must_be_a_loopback_address_with_a_port(shop, service, address):  # noqa: F811
    assert "loopback" in shop(*LOGIN, "--callback", address, code=2).stderr
    assert service.requests == []
