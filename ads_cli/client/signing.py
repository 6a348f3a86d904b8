"""Authentication of requests: OAuth 1.0a signatures and bearer tokens."""

import hmac
from base64 import b64encode
from collections.abc import Generator
from functools import lru_cache
from random import getrandbits
from secrets import token_hex
from typing import Any
from urllib.parse import unquote

import httpx
from oauthlib.common import generate_timestamp
from oauthlib.oauth1 import SIGNATURE_HMAC_SHA1
from oauthlib.oauth1 import Client as Signer
from oauthlib.oauth1.rfc5849.utils import escape

from .prepared_request import FORM, UserKeys

# A header that is filled in takes 6 µs, one that oauthlib signs 109 µs: a tenth of the CPU time of a request.
# Placeholders in a cached header; random, so that no other signed text contains them.
NONCE, TIMESTAMP = token_hex(16), token_hex(16)
CACHED_URLS = 32


class SignedAuth(httpx.Auth):
    """Sign with OAuth 1.0a (HMAC-SHA1); each attempt gets its own nonce and timestamp."""

    def __init__(self, consumer_key: str, consumer_secret: str, **token: Any) -> None:
        self._signer = Signer(consumer_key, consumer_secret, **token)
        template_signer = _TemplateSigner(
            consumer_key, consumer_secret, nonce=NONCE, timestamp=TIMESTAMP, **token
        )
        secrets = consumer_secret, token.get("resource_owner_secret") or ""
        self._hmac = hmac.new("&".join(map(escape, secrets)).encode(), digestmod="sha1")
        self._template = lru_cache(CACHED_URLS)(template_signer.template)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the Authorization header; the signature covers the body only if it is a form."""
        is_form = request.headers.get("content-type") == FORM
        sign = self._sign_form if is_form else self._fill_template
        request.headers["Authorization"] = sign(request)
        yield request

    def _sign_form(self, request: httpx.Request) -> str:
        _, headers, _ = self._signer.sign(
            str(request.url),
            request.method,  # type: ignore[arg-type]
            body=request.content.decode(),
            headers={"Content-Type": FORM},
        )
        return str(headers["Authorization"])

    def _fill_template(self, request: httpx.Request) -> str:
        """Fill nonce and timestamp into the cached template of a URL, and sign it."""
        nonce = self._signer.nonce or f"{getrandbits(128):032x}"  # must be unique, not secret
        timestamp = self._signer.timestamp or generate_timestamp()
        header, base_string = (
            text.replace(NONCE, nonce).replace(TIMESTAMP, timestamp)
            for text in self._template(str(request.url), request.method)
        )
        signature = self._hmac.copy()
        signature.update(base_string.encode())
        return f'{header}"{escape(b64encode(signature.digest()).decode())}"'


class _TemplateSigner(Signer):
    """Writes the base string in the place of the signature."""

    SIGNATURE_METHODS = {SIGNATURE_HMAC_SHA1: lambda base_string, signer: base_string}

    def template(self, url: str, method: str) -> tuple[str, str]:
        """Return the header up to the signature, and the base string to be signed."""
        _, headers, _ = self.sign(url, method)  # type: ignore[arg-type]
        header, base_string, _ = str(headers["Authorization"]).rsplit('"', 2)
        return header, unquote(base_string)


class BearerAuth(httpx.Auth):
    """Authenticate with a bearer token."""

    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the Authorization header."""
        request.headers["Authorization"] = self._header
        yield request


def as_user(keys: UserKeys) -> SignedAuth:
    """Sign as a user."""
    key, secret, token, token_secret = keys
    return SignedAuth(key, secret, resource_owner_key=token, resource_owner_secret=token_secret)
