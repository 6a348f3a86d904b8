"""The bearer token that an app has by itself (OAuth 2.0)."""

import base64
import binascii
import hmac

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
from ..core.signatures import bearer_token
from .request_tokens import json_response

# Codes of errors.
TOO_MANY_REQUESTS, BAD_PARAMETERS, NOT_THE_OWNER = 99, 170, 220


@raw_handler(IssueBearer)
def _issue_bearer(context: RequestContext) -> HttpResponse:
    """Return the app's bearer token; a new one only if none is valid."""
    app = _authenticate_basic(context)
    if context.incoming.content_type != FORM:
        raise SignInError(400, BAD_PARAMETERS, f"the body of this endpoint has the content type {FORM}")
    try:
        convert(IssueBearer, context.incoming.parameters)
    except InvalidError as error:
        raise SignInError(400, BAD_PARAMETERS, str(error)) from None
    try:
        headers = context.rate_limits.bearer_tokens.consume(app)
    except ApiError as error:
        message = "too many requests for a bearer token; store the token, it stays valid"
        raise SignInError(403, TOO_MANY_REQUESTS, message, headers=error.headers) from None
    token = bearer_token(context.store, app)
    return json_response(headers, token_type="bearer", access_token=token)


@raw_handler(InvalidateBearer)
def _invalidate_bearer(context: RequestContext) -> HttpResponse:
    """Revoke a bearer token; the owner of the app signs."""
    signer = context.authenticator.authenticate_user(context.incoming)
    owner = context.store.value("SELECT owner FROM apps WHERE consumer_key = ?", signer.app)
    if signer.user != owner:
        raise SignInError(403, NOT_THE_OWNER, "only the owner of the app can revoke its bearer token")
    token = context.incoming.parameters.get("access_token", "")
    revoke = "UPDATE bearer_tokens SET revoked = 1 WHERE token = ? AND consumer_key = ? AND NOT revoked"
    with context.store.transaction() as connection:
        if connection.execute(revoke, (token, signer.app)).rowcount == 0:
            raise invalid_token()
    return json_response(access_token=token)


def _authenticate_basic(context: RequestContext) -> str:
    """Return the app whose key and secret a request has (HTTP Basic)."""
    key, secret = basic_pair(context.incoming)
    expected = context.store.value("SELECT consumer_secret FROM apps WHERE consumer_key = ?", key)
    if expected is None or not hmac.compare_digest(expected.encode(), secret.encode()):
        raise could_not_authenticate()
    return key


def basic_pair(incoming: IncomingRequest) -> tuple[str, str]:
    """Return name and password of HTTP Basic."""
    scheme, _, value = incoming.authorization.partition(" ")
    if scheme.lower() != "basic":
        raise bad_authentication_data()
    try:
        pair = base64.b64decode(value.strip(), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        raise could_not_authenticate() from None
    name, _, password = pair.partition(":")
    return name, password
