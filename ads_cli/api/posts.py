"""Posts of an advertiser: published, drafts and scheduled ones."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from msgspec import Meta

from .conditions import at_least_one, requires
from .endpoint import Resource, endpoint
from .types import CardUri, Cursor, DayOrMoment, FewPerPage, Id, Ids, InAccount, PageSize, delete_one, get_one
from .validation import rule

POST_COLUMNS = "id name text nullcast card_uri"
LISTED_COLUMNS = "id nullcast full_text name card_uri scheduled_at post_type"

PostType = Annotated[Literal["DRAFT", "PUBLISHED", "SCHEDULED"], Meta(description="Which kind of posts")]
AuthorId = Annotated[int, Meta(description="The author: a user of accounts promotable-users list")]
Text = Annotated[str, Meta(description="Required without media_keys")]  # of a new post
PostName = Annotated[str, Meta(max_length=80)]
MediaKeys = Annotated[
    list[Id],
    Meta(
        min_length=1,
        max_length=4,
        description="Images, or 1 GIF, or 1 video, from the media library",
        extra={"in_order": True},
    ),
]
Audience = Annotated[
    Literal["EVERYONE", "FOLLOWING", "MENTIONED_USERS"],
    Meta(description="Who may reply", extra={"default": "EVERYONE"}),
]
Promoted = Annotated[bool, Meta(description="Show it only where it is promoted", extra={"default": True})]
Timeline = Annotated[
    Literal["ALL", "NULLCAST", "ORGANIC"],
    Meta(description="Posts shown only where promoted, organic ones, or all", extra={"default": "NULLCAST"}),
]
WithReplies = Annotated[bool, Meta(description="List mentions and replies too", extra={"default": False})]
TrimUser = Annotated[bool, Meta(description="Return only the author's id")]


@at_least_one("text", "media_keys")
@requires("video_cta_value", "video_cta")
class Post(InAccount, kw_only=True):
    """The parameters of a post."""

    as_user_id: AuthorId | None = None
    text: Text | None = None
    media_keys: MediaKeys | None = None
    card_uri: CardUri | None = None
    name: PostName | None = None
    nullcast: Promoted | None = None
    conversation_settings: Audience | None = None
    trim_user: TrimUser | None = None
    post_mode: Literal["compat", "extended"] | None = None
    video_title: Annotated[str, Meta(max_length=70)] | None = None
    video_description: Annotated[str, Meta(max_length=200)] | None = None
    video_cta: Literal["VISIT_SITE", "WATCH_NOW"] | None = None
    video_cta_value: Annotated[str, Meta(description="The URL of the call to action")] | None = None


@endpoint(
    "GET /12/accounts/{account_id}/posts",
    "posts list",
    columns=LISTED_COLUMNS,
    example="--post-type PUBLISHED --timeline-type ALL --name Spring",
)
class ListPosts(InAccount, kw_only=True):
    """List the posts of an advertiser: drafts, scheduled or published ones."""

    post_type: PostType
    timeline_type: Timeline | None = None
    post_ids: Ids | None = None
    name: Annotated[PostName, Meta(description="Only names that start with this, in any case")] | None = None
    user_id: Annotated[AuthorId, Meta(extra={"default": "the advertiser"})] | None = None
    include_mentions_and_replies: WithReplies | None = None
    trim_user: TrimUser | None = None
    count: PageSize | None = None
    cursor: Cursor | None = None


@endpoint(
    "GET /12/accounts/{account_id}/post_previews",
    "posts preview",
    columns="post_id preview",
    record_id="post_id",
    example="--post-ids 1790415000000000001 --post-type PUBLISHED",
)
class PreviewPosts(InAccount, kw_only=True):
    """Show how posts look: for each, HTML with the address of its preview.

    Ids of posts of another type are left out.
    """

    post_ids: Ids
    post_type: PostType


POST = Resource("/12/accounts/{account_id}/post", group="posts", columns=POST_COLUMNS)


@POST.create(
    example="--as-user-id 1184672519 --text 'The blue mugs are back' --card-uri card://7cqs1",
    service="generic",
)
class CreatePost(Post, kw_only=True):
    """Create a post for an advertiser.

    --no-nullcast creates an organic post, for the signed-in user only.
    """

    as_user_id: AuthorId


@POST.create(example="--text 'The blue mugs are back' --card-uri card://7cqs1", service="x")
class CreatePostAsAdvertiser(Post):
    """Create a post for an advertiser, by its own user unless another one is named."""


@endpoint(
    "PUT /12/accounts/{account_id}/posts/{post_id}/name",
    "posts rename",
    columns=POST_COLUMNS,
    extra_fields="full_text",
    id_field="post_id",
    example="1790415000000000001 --name 'Blue mugs'",
)
class RenamePost(InAccount):
    """Rename a post."""

    post_id: Id
    name: PostName


ONE_YEAR = timedelta(days=366)  # with a 29 February: nothing is refused that the service may take

Author = Annotated[AuthorId, Meta(extra={"default": "the advertiser"})]
PublishedAt = Annotated[DayOrMoment, Meta(description="At most one year ahead; seconds are cut off")]
DRAFTS = Resource(
    "/12/accounts/{account_id}/draft_posts",
    "draft_post_id",
    group="posts drafts",
    example="1790416000000000001",
    deleted_for_good=True,
    columns="id nullcast text name card_uri media_keys",
    extra_fields="user_id created_at updated_at status",
)
SCHEDULED = Resource(
    "/12/accounts/{account_id}/scheduled_posts",
    "scheduled_post_id",
    group="posts scheduled",
    example="1790415000000000003",
    deleted_for_good=True,
    columns="id scheduled_at scheduled_status nullcast text name post_id card_uri",
    extra_fields="user_id media_keys completed_at created_at updated_at",
)


class Content(InAccount, kw_only=True):
    """What a post that is not published yet shows, and where."""

    text: Annotated[str, Meta(description="What the post says")] | None = None
    media_keys: MediaKeys | None = None
    card_uri: CardUri | None = None
    name: PostName | None = None
    nullcast: Promoted | None = None


@at_least_one("text", "media_keys")
class NewContent(Content, kw_only=True):
    """The content of a new post, and its author."""

    text: Text | None = None
    as_user_id: Author | None = None


class ListUnpublished(InAccount, kw_only=True):
    """The parameters of lists of posts that are not published yet."""

    user_id: Author | None = None
    count: FewPerPage | None = None
    cursor: Cursor | None = None


@rule("scheduled_at")
def within_the_next_year(post: Any) -> str | None:
    """Require a time that is still to come, at most one year ahead."""
    time, now = post.scheduled_at, datetime.now(UTC)
    if time is None:
        return None
    published = time.moment.replace(second=0, microsecond=0)
    if published <= now:
        return f"{time} is in the past"
    return f"{time} is more than a year ahead" if published - now > ONE_YEAR else None


@DRAFTS.list(example="--count 20")
class ListDrafts(ListUnpublished):
    """List drafts of posts."""


GetDraft = get_one(DRAFTS, "Show one draft of a post.", InAccount)


@DRAFTS.create(example="--text 'The green mugs are coming' --name 'Green mugs'")
class CreateDraft(NewContent):
    """Create a draft of a post."""


@DRAFTS.update(example="1790416000000000001 --text 'The green mugs are here'")
class UpdateDraft(Content, kw_only=True):
    """Change a draft of a post.

    Under service x an empty value removes the card or the media.
    """

    draft_post_id: Id


DeleteDraft = delete_one(DRAFTS, "Delete a draft of a post; this cannot be undone.")


@DRAFTS.endpoint(
    "POST /preview/{draft_post_id}",
    "posts drafts preview",
    columns="message",
    extra_fields="",
    example="1790416000000000001",
)
class PreviewDraft(InAccount):
    """Show a draft on the devices of the signed-in user, by a notification."""

    draft_post_id: Id


@SCHEDULED.list(example="--count 20")
class ListScheduledPosts(ListUnpublished):
    """List scheduled posts, and what became of those whose time has come."""


GetScheduledPost = get_one(SCHEDULED, "Show one scheduled post.", InAccount)


@SCHEDULED.create(example="--text 'The green mugs are here' --scheduled-at 2027-03-01T08:00Z")
class CreateScheduledPost(NewContent, kw_only=True):
    """Let the service publish a post at a time; at most 30 in a quarter of an hour."""

    scheduled_at: PublishedAt

    upcoming = within_the_next_year


@SCHEDULED.update(example="1790415000000000003 --text 'The green mugs are back'")
class UpdateScheduledPost(Content, kw_only=True):
    """Change a scheduled post before it is published.

    Under service x an empty value removes the card or the media.
    """

    scheduled_post_id: Id
    scheduled_at: PublishedAt | None = None

    upcoming = within_the_next_year


DeleteScheduledPost = delete_one(
    SCHEDULED, "Delete a scheduled post before it is published; this cannot be undone."
)
