"""Grants of users (OAuth 2.0): the page, codes with PKCE, tokens that rotate."""

import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import unquote

from ...api.auth import AuthorizeGrant, GetGrantToken, RevokeGrantToken
from ...api.problems import InvalidError
from ...api.validation import convert
from ..core.faults import SHORT_LIVED
from ..core.handlers import RequestContext, raw_handler
from ..core.request import FORM
from ..core.responses import ApiError, HttpResponse
from ..storage import screen_name
from .apps import basic_pair
from .authorize import (
    TRUSTED_FETCH_SITES,
    authorize_form,
    foreign_form_page,
    message_page,
    origin,
    redirect,
    signed_in_as,
)
from .request_tokens import NO_STORE

CODE_SECONDS = 30.0
FORM_SECONDS = 600.0
ACCESS_TOKEN_SECONDS = 7200
OFFLINE = "offline.access"
RIGHTS = {
    "ads.read": "see your advertising accounts and their statistics",
    "ads.write": "change and delete what is in them, and spend your budget",
    "media.write": "upload images and videos",
    "tweet.read": "see your posts",
    "users.read": "see who you are",
    OFFLINE: "do so while you are away",
}


class AuthorizationRequest(NamedTuple):
    """What an app asks a user for, and the answer."""

    form_token: str
    client_id: str
    redirect_uri: str
    scopes: str
    state: str
    challenge: str
    method: str
    expires: float
    user_id: str | None
    code: str | None


