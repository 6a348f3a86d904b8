"""Settings of an account: taxes, its users, and what the signed-in user may do."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource, endpoint
from .types import Country, Id, InAccount

Relationship = Annotated[Literal["AGENCY", "SELF"], Meta(description="Who advertises")]
EmailTypes = Annotated[
    list[Literal["ACCOUNT_PERFORMANCE", "PERFORMANCE_IMPROVEMENT"]],
    Meta(min_length=1, description="The mail to receive, separated by commas"),
]
TAX = Resource(
    "/12/accounts/{account_id}/tax_settings",
    group="settings tax",
    columns="tax_id tax_category bill_to business_relationship invoice_jurisdiction address_company",
    extra_fields="tax_exemption_id address_first_name address_last_name address_email address_street1 "
    "address_street2 address_city address_region address_postal_code address_country",
    record_id="tax_id",
)


@TAX.get()
class GetTaxSettings(InAccount):
    """Show the tax settings of an account, and who is billed."""


@TAX.update(example="--tax-id DE129273398 --tax-category BUSINESS_WITH_VAT")
class UpdateTaxSettings(InAccount):
    """Change the tax settings of an account.

    The address is that of the account; the client's is for an account that belongs to an agency.
    """

    tax_id: str | None = None
    tax_category: Literal["BUSINESS_NO_VAT", "BUSINESS_WITH_VAT", "INDIVIDUAL"] | None = None
    tax_exemption_id: str | None = None
    bill_to: Literal["ADVERTISER", "AGENCY"] | None = None
    business_relationship: Relationship | None = None
    invoice_jurisdiction: Literal["LOI_SAPIN", "NONE", "NOT_SET"] | None = None
    address_name: Annotated[str, Meta(description="The company; shown as address_company")] | None = None
    address_first_name: str | None = None
    address_last_name: str | None = None
    address_email: str | None = None
    address_street1: str | None = None
    address_street2: str | None = None
    address_city: str | None = None
    address_region: str | None = None
    address_postal_code: str | None = None
    address_country: Country | None = None
    client_address_name: str | None = None
    client_address_first_name: str | None = None
    client_address_last_name: str | None = None
    client_address_email: str | None = None
    client_address_street1: str | None = None
    client_address_street2: str | None = None
    client_address_city: str | None = None
    client_address_region: str | None = None
    client_address_postal_code: str | None = None
    client_address_country: Country | None = None


USER_SETTINGS = Resource(
    "/12/accounts/{account_id}/user_settings",
    "user_id",
    group="settings user",
    columns="notification_email contact_phone contact_phone_extension",
    record_id="notification_email",
)


@USER_SETTINGS.get(example="1184672519")
class GetUserSettings(InAccount, kw_only=True):
    """Show how a user of the account is contacted."""

    user_id: Id


@USER_SETTINGS.update(example="1184672519 --notification-email ads@nordlicht.example")
class UpdateUserSettings(InAccount, kw_only=True):
    """Change how you are contacted. Only the user may, not an administrator of the account."""

    user_id: Id
    notification_email: str | None = None
    contact_phone: str | None = None
    contact_phone_extension: str | None = None
    subscribe_email_types: EmailTypes | None = None


@endpoint(
    "GET /12/accounts/{account_id}/authenticated_user_access",
    "settings access",
    columns="user_id permissions",
    record_id="user_id",
)
class GetUserAccess(InAccount):
    """Show what you may do in an account."""
