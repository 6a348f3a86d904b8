"""The platform: the three steps of OAuth 1.0a, app-only bearer tokens, and webhooks.

Each step of a sign-in is signed differently, so their commands are written by hand.
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
