"""The emulator behind a socket."""

import http.client
import signal
import socket
import subprocess
import sys
from contextlib import closing
from threading import Event, Thread

import pytest

from ads_cli.emulator import server
from ads_cli.emulator.server import running, serve
from ads_cli.errors import UsageError
from tests.adsctl import reset_ignored_signals

from .speaking import Client, authorization


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.com", "::", ""])
def test_only_loopback_is_served(emulator, host):
    with pytest.raises(UsageError, match="loopback"):
        serve(emulator, host, on_ready=lambda _: None)


def test_a_port_in_use_is_told(emulator):
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
def test_a_host_header_names_this_machine(served, host, status):
    assert served.transport.get(f"{served.address}/12/accounts", headers={"Host": host}).status_code == status


def test_the_server_keeps_connections(served):
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"))
    for _ in range(50):
        headers = authorization(served.keys, "GET", f"{served.address}/12/accounts")
        connection.request("GET", "/12/accounts", headers=headers)
        kept = connection.sock
        assert connection.getresponse().read()
        assert connection.sock is kept is not None
    connection.close()


def test_small_answers_are_not_held_back(emulator):
    prepared = server.build_server(emulator, "127.0.0.1", 0)
    try:
        assert prepared.nodelay and prepared.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    finally:
        prepared.stop()


def test_a_head_request_gets_no_body(served):
    connection = http.client.HTTPConnection(served.address.removeprefix("http://"))
    for _ in range(2):
        connection.request("HEAD", "/12/accounts")
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (405, b"")
    connection.close()


def test_a_served_emulator_stops_and_starts_again(emulator):
    for _ in range(2):
        with running(emulator) as address, closing(Client.over_http(emulator, address)) as client:
            assert client.get("/12/accounts").status_code == 200
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=5).close()


def test_serve_tells_its_address_and_ends_on_an_interrupt(tmp_path):
    code = (
        "import sys; from pathlib import Path; from ads_cli.emulator.app import Emulator;"
        "from ads_cli.emulator.server import serve;"
        "serve(Emulator(Path(sys.argv[1])), on_ready=lambda address: print(address, flush=True))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "emulator.db")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, preexec_fn=reset_ignored_signals, **pipes) as process:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in process.communicate(timeout=10)[1]


def test_ready_is_called_when_requests_are_taken(emulator):
    answered = Event()

    class Enough(Exception):
        pass

    def ready(address):
        with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), timeout=5):
            answered.set()
        raise Enough

    def run():
        with pytest.raises(Enough):
            serve(emulator, on_ready=ready)

    thread = Thread(target=run)
    thread.start()
    thread.join(10)
    assert answered.is_set() and not thread.is_alive()
