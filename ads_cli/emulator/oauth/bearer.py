"""Bearer tokens of apps: one valid token per app."""

import base64
import binascii
import hmac
import secrets

from ...api.auth import InvalidateBearer, IssueBearer
from ...api.problems import InvalidError
from ...api.validation import convert
from ..core.handlers import RequestContext, raw_handler
from ..core.request import FORM, IncomingRequest
from ..core.responses import (
    ApiError,
    HttpResponse,
    SignInError,
    bad_authentication_data,
    could_not_authenticate,
    invalid_token,
)
from .request_tokens import json_response

TOO_MANY_REQUESTS = 99


@raw_handler(IssueBearer)
def issue_bearer(context: RequestContext) -> HttpResponse:
    """Return the app's bearer token; a new one only if none is valid."""
    app = _authenticate_basic(context)
    if context.incoming.content_type != FORM:
        raise SignInError(400, 170, f"the body of this endpoint has the content type {FORM}")
    try:
        convert(IssueBearer, context.incoming.parameters)
    except InvalidError as error:
        raise SignInError(400, 170, str(error)) from None
    try:
        headers = context.rate_limits.bearer_tokens.consume(app)
    except ApiError as error:
        message = "too many requests for a bearer token; store the token, it stays valid"
        raise SignInError(403, TOO_MANY_REQUESTS, message, headers=error.headers) from None
    with context.store.transaction() as connection:
        find = "SELECT token FROM bearer_tokens WHERE consumer_key = ? AND NOT revoked"
        (token,) = connection.execute(find, (app,)).fetchone() or (secrets.token_urlsafe(64),)
        add = "INSERT OR IGNORE INTO bearer_tokens (token, consumer_key) VALUES (?, ?)"
        connection.execute(add, (token, app))
    return json_response(headers, token_type="bearer", access_token=token)


@raw_handler(InvalidateBearer)
def invalidate_bearer(context: RequestContext) -> HttpResponse:
    """Revoke a bearer token; the owner of the app signs."""
    signer = context.authenticator.authenticate_user(context.incoming)
    is_owner = "SELECT owner = ? FROM apps WHERE consumer_key = ?"
    if not context.store.connection.execute(is_owner, (signer.user, signer.app)).fetchone()[0]:
        raise SignInError(403, 220, "only the owner of the app can revoke its bearer token")
    token = context.incoming.parameters.get("access_token", "")
    revoke = "UPDATE bearer_tokens SET revoked = 1 WHERE token = ? AND consumer_key = ? AND NOT revoked"
    with context.store.transaction() as connection:
        if connection.execute(revoke, (token, signer.app)).rowcount == 0:
            raise invalid_token()
    return json_response(access_token=token)


def authenticate_bearer(context: RequestContext) -> str:
    """Return the app whose bearer token a request has."""
    query = "SELECT consumer_key FROM bearer_tokens WHERE token = ? AND NOT revoked"
    token = authorization_value(context.incoming, "Bearer")
    row = context.store.connection.execute(query, (token,)).fetchone()
    if row is None:
        raise invalid_token()
    return str(row[0])


def _authenticate_basic(context: RequestContext) -> str:
    """Return the app whose key and secret a request has (HTTP Basic)."""
    key, secret = basic_pair(context.incoming)
    query = "SELECT consumer_secret FROM apps WHERE consumer_key = ?"
    (expected,) = context.store.connection.execute(query, (key,)).fetchone() or ("",)
    if not expected or not hmac.compare_digest(expected.encode(), secret.encode()):
        raise could_not_authenticate()
    return key


def basic_pair(incoming: IncomingRequest) -> tuple[str, str]:
    """Return name and password of HTTP Basic."""
    try:
        pair = base64.b64decode(authorization_value(incoming, "Basic"), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise could_not_authenticate() from None
    name, _, password = pair.partition(":")
    return name, password


def authorization_value(incoming: IncomingRequest, scheme: str) -> str:
    """Return what follows the scheme in the Authorization header."""
    sent_scheme, _, value = incoming.authorization.partition(" ")
    if sent_scheme.lower() != scheme.lower():
        raise bad_authentication_data()
    return value.strip()
