"""Accounts: their apps, users, features and settings, and what the signed-in user may do."""

from typing import Any

from ...api import accounts as declared
from ...api import settings
from ..core.faults import ANALYST
from ..core.handlers import RequestContext, handler
from ..core.request import changes_of
from ..core.responses import ApiError, Result, not_found
from ..storage import Record, empty, utc_now
from .collection import Collection, of_user

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
    PROMOTABLE_USERS.add(context, {"user_id": context.user}, owner=account["id"])


Collection(
    declared.ACCOUNTS,
    defaults=NEW_ACCOUNT,
    scope=of_user,
    prepare=_with_time_zone,
    added=_add_advertiser,
)
Collection(declared.APPS, sortable=("app_store_identifier", "os_type"))
FULL = "FULL"  # the type of the promotable user who is the advertiser
PROMOTABLE_USERS = Collection(
    declared.PROMOTABLE_USERS, defaults={"user_id": None, "promotable_user_type": FULL}
)


def advertiser_of(context: RequestContext) -> str:
    """Return the user whom the account advertises for; of one that has none yet, the signed-in user."""
    users = context.find_all(PROMOTABLE_USERS.kind, promotable_user_type=FULL)
    return str(users[0]["user_id"]) if users else context.user


FEATURE = "feature"


def _features(context: RequestContext) -> list[str]:
    return [feature["id"] for feature in context.find_all(FEATURE)]


def require_feature(context: RequestContext, feature: str, parameter: str) -> None:
    """Raise ApiError for a parameter whose feature the account has not; the specification states none."""
    if context.service == "x" and feature not in _features(context):
        message = f"{parameter}: the account {context.account} does not have the feature {feature}"
        raise ApiError(400, "FEATURE_NOT_AVAILABLE", message, parameter=parameter)


@handler(declared.ListFeatures)
def _list_features(context: RequestContext, request: declared.ListFeatures) -> Result:
    wanted = request.feature_keys
    return Result([key for key in _features(context) if wanted is None or key in wanted])


@handler(declared.AddFeatures)
def _add_features(context: RequestContext, request: declared.AddFeatures) -> Result:
    """Enable features, and list all that are enabled; unknown keys are accepted."""
    with context.store.transaction():
        features = _features(context)
        for key in dict.fromkeys(request.feature_keys):
            if key not in features:
                context.store.add(FEATURE, key, {}, owner=context.account)
        return Result(_features(context))


@handler(declared.RemoveFeatures)
def _remove_features(context: RequestContext, request: declared.RemoveFeatures) -> Result:
    """Disable features, and list those that remain; keys that are not enabled are accepted."""
    with context.store.transaction():
        for key in request.feature_keys:
            context.store.purge(FEATURE, context.account, key)
        return Result(_features(context))


TAX, CONTACT, ACCESS = "tax_settings", "user_settings", "user_access"
# Settings as they are before anything is set.
NEW_SETTINGS: dict[str, Record] = {
    TAX: {
        "tax_id": None,
        "tax_category": "BUSINESS_NO_VAT",
        "tax_exemption_id": None,
        "bill_to": "NOT_SET",
        "business_relationship": "SELF",
        "invoice_jurisdiction": "NOT_SET",
        **empty("address_company address_first_name address_last_name address_email address_street1"),
        **empty("address_street2 address_city address_region address_postal_code address_country"),
    },
    CONTACT: {"notification_email": "", "contact_phone": "", "contact_phone_extension": ""},
    ACCESS: {"permissions": ["ACCOUNT_ADMIN", "POST_COMPOSER"]},
}


def _settings(context: RequestContext, kind: str, id: str) -> Record:
    """Return the settings of the account, or of a user in it. Fields without a default are not returned."""
    record = context.find(kind, id) or {}
    return {name: record.get(name, default) for name, default in NEW_SETTINGS[kind].items()}


def _updated_settings(context: RequestContext, kind: str, id: str, fields: dict[str, Any]) -> Result:
    with context.store.transaction():
        change = context.store.update if context.find(kind, id) else context.store.add
        change(kind, id, fields, owner=context.account)
        return Result(_settings(context, kind, id))


@handler(settings.GetTaxSettings)
def _get_tax_settings(context: RequestContext, request: settings.GetTaxSettings) -> Result:
    return Result(_settings(context, TAX, context.account))


@handler(settings.UpdateTaxSettings)
def _update_tax_settings(context: RequestContext, request: settings.UpdateTaxSettings) -> Result:
    """Set the fields that were sent. The address of a client is stored, and not returned."""
    fields = changes_of(request)
    if "address_name" in fields:
        fields["address_company"] = fields.pop("address_name")
    return _updated_settings(context, TAX, context.account, fields)


@handler(settings.GetUserSettings)
def _get_user_settings(context: RequestContext, request: settings.GetUserSettings) -> Result:
    user = request.user_id
    if user != context.user and context.find(CONTACT, user) is None:
        raise not_found("user", user)
    return Result(_settings(context, CONTACT, user))


@handler(settings.UpdateUserSettings)
def _update_user_settings(context: RequestContext, request: settings.UpdateUserSettings) -> Result:
    """Set the fields that were sent, of the user who sends them; an unset text is empty, not null."""
    fields = {name: value or "" for name, value in changes_of(request).items()}
    if "subscribe_email_types" in fields:
        context.echoed["subscribed_campaign_events"] = context.echoed.pop("subscribe_email_types")
    if request.user_id != context.user:
        message = f"only the user {request.user_id} may change these settings"
        raise ApiError(403, "ACTION_NOT_ALLOWED", message)
    return _updated_settings(context, CONTACT, request.user_id, fields)


@handler(settings.GetUserAccess)
def _get_user_access(context: RequestContext, request: settings.GetUserAccess) -> Result:
    access = _settings(context, ACCESS, context.user)
    role = {"permissions": ["CAMPAIGN_ANALYST"]} if context.fault == ANALYST else {}
    return Result({"user_id": context.user, **access, **role})
