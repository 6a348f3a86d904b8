"""Permissions: the accounts that an audience is shared with.

Version 5 of the service calls the audiences tailored, version 12 custom.
"""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .types import AccountId, Id, Ids, InAccount, LivePage

PERMISSIONS = "/5/accounts/{account_id}/tailored_audiences/{tailored_audience_id}/permissions"
PERMISSION_COLUMNS = "id tailored_audience_id granted_account_id permission_level deleted"
CUSTOM_PERMISSIONS = "/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/permissions"
CUSTOM_PERMISSION_COLUMNS = "id custom_audience_id granted_account_id permission_level deleted"
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


@endpoint(
    f"GET {PERMISSIONS}",
    "audiences permissions list",
    columns=PERMISSION_COLUMNS,
    example="--audience 1nmth",
    service="generic",
)
class ListPermissions(PermissionsPage, kw_only=True):
    """List the accounts that an audience is shared with."""

    tailored_audience_id: AudienceId
    tailored_audience_permission_ids: Ids | None = None


@endpoint(
    f"GET {CUSTOM_PERMISSIONS}",
    "audiences permissions list",
    columns=CUSTOM_PERMISSION_COLUMNS,
    example="--audience 1nmth",
    service="x",
)
class ListCustomPermissions(PermissionsPage, kw_only=True):
    """List the accounts that an audience is shared with."""

    custom_audience_id: AudienceId
    custom_audience_permission_ids: Ids | None = None


@endpoint(
    f"POST {PERMISSIONS}",
    "audiences permissions grant",
    columns=PERMISSION_COLUMNS,
    example=GRANT_EXAMPLE,
    service="generic",
)
class GrantPermission(Grant, kw_only=True):
    """Share an audience with another account."""

    tailored_audience_id: AudienceId


@endpoint(
    f"POST {CUSTOM_PERMISSIONS}",
    "audiences permissions grant",
    columns=CUSTOM_PERMISSION_COLUMNS,
    example=GRANT_EXAMPLE,
    service="x",
)
class GrantCustomPermission(Grant, kw_only=True):
    """Share an audience with another account."""

    custom_audience_id: AudienceId


@endpoint(
    f"DELETE {PERMISSIONS}/{{tailored_audience_permission_id}}",
    "audiences permissions revoke",
    columns=PERMISSION_COLUMNS,
    confirm_prompt=f"Revoke the permission {{tailored_audience_permission_id}}{REVOKED}",
    example=REVOKE_EXAMPLE,
    service="generic",
)
class RevokePermission(InAccount, kw_only=True):
    """Stop sharing an audience with an account.

    Existing campaigns of that account continue, but cannot be copied.
    """

    tailored_audience_id: AudienceId
    tailored_audience_permission_id: Id


@endpoint(
    f"DELETE {CUSTOM_PERMISSIONS}/{{custom_audience_permission_id}}",
    "audiences permissions revoke",
    columns=CUSTOM_PERMISSION_COLUMNS,
    confirm_prompt=f"Revoke the permission {{custom_audience_permission_id}}{REVOKED}",
    example=REVOKE_EXAMPLE,
    service="x",
)
class RevokeCustomPermission(InAccount, kw_only=True):
    """Stop sharing an audience with an account.

    Existing campaigns of that account continue, but cannot be copied.
    """

    custom_audience_id: AudienceId
    custom_audience_permission_id: Id
