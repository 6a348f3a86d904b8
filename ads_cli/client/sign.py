"""How a request proves who sends it."""

from collections.abc import Generator

import httpx
from oauthlib.oauth1 import Client as Signer

from ..auth.credentials import Credentials
from .outgoing import FORM


class UserAuth(httpx.Auth):
    """Sign with OAuth 1.0a (HMAC-SHA1) in a user's name; each try gets a nonce and a timestamp of its own."""

    def __init__(self, credentials: Credentials) -> None:
        self._signer = Signer(
            credentials.consumer_key,
            credentials.consumer_secret,
            credentials.access_token,
            credentials.access_token_secret,
        )

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