class GrantError(ApiError):
    """An error of the token endpoints, as RFC 6749 (5.2) writes it."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        body = {"error": error, "error_description": description}
        super().__init__(status, error, description, headers=NO_STORE, body=body)


@raw_handler(AuthorizeGrant, "POST /i/oauth2/authorize")
def _authorize(context: RequestContext) -> HttpResponse:
    """Show the authorization form, and handle its submission."""
    if context.incoming.method == "POST":
        return _submit(context)
    params = context.incoming.parameters
    app = _find_app(context, params.get("client_id", ""))
    if app is None:
        text = "The app that sent you here is not registered with this service. It has no access."
        return message_page("This app is not registered", text, 403)
    redirect_uri = params.get("redirect_uri", "")
    if redirect_uri not in app.redirects:
        text = f"The app wants to redirect you to {redirect_uri}, which is not registered for it."
        return message_page("This redirect is not registered", text, 403)
    try:
        request = convert(AuthorizeGrant, params)
    except InvalidError as error:
        state = params.get("state", "")
        return redirect(redirect_uri, error="invalid_request", error_description=str(error), state=state)
    scopes = request.scope.split()
    if unknown := [scope for scope in scopes if scope not in RIGHTS]:
        refusal = {"error": "invalid_scope", "error_description": f"unknown scopes: {' '.join(unknown)}"}
        return redirect(redirect_uri, **refusal, state=request.state)
    form_token = secrets.token_urlsafe(24)
    with context.store.transaction():
        context.store.insert(
            "oauth2_requests",
            form_token=form_token,
            client_id=request.client_id,
            redirect_uri=redirect_uri,
            scopes=" ".join(scopes),
            state=request.state,
            challenge=request.code_challenge,
            method=request.code_challenge_method,
            expires=time.time() + FORM_SECONDS,
        )
    user = screen_name(context.store, context.store.setting("user")) or ""
    rights = [RIGHTS[scope] for scope in scopes]
    hidden = {"form_token": form_token}
    return authorize_form(app.name, hidden, signed_in_as(user), rights, origin(redirect_uri))


class OAuthApp(NamedTuple):
    """A registered app; one without a secret is public."""

    secret: str
    name: str
    redirects: list[str]


def _find_app(context: RequestContext, client_id: str) -> OAuthApp | None:
    query = "SELECT client_secret, name, redirects FROM oauth2_apps WHERE client_id = ?"
    row = context.store.row(query, client_id)
    return OAuthApp(row[0], row[1], row[2].split("\n")) if row else None


def _submit(context: RequestContext) -> HttpResponse:
    params = context.incoming.parameters
    asked = _find_request(context, "form_token", params.get("form_token", ""))
    if asked is None or context.incoming.fetch_site not in TRUSTED_FETCH_SITES:
        return foreign_form_page()
    is_allowed = params.get("answer") == "allow"
    code = secrets.token_urlsafe(32) if is_allowed else None
    values = (time.time() + CODE_SECONDS, context.store.setting("user"), code, asked.form_token, time.time())
    with context.store.transaction() as connection:
        updated = connection.execute(
            "UPDATE oauth2_requests SET is_answered = 1, expires = ?, user_id = ?, code = ?"
            " WHERE form_token = ? AND NOT is_answered AND expires > ?",
            values,
        )
        if updated.rowcount != 1:
            text = "It was answered before, or it is too old. Start again in the app."
            return message_page("This request has ended", text, 410)
    if code is None:
        return redirect(asked.redirect_uri, error="access_denied", state=asked.state)
    return redirect(asked.redirect_uri, code=code, state=asked.state)


def _find_request(
    context: RequestContext, column: Literal["form_token", "code"], value: str
) -> AuthorizationRequest | None:
    query = f"SELECT {', '.join(AuthorizationRequest._fields)} FROM oauth2_requests WHERE {column} = ?"
    row = context.store.row(query, value)
    return AuthorizationRequest(*row) if row else None


@raw_handler(GetGrantToken)
def _token(context: RequestContext) -> HttpResponse:
    """Exchange a code or a refresh token, each of which works once."""
    client_id = _authenticate_app(context)
    params = context.incoming.parameters
    try:
        request = convert(GetGrantToken, params)
    except InvalidError as error:
        raise GrantError("invalid_request", str(error)) from None
    with context.store.transaction() as connection:
        if request.grant_type == "refresh_token":
            query = (
                "DELETE FROM oauth2_tokens WHERE token = ? AND client_id = ? AND is_refresh"
                " RETURNING grant_id, user_id, scopes"
            )
            row = context.store.row(query, request.refresh_token or "", client_id)
            if row is None:
                raise GrantError("invalid_grant", "the refresh token is not the newest one")
            grant, user, scopes = row
        else:
            asked = _redeem(context, client_id, request)
            grant, user, scopes = secrets.token_urlsafe(12), asked.user_id, asked.scopes
            # One grant is live for each app and user.
            end = "DELETE FROM oauth2_tokens WHERE client_id = ? AND user_id = ?"
            connection.execute(end, (client_id, user))
        lifetime = 1 if context.fault == SHORT_LIVED else ACCESS_TOKEN_SECONDS
        access, refresh = (secrets.token_urlsafe(48) for _ in range(2))
        of_grant = {
            "grant_id": grant,
            "client_id": client_id,
            "user_id": user,
            "scopes": scopes,
            "expires": time.time() + lifetime,  # of the access token: a refresh token stays valid
        }
        context.store.insert("oauth2_tokens", token=access, is_refresh=False, **of_grant)
        body = {"token_type": "bearer", "expires_in": lifetime, "access_token": access, "scope": scopes}
        if OFFLINE in scopes.split():
            context.store.insert("oauth2_tokens", token=refresh, is_refresh=True, **of_grant)
            body["refresh_token"] = refresh
    return HttpResponse.json(body, headers=NO_STORE)


def _authenticate_app(context: RequestContext) -> str:
    """Return the client id of a request: that of HTTP Basic for a confidential app, else of the body."""
    if context.incoming.content_type != FORM:
        raise GrantError("invalid_request", f"the body of this endpoint has the content type {FORM}")
    params = context.incoming.parameters
    if "client_secret" in params:
        raise GrantError("invalid_request", "the secret of an app is sent by HTTP Basic, never in the body")
    if not context.incoming.authorization:
        client_id, secret = params.get("client_id", ""), ""
    else:
        client_id, secret = map(unquote, basic_pair(context.incoming))
    app = _find_app(context, client_id)
    if app is None or not hmac.compare_digest(app.secret.encode(), secret.encode()):
        raise GrantError("invalid_client", "the app is not known, or its secret is missing or wrong", 401)
    return client_id


def _redeem(context: RequestContext, client_id: str, request: GetGrantToken) -> AuthorizationRequest:
    """Return what a code was given for, which it is no longer; raise GrantError."""
    asked = _find_request(context, "code", request.code or "")
    sent = (client_id, request.redirect_uri)
    if not asked or (asked.client_id, asked.redirect_uri) != sent or time.time() >= asked.expires:
        reason = "the code is unknown, was used, is too old, or is of another redirect"
        raise GrantError("invalid_grant", reason)
    verifier = (request.code_verifier or "").encode()
    if asked.method == "S256":
        verifier = urlsafe_b64encode(sha256(verifier).digest()).rstrip(b"=")
    if not hmac.compare_digest(verifier, asked.challenge.encode()):
        raise GrantError("invalid_grant", "the code verifier is not that of the challenge")
    context.store.connection.execute("UPDATE oauth2_requests SET code = NULL WHERE code = ?", (request.code,))
    return asked


@raw_handler(RevokeGrantToken)
def _revoke(context: RequestContext) -> HttpResponse:
    """Revoke an access token, or with a refresh token the grant. An unknown token has ended already."""
    client_id = _authenticate_app(context)
    value = context.incoming.parameters.get("token", "")
    if not value:
        raise GrantError("invalid_request", "token is required")
    with context.store.transaction() as connection:
        find = "SELECT grant_id FROM oauth2_tokens WHERE token = ? AND client_id = ? AND is_refresh"
        grant = context.store.value(find, value, client_id)
        end = "DELETE FROM oauth2_tokens WHERE client_id = ? AND (token = ? OR grant_id = ?)"
        connection.execute(end, (client_id, value, grant))
    return HttpResponse.json({"revoked": True}, headers=NO_STORE)
