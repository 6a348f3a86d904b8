"""How a request proves who sends it."""

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

from .credentials import Credentials
from .prepared_request import FORM

NONCE, TIME = token_hex(16), token_hex(16)  # the blanks: nothing else that is signed can hold these
SAME = 32  # addresses whose headers are kept


class SignedAuth(httpx.Auth):
    """Sign with OAuth 1.0a (HMAC-SHA1); each try gets a nonce and a timestamp of its own."""

    def __init__(self, consumer_key: str, consumer_secret: str, **token: Any) -> None:
        self._signer = Signer(consumer_key, consumer_secret, **token)
        self._blanks = _Blanks(consumer_key, consumer_secret, nonce=NONCE, timestamp=TIME, **token)
        secrets = consumer_secret, token.get("resource_owner_secret") or ""
        self._keyed = hmac.new("&".join(map(escape, secrets)).encode(), digestmod="sha1")
        self._blank = lru_cache(SAME)(self._blanks.blank)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the Authorization header; of bodies, only a form's fields are part of the signature."""
        form = request.headers.get("content-type") == FORM
        url = str(request.url)
        simple = not form and "oauth_" not in url
        signed = self._filled_in(url, request.method) if simple else self._in_full(request, form)
        request.headers["Authorization"] = signed
        yield request

    def _in_full(self, request: httpx.Request, form: bool) -> str:
        _, headers, _ = self._signer.sign(
            str(request.url),
            request.method,  # type: ignore[arg-type]
            body=request.content.decode() if form else None,
            headers={"Content-Type": FORM} if form else {},
        )
        return str(headers["Authorization"])

    def _filled_in(self, url: str, method: str) -> str:
        """Fill in what differs between two requests to the same address: all else is computed once."""
        # It has to be another one each time, and may be guessed.
        nonce = self._signer.nonce or f"{getrandbits(128):032x}"
        timestamp = self._signer.timestamp or generate_timestamp()
        header, base = (
            text.replace(NONCE, nonce).replace(TIME, timestamp) for text in self._blank(url, method)
        )
        keyed = self._keyed.copy()
        keyed.update(base.encode())
        digest = b64encode(keyed.digest()).decode()
        return f'{header}"{escape(digest)}"'


class _Blanks(Signer):
    """Writes headers with blanks in them: in the place of the signature stands what is to be signed."""

    SIGNATURE_METHODS = {SIGNATURE_HMAC_SHA1: lambda base, signer: base}

    def blank(self, url: str, method: str) -> tuple[str, str]:
        """Give the header up to the signature, and the base string of the signature."""
        _, headers, _ = self.sign(url, method)  # type: ignore[arg-type]
        header, base, _ = str(headers["Authorization"]).rsplit('"', 2)
        return header, unquote(base)


class BearerAuth(httpx.Auth):
    """Show a bearer token."""

    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the Authorization header."""
        request.headers["Authorization"] = self._header
        yield request


def as_user(credentials: Credentials) -> SignedAuth:
    """Sign in a user's name."""
    key, secret, token, token_secret = credentials
    return SignedAuth(key, secret, resource_owner_key=token, resource_owner_secret=token_secret)


def as_app(consumer_key: str, consumer_secret: str, callback: str | None = None) -> SignedAuth:
    """Sign in the app's name alone; `callback` goes into the header, as the first step asks."""
    return SignedAuth(consumer_key, consumer_secret, callback_uri=callback)
