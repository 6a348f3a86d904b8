"""Addresses: which are accepted, and which are spellings of one another."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.config.addresses import canonical_address, check_address, is_same_address
from ads_cli.errors import StateError

LOOPBACK = (
    "localhost", "LOCALHOST", "LocalHost.", "127.0.0.1", "127.0.0.1.", "[::1]", "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]", "ads.localhost", "emulator.LOCALHOST",
)  # fmt: skip
HOSTS = (
    LOOPBACK,
    ("ads.example", "ADS.example", "Ads.Example."),
    ("bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example."),
    ("[2001:db8::1]", "[2001:DB8:0:0::1]", "[2001:0db8:0000::0001]"),
    ("192.0.2.1", "192.0.2.1."),
)
PATHS = ("", "/v1", "/Ads/v1", "/v1/ads")
DEFAULT_PORTS = {"http": "80", "https": "443"}


def spelled(draw: st.DrawFn, scheme: str, hosts: tuple[str, ...], port: int | None, path: str) -> str:
    """Spell an address in one of its ways."""
    written = draw(st.sampled_from([scheme, scheme.upper(), scheme.title()]))
    host = draw(st.sampled_from(hosts))
    default = ("", ":", f":{DEFAULT_PORTS[scheme]}", f":000{DEFAULT_PORTS[scheme]}")
    at = draw(st.sampled_from(default)) if port is None else f":{port}"
    return f"{written}://{host}{at}{path}{draw(st.sampled_from(['', '/', '//']))}"


@st.composite
def two_spellings(draw: st.DrawFn) -> tuple[str, str]:
    hosts = draw(st.sampled_from(HOSTS))
    scheme = draw(st.sampled_from(["https", "http"]))
    place = scheme, hosts, draw(st.sampled_from([None, 1024, 65535])), draw(st.sampled_from(PATHS))
    return spelled(draw, *place), spelled(draw, *place)


@given(two_spellings())
def test_spellings_of_one_address_have_one_canonical_form(both):
    address, other = map(canonical_address, both)
    assert address == other and is_same_address(*both)
    assert canonical_address(address) == address and address.isascii() and not address.endswith("/")


places = st.tuples(
    st.sampled_from(sorted(DEFAULT_PORTS)),
    st.sampled_from(HOSTS),
    st.sampled_from([None, 1024, 65535]),
    st.sampled_from(PATHS),
)


@given(places, places, st.data())
def test_different_addresses_stay_different(address, other, data):
    spellings = [data.draw(st.composite(spelled)(*place)) for place in (address, other)]
    assert is_same_address(*spellings) == (address == other)


@given(st.text(max_size=80) | st.text("aA1.:/@?#[]%\\-_ \t\r\n٣ü", max_size=40).map("https://{}".format))
def test_any_text_is_refused_with_words_or_is_an_address_that_can_be_requested(text):
    import httpx

    try:
        address = check_address(text, "ADSCTL_ADS_URL")
    except StateError as error:
        assert "ADSCTL_ADS_URL" in error.message
        assert not is_same_address(text, text)
        return
    url = httpx.URL(f"{address}/12/accounts?count=1")
    url.host.encode("idna")  # as Python looks it up
    assert url.scheme in DEFAULT_PORTS and not url.userinfo and address == text.rstrip("/")


IMPOSSIBLE = {
    "a line end": "https://ads.example\n",
    "a carriage return": "https://ads.example\r",
    "a line end inside": "https://ads.exa\nmple",
    "a tab": "https://ads\t.example",
    "a leading blank": " https://ads.example",
    "a byte-order mark": "\ufeffhttps://ads.example",
    "a NUL": "https://ads.example/\0",
    "half a surrogate": "https://ads.example/\udcff",
    "port 0": "https://ads.example:0",
    "a port too high": "https://ads.example:65536",
    "a port of other digits": "https://ads.example:٣",
    "a port of 5,000 digits": "https://ads.example:" + "1" * 5000,
    "a long label": f"https://{'a' * 64}.example",
    "a long host": f"https://{'a.' * 130}example",
    "a long path": f"https://ads.example/{'a' * 70_000}",
    "an empty label": "https://ads..example",
    "an empty label on this machine": "http://ads..localhost",
    "no host": "https://",
    "only a dot": "https://.",
    "only a path": "https:///path",
    "a blank in the host": "https://ads%20.example",
    "a wildcard": "https://*.example",
    "bad brackets": "https://[::1",
    "bad brackets behind": "https://::1]",
    "something behind brackets": "https://[::1]x",
    "a network interface": "https://[fe80::1%eth0]",
    "too large a number": "https://999.1.1.1",
    "bad punycode": "https://xn--a.example",
    "a circled digit": "https://①.example",
    "a query": "https://ads.example?a=b",
    "an empty query": "https://ads.example?",
    "an empty fragment": "https://ads.example#",
    "a user": "https://me@ads.example",
    "a password": "https://:hunter2@ads.example",
    "an empty user": "https://@ads.example",
    "another scheme": "ftp://ads.example",
    "no scheme": "ads.example",
    "plain http": "http://ads.example",
}


@pytest.mark.parametrize("address", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_what_is_no_address_of_a_service_is_refused_with_words(address):
    with pytest.raises(StateError) as raised:
        check_address(address, "ADSCTL_ADS_URL")
    words = f"{raised.value.message} {raised.value.hint}"
    assert "ADSCTL_ADS_URL" in words and len(words) < 1000 and "hunter2" not in words


@pytest.mark.parametrize(
    "address",
    [IMPOSSIBLE[name] for name in ("a NUL", "half a surrogate", "a long path", "a password", "plain http")],
)
def test_what_is_no_address_is_refused_wherever_it_is_given(remote, address):
    if "\0" not in address:  # which no variable can hold
        done = remote("accounts", "list", code=11, ADSCTL_ADS_URL=address)
        assert "ADSCTL_ADS_URL" in done.stderr and len(done.stderr) < 1000 and "hunter2" not in done.stderr
    done = remote("profile", "set", "shop", f"ads_url={address}", code=2)
    assert "ads_url" in done.stderr and len(done.stderr) < 1000 and "hunter2" not in done.stderr
    assert not (remote.home / "config" / "config.yaml").exists()
    config = f"profiles: {{shop: {{ads_url: {json.dumps(address)}}}}}"
    remote.file("config.yaml", config)
    done = remote("accounts", "list", "-p", "shop", code=11, ADSCTL_CONFIG_DIR=str(remote.home))
    assert len(done.stderr) < 1000 and "hunter2" not in done.stderr
