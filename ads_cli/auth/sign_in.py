"""The three steps of a sign-in: request token, authorization by the user, access token."""

from typing import Any, NamedTuple

from ..api.auth import Authenticate, Authorize, GetAccessToken, GetRequestToken
from ..api.parts import request_parts
from ..api.validation import convert
from ..client.client import Client
from ..client.prepared_request import build_request
from ..client.response import Response
from ..errors import UnavailableError
from ..http.response_body import parse_form
from .secret_values import received_secret

OUT_OF_BAND = "oob"


class OAuthToken(NamedTuple):
    """A request token or access token, its secret and its owner."""

    token: str
    secret: str
    owner: str = ""

    def __repr__(self) -> str:
        return "OAuthToken(***)"


class SignIn:
    """A sign-in to one app."""

    def __init__(self, client: Client, consumer_key: str, consumer_secret: str) -> None:
        self._client = client
        self._app = consumer_key, consumer_secret
        client.trace.add_secrets(consumer_key, consumer_secret)

    def begin(self, callback: str = OUT_OF_BAND, access: str | None = None) -> OAuthToken:
        """Get a request token; raise UnavailableError if the callback is not confirmed."""
        from ..client.signing import SignedAuth

        request = convert(GetRequestToken, {"oauth_callback": callback, "platform_auth_access_type": access})
        parts = request_parts(request)
        del parts.params["oauth_callback"]  # sent in the header only
        prepared = build_request(request.endpoint, parts, self._client.address("platform"))
        response = self._client.exchange(
            prepared, auth=SignedAuth(*self._app, callback_uri=callback), parse=parse_form
        )
        if response.body.get("oauth_callback_confirmed") != "true":
            raise UnavailableError("the service did not confirm the callback, so the sign-in is not safe")
        return self._token(response)

    def page_url(self, token: OAuthToken, *, authenticate: bool = False, **options: Any) -> str:
        """Return the URL of the page to authorize the app; options are `force_login` and `screen_name`."""
        values = {name: value for name, value in options.items() if value}
        request = convert(Authenticate if authenticate else Authorize, {"oauth_token": token.token, **values})
        return self._client.prepare(request).url

    def finish(self, token: OAuthToken, verifier: str) -> OAuthToken:
        """Exchange the request token and its verifier for an access token."""
        from ..client.signing import SignedAuth

        request = GetAccessToken(oauth_token=token.token, oauth_verifier=verifier)
        parts = request_parts(request)
        del parts.params["oauth_token"]  # in the header already, as the signing token
        self._client.trace.add_secrets(verifier)
        auth = SignedAuth(*self._app, resource_owner_key=token.token, resource_owner_secret=token.secret)
        prepared = build_request(request.endpoint, parts, self._client.address("platform"))
        return self._token(self._client.exchange(prepared, auth=auth, parse=parse_form))

    def _token(self, response: Response) -> OAuthToken:
        token, secret = (
            received_secret(response.body, f"oauth_{name}") for name in ("token", "token_secret")
        )
        self._client.trace.add_secrets(token, secret)
        name, user = response.body.get("screen_name", ""), response.body.get("user_id", "")
        return OAuthToken(token, secret, " ".join(filter(None, (name and f"@{name}", user and f"({user})"))))
