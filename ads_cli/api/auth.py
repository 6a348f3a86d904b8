"""Sign-in to the platform: OAuth 1.0a in three steps, app-only bearer tokens, and grants of OAuth 2.0.

Each step of a sign-in is authenticated differently, so their commands are written by hand.
"""

from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Request, endpoint

Callback = Annotated[
    str, Meta(description="A registered callback URL, or oob for a PIN", extra={"option": "callback"})
]
sign_in = partial(endpoint, base="platform", reads_only=True)
AccessType = Annotated[Literal["read", "write"], Meta(extra={"option": "access"})]


@sign_in("POST /oauth/request_token", "auth login")
class GetRequestToken(Request):
    """Get a request token; signed by the app alone."""

    oauth_callback: Callback
    platform_auth_access_type: AccessType | None = None


@sign_in("GET /oauth/authorize", "auth login")
class Authorize(Request):
    """Show the page that asks the user to authorize the app, in a browser."""

    oauth_token: str
    force_login: bool | None = None
    screen_name: str | None = None


@sign_in("GET /oauth/authenticate", "auth login")
class Authenticate(Authorize):
    """Like Authorize, but skipped if the user authorized the app before; needs a callback."""


@sign_in("POST /oauth/access_token", "auth login")
class GetAccessToken(Request):
    """Exchange a request token and its verifier (or PIN) for an access token."""

    oauth_token: str
    oauth_verifier: str


@sign_in("POST /1.1/oauth/invalidate_token", "auth logout")
class InvalidateToken(Request):
    """Revoke the access token that signs this request."""


@sign_in("POST /oauth2/token", "auth bearer issue", params_in="form")
class IssueBearer(Request):
    """Get the app's bearer token; HTTP Basic with the consumer key and secret."""

    grant_type: Literal["client_credentials"]


@sign_in("POST /oauth2/invalidate_token", "auth bearer revoke")
class InvalidateBearer(Request):
    """Revoke the app's bearer token; signed by the app's owner."""

    access_token: str


@sign_in("GET /i/oauth2/authorize", "auth login")
class AuthorizeGrant(Request):
    """Show the page that asks the user for a grant of OAuth 2.0 (PKCE), in a browser."""

    response_type: Literal["code"]
    client_id: str
    redirect_uri: str
    scope: str
    state: Annotated[str, Meta(max_length=500)]
    code_challenge: str
    code_challenge_method: Literal["S256", "plain"]


@sign_in("POST /2/oauth2/token", "auth login", params_in="form", sensitive=True)
class GetGrantToken(Request):
    """Exchange a code, or the newest refresh token, for an access token."""

    grant_type: Literal["authorization_code", "refresh_token"]
    code: str | None = None
    redirect_uri: str | None = None
    code_verifier: str | None = None
    refresh_token: str | None = None
    client_id: str | None = None


@sign_in("POST /2/oauth2/revoke", "auth logout", params_in="form", sensitive=True)
class RevokeGrantToken(Request):
    """Revoke a token of a grant; that of a refresh token ends the grant."""

    token: str
    client_id: str | None = None
