"""The change history of an account."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .time import Time
from .types import Cursor, Id, InAccount, Moment, PageSize
from .validation import rule

Entity = Literal["CAMPAIGN", "LINE_ITEM", "PROMOTED_POST", "TARGETING_CRITERIA", "PROMOTED_ACCOUNT"]


def _whole_hour(time: Time | None) -> str | None:
    if time is None:
        return None
    moment = time.moment
    off = moment.minute or moment.second or moment.microsecond
    return f"{time} is not a whole hour in UTC, such as 2026-03-01T08:00:00Z" if off else None


FromHour = Annotated[Moment, Meta(description="Changes from this whole hour")]
BeforeHour = Annotated[Moment, Meta(description="Changes before this whole hour")]
HISTORY = Resource(
    "/12/accounts/{account_id}/account_history",
    columns="change_time change_type entity entity_id change_by changes",
    record_id="entity_id",
)
EXAMPLE = (
    "--entity-type LINE_ITEM --entity-id 9d4c1 --start-time 2026-02-20T10:00Z --end-time 2026-02-21T10:00Z"
)


class History(InAccount, kw_only=True):
    """The parameters of the change history."""

    entity_type: Entity
    entity_id: Id
    start_time: FromHour | None = None
    end_time: BeforeHour | None = None
    user_id: Annotated[int, Meta(description="Only changes by this user")] | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None

    @rule("start_time")
    def starts_on_the_hour(self) -> str | None:
        """Require a whole hour."""
        return _whole_hour(self.start_time)

    @rule("end_time")
    def ends_on_the_hour(self) -> str | None:
        """Require a whole hour."""
        return _whole_hour(self.end_time)


@HISTORY.list("accounts history", example=EXAMPLE, service="generic")
class ListHistory(History, kw_only=True):
    """List changes in an account, with time and user.

    The service offers this as a beta, to selected accounts only.
    """

    start_time: FromHour
    end_time: BeforeHour


@HISTORY.list("accounts history", example=EXAMPLE, service="x")
class ListWholeHistory(History):
    """List changes in an account, with time and user; without a period, all that the service keeps."""
