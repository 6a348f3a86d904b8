"""Connections: TLS, redirects, proxies, and limits of a response."""

import gzip
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from functools import cache
from http.server import BaseHTTPRequestHandler

import pytest
from werkzeug import Request, Response

from ads_cli.http.connections import tls_context
from tests.conftest import SECRETS
from tests.local_server import LocalServer, running_server

ACCOUNTS = "/12/accounts"
LIST = ("accounts", "list", "--max-attempts", "1")


class Handler(BaseHTTPRequestHandler):
    """Responds with a list, and records the headers of requests."""

    def do_GET(self) -> None:
        self.server.seen.append(dict(self.headers))
        body = b'{"data": [{"id": "1", "name": "over TLS"}]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


def serving(tls: ssl.SSLContext | None = None) -> AbstractContextManager[LocalServer]:
    server = LocalServer(Handler)
    server.seen = []
    return running_server(server, tls)


@pytest.fixture
def secure(tls: ssl.SSLContext) -> Iterator[LocalServer]:
    with serving(tls) as server:
        yield server


def signed_in(server: LocalServer, host: str = "localhost") -> dict[str, str]:
    return SECRETS | {"ADSCTL_ADS_URL": f"https://{host}:{server.server_port}"}


def test_an_untrusted_certificate_is_rejected_without_a_retry(adsctl, secure):
    done = adsctl("accounts", "list", code=8, **signed_in(secure))
    assert (
        f"localhost:{secure.server_port} has no valid certificate" in done.stderr
        and "SSL_CERT_FILE" in done.stderr
    )
    assert not secure.seen


def test_the_authority_in_ssl_cert_file_is_trusted(adsctl, secure, trusted):
    assert "over TLS" in adsctl(*LIST, **signed_in(secure), **trusted).stdout
    assert secure.seen[0]["Authorization"].startswith("OAuth ")


def test_the_certificate_is_checked_however_https_is_spelled(adsctl, secure, trusted):
    address = f"HTTPS://LocalHost:{secure.server_port}/"
    assert "over TLS" in adsctl(*LIST, **SECRETS, **trusted, ADSCTL_ADS_URL=address).stdout
    adsctl(*LIST, code=8, **SECRETS, ADSCTL_ADS_URL=address)


def test_a_certificate_for_another_host_is_rejected(adsctl, secure, trusted):
    done = adsctl(*LIST, code=8, **signed_in(secure, "127.0.0.1"), **trusted)
    assert f"127.0.0.1:{secure.server_port} has no valid certificate" in done.stderr and not secure.seen


def test_a_missing_ssl_cert_file_trusts_no_certificate(adsctl, secure):
    adsctl(*LIST, code=8, **signed_in(secure), SSL_CERT_FILE="/nowhere.pem")
    assert not secure.seen


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_tls_below_1_2_is_rejected(adsctl, tls, trusted):
    tls.set_ciphers("ALL:@SECLEVEL=0")
    tls.minimum_version, tls.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with serving(tls) as server:
        adsctl(*LIST, code=8, **signed_in(server), **trusted)
        assert not server.seen
    for secure in (True, False):  # whatever the library itself refuses
        assert tls_context(secure).minimum_version == ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("to", ["http", "https"])
@pytest.mark.parametrize("status", [302, 308])
def test_a_redirect_to_another_host_is_not_followed(remote, httpserver, secure, to, status):
    with serving() as plain:
        port = {"http": plain, "https": secure}[to].server_port
        there = {"Location": f"{to}://localhost:{port}{ACCOUNTS}"}
        httpserver.expect_request(ACCOUNTS).respond_with_data("", status=status, headers=there)
        assert "another address" in remote(*LIST, code=8).stderr
        assert not plain.seen and not secure.seen


