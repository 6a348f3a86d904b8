"""Cards of conversations, with hashtags that each have the text of a post, and cards of polls."""

from typing import Annotated

from msgspec import Meta

from .cards import ListOlderCards, OneCard
from .conditions import at_least_one, requires, together
from .endpoint import Resource
from .types import Id, InAccount, Name, delete_one, get_one

COLUMNS = "id name title first_cta thank_you_text card_uri deleted"
EXTRA_FIELDS = (
    "card_type first_cta_tweet second_cta second_cta_tweet third_cta third_cta_tweet fourth_cta "
    "fourth_cta_tweet thank_you_url media_key media_url created_at updated_at"
)
IMAGE_FIELDS = f"{EXTRA_FIELDS} image_display_width image_display_height"
VIDEO_FIELDS = f"{EXTRA_FIELDS} poster_media_url video_owner_id video_width video_height"
CTA_LENGTH = 20
Cta = Annotated[
    str,
    Meta(
        pattern=rf"^#?[^#\n][^\n]{{0,{CTA_LENGTH - 1}}}\Z",
        description="The hashtag of a call to action",
        extra={"expected": f"1 to {CTA_LENGTH} characters, a leading # not counted"},
    ),
]
CtaText = Annotated[str, Meta(min_length=1, description="The text of the post with this hashtag")]
ShortText = Annotated[str, Meta(min_length=1, max_length=23)]
ImageKey = Annotated[Id, Meta(description="A 1.91:1 image, 800 px or wider, from the media library")]
VideoKey = Annotated[Id, Meta(description="A 16:9 video from the media library")]
UnlockedImage = Annotated[Id, Meta(description="An image that a post with a hashtag unlocks")]
UnlockedVideo = Annotated[Id, Meta(description="A video that a post with a hashtag unlocks")]
Poster = Annotated[Id, Meta(description="An image", extra={"default": "the first frame"})]


class Conversation(InAccount):
    """The optional fields of a conversation."""

    title: ShortText | None = None
    second_cta: Cta | None = None
    second_cta_tweet: CtaText | None = None
    third_cta: Cta | None = None
    third_cta_tweet: CtaText | None = None
    fourth_cta: Cta | None = None
    fourth_cta_tweet: CtaText | None = None
    thank_you_url: Name | None = None
    unlocked_image_media_key: UnlockedImage | None = None


# The service states no order of the calls to action: a fourth may stand without a second, beside a title.
@at_least_one("title", "second_cta")
@together("second_cta", "second_cta_tweet")
@together("third_cta", "third_cta_tweet")
@together("fourth_cta", "fourth_cta_tweet")
class NewConversation(Conversation, kw_only=True):
    """The fields of a new conversation."""

    name: Name
    first_cta: Cta
    first_cta_tweet: CtaText
    thank_you_text: ShortText


class ChangedConversation(Conversation, kw_only=True):
    """The fields that can be changed; only the service knows whether the card then keeps the rules."""

    card_id: Id
    name: Name | None = None
    first_cta: Cta | None = None
    first_cta_tweet: CtaText | None = None
    thank_you_text: ShortText | None = None


IMAGE_CONVERSATIONS = Resource(
    "/12/accounts/{account_id}/cards/image_conversation",
    "card_id",
    group="cards image-conversation",
    example="7cp02",
    columns=COLUMNS,
    extra_fields=IMAGE_FIELDS,
)
VIDEO_CONVERSATIONS = Resource(
    "/12/accounts/{account_id}/cards/video_conversation",
    "card_id",
    group="cards video-conversation",
    example="7cqt8",
    columns=COLUMNS,
    extra_fields=VIDEO_FIELDS,
)


@IMAGE_CONVERSATIONS.list(example="--q Tea --sort-by created_at-desc")
class ListImageConversations(ListOlderCards):
    """List image conversation cards."""


GetImageConversation = get_one(IMAGE_CONVERSATIONS, "Show one image conversation card.", OneCard)


@IMAGE_CONVERSATIONS.create(
    example="--name 'Tea or coffee' --media-key 3_1790412874512007168 --title 'Which is yours?' "
    "--first-cta '#TeamTea' --first-cta-tweet 'Tea for me #TeamTea' --thank-you-text 'Cheers!'"
)
class CreateImageConversation(NewConversation, kw_only=True):
    """Create an image conversation card: an image with hashtags."""

    media_key: ImageKey


@IMAGE_CONVERSATIONS.update(example="7cp02 --thank-you-text 'See you!'")
class UpdateImageConversation(ChangedConversation, kw_only=True):
    """Change fields of an image conversation card."""

    media_key: ImageKey | None = None


DeleteImageConversation = delete_one(
    IMAGE_CONVERSATIONS,
    "Delete an image conversation card; under service x this cannot be undone.",
    confirm_prompt="Delete the image conversation card {card_id}; service x cannot undo this",
)


@VIDEO_CONVERSATIONS.list(example="--sort-by created_at-desc")
class ListVideoConversations(ListOlderCards):
    """List video conversation cards."""


GetVideoConversation = get_one(VIDEO_CONVERSATIONS, "Show one video conversation card.", OneCard)


@VIDEO_CONVERSATIONS.create(
    example="--name 'Tea or coffee' --media-key 13_1790413002217308160 --title 'Which is yours?' "
    "--first-cta '#TeamTea' --first-cta-tweet 'Tea for me #TeamTea' --thank-you-text 'Cheers!'"
)
class CreateVideoConversation(NewConversation, kw_only=True):
    """Create a video conversation card: a video with hashtags."""

    media_key: VideoKey
    poster_media_key: Poster | None = None
    unlocked_video_media_key: UnlockedVideo | None = None


@VIDEO_CONVERSATIONS.update(example="7cqt8 --thank-you-text 'See you!'")
class UpdateVideoConversation(ChangedConversation, kw_only=True):
    """Change fields of a video conversation card."""

    media_key: VideoKey | None = None
    poster_media_key: Poster | None = None
    unlocked_video_media_key: UnlockedVideo | None = None


DeleteVideoConversation = delete_one(
    VIDEO_CONVERSATIONS,
    "Delete a video conversation card; this cannot be undone.",
    confirm_prompt="Delete the video conversation card {card_id}; this cannot be undone",
)


Choice = Annotated[str, Meta(min_length=1, max_length=25)]
Minutes = Annotated[int, Meta(ge=5, le=10080, description="How long the poll runs, in minutes")]
PollMedia = Annotated[
    Id, Meta(description="A video, or an image of 1.91:1 and 800 px or wider, from the media library")
]


POLL = Resource(
    "/12/accounts/{account_id}/cards/poll",
    "card_id",
    group="cards poll",
    example="7cqt1",
    columns="id name first_choice second_choice end_time card_uri deleted",
)


@POLL.list(example="--q Favourite")
class ListPolls(ListOlderCards):
    """List poll cards."""


GetPoll = get_one(POLL, "Show one poll card.", OneCard)


@POLL.create(
    example="--name 'Tea or coffee' --duration-in-minutes 1440 --first-choice Tea --second-choice Coffee"
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


DeletePoll = delete_one(
    POLL,
    "Delete a poll card; this cannot be undone.",
    confirm_prompt="Delete the poll card {card_id}; this cannot be undone",
)
