"""Sign-ins: the three steps of OAuth 1.0a, and the two of OAuth 2.0 around its page."""

import time
from secrets import token_urlsafe
from typing import Any, NamedTuple

from ..api.auth import (
    Authenticate,
    Authorize,
    AuthorizeGrant,
    GetAccessToken,
    GetGrantToken,
    GetRequestToken,
)
from ..api.parts import request_parts
from ..api.validation import convert
from ..client.client import Client
from ..client.prepared_request import build_request
from ..client.response import Response
from ..config.addresses import SITES, is_same_address
from ..errors import AccessError, AdsctlError, RefusedError, UnavailableError, UsageError
from ..http.response_body import parse_form
from . import received_secret
from .callback import OAUTH2, authorization_of
from .grants import StoredGrant, client_auth

OUT_OF_BAND = "oob"
CODE_VERIFIER_LENGTH = 64


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


class GrantSignIn:
    """A sign-in by OAuth 2.0: an authorization code with PKCE (RFC 7636)."""

    def __init__(
        self, client: Client, client_id: str, client_secret: str | None, scopes: tuple[str, ...], port: int
    ) -> None:
        from oauthlib.oauth2 import WebApplicationClient

        self._client = client
        self._id, self._secret = client_id, client_secret
        self._scopes = scopes
        oauth = WebApplicationClient(client_id)
        self._code_verifier = oauth.create_code_verifier(CODE_VERIFIER_LENGTH)
        self._challenge = oauth.create_code_challenge(self._code_verifier, "S256")
        self.state = token_urlsafe()
        self.redirect_uri = f"http://127.0.0.1:{port}/callback"
        client.trace.add_secrets(self._code_verifier, client_secret or "")

    def page_url(self) -> str:
        """Return the URL of the page on which the user authorizes the app."""
        request = AuthorizeGrant(
            response_type="code",
            client_id=self._id,
            redirect_uri=self.redirect_uri,
            scope=" ".join(self._scopes),
            state=self.state,
            code_challenge=self._challenge,
            code_challenge_method="S256",
        )
        address = self._client.address("platform")
        site = next((page for api, page in SITES.items() if is_same_address(api, address)), address)
        return site + self._client.prepare(request).url.removeprefix(address)

    def code_of(self, pasted: str) -> str:
        """Return the code of an address that the browser was sent to; raise AdsctlError where it has none."""
        address, _, query = pasted.strip().partition("?")
        if address != self.redirect_uri:
            raise UsageError(
                f"this is not the address that the browser is sent to, which begins with {self.redirect_uri}?"
            )
        return authorization_of(query.partition("#")[0], self.state, OAUTH2).require()

    def finish(self, code: str) -> StoredGrant:
        """Exchange the code for the tokens of a grant."""
        self._client.trace.add_secrets(code)
        request = GetGrantToken(
            grant_type="authorization_code",
            code=code,
            redirect_uri=self.redirect_uri,
            code_verifier=self._code_verifier,
            client_id=None if self._secret else self._id,
        )
        now = time.time()
        try:
            body = self._client.call(request, auth=client_auth(self._id, self._secret)).body
        except AdsctlError as error:
            if isinstance(error, AccessError | RefusedError) or error.may_be_applied:
                error.hint = (
                    "nothing was stored: sign in again; what the page returns works once, for 30 seconds"
                )
            raise
        if str(body.get("token_type", "bearer") if isinstance(body, dict) else "").lower() != "bearer":
            raise UnavailableError("the response has no bearer token")
        grant = StoredGrant(token_urlsafe(12), self._id, self._scopes, "", 0.0).with_tokens(body, now)
        self._client.trace.add_secrets(grant.access_token, grant.refresh_token)
        return grant
