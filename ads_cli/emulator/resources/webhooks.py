"""Webhooks of apps."""

import sqlite3
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...api.validation import InvalidError, convert
from ...api.webhooks import CreateWebhook
from ..core.errors import READ_ONLY
from ..core.handlers import RequestContext, raw_handler
from ..core.params import json_object
from ..core.responses import HttpResponse
from ..oauth.bearer import authenticate_bearer
from ..storage import ids
from ..storage.store import utc_now

PROBLEM_JSON = "application/problem+json"


@raw_handler(CreateWebhook)
def create_webhook(context: RequestContext) -> HttpResponse:
    """Register a URL for the app of a bearer token or of a user; it is valid if it uses https."""
    if context.incoming.authorization.lower().startswith("bearer "):
        app = authenticate_bearer(context)
    else:
        signer = context.authenticator.authenticate_user(context.incoming)
        if signer.access == "read":
            return _problem(context, 403, "client-forbidden", "Forbidden", READ_ONLY)
        app = signer.app
    try:
        url = convert(CreateWebhook, json_object(context.incoming), strict=True).url
    except InvalidError as error:
        errors = [{"message": p.message, "parameters": {p.path: []}} for p in error.problems]
        return _problem(context, 400, "invalid-request", "Invalid Request", str(error), errors=errors)
    webhook = {"id": ids.random_number(), "url": url, "valid": _is_https(url), "created_at": utc_now()}
    try:
        with context.store.transaction() as connection:
            connection.execute(
                "INSERT INTO webhooks (id, url, valid, created_at, consumer_key) VALUES (?, ?, ?, ?, ?)",
                (*webhook.values(), app),
            )
    except sqlite3.IntegrityError:
        return _problem(context, 409, "conflict", "Conflict", f"{url} is already registered")
    return HttpResponse(msgspec.json.encode(webhook))


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname)


def _problem(
    context: RequestContext, status: int, slug: str, title: str, detail: str, **extensions: Any
) -> HttpResponse:
    """Return a problem object (RFC 7807)."""
    url = f"{context.incoming.origin}/problems/{slug}"
    body = {"type": url, "title": title, "detail": detail, "status": status} | extensions
    return HttpResponse(msgspec.json.encode(body), status, PROBLEM_JSON)