class ConnectProxy:
    """A proxy that opens tunnels and records what it can read."""

    def __init__(self) -> None:
        self.read = b""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with suppress(OSError, ValueError), client:
            asked = client.recv(65536)
            self.read += asked
            host, port = asked.split()[1].decode().split(":")
            with socket.create_connection((host, int(port))) as service:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                threading.Thread(target=self._pipe, args=(service, client), daemon=True).start()
                self._pipe(client, service)

    def _pipe(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self.read += data
                target.sendall(data)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def proxy() -> Iterator[ConnectProxy]:
    proxy = ConnectProxy()
    yield proxy
    proxy.close()


@pytest.mark.parametrize("variable", ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"])
def test_the_proxy_of_the_environment_sees_only_a_tunnel(adsctl, secure, trusted, proxy, variable):
    done = adsctl(*LIST, **signed_in(secure), **trusted, **{variable: proxy.address})
    assert "over TLS" in done.stdout
    assert proxy.read.startswith(f"CONNECT localhost:{secure.server_port} ".encode())
    assert b"OAuth" not in proxy.read and b"accounts" not in proxy.read
    assert not any(secret.encode() in proxy.read for secret in SECRETS.values())


def test_a_host_in_no_proxy_is_connected_directly(adsctl, secure, trusted, proxy):
    adsctl(*LIST, **signed_in(secure), **trusted, HTTPS_PROXY=proxy.address, NO_PROXY="localhost")
    assert len(secure.seen) == 1 and proxy.read == b""


def test_plain_http_on_this_machine_uses_no_proxy(remote, httpserver, proxy):
    httpserver.expect_request(ACCOUNTS).respond_with_json({"data": []})
    remote(*LIST, HTTP_PROXY=proxy.address, ALL_PROXY=proxy.address, http_proxy=proxy.address)
    assert proxy.read == b""


@pytest.mark.parametrize("address", ["socks5://127.0.0.1:9", "ftp://x", "http://x:port"])
def test_an_unusable_proxy_exits_with_11(adsctl, secure, address):
    done = adsctl(*LIST, code=11, **signed_in(secure), HTTPS_PROXY=address)
    assert "proxy" in done.stderr and "bug" not in done.stderr


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://ads.example", "is not https"),
        ("http://127.0.0.1.nip.example", "is not https"),
        ("http://localhost.example", "is not https"),
        ("ftp://x", "is not a valid address"),
        ("//x", "is not a valid address"),
    ],
)
def test_an_address_of_another_machine_must_be_https(adsctl, monkeypatch, address, reason):
    looked_up: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: looked_up.append(args) or [])
    done = adsctl(*LIST, code=11, ADSCTL_ADS_URL=address, **SECRETS)
    assert f"{address!r} (from ADSCTL_ADS_URL) {reason}" in done.stderr
    assert not looked_up


@pytest.mark.parametrize("addresses", [["192.0.2.7"], ["2001:db8::7"], ["127.0.0.1", "192.0.2.7"]])
def test_plain_http_stays_here_whatever_the_hosts_file_says(adsctl, monkeypatch, addresses):
    connected: list[object] = []
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, port, *args, **options: [(0, 0, 0, "", (address, port)) for address in addresses],
    )
    monkeypatch.setattr(socket, "create_connection", lambda *args, **options: connected.append(args))
    done = adsctl("accounts", "list", code=11, ADSCTL_ADS_URL="http://ads.localhost:8080", **SECRETS)
    assert f"ads.localhost is {addresses[-1]}, which is not this machine; nothing was sent" in done.stderr
    assert "correct ads.localhost in the hosts file" in done.stderr
    assert not connected


def limited_memory(adsctl, *words: object, most: int = 700 * 1024 * 1024):
    """Run adsctl with limited memory, the interpreter included."""
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({most}, {most}))"
    adsctl.file("sitecustomize.py", code)
    return adsctl.process(*words, code=8, PYTHONPATH=f"{adsctl.home}:{adsctl.environment['PYTHONPATH']}")


@cache
def bomb(layers: int) -> bytes:
    """Compress zeros in several layers."""
    return gzip.compress(bomb(layers - 1) if layers > 1 else bytes(160 * 1024 * 1024), 1)


@pytest.mark.parametrize(("layers", "message"), [(1, "larger than"), (2, "has the encoding 'gzip, gzip'")])
def test_a_decompression_bomb_is_rejected_in_limited_memory(remote, httpserver, layers, message):
    headers = {"Content-Encoding": ", ".join(["gzip"] * layers), "Content-Type": "application/json"}
    httpserver.expect_request(ACCOUNTS).respond_with_data(bomb(layers), headers=headers)
    assert message in limited_memory(remote, *LIST).stderr


@pytest.mark.parametrize("status", [200, 500])
def test_an_endless_response_is_cut_off(remote, httpserver, status):
    def endless(request: Request) -> Response:
        return Response((b"x" * 1_000_000 for _ in range(100_000)), status=status)

    httpserver.expect_request(ACCOUNTS).respond_with_handler(endless)
    done = limited_memory(remote, *LIST)
    assert "larger than" in done.stderr if status == 200 else "status 500" in done.stderr
    assert len(done.stderr) < 2000


def test_a_slow_response_times_out(remote, httpserver):
    from time import sleep

    def drip(request: Request) -> Response:
        return Response((sleep(0.1) or b" " for _ in range(300)), content_type="application/json")

    httpserver.expect_request(ACCOUNTS).respond_with_handler(drip)
    done = remote(*LIST, "--timeout", "1s", "--max-wait", "1s", code=8)
    assert "did not respond in time" in done.stderr


def test_an_error_names_the_proxy_without_its_password(adsctl):
    proxy = {"HTTPS_PROXY": "http://ana:opensesame@127.0.0.1:9"}

    def message(address: str, **env: str) -> str:
        env = SECRETS | {"ADSCTL_ADS_URL": address} | env
        return " ".join(adsctl(*LIST, "--max-attempts", "1", code=8, **env).stderr.split())

    through = message("https://ads.example", **proxy)
    assert "ads.example cannot be reached through the proxy 127.0.0.1:9" in through and "NO_PROXY" in through
    assert "opensesame" not in through
    assert "proxy" not in message("https://localhost:9", **proxy, NO_PROXY="localhost")
