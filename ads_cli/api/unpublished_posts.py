"""Posts that are not published yet: drafts, and posts that are scheduled."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from msgspec import Meta

from .conditions import at_least_one
from .endpoint import Resource
from .posts import AuthorId, MediaKeys, PostName, Promoted, Text
from .types import CardUri, Cursor, DayOrMoment, Id, InAccount
from .validation import rule

ONE_YEAR = timedelta(days=366)  # in a leap year

PageSize = Annotated[int, Meta(ge=1, le=200, description="Records per page", extra={"default": 100})]
Author = Annotated[AuthorId, Meta(extra={"default": "the advertiser"})]
PublishedAt = Annotated[DayOrMoment, Meta(description="A whole minute, at most one year ahead")]
DRAFTS = Resource(
    "/12/accounts/{account_id}/draft_posts",
    "draft_post_id",
    columns="id nullcast text name card_uri media_keys",
    extra_fields=("user_id", "created_at", "updated_at", "status"),
)
SCHEDULED = Resource(
    "/12/accounts/{account_id}/scheduled_posts",
    "scheduled_post_id",
    columns="id scheduled_at scheduled_status nullcast text name post_id card_uri",
    extra_fields=("user_id", "media_keys", "completed_at", "created_at", "updated_at"),
)


class Content(InAccount, kw_only=True):
    """What a post that is not published yet shows, and where."""

    text: Text | None = None
    media_keys: MediaKeys | None = None
    card_uri: CardUri | None = None
    name: PostName | None = None
    nullcast: Promoted | None = None


@at_least_one("text", "media_keys")
class NewContent(Content, kw_only=True):
    """The content of a new post, and its author."""

    as_user_id: Author | None = None


class ListUnpublished(InAccount, kw_only=True):
    """The parameters of lists of posts that are not published yet."""

    user_id: Author | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@rule("scheduled_at")
def within_a_year(post: Any) -> str | None:
    """Require a time that is still to come, at most one year ahead."""
    time, now = post.scheduled_at, datetime.now(UTC)
    if time is None:
        return None
    if time.moment <= now:
        return f"{time} is in the past"
    return f"{time} is more than a year ahead" if time.moment - now > ONE_YEAR else None


@DRAFTS.list("posts drafts list", example="--count 20")
class ListDrafts(ListUnpublished):
    """List drafts of posts."""


@DRAFTS.get(
    "posts drafts get",
    example="1790416000000000001",
)
class GetDraft(InAccount):
    """Show one draft of a post."""

    draft_post_id: Id


@DRAFTS.create(
    "posts drafts create",
    example="--text 'The green mugs are coming' --name 'Green mugs'",
)
class CreateDraft(NewContent):
    """Create a draft of a post."""


@DRAFTS.update(
    "posts drafts update",
    example="1790416000000000001 --text 'The green mugs are here'",
)
class UpdateDraft(Content, kw_only=True):
    """Change a draft of a post.

    Under service x an empty value removes the card or the media.
    """

    draft_post_id: Id


@DRAFTS.delete(
    "posts drafts delete",
    confirm_prompt="Delete the draft {draft_post_id}; this cannot be undone",
    example="1790416000000000001",
)
class DeleteDraft(InAccount):
    """Delete a draft of a post; this cannot be undone."""

    draft_post_id: Id


@DRAFTS.endpoint(
    "POST /preview/{draft_post_id}",
    "posts drafts preview",
    columns="message",
    extra_fields=(),
    example="1790416000000000001",
)
class PreviewDraft(InAccount):
    """Show a draft on the devices of the signed-in user, by a notification."""

    draft_post_id: Id


@SCHEDULED.list("posts scheduled list", example="--count 20")
class ListScheduledPosts(ListUnpublished):
    """List scheduled posts, and what became of those whose time has come."""


@SCHEDULED.get(
    "posts scheduled get",
    example="1790415000000000003",
)
class GetScheduledPost(InAccount):
    """Show one scheduled post."""

    scheduled_post_id: Id


@SCHEDULED.create(
    "posts scheduled create",
    example="--text 'The green mugs are here' --scheduled-at 2027-03-01T08:00Z",
)
class CreateScheduledPost(NewContent, kw_only=True):
    """Let the service publish a post at a time; at most 30 in a quarter of an hour."""

    scheduled_at: PublishedAt

    upcoming = within_a_year


@SCHEDULED.update(
    "posts scheduled update",
    example="1790415000000000003 --text 'The green mugs are back'",
)
class UpdateScheduledPost(Content, kw_only=True):
    """Change a scheduled post before it is published.

    Under service x an empty value removes the card or the media.
    """

    scheduled_post_id: Id
    scheduled_at: PublishedAt | None = None

    upcoming = within_a_year


@SCHEDULED.delete(
    "posts scheduled delete",
    confirm_prompt="Delete the scheduled post {scheduled_post_id}; this cannot be undone",
    example="1790415000000000003",
)
class DeleteScheduledPost(InAccount):
    """Delete a scheduled post before it is published; this cannot be undone."""

    scheduled_post_id: Id
