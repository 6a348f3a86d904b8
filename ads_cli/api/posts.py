"""Posts of an advertiser."""

from typing import Annotated, Literal

from msgspec import Meta

from .conditions import at_least_one, requires
from .endpoint import Resource, endpoint
from .types import CardUri, Cursor, Id, Ids, InAccount, PageSize

POST_COLUMNS = "id name text nullcast card_uri"
LISTED_COLUMNS = "id nullcast full_text name card_uri scheduled_at post_type"

PostType = Annotated[Literal["DRAFT", "PUBLISHED", "SCHEDULED"], Meta(description="Which kind of posts")]
AuthorId = Annotated[int, Meta(description="The author of the post")]
Text = Annotated[str, Meta(description="Required without media_keys")]
PostName = Annotated[str, Meta(max_length=80)]
MediaKeys = Annotated[
    list[Id],
    Meta(min_length=1, max_length=4, description="Images, or 1 GIF, or 1 video, from the media library"),
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


POST = Resource("/12/accounts/{account_id}/post", columns=POST_COLUMNS)


@POST.create(
    "posts create",
    example="--as-user-id 1184672519 --text 'The blue mugs are back' --card-uri card://7cqs1",
    service="generic",
)
class CreatePost(Post, kw_only=True):
    """Create a post for an advertiser.

    --no-nullcast creates an organic post, for the signed-in user only.
    """

    as_user_id: AuthorId


@POST.create("posts create", example="--text 'The blue mugs are back' --card-uri card://7cqs1", service="x")
class CreatePostAsAdvertiser(Post):
    """Create a post for an advertiser, by its own user unless another one is named."""


@endpoint(
    "PUT /12/accounts/{account_id}/posts/{post_id}/name",
    "posts rename",
    columns=POST_COLUMNS,
    extra_fields=("full_text",),
    id_field="post_id",
    example="1790415000000000001 --name 'Blue mugs'",
)
class RenamePost(InAccount):
    """Rename a post."""

    post_id: Id
    name: PostName
