"""Custom audiences, and the campaigns that target them."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .types import Cursor, Id, Ids, InAccount, Name, PageInAccount, WithDeleted

COLUMNS = "id name audience_size targetable reasons_not_targetable"
FIELDS = (
    *("description", "audience_type", "targetable_types", "permission_level", "owner_account_id"),
    *("partner_source", "created_at", "updated_at", "deleted"),
)
AUDIENCES = "/12/accounts/{account_id}/custom_audiences"
AUDIENCE = f"{AUDIENCES}/{{custom_audience_id}}"

AudienceName = Annotated[Name, Meta(description="Unique in the account")]
Prefix = Annotated[str, Meta(min_length=1, max_length=255, description="Only names that start with this")]
Description = Annotated[str, Meta(description="What the audience is for")]


@endpoint(
    f"GET {AUDIENCES}",
    "audiences list",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="--q Readers --sort-by created_at-desc",
)
class ListAudiences(PageInAccount):
    """List audiences: how many people each has, whether it can be targeted, and why not."""

    custom_audience_ids: Ids | None = None
    q: Prefix | None = None
    permission_scope: (
        Annotated[
            Literal["OWNER", "SHARED"],
            Meta(
                description="Those of the account, or those that others share with it",
                extra={"default": "OWNER"},
            ),
        ]
        | None
    ) = None


@endpoint(
    f"GET {AUDIENCE}",
    "audiences get",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="1nmth",
)
class GetAudience(InAccount, kw_only=True):
    """Show one audience."""

    custom_audience_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    f"POST {AUDIENCES}",
    "audiences create",
    columns=COLUMNS,
    extra_fields=FIELDS,
    example="--name 'Spring buyers'",
)
class CreateAudience(InAccount, kw_only=True):
    """Create an empty audience. 'adsctl audiences push' adds the people.

    It can be targeted as soon as it has 100 people who were active in the last 90 days.
    """

    name: AudienceName
    description: Description | None = None


@endpoint(
    f"PUT {AUDIENCE}",
    "audiences update",
    columns=COLUMNS,
    extra_fields=(*FIELDS, "is_owner"),
    example="1nmu0 --name 'Readers in Hamburg'",
)
class UpdateAudience(InAccount, kw_only=True):
    """Change the name or the description of an audience."""

    custom_audience_id: Id
    name: AudienceName | None = None
    description: Description | None = None


@endpoint(
    f"DELETE {AUDIENCE}",
    "audiences delete",
    columns=COLUMNS,
    extra_fields=FIELDS,
    confirm_prompt="Delete the audience {custom_audience_id}, which line items may target",
    example="1nmu0",
)
class DeleteAudience(InAccount, kw_only=True):
    """Delete an audience. 'adsctl audiences targeted' shows the line items that target it."""

    custom_audience_id: Id


@endpoint(
    f"GET {AUDIENCE}/targeted",
    "audiences targeted",
    columns="campaign_id campaign_name line_items",
    record_id="campaign_id",
    id_field="custom_audience_id",
    example="1nmth --no-with-active",
)
class ListTargeted(InAccount, kw_only=True):
    """List the campaigns and line items that target an audience."""

    custom_audience_id: Id
    with_active: (
        Annotated[bool, Meta(description="Only line items that are active", extra={"default": True})] | None
    ) = None
    cursor: Cursor | None = None
