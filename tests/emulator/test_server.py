"""The emulator served over a socket."""

import gc
import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
from contextlib import ExitStack, closing
from email.utils import parsedate_to_datetime
from pathlib import Path
from threading import Event, Thread

import pytest

from ads_cli.emulator import server
from ads_cli.emulator.server import running, serve
from ads_cli.errors import UsageError
from tests.adsctl import TIMEOUT_SECONDS

from .client import Client, authorization, product


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.com", "::", ""])
def test_only_loopback_is_served(emulator, host):
    with pytest.raises(UsageError, match="is not a loopback address; the emulator listens on loopback only"):
        serve(emulator, host, on_ready=lambda _: None)


def test_a_loopback_name_is_served_on_loopback_whatever_the_hosts_file_says(emulator):
    with running(emulator, host="emulator.localhost") as address:
        assert address.startswith("http://127.0.0.1:")


def test_a_port_in_use_is_reported(emulator):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot listen"):
        serve(emulator, port=taken.getsockname()[1], on_ready=lambda _: None)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 401),
        ("localhost:99", 401),
        ("127.0.0.1:1", 401),
        ("[::1]:80", 401),
        ("ads.localhost", 401),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("192.168.0.1", 403),
        ("[::1", 403),
    ],
)
def test_the_host_header_must_be_loopback(served, host, status):
    response = served.transport.get(f"{served.address}/12/accounts", headers={"Host": host})
    assert response.status_code == status
    assert ("is not a loopback address" in response.text) is (status == 403)


def test_connections_are_kept_alive(served):
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"))
    for _ in range(50):
        headers = authorization(served.keys, "GET", f"{served.address}/12/accounts")
        connection.request("GET", "/12/accounts", headers=headers)
        kept = connection.sock
        assert connection.getresponse().read()
        assert connection.sock is kept is not None
    connection.close()


def test_requests_sent_at_once_are_answered_in_turn(served):
    host, port = served.address.removeprefix("http://").split(":")
    request = b"GET /emulator HTTP/1.1\r\nHost: localhost\r\n"
    with (
        socket.create_connection((host, int(port)), timeout=TIMEOUT_SECONDS) as client,
        client.makefile("rb") as received,
    ):
        client.sendall(2 * (request + b"\r\n") + request + b"Connection: close\r\n\r\n")
        assert received.read().count(b"HTTP/1.1 200 OK") == 3


def test_http_1_0_is_answered(served):
    host, port = served.address.removeprefix("http://").split(":")
    with (
        socket.create_connection((host, int(port)), timeout=TIMEOUT_SECONDS) as client,
        client.makefile("rb") as received,
    ):
        client.sendall(b"GET /emulator HTTP/1.0\r\nHost: localhost\r\n\r\n")
        head, _, body = received.read().partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 OK") and json.loads(body)


def test_a_body_in_chunks_is_read(served):
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"))
    headers = authorization(served.keys, "PUT", f"{served.address}{served.products_path}")
    pieces = json.dumps({"products": [product()]}).encode().partition(b":")
    headers |= {"Content-Type": "application/json"}
    connection.request("PUT", served.products_path, body=iter(pieces), headers=headers, encode_chunked=True)
    assert connection.getresponse().status == 200
    connection.close()
    assert len(served.products()) == 1


def test_a_response_tells_the_time(served):
    assert parsedate_to_datetime(served.get("/12/accounts").headers["date"]).tzinfo


def test_small_responses_are_sent_at_once(emulator):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = http.client.HTTPConnection(*listener.getsockname())
        client.connect()
        accepted, _ = listener.accept()
        serving = Thread(target=server.ClientConnection(emulator, accepted).serve)
        serving.start()
        client.request("GET", "/emulator")
        assert client.getresponse().read()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        client.close()
        serving.join()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Le"])
def test_sixty_idle_connections_hold_up_nobody(served, sent):
    host, port = served.address.removeprefix("http://").split(":")
    with ExitStack() as stack:
        for _ in range(60):
            idle = stack.enter_context(socket.create_connection((host, int(port)), timeout=TIMEOUT_SECONDS))
            idle.sendall(sent)
        working = http.client.HTTPConnection(host, int(port), timeout=server.REQUEST_READ_TIMEOUT_SECONDS / 2)
        for _ in range(10):
            headers = authorization(served.keys, "GET", f"{served.address}/12/accounts")
            working.request("GET", "/12/accounts", headers=headers)
            assert working.getresponse().read()
        working.close()


def test_sixty_kept_connections_hold_up_nobody_and_keep_no_file_open(served, database):
    with ExitStack() as stack:
        clients = [
            stack.enter_context(closing(http.client.HTTPConnection(served.address.removeprefix("http://"))))
            for _ in range(60)
        ]
        for client in clients * 2:
            client.timeout = server.REQUEST_READ_TIMEOUT_SECONDS / 2
            headers = authorization(served.keys, "GET", f"{served.address}/12/accounts")
            client.request("GET", "/12/accounts", headers=headers)
            assert client.getresponse().read()
        if sys.platform == "linux":
            opened = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
            assert 0 < opened.count(database) < 5


def test_a_response_to_head_has_no_body(served):
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"))
    for host, status in (("localhost", 405), ("localhost", 405), ("evil.example", 403)):
        connection.request("HEAD", "/12/accounts", headers={"Host": host})
        response = connection.getresponse()
        assert (response.status, response.read()) == (status, b"")
    connection.close()


def test_a_client_that_hangs_up_before_the_response_leaves_no_message(emulator, monkeypatch):
    gc.collect()
    said, asked, gone = [], Event(), Event()
    monkeypatch.setattr(sys, "unraisablehook", said.append)

    def late(environ, start_response):
        asked.set()
        gone.wait(TIMEOUT_SECONDS)
        return emulator(environ, start_response)

    with running(late) as address:
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as client:
            client.sendall(b"GET /12/accounts HTTP/1.1\r\nHost: localhost\r\n\r\n")
            asked.wait(TIMEOUT_SECONDS)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        gone.set()
    gc.collect()
    assert said == []


def test_a_served_emulator_stops_at_once_and_starts_again(emulator, monkeypatch):
    monkeypatch.setattr(server, "ACCEPT_TIMEOUT_SECONDS", 3600.0)  # after which it would stop by itself
    for _ in range(2):
        with running(emulator) as address, closing(Client.over_http(emulator, address)) as client:
            assert client.get("/12/accounts").status_code == 200
        with pytest.raises(OSError):
            socket.create_connection(
                ("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=TIMEOUT_SECONDS
            ).close()


def test_serve_reports_its_address_and_stops_on_an_interrupt(tmp_path):
    code = (
        "import sys; from pathlib import Path; from ads_cli.emulator.app import Emulator;"
        "from ads_cli.emulator.server import serve;"
        "serve(Emulator(Path(sys.argv[1])), on_ready=lambda address: print(address, flush=True))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "emulator.db")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=TIMEOUT_SECONDS)[1]


def test_on_ready_is_called_when_connections_are_accepted(emulator):
    answered = Event()

    class Stop(Exception):
        pass

    def ready(address):
        with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=TIMEOUT_SECONDS):
            answered.set()
        raise Stop

    def run():
        with pytest.raises(Stop):
            serve(emulator, on_ready=ready)

    thread = Thread(target=run)
    thread.start()
    thread.join(10)
    assert answered.is_set() and not thread.is_alive()
