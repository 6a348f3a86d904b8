"""Settings of an account: taxes, its users, and what the signed-in user may do."""

from typing import Any

from ...api.settings import (
    GetTaxSettings,
    GetUserAccess,
    GetUserSettings,
    UpdateTaxSettings,
    UpdateUserSettings,
)
from ..core.faults import ANALYST
from ..core.handlers import RequestContext, handler
from ..core.request import changes_of
from ..core.responses import ApiError, Result, not_found
from ..storage import Record
from .collection import in_account

TAX, USER, ACCESS = "tax_settings", "user_settings", "user_access"
NEW_TAX: Record = {
    "tax_id": None,
    "tax_category": "BUSINESS_NO_VAT",
    "tax_exemption_id": None,
    "bill_to": "NOT_SET",
    "business_relationship": "SELF",
    "invoice_jurisdiction": "NOT_SET",
    "address_company": None,
    "address_first_name": None,
    "address_last_name": None,
    "address_email": None,
    "address_street1": None,
    "address_street2": None,
    "address_city": None,
    "address_region": None,
    "address_postal_code": None,
    "address_country": None,
}
NEW_USER: Record = {"notification_email": "", "contact_phone": "", "contact_phone_extension": ""}
NEW_ACCESS: Record = {"permissions": ["ACCOUNT_ADMIN", "POST_COMPOSER"]}


def _stored(context: RequestContext, kind: str, identifier: str, new: Record) -> Record:
    """Return the settings of an account, or of a user in it; what was never set is as in `new`."""
    found = context.store.find(kind, identifier, owner=context.path_params["account_id"]) or {}
    return {name: found.get(name, default) for name, default in new.items()}


def _set(context: RequestContext, kind: str, identifier: str, fields: dict[str, Any]) -> None:
    account = context.path_params["account_id"]
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
