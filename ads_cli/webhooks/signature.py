"""Challenges and signatures of webhooks: HMAC-SHA256 in base64, keyed with a secret of the app.

The answer to a challenge and the signature of a delivery are the same calculation with the same key. Whoever
gets any text signed as a challenge can forge deliveries, so only tokens of a narrow shape are signed: none of
them can be a body, which begins with `{`.
"""

import hmac
import re
from base64 import b64encode
from collections.abc import Iterable
from typing import Literal, NamedTuple
from urllib.parse import parse_qsl

from ..api.names import SERVICES

PREFIX = "sha256="
CHALLENGE_PARAMETER = "crc_token"
CHALLENGE_TOKEN = re.compile(r"[A-Za-z0-9+/=_-]{1,128}")
# Their neutral names; the newer one is signed with the client secret of OAuth 2.0.
LEGACY_HEADER = "x-platform-webhooks-signature"
OAUTH2_HEADER = "x-platform-webhooks-signature-oauth2"
# By their lower-case names under any service.
SIGNATURE_HEADERS = {
    names.header(header): header for names in SERVICES.values() for header in (LEGACY_HEADER, OAUTH2_HEADER)
}

SignatureState = Literal["valid", "wrong", "missing"]


class WebhookKeys(NamedTuple):
    """The secrets of the app that owns a webhook; "" for one that it does not have or that is not known."""

    consumer_secret: str = ""
    client_secret: str = ""

    def __repr__(self) -> str:
        return "WebhookKeys(***)"


def sign(key: str, content: bytes) -> str:
    """Return the signature of some bytes, such as `sha256=qUo5…`."""
    return PREFIX + b64encode(hmac.digest(key.encode(), content, "sha256")).decode()


def response_token(key: str, token: str) -> str:
    """Return what answers a challenge; raise ValueError for a token that must not be signed."""
    return sign(key, _checked(token).encode())


def challenge_token(query: str) -> str:
    """Return the token of a query; raise ValueError unless there is one that may be signed."""
    pairs = parse_qsl(query, keep_blank_values=True)
    tokens = [value for name, value in pairs if name == CHALLENGE_PARAMETER]
    if len(tokens) != 1:
        raise ValueError(f"{CHALLENGE_PARAMETER} is given {len(tokens)} times, not once")
    return _checked(tokens[0])


def delivery_headers(keys: WebhookKeys, body: bytes, service: str = "generic") -> dict[str, str]:
    """Return the signature headers of a delivery: one for each secret that the app has."""
    names = SERVICES[service]
    signed = {LEGACY_HEADER: keys.consumer_secret, OAUTH2_HEADER: keys.client_secret}
    return {names.header(header): sign(key, body) for header, key in signed.items() if key}


def check_delivery(keys: WebhookKeys, body: bytes, headers: Iterable[tuple[str, str]]) -> SignatureState:
    """Compare the signatures of a delivery with its bytes, in constant time.

    Headers of any service count. Where the newer header is present and its key is known, it alone decides.
    A header that is repeated is wrong.
    """
    sent: dict[str, list[str]] = {LEGACY_HEADER: [], OAUTH2_HEADER: []}
    for name, value in headers:
        if header := SIGNATURE_HEADERS.get(name.lower()):
            sent[header].append(value)
    if sent[OAUTH2_HEADER] and keys.client_secret:
        return _state(keys.client_secret, body, sent[OAUTH2_HEADER])
    return _state(keys.consumer_secret, body, sent[LEGACY_HEADER])


def is_signed_by(key: str, body: bytes, signature: str) -> bool:
    """Return whether a signature is that of some bytes; no key signs nothing."""
    return bool(key) and hmac.compare_digest(sign(key, body).encode(), signature.encode("utf-8", "replace"))


def _checked(token: str) -> str:
    if not CHALLENGE_TOKEN.fullmatch(token):
        raise ValueError(f"{CHALLENGE_PARAMETER} is not 1 to 128 characters of base64")
    return token


def _state(key: str, body: bytes, signatures: list[str]) -> SignatureState:
    if not signatures:
        return "missing"
    return "valid" if len(signatures) == 1 and is_signed_by(key, body, signatures[0]) else "wrong"
