"""Webhook configurations, made in the name of an app or of a user."""

import sqlite3
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...api.validation import InvalidError, convert
from ...api.webhooks import CreateWebhook
from ..core import ids
from ..core.incoming import object_of
from ..core.responses import HttpResponse
from ..core.routing import Call, answers
from ..core.signatures import READ_ONLY
from ..core.store import now
from ..oauth.bearer import app_of_bearer

PROBLEM = "application/problem+json"


@answers(CreateWebhook)
def create_webhook(call: Call) -> HttpResponse:
    """Register an address; it counts as valid where events could reach it safely, by https."""
    if call.incoming.authorization.lower().startswith("bearer "):
        app = app_of_bearer(call)
    else:
        signer = call.gate.signer_of(call.incoming)
        if signer.access == "read":
            return _problem(call, 403, "client-forbidden", "Forbidden", READ_ONLY)
        app = signer.app
    try:
        url = convert(CreateWebhook, object_of(call.incoming), strict=True).url
    except InvalidError as error:
        told = [{"message": p.message, "parameters": {p.path: []}} for p in error.problems]
        return _problem(call, 400, "invalid-request", "Invalid Request", str(error), errors=told)
    webhook = {"id": ids.number(), "url": url, "valid": _reachable(url), "created_at": now()}
    try:
        with call.store.writing() as connection:
            connection.execute(
                "INSERT INTO webhooks (id, url, valid, created_at, consumer_key) VALUES (?, ?, ?, ?, ?)",
                (*webhook.values(), app),
            )
    except sqlite3.IntegrityError:
        return _problem(call, 409, "conflict", "Conflict", f"{url} is registered already")
    return HttpResponse(msgspec.json.encode(webhook))


def _reachable(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme == "https" and bool(parts.hostname)


def _problem(call: Call, status: int, slug: str, title: str, detail: str, **more: Any) -> HttpResponse:
    """Answer a problem object (RFC 7807)."""
    kind = f"{call.incoming.origin}/problems/{slug}"
    body = {"type": kind, "title": title, "detail": detail, "status": status} | more
    return HttpResponse(msgspec.json.encode(body), status, PROBLEM)
