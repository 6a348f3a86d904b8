"""Which host names are public, whoever reads them: nothing that is this machine or its network is."""

import pytest
from hypothesis import given

from ads_cli.hosts import is_public_name
from tests.private_hosts import SPELLINGS, private_hosts

PUBLIC = (
    "images.example",
    "IMAGES.shop.example",
    "a.b-c.example",
    "1.2.3.example",
    "xn--bcher-kva.example",
)
PUBLIC += ("images.xn--p1ai", "127.0.0.1.nip.example", "localhost.example", "x" * 63 + ".example")
NOT_WELL_FORMED = (
    "images.example.",
    "-a.example",
    "a-.example",
    "a..example",
    "a_b.example",
    "x" * 64 + ".example",
)
NOT_WELL_FORMED += (
    "a." * 124 + "example",
    "images.example:80",
    "images.ex-ample",
    "images.123",
    "a.example\n",
)


@pytest.mark.parametrize("host", PUBLIC)
def test_a_public_name_is_known(host):
    assert is_public_name(host)


@pytest.mark.parametrize(
    "host", [*SPELLINGS, *NOT_WELL_FORMED, "8.8.8.8", "[2606:4700::1111]", "bücher.example"]
)
def test_no_spelling_of_this_machine_is_a_public_name(host):
    assert not is_public_name(host)


@given(private_hosts)
def test_no_change_of_a_spelling_makes_it_public(host):
    assert not is_public_name(host)
