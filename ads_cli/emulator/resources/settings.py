"""Accounts, their apps and settings: taxes, features, users, what the signed-in user may do; webhooks."""

import sqlite3
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...api import accounts
from ...api.accounts import AddFeatures, ListFeatures, RemoveFeatures
from ...api.auth import CreateWebhook
from ...api.problems import InvalidError
from ...api.settings import (
    GetTaxSettings,
    GetUserAccess,
    GetUserSettings,
    UpdateTaxSettings,
    UpdateUserSettings,
)
from ...api.validation import convert
from ..core.faults import ANALYST
from ..core.handlers import RequestContext, handler, raw_handler
from ..core.request import changes_of, json_object
from ..core.responses import READ_ONLY, ApiError, HttpResponse, Result, not_found
from ..oauth.grants import authenticate_bearer
from ..storage import Record, empty, random_base36, random_number, utc_now
from .accounts import FULL, require_account
from .collection import Collection, in_account

NEW_ACCOUNT = {
    "name": "Sandbox account",
    "business_name": "Sandbox",
    "business_id": None,
    "timezone": "Etc/UTC",
    "industry_type": "OTHER",
    "approval_status": "ACCEPTED",
}


def _with_time_zone(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return an account, whose time zone holds from its creation on."""
    return after if before else after | {"timezone_switch_at": utc_now()}


def _add_advertiser(context: RequestContext, account: Record) -> None:
    """Let a new account advertise for the user who creates it."""
    advertiser: Record = {"id": random_base36(), "user_id": context.user}
    PROMOTABLE_USERS.put(context.store, advertiser, owner=account["id"])


Collection(
    accounts.ACCOUNTS,
    defaults=NEW_ACCOUNT,
    scope=lambda context, request: context.user,
    prepare=_with_time_zone,
    added=_add_advertiser,
)
Collection(accounts.APPS, sortable=("app_store_identifier", "os_type"))
PROMOTABLE_USERS = Collection(
    accounts.PROMOTABLE_USERS, defaults={"user_id": None, "promotable_user_type": FULL}
)


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


TAX, USER, ACCESS = "tax_settings", "user_settings", "user_access"
NEW_TAX: Record = {
    "tax_id": None,
    "tax_category": "BUSINESS_NO_VAT",
    "tax_exemption_id": None,
    "bill_to": "NOT_SET",
    "business_relationship": "SELF",
    "invoice_jurisdiction": "NOT_SET",
    **empty("address_company address_first_name address_last_name address_email address_street1"),
    **empty("address_street2 address_city address_region address_postal_code address_country"),
}
NEW_USER: Record = {"notification_email": "", "contact_phone": "", "contact_phone_extension": ""}
NEW_ACCESS: Record = {"permissions": ["ACCOUNT_ADMIN", "POST_COMPOSER"]}


def _stored(context: RequestContext, kind: str, identifier: str, new: Record) -> Record:
    """Return the settings of an account, or of a user in it; what was never set is as in `new`."""
    found = context.store.find(kind, identifier, owner=context.account) or {}
    return {name: found.get(name, default) for name, default in new.items()}


def _set(context: RequestContext, kind: str, identifier: str, fields: dict[str, Any]) -> None:
    account = context.account
    if context.store.find(kind, identifier, owner=account):
        context.store.update(kind, identifier, fields, owner=account)
    else:
        context.store.add(kind, identifier, fields, owner=account)


@handler(GetTaxSettings)
def get_tax_settings(context: RequestContext, request: GetTaxSettings) -> Result:
    """Return the tax settings of an account."""
    return Result(_stored(context, TAX, in_account(context, request), NEW_TAX))


@handler(UpdateTaxSettings)
def update_tax_settings(context: RequestContext, request: UpdateTaxSettings) -> Result:
    """Set the fields that were sent; the address of a client is stored, and never answered."""
    fields = changes_of(request)
    if "address_name" in fields:
        fields["address_company"] = fields.pop("address_name")
    with context.store.transaction():
        account = in_account(context, request)
        _set(context, TAX, account, fields)
        return Result(_stored(context, TAX, account, NEW_TAX))


@handler(GetUserSettings)
def get_user_settings(context: RequestContext, request: GetUserSettings) -> Result:
    """Return the settings of a user of the account."""
    account, user = in_account(context, request), request.user_id
    if user != context.user and context.store.find(USER, user, owner=account) is None:
        raise not_found("user", user)
    return Result(_stored(context, USER, user, NEW_USER))


@handler(UpdateUserSettings)
def update_user_settings(context: RequestContext, request: UpdateUserSettings) -> Result:
    """Set the fields that were sent, of the user who sends them; an unset text is empty, not null."""
    fields = {name: value or "" for name, value in changes_of(request).items()}
    if "subscribe_email_types" in fields:
        context.echoed["subscribed_campaign_events"] = context.echoed.pop("subscribe_email_types")
    with context.store.transaction():
        in_account(context, request)
        if request.user_id != context.user:
            message = f"only the user {request.user_id} may change these settings"
            raise ApiError(403, "ACTION_NOT_ALLOWED", message)
        _set(context, USER, request.user_id, fields)
        return Result(_stored(context, USER, request.user_id, NEW_USER))


@handler(GetUserAccess)
def get_user_access(context: RequestContext, request: GetUserAccess) -> Result:
    """Return what the user of the request may do in an account."""
    in_account(context, request)
    access = _stored(context, ACCESS, context.user, NEW_ACCESS)
    role = {"permissions": ["CAMPAIGN_ANALYST"]} if context.fault == ANALYST else {}
    return Result({"user_id": context.user, **access, **role})
