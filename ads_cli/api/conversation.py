"""Fields of video conversation cards: calls to action, each with the text of its post."""

from typing import Annotated

from msgspec import Meta

from .types import Id, InAccount, Name

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
ConversationMedia = Annotated[Id, Meta(description="A 16:9 video from the media library")]


class VideoConversation(InAccount):
    """The optional fields of a video conversation."""

    title: ShortText | None = None
    second_cta: Cta | None = None
    second_cta_tweet: CtaText | None = None
    third_cta: Cta | None = None
    third_cta_tweet: CtaText | None = None
    fourth_cta: Cta | None = None
    fourth_cta_tweet: CtaText | None = None
    poster_media_key: Id | None = None
    thank_you_url: Name | None = None
    unlocked_image_media_key: Id | None = None
    unlocked_video_media_key: Id | None = None
