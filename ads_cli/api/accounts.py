"""Advertising accounts, and the apps and promotable users in them."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Request, Resource, endpoint
from .types import Id, Ids, InAccount, Name, Page, PageInAccount, WithDeleted, sortable

ACCOUNT_FIELDS = ("business_id", "timezone_switch_at", "created_at", "updated_at")

Industry = Literal[
    "AGENCY",
    "BUSINESS_TO_BUSINESS",
    "ONLINE_SERVICES",
    "EDUCATION",
    "FINANCIAL",
    "HEALTH",
    "GOVERNMENT",
    "MEDIA",
    "MOBILE",
    "RESTAURANT",
    "RETAIL",
    "TECHNOLOGY",
    "TRAVEL",
    "OTHER",
]


ACCOUNTS = Resource(
    "/12/accounts",
    "account_id",
    columns="id name business_name timezone approval_status industry_type deleted",
)


@ACCOUNTS.list("accounts list", example="--q Nordlicht --with-deleted")
class ListAccounts(Page):
    """List the advertising accounts you have access to."""

    account_ids: Ids | None = None
    q: Annotated[str, Meta(description="Only names that start with this")] | None = None
    sort_by: Annotated[str, sortable("name")] | None = None


@ACCOUNTS.get("accounts get", example="18ce54d4x5t")
class GetAccount(Request):
    """Show one advertising account."""

    account_id: Id
    with_deleted: WithDeleted | None = None


@ACCOUNTS.create("accounts create", base="sandbox", example="-o ids")
class CreateAccount(Request):
    """Create an account in the sandbox."""


@ACCOUNTS.update(
    "accounts update",
    extra_fields=ACCOUNT_FIELDS,
    example="18ce54d4x5t --name 'Nordlicht Shop' --industry-type RETAIL",
)
class UpdateAccount(Request):
    """Change the name or the industry of an account."""

    account_id: Id
    name: Name | None = None
    industry_type: Industry | None = None


@ACCOUNTS.delete(
    "accounts delete",
    base="sandbox",
    confirm_prompt="Delete the account {account_id} of the sandbox",
    example="18ce55gze09",
)
class DeleteAccount(Request):
    """Delete an account of the sandbox."""

    account_id: Id


@endpoint(
    "GET /12/accounts/{account_id}/account_apps",
    "accounts apps",
    columns="id app_store_identifier os_type deep_link_pattern conversion_tracking_enabled deleted",
    example="--sort-by os_type-desc",
)
class ListApps(PageInAccount):
    """List the apps of an account."""


PROMOTABLE_USERS = Resource(
    "/12/accounts/{account_id}/promotable_users",
    "promotable_user_id",
    columns="id user_id promotable_user_type deleted",
)


@PROMOTABLE_USERS.list("accounts promotable-users list", example="--sort-by created_at-desc")
class ListPromotableUsers(PageInAccount):
    """List the users whose posts an account may promote; the FULL one is the advertiser."""

    promotable_user_ids: Ids | None = None


@PROMOTABLE_USERS.get("accounts promotable-users get", example="l310s")
class GetPromotableUser(InAccount):
    """Show one user whose posts an account may promote."""

    promotable_user_id: Id
    with_deleted: WithDeleted | None = None
