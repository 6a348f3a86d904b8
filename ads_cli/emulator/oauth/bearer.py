"""The app's bearer token: one at a time, the same until it is revoked."""

import base64
import binascii
import hmac
import secrets

from ...api.auth import InvalidateBearer, IssueBearer
from ...api.validation import InvalidError, convert
from ..core.incoming import FORM, Incoming
from ..core.responses import ApiError, HttpResponse, SignInError, Unauthenticated, invalid_token
from ..core.routing import Call, answers
from ..core.signatures import could_not_authenticate
from .sign_in import json

TOO_OFTEN = 99


@answers(IssueBearer)
def issue(call: Call) -> HttpResponse:
    """Give the app's bearer token, a new one only where none is valid."""
    app = _app_of(call)
    if call.incoming.content_type != FORM:
        raise SignInError(400, 170, f"the body of this endpoint has the content type {FORM}")
    try:
        convert(IssueBearer, call.incoming.parameters)
    except InvalidError as error:
        raise SignInError(400, 170, str(error)) from None
    try:
        headers = call.limits.bearer_tokens.take(app)
    except ApiError as refusal:
        message = "the bearer token was asked for too often: keep it, it stays valid"
        raise SignInError(403, TOO_OFTEN, message, headers=refusal.headers) from None
    with call.store.writing() as connection:
        find = "SELECT token FROM bearer_tokens WHERE consumer_key = ? AND NOT revoked"
        (token,) = connection.execute(find, (app,)).fetchone() or (secrets.token_urlsafe(64),)
        add = "INSERT OR IGNORE INTO bearer_tokens (token, consumer_key) VALUES (?, ?)"
        connection.execute(add, (token, app))
    return json(headers, token_type="bearer", access_token=token)


@answers(InvalidateBearer)
def invalidate(call: Call) -> HttpResponse:
    """Revoke a bearer token; the app's owner signs."""
    signer = call.gate.signer_of(call.incoming)
    owns = "SELECT owner = ? FROM apps WHERE consumer_key = ?"
    if not call.store.connection.execute(owns, (signer.user, signer.app)).fetchone()[0]:
        raise SignInError(403, 220, "only the owner of the app can revoke its bearer token")
    token = call.incoming.parameters.get("access_token", "")
    revoke = "UPDATE bearer_tokens SET revoked = 1 WHERE token = ? AND consumer_key = ? AND NOT revoked"
    with call.store.writing() as connection:
        if connection.execute(revoke, (token, signer.app)).rowcount == 0:
            raise invalid_token()
    return json(access_token=token)


def app_of_bearer(call: Call) -> str:
    """Name the app whose bearer token a request shows, or refuse it."""
    find = "SELECT consumer_key FROM bearer_tokens WHERE token = ? AND NOT revoked"
    row = call.store.connection.execute(find, (_credentials(call.incoming, "Bearer"),)).fetchone()
    if row is None:
        raise invalid_token()
    return str(row[0])


def _app_of(call: Call) -> str:
    """Check the app's key and secret, which travel by HTTP Basic."""
    try:
        pair = base64.b64decode(_credentials(call.incoming, "Basic"), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise could_not_authenticate() from None
    key, _, secret = pair.partition(":")
    find = "SELECT consumer_secret FROM apps WHERE consumer_key = ?"
    (known,) = call.store.connection.execute(find, (key,)).fetchone() or ("",)
    if not known or not hmac.compare_digest(known.encode(), secret.encode()):
        raise could_not_authenticate()
    return key


def _credentials(incoming: Incoming, scheme: str) -> str:
    given, _, credentials = incoming.authorization.partition(" ")
    if given.lower() != scheme.lower():
        raise Unauthenticated(215, "Bad Authentication data.")
    return credentials.strip()
