"""Signatures of webhooks: published values, and what holds for any body, key and token."""

import hashlib
import hmac
import json
from base64 import b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ads_cli.api.names import SERVICES
from ads_cli.webhooks.signature import (
    LEGACY_HEADER,
    OAUTH2_HEADER,
    WebhookKeys,
    challenge_token,
    check_delivery,
    delivery_headers,
    is_signed_by,
    response_token,
    sign,
)

KEYS = WebhookKeys("consumer-secret", "client-secret")
keys = st.text(st.characters(codec="utf-8"), min_size=1)
tokens = st.text("ABCabc019+/=_-", min_size=1, max_size=128)


def test_a_signature_is_that_of_rfc_4231():
    # Test case 2 of RFC 4231, in base64.
    digest = bytes.fromhex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    assert sign("Jefe", b"what do ya want for nothing?") == f"sha256={b64encode(digest).decode()}"


@given(key=keys, token=tokens)
def test_a_token_is_answered_with_its_hmac(key, token):
    digest = hmac.new(key.encode(), token.encode(), hashlib.sha256).digest()
    assert response_token(key, token) == "sha256=" + b64encode(digest).decode()
    assert challenge_token(f"nonce=1&crc_token={quote(token, safe='')}") == token


@given(body=st.dictionaries(st.text(), st.text()).map(json.dumps) | st.text("[]{}\r\n \t\0é") | st.just(""))
def test_no_body_is_signed_as_a_token(body):
    with pytest.raises(ValueError, match="crc_token"):
        response_token("key", body)


@pytest.mark.parametrize(
    "query",
    ["", "nonce=1", "crc_token=", "crc_token=a&crc_token=a", "crc_token=%7B%7D", "crc_token=a%00",
     "crc_token=a%0A", "crc_token=" + "a" * 129, "CRC_TOKEN=a", "crc_token[]=a", "crc_token=%C3%A9"],
)  # fmt: skip
def test_a_challenge_has_one_token_of_the_right_shape(query):
    with pytest.raises(ValueError, match="crc_token"):
        challenge_token(query)


@pytest.mark.parametrize("service", SERVICES)
@given(body=st.binary(), key=keys, client=keys)
def test_what_is_signed_verifies_with_the_keys_that_signed_it(service, body, key, client):
    headers = delivery_headers(WebhookKeys(key, client), body, service)
    assert len(headers) == 2 and all(header == header.lower() for header in headers)
    for known in (WebhookKeys(key, client), WebhookKeys(key), WebhookKeys("", client)):
        assert check_delivery(known, body, headers.items()) == "valid"
    shouted = [(name.upper(), value) for name, value in headers.items()]
    assert check_delivery(WebhookKeys(key, client), body, shouted) == "valid"


@given(body=st.binary(), other=st.binary())
def test_a_signature_is_that_of_one_body(body, other):
    signature = sign("key", body)
    assert is_signed_by("key", body, signature)
    assert is_signed_by("key", other, signature) == (body == other)
    assert not is_signed_by("another", body, signature)
    assert not is_signed_by("", body, sign("", body))


@given(body=st.binary(), signature=st.text())
def test_any_text_is_compared(body, signature):
    assert not is_signed_by("key", body, signature)
    assert check_delivery(KEYS, body, [(LEGACY_HEADER, signature)]) == "wrong"


@pytest.mark.parametrize("change", [str.upper, str.swapcase, lambda text: "", lambda text: text + " "])
def test_a_signature_that_was_changed_is_wrong(change):
    signature = sign(KEYS.consumer_secret, b"{}")
    assert check_delivery(KEYS, b"{}", [(LEGACY_HEADER, change(signature))]) == "wrong"


def test_the_newer_header_decides_where_its_key_is_known():
    old = (LEGACY_HEADER, sign(KEYS.consumer_secret, b"{}"))
    new = (OAUTH2_HEADER, sign(KEYS.client_secret, b"{}"))
    wrong = (OAUTH2_HEADER, "sha256=wrong")
    assert check_delivery(KEYS, b"{}", [old]) == "valid"
    assert check_delivery(KEYS, b"{}", [(LEGACY_HEADER, "wrong"), new]) == "valid"
    assert check_delivery(KEYS, b"{}", [old, wrong]) == "wrong"
    assert check_delivery(WebhookKeys(KEYS.consumer_secret), b"{}", [old, wrong]) == "valid"
    assert check_delivery(WebhookKeys("", KEYS.client_secret), b"{}", [old]) == "wrong"
    assert check_delivery(KEYS, b"{}", []) == "missing"


def test_a_header_that_is_repeated_is_wrong():
    header = (LEGACY_HEADER, sign(KEYS.consumer_secret, b"{}"))
    assert check_delivery(KEYS, b"{}", [header, header]) == "wrong"
    both_names = [(SERVICES["x"].header(LEGACY_HEADER), header[1]), header]
    assert check_delivery(KEYS, b"{}", both_names) == "wrong"


def test_keys_are_not_shown():
    assert "secret" not in repr(KEYS)
