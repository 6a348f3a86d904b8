"""What an app has by itself: its bearer token (OAuth 2.0), and its webhooks."""

import base64
import binascii
import hmac
import secrets
import sqlite3
from typing import Any
from urllib.parse import urlsplit

from ...api.auth import CreateWebhook, InvalidateBearer, IssueBearer
from ...api.problems import InvalidError
from ...api.validation import convert
from ..core.handlers import RequestContext, raw_handler
from ..core.request import FORM, IncomingRequest, json_object
from ..core.responses import (
    READ_ONLY,
    ApiError,
    HttpResponse,
    SignInError,
    bad_authentication_data,
    could_not_authenticate,
    invalid_token,
)
from ..core.signatures import has_bearer_token
from ..storage import random_number, utc_now
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
    with context.store.transaction():
        find = "SELECT token FROM bearer_tokens WHERE consumer_key = ? AND NOT revoked"
        if not (token := context.store.value(find, app)):
            token = secrets.token_urlsafe(64)
            context.store.insert("bearer_tokens", token=token, consumer_key=app)
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


def authenticate_bearer(context: RequestContext) -> str:
    """Return the app whose bearer token a request has."""
    query = "SELECT consumer_key FROM bearer_tokens WHERE token = ? AND NOT revoked"
    app: str | None = context.store.value(query, authorization_value(context.incoming, "Bearer"))
    if app is None:
        raise invalid_token()
    return app


def _authenticate_basic(context: RequestContext) -> str:
    """Return the app whose key and secret a request has (HTTP Basic)."""
    key, secret = basic_pair(context.incoming)
    expected = context.store.value("SELECT consumer_secret FROM apps WHERE consumer_key = ?", key)
    if expected is None or not hmac.compare_digest(expected.encode(), secret.encode()):
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


PROBLEM_JSON = "application/problem+json"
# Hosts that cannot exist (RFC 6761): the emulator calls no webhook, and takes these for the ones that fail.
UNREACHABLE = ".invalid"


@raw_handler(CreateWebhook)
def _create_webhook(context: RequestContext) -> HttpResponse:
    """Register a URL for the app of a bearer token or of a user; it is valid if it uses https."""
    is_x = context.service == "x"
    if has_bearer_token(context.incoming):
        app = authenticate_bearer(context)
    else:
        signer = context.authenticator.authenticate_user(context.incoming)
        if signer.access == "read":
            slug = "not-authorized-for-resource" if is_x else "client-forbidden"
            return _problem(context, 403, slug, "Forbidden", READ_ONLY)
        app = signer.app
    try:
        url = convert(CreateWebhook, json_object(context.incoming), strict=True).url
    except InvalidError as error:
        if is_x:
            return _invalid(context, error.problems[0].path, "", str(error))
        errors = [{"message": p.message, "parameters": {p.path: []}} for p in error.problems]
        return _problem(context, 400, "invalid-request", "Invalid Request", str(error), errors=errors)
    if is_x and not (_is_https(url) and urlsplit(url).netloc == urlsplit(url).hostname):
        return _invalid(context, "url", url, "UrlValidationFailed: the address is not https, or has a port")
    if is_x and str(urlsplit(url).hostname).endswith(UNREACHABLE):
        return _invalid(context, "url", url, "CrcValidationFailed: the address does not answer the challenge")
    webhook = {"id": random_number(), "url": url, "valid": _is_https(url), "created_at": utc_now()}
    try:
        with context.store.transaction():
            context.store.insert("webhooks", **webhook, consumer_key=app)
    except sqlite3.IntegrityError:
        if is_x:
            return _invalid(context, "url", url, f"DuplicateUrlFailed: {url} is already registered")
        return _problem(context, 409, "conflict", "Conflict", f"{url} is already registered")
    return HttpResponse.json({"data": webhook} if is_x else webhook)


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname)


def _invalid(context: RequestContext, parameter: str, value: str, detail: str) -> HttpResponse:
    """Return a problem object of service x, which names one parameter and its value."""
    named = {"parameter": parameter, "value": value}
    return _problem(context, 400, "invalid-request", "Invalid Request", detail, **named)


def _problem(
    context: RequestContext, status: int, slug: str, title: str, detail: str, **extensions: Any
) -> HttpResponse:
    """Return a problem object (RFC 7807)."""
    url = f"{context.incoming.origin}/problems/{slug}"
    body = {"type": url, "title": title, "detail": detail, "status": status} | extensions
    return HttpResponse.json(body, status)._replace(content_type=PROBLEM_JSON)
