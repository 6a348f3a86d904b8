"""Redirects are followed to https only, and no credentials go along."""

import json
import socket

import httpx
import pytest

from ads_cli import hosts
from ads_cli.errors import UsageError
from ads_cli.feeds.locations import RemoteAccess
from ads_cli.feeds.locations.remote import WebLocation
from ads_cli.http import download
from tests.feeds.locations.file_server import status

connect = download._connect

CHECK = ("products", "check", "-o", "json")


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed(adsctl, shop_server, code):
    shop_server.faults = [status(code, Location="/other/feed.csv?key=1")]
    assert json.loads(adsctl(*CHECK, shop_server.address()).stdout)["rows"] == 60
    assert [path for path, _ in shop_server.seen] == ["/feed.csv", "/other/feed.csv?key=1"]


@pytest.mark.parametrize("begins", ["https", "http"])
def test_a_redirect_to_an_unencrypted_address_is_not_followed(adsctl, shop_server, plain_server, begins):
    first = shop_server if begins == "https" else plain_server
    first.faults = [status(302, Location=plain_server.address("/x?key=hush"))]
    done = adsctl(*CHECK, first.address(), code=2)
    assert f"redirects to {plain_server.address('/x')}?***, which is not https" in done.stderr
    assert "hush" not in done.stderr and len(plain_server.seen) == (begins == "http")


@pytest.mark.parametrize(
    "target",
    [
        "file:///etc/passwd",
        "s3://bucket/feed.csv",
        "javascript:1",
        "https://[",
        "https://xn--/",
        "https://x:y/",
    ],
)
def test_a_redirect_to_anything_else_is_not_followed(adsctl, shop_server, target):
    shop_server.faults = [status(302, Location=target)]
    assert adsctl(*CHECK, shop_server.address(), code=2).stdout == ""


def test_a_redirect_of_what_is_read_for_an_assistant_leads_to_no_private_address(
    shop_server, other_server, trusted, monkeypatch
):
    is_public = hosts.is_public
    monkeypatch.setattr(hosts, "is_public", lambda text: text in ("127.0.0.1", "::1") or is_public(text))
    for name, value in trusted.items():
        monkeypatch.setenv(name, value)
    target = other_server.address("/x").replace("localhost", "127.0.0.2")
    shop_server.faults = [status(302, Location=target)]
    access = RemoteAccess(only_public=True)
    with pytest.raises(UsageError, match=r"127\.0\.0\.2, which is not a public address"):
        WebLocation(shop_server.address(), access).open()
    assert len(shop_server.seen) == 1 and not other_server.seen


def test_a_name_that_is_private_when_it_is_connected_to_is_not_read_for_an_assistant(monkeypatch):
    """What is connected to is the address that was looked at; a name may have another one a moment later."""
    connected = []
    monkeypatch.setattr(
        socket, "create_connection", lambda address, *args, **options: connected.append(address)
    )
    entries = [(0, 0, 0, "", (address, 443)) for address in ("93.184.215.14", "192.168.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: entries)
    with pytest.raises(UsageError, match=r"shop\.example is 192\.168\.0\.1, which is not a public address"):
        WebLocation("https://shop.example/feed.csv", RemoteAccess(only_public=True)).open()
    assert not connected


def test_redirects_without_end_are_ended(adsctl, shop_server):
    shop_server.faults = [status(302, Location="/feed.csv")] * 20
    done = adsctl(*CHECK, shop_server.address(), code=2)
    assert "more than 10 redirects" in done.stderr and len(shop_server.seen) == 11


def test_credentials_are_sent_to_the_host_that_they_are_for_and_to_no_other(
    adsctl, shop_server, other_server
):
    adsctl.file(".netrc", "machine localhost login shop password hush-hush\n")
    shop_server.faults = [status(302, Location="/moved.csv"), status(302, Location=other_server.address())]
    assert json.loads(adsctl(*CHECK, shop_server.address()).stdout)["rows"] == 60
    assert ["Authorization" in headers for _, headers in shop_server.seen] == [True, True]
    assert [headers.get("Authorization") for _, headers in other_server.seen] == [None]


def test_another_host_that_asks_for_a_password_is_not_said_to_have_refused_one(
    adsctl, shop_server, other_server
):
    adsctl.file(".netrc", "machine localhost login shop password hush-hush\n")
    shop_server.faults = [status(302, Location=other_server.address("/feed?key=1"))]
    other_server.faults = [status(401)]
    message = adsctl(*CHECK, shop_server.address(), code=4).stderr
    assert "it asks for a user name and password" in message and "does not accept" not in message
    assert f"name the address that it redirects to: {other_server.address('/feed')}" in message


@pytest.mark.parametrize(
    ("named", "target", "is_same"),
    [
        ("https://shop.example:443/feed.csv", "/moved.csv", True),
        ("https://shop.example/feed.csv", "https://SHOP.example:443/moved.csv", True),
        ("https://müller.example/feed.csv", "/moved.csv", True),
        ("https://müller.example/feed.csv", "https://xn--mller-kva.example/moved.csv", True),
        ("https://shop.example/feed.csv", "https://shop.example:8443/moved.csv", False),
        ("https://shop.example/feed.csv", "https://www.shop.example/moved.csv", False),
    ],
)
def test_credentials_stay_with_a_host_however_it_is_spelled(
    adsctl, plain_server, monkeypatch, named, target, is_same
):
    def connect_here(url: str):
        transport = connect(plain_server.address())
        handle = transport.handle_request

        def handle_here(request):
            request.url = httpx.URL(plain_server.address(request.url.path))
            return handle(request)

        transport.handle_request = handle_here
        return transport

    adsctl.env["FEED"] = named.replace("https://", "https://shop:hush-hush@")
    monkeypatch.setattr(download, "_connect", connect_here)
    plain_server.faults = [status(302, Location=target)]
    adsctl(*CHECK, "@FEED")
    assert ["Authorization" in headers for _, headers in plain_server.seen] == [True, is_same]


def test_credentials_in_a_redirect_are_not_used(adsctl, shop_server, other_server):
    target = other_server.address(user="mallory:trap")
    shop_server.faults = [status(302, Location=target)]
    done = adsctl(*CHECK, shop_server.address(), "--debug")
    assert [headers.get("Authorization") for _, headers in other_server.seen] == [None]
    assert "trap" not in done.stderr


def test_a_copy_is_resumed_where_the_redirect_leads_to_then(adsctl, shop_server, other_server):
    from tests.feeds.locations.file_server import cut

    shop_server.faults = [status(302, Location=other_server.address())] * 2
    other_server.faults = [cut(1000)]
    assert json.loads(adsctl(*CHECK, shop_server.address()).stdout)["rows"] == 60
    assert other_server.bytes_asked == ["", "bytes=1000-"]
