"""Where results are downloaded from: the service names the address, and cannot name our own network."""

import gzip
import json
import socket
from urllib.parse import urlsplit

import pytest

from ads_cli.client.client import Client
from ads_cli.emulator.resources import statistics as statistics_jobs
from ads_cli.errors import UnavailableError
from ads_cli.http import network
from ads_cli.statistics import export as statistics_export
from tests.private_hosts import SPELLINGS
from tests.products.images.image_server import redirect, serving

EXPORT = ("stats", "export", "--entity", "LINE_ITEM", "--all", "--since", "5d", "--until", "4d")
NO_ADDRESSES = (
    *("file:///etc/passwd", "ftp://results.example/a", "//results.example/a", "/stats-results/1", "https://"),
    *("https://user:password@results.example/a", "https://user@results.example/a", "https:results.example"),
    *("https://results.example\\@127.0.0.1/a", "https:\\\\127.0.0.1\\a", "https://results.example/a b"),
    *("https://results.example/\u00e4", "https://results.example/\na", " https://results.example/a"),
    *("http://results.example/a", "http://127.0.0.1:9/a", "http://localhost:9/a", "https://93.184.216.34/a"),
    *("https://127.0.0.1:9/a", "https://[::1]/a", "https://[::ffff:10.0.0.5]/a", "https://169.254.169.254/a"),
)


@pytest.fixture
def export(stats, monkeypatch):
    """Export statistics whose results the service has at an address; return what was said."""

    def run(address: str, **env: str) -> str:
        monkeypatch.setattr(
            statistics_jobs,
            "_address",
            lambda context, job: address.replace("ORIGIN", context.incoming.origin),
        )
        done = stats.adsctl(*EXPORT, "--max-attempts", "1", code=8, **env)
        return done.stdout + done.stderr

    return run


@pytest.fixture
def server(tls):
    """A server of https on this machine with a result."""
    with serving(tls) as server:
        server.files["/result"] = gzip.compress(json.dumps({"data": []}).encode())
        yield server


@pytest.fixture
def public(monkeypatch) -> None:
    """This machine counts as the public internet, by its name."""
    monkeypatch.setattr(network, "require_public", lambda host, addresses: None)
    monkeypatch.setattr(statistics_export, "require_public_name", lambda host: None)


def whole(handler) -> None:
    handler.answer(200, handler.server.files["/result"])


@pytest.fixture
def connected(monkeypatch, stats) -> set[tuple[bytes, int]]:
    """The addresses that were connected to, but that of the service."""
    connected, connect = set(), socket.create_connection
    service = urlsplit(stats.adsctl.env["ADSCTL_ADS_URL"]).port

    def note(address, *args, **options):
        if address[1] != service:
            connected.add(address)
            raise ConnectionRefusedError
        return connect(address, *args, **options)

    monkeypatch.setattr(socket, "create_connection", note)
    return connected


@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_a_result_is_read_from_no_other_place_than_the_public_web(export, connected, address):
    said = export(address)
    assert "the result of a job" in said or "of a job's result" in said
    assert not connected and "password" not in said


def test_no_spelling_of_this_machine_is_asked_for_a_result(stats, monkeypatch, connected):
    client = Client(address=lambda base: stats.adsctl.env["ADSCTL_ADS_URL"], credentials=lambda: None)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: [(0, 0, 0, "", ("127.0.0.1", 443))])
    for host in SPELLINGS:
        for form in ("https://{}/a", "https://{}:443/a", "http://{}/a"):
            with pytest.raises(UnavailableError):
                statistics_export.download(client, form.format(host), statistics_export.unpack)
    assert not connected


@pytest.mark.parametrize(
    "address", ["10.0.0.5", "127.0.0.1", "169.254.169.254", "::ffff:10.0.0.5", "fe80::1"]
)
def test_a_name_of_a_private_address_is_not_connected_to(export, connected, monkeypatch, address):
    find = socket.getaddrinfo
    results = [(0, 0, 0, "", ("93.184.216.34", 443)), (0, 0, 0, "", (address, 443))]
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *args, **options: (
            results if host == b"results.example" else find(host, *args, **options)
        ),
    )
    assert f"results.example is {address}, which is not a public address" in export(
        "https://results.example/a"
    )
    assert not connected


def test_a_proxy_is_asked_for_results_at_public_names_only(export, connected):
    said = export("https://%6c%6fcalhost/a", HTTPS_PROXY="http://127.0.0.1:9")
    assert "is not a public host name" in said and not connected
    export("https://results.example/a", HTTPS_PROXY="http://127.0.0.1:9")
    assert connected == {(b"127.0.0.1", 9)}


def test_the_service_on_this_machine_has_its_results_at_its_own_address_only(export, stats):
    with serving() as other:
        said = export(other.address("/result", "127.0.0.1"))
        assert "is at 127.0.0.1, and not at an https address" in said and not other.seen
    origin = stats.adsctl.env["ADSCTL_ADS_URL"]
    assert "not at an https address" in export(origin.replace("127.0.0.1", "localhost") + "/stats-results/1")
    assert "not valid" in export(origin.replace("//", "//user@") + "/stats-results/1")


def test_a_result_gets_no_header_of_ours(export, public, server, trusted):
    server.faults["/result?signature=hush"] = [whole] * 9
    said = export(server.address("/result?signature=hush"), **trusted)
    assert "the answer has no statistics of" in said and "hush" not in said
    for seen in server.seen:
        assert seen.headers.keys() == {"Host", "User-Agent", "Accept", "Accept-Encoding"}
    assert server.seen


def test_a_redirect_of_a_result_leads_nowhere(export, public, server, trusted):
    server.faults["/moved"] = [redirect(server.address("/result"))] * 9
    said = export(server.address("/moved"), **trusted)
    assert "the result of a job is redirected, which is not followed" in said
    assert set(server.paths) == {"/moved"}
