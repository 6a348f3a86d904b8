"""Features that are enabled for an account."""

import sqlite3
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...api import accounts
from ...api.accounts import AddFeatures, ListFeatures, RemoveFeatures
from ...api.auth import CreateWebhook
from ...api.problems import InvalidError
from ...api.validation import convert
from ..core.handlers import RequestContext, handler, raw_handler
from ..core.request import json_object
from ..core.responses import READ_ONLY, ApiError, HttpResponse, Result
from ..oauth.bearer import authenticate_bearer
from ..storage import random_number, utc_now
from .accounts import FULL, require_account
from .collection import Collection

FEATURE = "feature"


def _keys(context: RequestContext, account: str) -> list[str]:
    return [feature["id"] for feature in context.store.find_all(FEATURE, account)]


def require_feature(context: RequestContext, account: str, feature: str, parameter: str) -> None:
    """Raise ApiError for a parameter whose feature the account has not; the specification states none."""
    if context.service == "x" and feature not in _keys(context, account):
        message = f"{parameter}: the account {account} does not have the feature {feature}"
        raise ApiError(400, "FEATURE_NOT_AVAILABLE", message, parameter=parameter)


@handler(ListFeatures)
def list_features(context: RequestContext, request: ListFeatures) -> Result:
    """List the feature keys of an account, or those of the requested keys that it has."""
    require_account(context, request.account_id)
    keys = _keys(context, request.account_id)
    requested = keys if request.feature_keys is None else request.feature_keys
    return Result([key for key in keys if key in requested])


@handler(AddFeatures)
def add_features(context: RequestContext, request: AddFeatures) -> Result:
    """Enable features, and list all that are enabled; unknown keys are accepted."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        for key in dict.fromkeys(request.feature_keys):
            if key not in _keys(context, account):
                context.store.add(FEATURE, key, {}, owner=account)
        return Result(_keys(context, account))


@handler(RemoveFeatures)
def remove_features(context: RequestContext, request: RemoveFeatures) -> Result:
    """Disable features, and list those that remain; keys that are not enabled are accepted."""
    account = request.account_id
    with context.store.transaction():
        require_account(context, account)
        for key in request.feature_keys:
            context.store.purge(FEATURE, account, key)
        return Result(_keys(context, account))


PROMOTABLE_USERS = Collection(
    accounts.PROMOTABLE_USERS, defaults={"user_id": None, "promotable_user_type": FULL}
)


PROBLEM_JSON = "application/problem+json"
# Hosts that cannot exist (RFC 6761): the emulator calls no webhook, and takes these for the ones that fail.
UNREACHABLE = ".invalid"


@raw_handler(CreateWebhook)
def create_webhook(context: RequestContext) -> HttpResponse:
    """Register a URL for the app of a bearer token or of a user; it is valid if it uses https."""
    is_x = context.service == "x"
    if context.incoming.authorization.lower().startswith("bearer "):
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
        with context.store.transaction() as connection:
            connection.execute(
                "INSERT INTO webhooks (id, url, valid, created_at, consumer_key) VALUES (?, ?, ?, ?, ?)",
                (*webhook.values(), app),
            )
    except sqlite3.IntegrityError:
        if is_x:
            return _invalid(context, "url", url, f"DuplicateUrlFailed: {url} is already registered")
        return _problem(context, 409, "conflict", "Conflict", f"{url} is already registered")
    return HttpResponse(msgspec.json.encode({"data": webhook} if is_x else webhook))


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
    return HttpResponse(msgspec.json.encode(body), status, PROBLEM_JSON)
