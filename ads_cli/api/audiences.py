"""Audiences: keyword insights, permissions, what targets an audience, do-not-reach lists."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Request, endpoint
from .rates import QUARTER_HOUR_SECONDS, Rate
from .types import AccountId, Cursor, DayOrMoment, Id, Ids, InAccount, LivePage, Texts
from .validation import rule

MAX_KEYWORDS = 10  # keywords and negative_keywords together
MAX_INSIGHT_PERIOD = timedelta(days=7)
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


@endpoint(
    "GET /12/insights/keywords/search",
    "audiences keywords",
    columns="related_keywords post_volume",
    chart="keywords",
    example="--keywords mug,teapot --granularity DAY "
    "--start-time 2026-03-01T00:00Z --end-time 2026-03-08T00:00Z",
    x_rate=Rate("keyword-insights", 500, QUARTER_HOUR_SECONDS),
)
class SearchKeywords(Request):
    """Show how often keywords are posted, and related keywords.

    On a terminal the result is a chart; -o, --columns and --query show the numbers.
    """

    keywords: Annotated[
        Texts,
        Meta(description=f"Posts with any of these; together with negative_keywords at most {MAX_KEYWORDS}"),
    ]
    granularity: Annotated[Literal["DAY", "HOUR"], Meta(description="Interval of each number in post_volume")]
    start_time: Annotated[
        DayOrMoment, Meta(description=f"At most {MAX_INSIGHT_PERIOD.days} days before the end")
    ]
    end_time: (
        Annotated[DayOrMoment, Meta(description="End of the period", extra={"default": "now"})] | None
    ) = None
    location: Annotated[str, Meta(description="One country, as a targeting value")] | None = None
    negative_keywords: Annotated[Texts, Meta(description="No posts with any of these")] | None = None

    @rule("keywords")
    def few_keywords(self) -> str | None:
        """Limit the keywords of both fields together."""
        count = len(self.keywords) + len(self.negative_keywords or [])
        if count > MAX_KEYWORDS:
            return f"are {count} with negative_keywords, at most {MAX_KEYWORDS} are allowed together"
        return None

    @rule("end_time")
    def few_days(self) -> str | None:
        """Limit the period to seven days; without an end, it ends now."""
        end = self.end_time.moment if self.end_time else datetime.now(UTC)
        period = end - self.start_time.moment
        now = "" if self.end_time else "is now, which "
        if period <= timedelta(0):
            return f"{now}is not after start_time"
        return (
            f"{now}is more than {MAX_INSIGHT_PERIOD.days} days after start_time"
            if period > MAX_INSIGHT_PERIOD
            else None
        )

    @rule("location")
    def one_country(self) -> str | None:
        """Accept one country."""
        return "accepts one country" if self.location and "," in self.location else None


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


@endpoint(
    "GET /12/accounts/{account_id}/custom_audiences/{custom_audience_id}/targeted",
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


@endpoint(
    "DELETE /12/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}",
    "audiences do-not-reach delete",
    columns="id name list_size deleted",
    confirm_prompt="Delete the do-not-reach list {do_not_reach_list_id}: ads may reach its people again",
    example="3k1a7",
)
class DeleteDoNotReachList(InAccount, kw_only=True):
    """Delete a do-not-reach list."""

    do_not_reach_list_id: Id
