"""Custom audiences, the campaigns that target them, and the accounts that they are shared with.

Version 5 of the service calls the audiences tailored, version 12 custom.
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from .conditions import at_least_one, excludes, required_when, requires
from .endpoint import BatchEndpoint, Resource, endpoint
from .types import (
    AccountId,
    Cursor,
    Id,
    Ids,
    InAccount,
    LivePage,
    Name,
    PageInAccount,
    RecordInAccount,
    WithDeleted,
    delete_one,
)
from .validation import rule

COLUMNS = "id name audience_size targetable reasons_not_targetable"
FIELDS = (
    "description audience_type targetable_types permission_level owner_account_id "
    "partner_source created_at updated_at deleted"
)

AudienceName = Annotated[Name, Meta(description="Unique in the account")]
Prefix = Annotated[str, Meta(min_length=1, max_length=255, description="Only names that start with this")]
Description = Annotated[str, Meta(description="What the audience is for")]
OnlyActive = Annotated[bool, Meta(description="Only line items that are active", extra={"default": True})]
PermissionScope = Annotated[
    Literal["OWNER", "SHARED"],
    Meta(
        description="Those of the account, or those that others share with it",
        extra={"default": "OWNER"},
    ),
]


AUDIENCES = Resource(
    "/12/accounts/{account_id}/custom_audiences",
    "custom_audience_id",
    group="audiences",
    record_kind="audience",
    columns=COLUMNS,
    extra_fields=FIELDS,
)


@AUDIENCES.list(example="--q Readers --sort-by created_at-desc")
class ListAudiences(PageInAccount):
    """List audiences: how many people each has, whether it can be targeted, and why not."""

    custom_audience_ids: Ids | None = None
    q: Prefix | None = None
    permission_scope: PermissionScope | None = None


@AUDIENCES.get(example="1nmth")
class GetAudience(RecordInAccount, kw_only=True):
    """Show one audience."""

    custom_audience_id: Id


@AUDIENCES.create(example="--name 'Spring buyers'")
class CreateAudience(InAccount, kw_only=True):
    """Create an empty audience. 'adsctl audiences push' adds the people.

    It can be targeted as soon as it has 100 people who were active in the last 90 days.
    """

    name: AudienceName
    description: Description | None = None


@AUDIENCES.update(extra_fields=f"{FIELDS} is_owner", example="1nmu0 --name 'Readers in Hamburg'")
class UpdateAudience(InAccount, kw_only=True):
    """Change the name or the description of an audience."""

    custom_audience_id: Id
    name: AudienceName | None = None
    description: Description | None = None


@AUDIENCES.delete(
    confirm_prompt="Delete the audience {custom_audience_id}, which line items may target", example="1nmu0"
)
class DeleteAudience(InAccount, kw_only=True):
    """Delete an audience. 'adsctl audiences targeted' shows the line items that target it."""

    custom_audience_id: Id


@AUDIENCES.endpoint(
    "GET /{custom_audience_id}/targeted",
    "audiences targeted",
    columns="campaign_id campaign_name line_items",
    extra_fields="",
    record_id="campaign_id",
    id_field="custom_audience_id",
    example="1nmth --no-with-active",
)
class ListTargeted(InAccount, kw_only=True):
    """List the campaigns and line items that target an audience."""

    custom_audience_id: Id
    with_active: OnlyActive | None = None
    cursor: Cursor | None = None


COMBINATIONS = "/12/batch/accounts/{account_id}/custom_audiences"
MAX_COMBINED = 10  # audiences that one request creates
MAX_LEAVES = 10  # audiences that one of them is combined from


@requires("child_segments", "boolean_operator")
@at_least_one("custom_audience_id", "child_segments")
@excludes("custom_audience_id", "child_segments")
class Segment(msgspec.Struct, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An audience, or segments that an operator joins; the service negates it by default."""

    child_segments: list["Segment"]
    boolean_operator: Literal["AND", "OR"] | None = None
    custom_audience_id: Id | None = None
    lookback_window: Literal[1, 7, 14, 30] | None = None
    frequency: int | None = None
    frequency_comparator: Literal["NUM_GTE", "NUM_GT", "NUM_EQ", "NUM_LTE", "NUM_LT"] | None = None
    negate: Annotated[bool, Meta(extra={"default": True})] | None = None

    @property
    def leaves(self) -> list["Segment"]:
        """The segments that have none inside them."""
        inner = [leaf for segment in self.child_segments for leaf in segment.leaves]
        return inner or [self]


@endpoint(
    f"POST {COMBINATIONS}",
    "audiences combine",
    columns=COLUMNS,
    extra_fields=f"{FIELDS} metadata",
    params_in="json",
    batch=BatchEndpoint(COMBINATIONS, MAX_COMBINED),
)
class CombineAudiences(InAccount):
    """Create audiences that are combined from others."""


@required_when("segments", audience_type=("FLEXIBLE",))
class CombineAudience(CombineAudiences, kw_only=True):
    """Create one of them: the service has no request for a single one."""

    name: AudienceName
    audience_type: Literal["FLEXIBLE", "MOBILE_AUDIENCE"]
    segments: Segment | None = None

    @rule("segments")
    def few_leaves(self) -> str | None:
        """Limit the audiences of a tree."""
        count = len(self.segments.leaves) if self.segments else 0
        return f"name {count} audiences, at most {MAX_LEAVES} are allowed" if count > MAX_LEAVES else None


DO_NOT_REACH_LISTS = Resource(
    "/12/accounts/{account_id}/do_not_reach_lists",
    "do_not_reach_list_id",
    group="audiences do-not-reach",
    columns="id name list_size deleted targetable reasons_not_targetable",
    extra_fields="description created_at updated_at",
)


@DO_NOT_REACH_LISTS.list(example="--with-deleted")
class ListDoNotReachLists(InAccount):
    """Show the do-not-reach list of an account, which has at most one."""

    with_deleted: WithDeleted | None = None


@DO_NOT_REACH_LISTS.create(example="--description 'Who wants no ads' --account 18ce55gze09")
class CreateDoNotReachList(InAccount):
    """Create the do-not-reach list of an account, empty and with a name that the service chooses.

    'adsctl audiences do-not-reach push' adds the people.
    """

    description: Annotated[str, Meta(description="What the list is for")] | None = None


DeleteDoNotReachList = delete_one(
    DO_NOT_REACH_LISTS,
    "Delete a do-not-reach list.",
    confirm_prompt="Delete the do-not-reach list {do_not_reach_list_id}: ads may reach its people again",
    example="3k1a7",
)


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
    record_kind="tailored_audience_permission",  # the same records under both names
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
