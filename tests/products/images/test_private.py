"""A feed cannot make this machine ask its own network: only public addresses are connected to."""

import json
import socket

import pytest
from hypothesis import given

from ads_cli import hosts as public_hosts
from ads_cli.hosts import PrivateHostError
from ads_cli.http import network
from ads_cli.http.connections import parse_http_address
from tests.private_hosts import SPELLINGS, private_hosts
from tests.products.images.image_server import image, redirect

NOT_PUBLIC = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
    *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12::1", "fec0::1", "ff02::1", "2001:db8::1"),
    *("::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1"),
    *("2002:7f00:1::", "2002:c0a8:101::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"),
]
PUBLIC = ["8.8.8.8", "193.99.144.80", "2606:4700::1111"]
PUBLIC += ["::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"]
THIS_MACHINE = ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]
REFUSED = "which is not a public address; --allow-private permits it"


@pytest.fixture
def check(adsctl, shop):
    """Check the feed without --allow-private, and return the only problem."""

    def run(*links: str, **env: str) -> str:
        shop.feed(*links)
        done = adsctl("products", "check", "feed.jsonl", "--images", "-o", "json", **env)
        (finding,) = json.loads(done.stdout)["findings"]
        assert finding["severity"] == "warning" and finding["rows"] == len(links)
        return finding["problem"]

    return run


@pytest.fixture
def connected(monkeypatch) -> list[object]:
    """The addresses that were connected to; none answers."""
    found: list[object] = []

    def refuse(address, *args, **options):
        found.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "create_connection", refuse)
    return found


def resolving_to(monkeypatch, *addresses: str) -> None:
    entries = [(0, 0, 0, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: entries)


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_public_is_known(address):
    assert not public_hosts.is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_known(address):
    assert public_hosts.is_public(address)


@pytest.mark.parametrize("host", THIS_MACHINE)
def test_this_machine_is_not_asked_however_it_is_written(check, images, connected, host):
    assert REFUSED in check(images.address("/a", host))
    assert not images.seen and not connected


@pytest.mark.parametrize("address", ["10.0.0.5", "fe80::1", "::ffff:10.0.0.5", "169.254.169.254"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_of_a_private_address_is_refused(check, connected, monkeypatch, scheme, address):
    resolving_to(monkeypatch, address)
    assert f"images.example is {address}, {REFUSED}" in check(f"{scheme}://images.example/a.jpg")
    assert not connected


def test_a_name_with_one_private_address_among_others_is_refused(check, connected, monkeypatch):
    resolving_to(monkeypatch, "93.184.215.14", "192.168.0.1")
    assert "images.example is 192.168.0.1" in check("https://images.example/a.jpg")
    assert not connected


def test_what_is_connected_to_is_the_address_that_was_looked_at(check, connected, monkeypatch):
    """A name that is looked up twice could be public first, and private then."""
    resolving_to(monkeypatch, "93.184.215.14")
    check("https://images.example/a.jpg")
    assert {address for address, port in connected} == {b"93.184.215.14"}


def test_a_redirect_to_a_private_address_is_refused(adsctl, check, images, monkeypatch):
    is_public = public_hosts.is_public
    monkeypatch.setattr(public_hosts, "is_public", lambda text: text == "127.0.0.1" or is_public(text))
    images.files["/b"] = image()
    images.faults["/a"] = [redirect(images.address("/b", "127.0.0.2"))]
    assert f"127.0.0.2 is 127.0.0.2, {REFUSED}" in check(images.address("/a", "127.0.0.1"))
    assert images.paths == ["/a"]


def test_many_private_addresses_are_one_finding(check, images):
    assert REFUSED in check(*(images.address(f"/{n}") for n in range(20)))


def test_allow_private_permits_them(shop, images):
    images.files["/a"] = image()
    shop.feed(images.address("/a", "127.0.0.1"))
    assert shop.check().findings == [] and images.paths == ["/a"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_is_asked_for_public_names_and_not_for_private_ones(check, connected, monkeypatch, scheme):
    proxy = {f"{scheme.upper()}_PROXY": "http://127.0.0.1:9"}
    resolving_to(monkeypatch, "10.0.0.5")
    assert f"images.example is 10.0.0.5, {REFUSED}" in check(f"{scheme}://images.example/a.jpg", **proxy)
    assert not connected
    resolving_to(monkeypatch, "93.184.215.14")
    assert "cannot be reached" in check(f"{scheme}://images.example/a.jpg", **proxy)
    assert {address for address, port in connected} == {b"127.0.0.1"}


@pytest.fixture
def no_name_is_known(monkeypatch):
    """A machine without DNS, as behind a proxy."""

    def unknown(*args, **options):
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)


def test_a_proxy_is_asked_for_no_spelling_of_this_machine(adsctl, shop, connected, no_name_is_known):
    shop.feed(*(f"{scheme}://{host}/a.jpg" for host in SPELLINGS for scheme in ("http", "https")))
    proxies = {f"{scheme}_PROXY": "http://127.0.0.1:9" for scheme in ("HTTP", "HTTPS")}
    command = ("products", "check", "feed.jsonl", "--images", "--max-attempts", "1", "-o", "json")
    report = json.loads(adsctl(*command, code=None, **proxies).stdout)
    assert not connected
    problems = [each["problem"] for each in report["findings"]]
    assert any("is not a public host name; --allow-private permits it" in problem for problem in problems)


@given(private_hosts)
def test_no_address_of_this_machine_reaches_a_proxy_however_it_is_written(host):
    url = parse_http_address(f"http://{host}/a.jpg")
    if url:
        with pytest.MonkeyPatch.context() as monkeypatch:
            monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
            monkeypatch.setattr(network, "resolve", lambda *args: ["93.184.215.14"])
            with pytest.raises(PrivateHostError):
                network.connect_to_public(url, lambda secure: None, kind=network.NetworkTransport)


def test_a_proxy_may_know_names_that_this_machine_does_not(check, connected, no_name_is_known):
    check("https://images.example/a.jpg", HTTPS_PROXY="http://127.0.0.1:9")
    assert {address for address, port in connected} == {b"127.0.0.1"}
