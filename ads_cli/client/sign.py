"""How a request proves who sends it."""

from collections.abc import Generator
from typing import Any

import httpx
from oauthlib.oauth1 import Client as Signer

from ..auth.credentials import Credentials
from .outgoing import FORM


class SignedAuth(httpx.Auth):
    """Sign with OAuth 1.0a (HMAC-SHA1); each try gets a nonce and a timestamp of its own."""

    def __init__(self, consumer_key: str, consumer_secret: str, **token: Any) -> None:
        self._signer = Signer(consumer_key, consumer_secret, **token)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the Authorization header; of bodies, only a form's fields are part of the signature."""
        form = request.headers.get("content-type") == FORM
        _, headers, _ = self._signer.sign(
            str(request.url),
            request.method,  # type: ignore[arg-type]
            body=request.content.decode() if form else None,
            headers={"Content-Type": FORM} if form else {},
        )
        request.headers["Authorization"] = headers["Authorization"]
        yield request


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
