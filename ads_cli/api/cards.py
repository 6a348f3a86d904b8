"""Cards: generic cards made of components, polls, video and image conversations."""

from typing import Annotated

from msgspec import Meta

from .components import CardType, Composed
from .conditions import at_least_one, requires, together
from .conversation import ConversationMedia, Cta, CtaText, ShortText, VideoConversation
from .endpoint import endpoint
from .types import CardUri, Cursor, Id, Ids, InAccount, Name, PageInAccount, SortBy, WithDeleted
from .validation import rule

CARD_COLUMNS = "id name card_type card_uri deleted"
CARD_FIELDS = ("components", "slides", "created_at", "updated_at")
POLL_COLUMNS = "id name first_choice second_choice end_time card_uri deleted"
CONVERSATION_COLUMNS = "id name title first_cta thank_you_text card_uri deleted"
CONVERSATION_FIELDS = (
    *("card_type", "first_cta_tweet", "second_cta", "second_cta_tweet", "third_cta", "third_cta_tweet"),
    *("fourth_cta", "fourth_cta_tweet", "thank_you_url", "media_key", "media_url", "poster_media_url"),
    *("video_owner_id", "video_width", "video_height", "created_at", "updated_at"),
)

CardUris = Annotated[
    list[CardUri], Meta(min_length=1, max_length=200, description="Only these, separated by commas")
]
CardName = Annotated[str, Meta(min_length=1, max_length=80)]
NameQuery = Annotated[str, Meta(description="Only names that start with this, ignoring case")]
CardQuery = Annotated[NameQuery, Meta(max_length=80)]
CardPageSize = Annotated[int, Meta(ge=1, le=200, description="Records per page", extra={"default": 100})]


@endpoint(
    "GET /12/accounts/{account_id}/cards",
    "cards list",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    example="--card-types IMAGE_WEBSITE,IMAGE_APP --q Spring",
)
class ListCards(InAccount):
    """List the cards made of components.

    --include-legacy-cards lists polls and the other older types too.
    """

    card_types: Annotated[list[CardType], Meta(min_length=1, description="Only these types")] | None = None
    card_id: Ids | None = None
    card_uris: CardUris | None = None
    include_legacy_cards: Annotated[bool, Meta(description="List older card types too")] | None = None
    q: CardQuery | None = None
    count: CardPageSize | None = None
    cursor: Cursor | None = None
    sort_by: SortBy | None = None
    with_deleted: WithDeleted | None = None


class OneCard(InAccount):
    """The parameters to show a card of any type."""

    card_id: Id
    with_deleted: WithDeleted | None = None


class ListOlderCards(PageInAccount):
    """The parameters of lists of older card types."""

    card_ids: Ids | None = None
    q: NameQuery | None = None


@endpoint(
    "GET /12/accounts/{account_id}/cards/{card_id}",
    "cards get",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    example="7cqs1",
)
class GetCard(OneCard):
    """Show one card."""


@endpoint(
    "POST /12/accounts/{account_id}/cards",
    "cards create",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    params_in="json",
    example="-f card.yaml",
)
class CreateCard(Composed, kw_only=True):
    """Create a card of components, or a carousel of slides.

    Its media must be in the media library.
    """

    name: CardName

    @rule("components")
    def components_or_slides(self) -> str | None:
        """Require one of the two; an empty one is refused by itself."""
        is_missing = self.components is None and self.slides is None
        return "is required unless slides is set" if is_missing else None


@endpoint(
    "PUT /12/accounts/{account_id}/cards/{card_id}",
    "cards update",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    params_in="json",
    example="7cqs1 --name 'Summer collection'",
)
class UpdateCard(Composed, kw_only=True):
    """Replace fields of a card."""

    card_id: Id
    name: CardName | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/{card_id}",
    "cards delete",
    columns=CARD_COLUMNS,
    extra_fields=CARD_FIELDS,
    confirm_prompt="Delete the card {card_id}",
    example="7cqs1",
)
class DeleteCard(InAccount):
    """Delete a card."""

    card_id: Id


Choice = Annotated[str, Meta(min_length=1, max_length=25)]
Minutes = Annotated[int, Meta(ge=5, le=10080, description="How long the poll runs, in minutes")]
PollMedia = Annotated[
    Id, Meta(description="A video, or an image of 1.91:1 and 800 px or wider, from the media library")
]


