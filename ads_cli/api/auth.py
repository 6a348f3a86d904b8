"""The platform: OAuth 1.0a in three steps, app-only bearer tokens, grants of OAuth 2.0, and webhooks.

Each step of a sign-in is authenticated differently, so their commands are written by hand.
"""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Request, endpoint

Callback = Annotated[
    str, Meta(description="A registered callback URL, or oob for a PIN", extra={"option": "callback"})
]
AccessType = Annotated[Literal["read", "write"], Meta(extra={"option": "access"})]


@endpoint("POST /oauth/request_token", "auth login", base="platform")
class GetRequestToken(Request):
    """Get a request token; signed by the app alone."""

    oauth_callback: Callback
    platform_auth_access_type: AccessType | None = None


@endpoint("GET /oauth/authorize", "auth login", base="platform")
class Authorize(Request):
    """Show the page that asks the user to authorize the app, in a browser."""

    oauth_token: str
    force_login: bool | None = None
    screen_name: str | None = None


@endpoint("GET /oauth/authenticate", "auth login", base="platform")
class Authenticate(Authorize):
    """Like Authorize, but skipped if the user authorized the app before; needs a callback."""


@endpoint("POST /oauth/access_token", "auth login", base="platform")
class GetAccessToken(Request):
    """Exchange a request token and its verifier (or PIN) for an access token."""

    oauth_token: str
    oauth_verifier: str


@endpoint("POST /1.1/oauth/invalidate_token", "auth logout", base="platform")
class InvalidateToken(Request):
    """Revoke the access token that signs this request."""


@endpoint("POST /oauth2/token", "auth bearer issue", base="platform", params_in="form")
class IssueBearer(Request):
    """Get the app's bearer token; HTTP Basic with the consumer key and secret."""

    grant_type: Literal["client_credentials"]


@endpoint("POST /oauth2/invalidate_token", "auth bearer revoke", base="platform")
class InvalidateBearer(Request):
    """Revoke the app's bearer token; signed by the app's owner."""

    access_token: str


@endpoint("GET /i/oauth2/authorize", "auth login", base="platform")
class AuthorizeGrant(Request):
    """Show the page that asks the user for a grant of OAuth 2.0 (PKCE), in a browser."""

    response_type: Literal["code"]
    client_id: str
    redirect_uri: str
    scope: str
    state: Annotated[str, Meta(max_length=500)]
    code_challenge: str
    code_challenge_method: Literal["S256", "plain"]


@endpoint("POST /2/oauth2/token", "auth login", base="platform", params_in="form", sensitive=True)
class GetGrantToken(Request):
    """Exchange a code, or the newest refresh token, for an access token."""

    grant_type: Literal["authorization_code", "refresh_token"]
    code: str | None = None
    redirect_uri: str | None = None
    code_verifier: str | None = None
    refresh_token: str | None = None
    client_id: str | None = None


@endpoint("POST /2/oauth2/revoke", "auth logout", base="platform", params_in="form", sensitive=True)
class RevokeGrantToken(Request):
    """Revoke a token of a grant; that of a refresh token ends the grant."""

    token: str
    client_id: str | None = None


CallbackUrl = Annotated[
    str,
    Meta(min_length=1, max_length=200, description="Where events are delivered", extra={"argument": "URL"}),
]


@endpoint(
    "POST /2/webhooks",
    "webhooks create",
    base="platform",
    params_in="json",
    columns="id url valid created_at",
)
class CreateWebhook(Request):
    """Register a URL that events are delivered to."""

    url: CallbackUrl
