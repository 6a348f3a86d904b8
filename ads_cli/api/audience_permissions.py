"""Permissions: the accounts that an audience is shared with.

Version 5 of the service calls the audiences tailored, version 12 custom.
"""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .types import AccountId, Id, Ids, InAccount, LivePage

GRANT_EXAMPLE = "--audience 1nmth --granted-account-id 18ce56pq1rw --permission-level READ_ONLY"
REVOKE_EXAMPLE = "2p4x9 --audience 1nmth"
REVOKED = ": new campaigns of that account cannot use the audience"

AudienceId = Annotated[
    Id, Meta(description="The audience, of your own account", extra={"option": "audience"})
]


class PermissionsPage(LivePage, kw_only=True):
    """The parameters of lists of permissions."""

    account_id: AccountId
    granted_account_ids: Ids | None = None


class Grant(InAccount, kw_only=True):
    """The parameters of a new permission."""

    granted_account_id: Annotated[Id, Meta(description="The account to share it with")]
    permission_level: Literal["READ_ONLY", "READ_WRITE"]


PERMISSIONS = Resource(
    "/5/accounts/{account_id}/tailored_audiences/{tailored_audience_id}/permissions",
    "tailored_audience_permission_id",
    columns="id tailored_audience_id granted_account_id permission_level deleted",
    service="generic",
)


@PERMISSIONS.list("audiences permissions list", example="--audience 1nmth")
class ListPermissions(PermissionsPage, kw_only=True):
    """List the accounts that an audience is shared with."""

    tailored_audience_id: AudienceId
    tailored_audience_permission_ids: Ids | None = None


CUSTOM_PERMISSIONS = Resource(
    "/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/permissions",
    "custom_audience_permission_id",
    columns="id custom_audience_id granted_account_id permission_level deleted",
    service="x",
)


@CUSTOM_PERMISSIONS.list("audiences permissions list", example="--audience 1nmth")
class ListCustomPermissions(PermissionsPage, kw_only=True):
    """List the accounts that an audience is shared with."""

    custom_audience_id: AudienceId
    custom_audience_permission_ids: Ids | None = None


@PERMISSIONS.create("audiences permissions grant", example=GRANT_EXAMPLE)
class GrantPermission(Grant, kw_only=True):
    """Share an audience with another account."""

    tailored_audience_id: AudienceId


@CUSTOM_PERMISSIONS.create("audiences permissions grant", example=GRANT_EXAMPLE)
class GrantCustomPermission(Grant, kw_only=True):
    """Share an audience with another account."""

    custom_audience_id: AudienceId


@PERMISSIONS.delete(
    "audiences permissions revoke",
    confirm_prompt=f"Revoke the permission {{tailored_audience_permission_id}}{REVOKED}",
    example=REVOKE_EXAMPLE,
)
class RevokePermission(InAccount, kw_only=True):
    """Stop sharing an audience with an account.

    Existing campaigns of that account continue, but cannot be copied.
    """

    tailored_audience_id: AudienceId
    tailored_audience_permission_id: Id


@CUSTOM_PERMISSIONS.delete(
    "audiences permissions revoke",
    confirm_prompt=f"Revoke the permission {{custom_audience_permission_id}}{REVOKED}",
    example=REVOKE_EXAMPLE,
)
class RevokeCustomPermission(InAccount, kw_only=True):
    """Stop sharing an audience with an account.

    Existing campaigns of that account continue, but cannot be copied.
    """

    custom_audience_id: AudienceId
    custom_audience_permission_id: Id