@endpoint(
    "GET /12/accounts/{account_id}/cards/poll",
    "cards poll list",
    columns=POLL_COLUMNS,
    example="--q Favourite",
)
class ListPolls(ListOlderCards):
    """List poll cards."""


@endpoint(
    "GET /12/accounts/{account_id}/cards/poll/{card_id}",
    "cards poll get",
    columns=POLL_COLUMNS,
    example="7cqt1",
)
class GetPoll(OneCard):
    """Show one poll card."""


@endpoint(
    "POST /12/accounts/{account_id}/cards/poll",
    "cards poll create",
    columns=POLL_COLUMNS,
    example="--name 'Tea or coffee' --duration-in-minutes 1440 --first-choice Tea --second-choice Coffee",
)
@requires("fourth_choice", "third_choice")
class CreatePoll(InAccount):
    """Create a poll card; it cannot be updated afterwards."""

    name: Name
    duration_in_minutes: Minutes
    first_choice: Choice
    second_choice: Choice
    third_choice: Choice | None = None
    fourth_choice: Choice | None = None
    media_key: PollMedia | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/poll/{card_id}",
    "cards poll delete",
    columns=POLL_COLUMNS,
    confirm_prompt="Delete the poll card {card_id}; this cannot be undone",
    example="7cqt1",
)
class DeletePoll(InAccount):
    """Delete a poll card; this cannot be undone."""

    card_id: Id


@endpoint(
    "GET /12/accounts/{account_id}/cards/video_conversation",
    "cards video-conversation list",
    columns=CONVERSATION_COLUMNS,
    extra_fields=CONVERSATION_FIELDS,
    example="--sort-by created_at-desc",
)
class ListVideoConversations(ListOlderCards):
    """List video conversation cards."""


@endpoint(
    "GET /12/accounts/{account_id}/cards/video_conversation/{card_id}",
    "cards video-conversation get",
    columns=CONVERSATION_COLUMNS,
    extra_fields=CONVERSATION_FIELDS,
    example="7cqt8",
)
class GetVideoConversation(OneCard):
    """Show one video conversation card."""


@endpoint(
    "POST /12/accounts/{account_id}/cards/video_conversation",
    "cards video-conversation create",
    columns=CONVERSATION_COLUMNS,
    extra_fields=CONVERSATION_FIELDS,
    example="--name 'Tea or coffee' --media-key 13_1790413002217308160 --title 'Which is yours?' "
    "--first-cta '#TeamTea' --first-cta-tweet 'Tea for me #TeamTea' --thank-you-text 'Cheers!'",
)
@at_least_one("title", "second_cta")
@together("second_cta", "second_cta_tweet")
@together("third_cta", "third_cta_tweet")
@together("fourth_cta", "fourth_cta_tweet")
class CreateVideoConversation(VideoConversation, kw_only=True):
    """Create a video conversation card: a video with hashtags."""

    name: Name
    media_key: ConversationMedia
    first_cta: Cta
    first_cta_tweet: CtaText
    thank_you_text: ShortText


@endpoint(
    "PUT /12/accounts/{account_id}/cards/video_conversation/{card_id}",
    "cards video-conversation update",
    columns=CONVERSATION_COLUMNS,
    extra_fields=CONVERSATION_FIELDS,
    example="7cqt8 --thank-you-text 'See you!'",
)
class UpdateVideoConversation(VideoConversation, kw_only=True):
    """Change fields of a video conversation card."""

    card_id: Id
    name: Name | None = None
    media_key: ConversationMedia | None = None
    first_cta: Cta | None = None
    first_cta_tweet: CtaText | None = None
    thank_you_text: ShortText | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/video_conversation/{card_id}",
    "cards video-conversation delete",
    columns=CONVERSATION_COLUMNS,
    confirm_prompt="Delete the video conversation card {card_id}; this cannot be undone",
    example="7cqt8",
)
class DeleteVideoConversation(InAccount):
    """Delete a video conversation card; this cannot be undone."""

    card_id: Id


@endpoint(
    "DELETE /12/accounts/{account_id}/cards/image_conversation/{card_id}",
    "cards image-conversation delete",
    columns=CARD_COLUMNS,
    confirm_prompt="Delete the image conversation card {card_id}",
    example="7cp02",
)
class DeleteImageConversation(InAccount):
    """Delete an image conversation card, an older card type."""

    card_id: Id
