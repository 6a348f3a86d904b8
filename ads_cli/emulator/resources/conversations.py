"""Conversation cards: an image or a video with hashtags to post about."""

from collections.abc import Sequence
from typing import NamedTuple

from ...api import conversations
from ...api.conversations import CreateImageConversation, CreateVideoConversation, NewConversation
from ...api.endpoint import Resource
from ...api.validation import convert
from ..core.handlers import RequestContext
from ..core.responses import invalid_parameter
from ..storage import Record, Store, without
from .cards import SORTABLE, with_uri
from .collection import EVERYWHERE, Collection
from .media import find_media, media_size, require_fit_for_card


class CardKind(NamedTuple):
    """A kind of conversation cards, and the media that it shows."""

    media_type: str
    aspect_ratio: str
    create: type[NewConversation]

    @property
    def card_type(self) -> str:
        """The type of its cards."""
        return f"{self.media_type}_CONVERSATION"

    @property
    def fields(self) -> list[str]:
        """The fields that a request may set and that a card shows."""
        return [name for name in self.create.__struct_fields__ if name not in ("account_id", *WRITE_ONLY)]


# Media keys that responses do not include, with the required media type.
WRITE_ONLY = {
    "poster_media_key": "IMAGE",
    "unlocked_image_media_key": "IMAGE",
    "unlocked_video_media_key": "VIDEO",
}
IMAGE = CardKind("IMAGE", "1.91:1", CreateImageConversation)
VIDEO = CardKind("VIDEO", "16:9", CreateVideoConversation)


def new_card(store: Store, account: str, user: str, kind: CardKind, fields: Record) -> Record:
    """Return a new card as it is stored."""
    shown = dict.fromkeys(kind.fields) | _with_media(store, account, user, kind, fields)
    return with_uri(shown | {"card_type": kind.card_type})


def _with_media(store: Store, account: str, user: str, kind: CardKind, fields: Record) -> Record:
    """Return fields of a card with what its media determine; raise ApiError for media that it cannot show."""
    shown = without(fields, *WRITE_ONLY)
    if key := fields.get("media_key"):
        (media,) = find_media(store, account, "media_key", [key], kind.media_type)
        if media["aspect_ratio"] != kind.aspect_ratio:
            noun = kind.media_type.lower()
            reason = f"the aspect ratio of the {noun} is {media['aspect_ratio']}, not {kind.aspect_ratio}"
            raise invalid_parameter("media_key", reason)
        require_fit_for_card(media, "media_key", kind.aspect_ratio)
        shown |= _video_fields(media, user) if kind is VIDEO else _image_fields(media)
    for name, media_type in WRITE_ONLY.items():
        if key := fields.get(name):
            (media,) = find_media(store, account, name, [key], media_type)
            if name == "poster_media_key":
                shown["poster_media_url"] = media["media_url"]
    return shown


def _image_fields(image: Record) -> Record:
    width, height = media_size(image)
    return {"media_url": image["media_url"], "image_display_width": width, "image_display_height": height}


def _video_fields(video: Record, user: str) -> Record:
    width, height = media_size(video)
    return {
        "media_url": video["media_url"],
        "poster_media_url": video["poster_media_url"],
        "video_owner_id": user,
        "video_width": width,
        "video_height": height,
    }


def _cards_of(kind: CardKind, resource: Resource, permanent: Sequence[str]) -> Collection:
    """Declare the cards of a kind."""

    def prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
        """Return a card with its media; a changed one must satisfy the rules of a new one."""
        store, account, user = context.store, context.account, context.user
        if before is None:
            return new_card(store, account, user, kind, after)
        changed = {name: value for name, value in after.items() if value != before.get(name)}
        after = before | _with_media(store, account, user, kind, changed)
        values = {name: after[name] for name in kind.fields if name in after}
        convert(kind.create, values | {"account_id": account})
        return after

    return Collection(
        resource,
        sortable=(*SORTABLE, "title"),
        only={"card_type": [kind.card_type]},
        permanent=permanent,
        prepare=prepared,
    )


IMAGES = _cards_of(IMAGE, conversations.IMAGE_CONVERSATIONS, ("x",))  # the specification marks them only
VIDEOS = _cards_of(VIDEO, conversations.VIDEO_CONVERSATIONS, EVERYWHERE)
