"""The three steps of a sign-in: request token, the person's yes, access token."""

from typing import Any, NamedTuple

from ..api.auth import AccessToken, Authenticate, Authorize, RequestToken
from ..api.parts import request_parts
from ..api.validation import convert
from ..client.client import Client
from ..client.prepared_request import build_request
from ..client.response import Response
from ..errors import UnavailableError

OUT_OF_BAND = "oob"


class Token(NamedTuple):
    """A token and its secret, and whose it is."""

    token: str
    secret: str
    owner: str = ""

    def __repr__(self) -> str:
        return "Token(***)"


class SignIn:
    """One sign-in of one app."""

    def __init__(self, client: Client, consumer_key: str, consumer_secret: str) -> None:
        self._client = client
        self._app = consumer_key, consumer_secret
        client.trace.add_secrets(consumer_key, consumer_secret)

    def begin(self, callback: str = OUT_OF_BAND, access: str | None = None) -> Token:
        """Get a request token; raise UnavailableError where the callback is not confirmed."""
        from ..client.signing import SignedAuth

        request = convert(RequestToken, {"oauth_callback": callback, "platform_auth_access_type": access})
        parts = request_parts(request)
        del parts.params["oauth_callback"]  # it goes into the header, and nowhere else
        prepared = build_request(request.endpoint, parts, self._client.address("platform"))
        answer = self._client.exchange(
            prepared, auth=SignedAuth(*self._app, callback_uri=callback), form=True
        )
        if answer.body.get("oauth_callback_confirmed") != "true":
            raise UnavailableError("the service did not confirm the callback; the sign-in would not be safe")
        return self._token(answer)

    def page(self, token: Token, *, authenticate: bool = False, **shown: Any) -> str:
        """Name the page on which the person says yes; `force_login` and `screen_name` may be shown to it."""
        values = {name: value for name, value in shown.items() if value}
        request = convert(Authenticate if authenticate else Authorize, {"oauth_token": token.token, **values})
        return self._client.prepare(request).url

    def finish(self, token: Token, verifier: str) -> Token:
        """Exchange the request token and what the person brought back for an access token."""
        from ..client.signing import SignedAuth

        request = AccessToken(oauth_token=token.token, oauth_verifier=verifier)
        parts = request_parts(request)
        del parts.params["oauth_token"]  # the header names it already, as the token that signs
        self._client.trace.add_secrets(verifier)
        auth = SignedAuth(*self._app, resource_owner_key=token.token, resource_owner_secret=token.secret)
        prepared = build_request(request.endpoint, parts, self._client.address("platform"))
        return self._token(self._client.exchange(prepared, auth=auth, form=True))

    def _token(self, answer: Response) -> Token:
        token, secret = answer.body.get("oauth_token"), answer.body.get("oauth_token_secret")
        if not token or not secret:
            raise UnavailableError("the service answered without a token", http_status=answer.status)
        self._client.trace.add_secrets(token, secret)
        name, user = answer.body.get("screen_name", ""), answer.body.get("user_id", "")
        return Token(token, secret, " ".join(filter(None, (name and f"@{name}", user and f"({user})"))))
