"""Conversation cards: an image or a video with hashtags to post about."""

from typing import NamedTuple

from ...api.conversations import (
    ChangedConversation,
    CreateImageConversation,
    CreateVideoConversation,
    DeleteImageConversation,
    DeleteVideoConversation,
    GetImageConversation,
    GetVideoConversation,
    ListImageConversations,
    ListVideoConversations,
    NewConversation,
    UpdateImageConversation,
    UpdateVideoConversation,
)
from ...api.endpoint import Request
from ...api.validation import convert
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.request import changes_of
from ..core.responses import Result, invalid_parameter
from ..storage import Record, Store
from .accounts import require_account
from .cards import CARD, SORTABLE, add_card, delete_of_type, require_card
from .media import find_media, image_size, require_fit_for_card, video_size


class CardKind(NamedTuple):
    """A kind of conversation cards, and the media that it shows."""

    card_type: str
    media_type: str
    aspect_ratio: str
    create: type[NewConversation]

    @property
    def fields(self) -> list[str]:
        """The fields that a request may set and that a card shows."""
        fields = self.create.__struct_fields__
        return [name for name in fields if name != "account_id" and name not in WRITE_ONLY]


# Media keys that responses do not include, with the required media type.
WRITE_ONLY = {
    "poster_media_key": "IMAGE",
    "unlocked_image_media_key": "IMAGE",
    "unlocked_video_media_key": "VIDEO",
}
IMAGE = CardKind("IMAGE_CONVERSATION", "IMAGE", "1.91:1", CreateImageConversation)
VIDEO = CardKind("VIDEO_CONVERSATION", "VIDEO", "16:9", CreateVideoConversation)
KIND_OF: dict[type[Request], CardKind] = {
    **dict.fromkeys((ListImageConversations, GetImageConversation, CreateImageConversation), IMAGE),
    **dict.fromkeys((UpdateImageConversation, DeleteImageConversation), IMAGE),
    **dict.fromkeys((ListVideoConversations, GetVideoConversation, CreateVideoConversation), VIDEO),
    **dict.fromkeys((UpdateVideoConversation, DeleteVideoConversation), VIDEO),
}


def _fields(store: Store, user: str, request: NewConversation | ChangedConversation) -> Record:
    """Return the fields that a request sets, and those that its media determine."""
    kind, account = KIND_OF[type(request)], request.account_id
    fields = {name: value for name, value in changes_of(request).items() if name not in WRITE_ONLY}
    if key := fields.get("media_key"):
        (media,) = find_media(store, account, "media_key", [key], kind.media_type)
        if media["aspect_ratio"] != kind.aspect_ratio:
            shown = kind.media_type.lower()
            reason = f"the aspect ratio of the {shown} is {media['aspect_ratio']}, not {kind.aspect_ratio}"
            raise invalid_parameter("media_key", reason)
        require_fit_for_card(media, "media_key", kind.aspect_ratio)
        fields |= _video_fields(media, user) if kind is VIDEO else _image_fields(media)
    for name, media_type in WRITE_ONLY.items():
        if key := getattr(request, name, None):
            (media,) = find_media(store, account, name, [key], media_type)
            if name == "poster_media_key":
                fields["poster_media_url"] = media["media_url"]
    return fields


def _image_fields(image: Record) -> Record:
    width, height = image_size(image)
    return {"media_url": image["media_url"], "image_display_width": width, "image_display_height": height}


def _video_fields(video: Record, user: str) -> Record:
    width, height = video_size(video)
    return {
        "media_url": video["media_url"],
        "poster_media_url": video["poster_media_url"],
        "video_owner_id": user,
        "video_width": width,
        "video_height": height,
    }


def conversation_fields(store: Store, user: str, request: NewConversation) -> Record:
    """Return the fields of a new card."""
    kind = KIND_OF[type(request)]
    return dict.fromkeys(kind.fields) | _fields(store, user, request) | {"card_type": kind.card_type}


@handler(ListImageConversations)
@handler(ListVideoConversations)
def list_conversations(
    context: RequestContext, request: ListImageConversations | ListVideoConversations
) -> Result:
    """List the conversation cards of one kind."""
    require_account(context, request.account_id)
    return list_page(
        context.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "title"),
        where=field_in("card_type", [KIND_OF[type(request)].card_type]),
    )


@handler(GetImageConversation)
@handler(GetVideoConversation)
def get_conversation(context: RequestContext, request: GetImageConversation | GetVideoConversation) -> Result:
    """Return one conversation card."""
    account, card, deleted = request.account_id, request.card_id, request.with_deleted
    types = [KIND_OF[type(request)].card_type]
    return Result(require_card(context, account, card, types, with_deleted=deleted))


@handler(CreateImageConversation)
@handler(CreateVideoConversation)
def create_conversation(context: RequestContext, request: NewConversation) -> Result:
    """Create a conversation card."""
    with context.store.transaction():
        require_account(context, request.account_id)
        fields = conversation_fields(context.store, context.user, request)
        return Result(add_card(context.store, request.account_id, fields))


@handler(UpdateImageConversation)
@handler(UpdateVideoConversation)
def update_conversation(context: RequestContext, request: ChangedConversation) -> Result:
    """Update a card; the result must satisfy the rules of a new one."""
    kind, account, card = KIND_OF[type(request)], request.account_id, request.card_id
    with context.store.transaction():
        before = require_card(context, account, card, [kind.card_type])
        fields = _fields(context.store, context.user, request)
        after = before | fields
        set_fields = {name: after[name] for name in kind.fields if name in after}
        convert(kind.create, set_fields | {"account_id": account})
        return Result(context.store.update(CARD, card, fields, owner=account))


@handler(DeleteImageConversation)
@handler(DeleteVideoConversation)
def delete_conversation(
    context: RequestContext, request: DeleteImageConversation | DeleteVideoConversation
) -> Result:
    """Delete a card, permanently; the specification only marks images as deleted."""
    kind = KIND_OF[type(request)]
    is_permanent = kind is VIDEO or context.service == "x"
    types = [kind.card_type]
    return delete_of_type(context, request.account_id, request.card_id, types, permanently=is_permanent)
