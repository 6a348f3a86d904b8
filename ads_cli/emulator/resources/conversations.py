"""Video conversation cards: a video with hashtags to post about."""

from ...api.cards import (
    CreateVideoConversation,
    DeleteVideoConversation,
    GetVideoConversation,
    ListVideoConversations,
    UpdateVideoConversation,
)
from ...api.validation import convert
from ..core.errors import invalid_parameter
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.params import changes_of
from ..core.responses import Result
from ..storage.store import Record, Store
from .accounts import require_account
from .cards import CARD, SORTABLE, add_card, delete_of_type, require_card
from .media import find_media, video_size

VIDEO_CONVERSATION = ("VIDEO_CONVERSATION",)
ASPECT_RATIO = "16:9"
FIELDS = CreateVideoConversation.__struct_fields__
# Media keys that responses do not include, with the required media type.
WRITE_ONLY = {
    "poster_media_key": "IMAGE",
    "unlocked_image_media_key": "IMAGE",
    "unlocked_video_media_key": "VIDEO",
}
DEFAULTS: Record = dict.fromkeys(name for name in FIELDS if name not in ("account_id", *WRITE_ONLY))


def _fields(store: Store, user: str, request: CreateVideoConversation | UpdateVideoConversation) -> Record:
    """Return the fields that a request sets, and those that its media determine."""
    account = request.account_id
    fields = {name: value for name, value in changes_of(request).items() if name not in WRITE_ONLY}
    if request.media_key:
        (video,) = find_media(store, account, "media_key", [request.media_key], "VIDEO")
        if video["aspect_ratio"] != ASPECT_RATIO:
            reason = f"the aspect ratio of the video is {video['aspect_ratio']}, not {ASPECT_RATIO}"
            raise invalid_parameter("media_key", reason)
        width, height = video_size(video)
        fields |= {
            "media_url": video["media_url"],
            "poster_media_url": video["poster_media_url"],
            "video_owner_id": user,
            "video_width": width,
            "video_height": height,
        }
    for name, media_type in WRITE_ONLY.items():
        if key := getattr(request, name):
            (media,) = find_media(store, account, name, [key], media_type)
            if name == "poster_media_key":
                fields["poster_media_url"] = media["media_url"]
    return fields


def conversation_fields(store: Store, user: str, request: CreateVideoConversation) -> Record:
    """Return the fields of a new card."""
    return DEFAULTS | _fields(store, user, request) | {"card_type": VIDEO_CONVERSATION[0]}


@handler(ListVideoConversations)
def list_video_conversations(context: RequestContext, request: ListVideoConversations) -> Result:
    """List the video conversation cards of an account."""
    require_account(context, request.account_id)
    return list_page(
        context.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "title"),
        where=field_in("card_type", VIDEO_CONVERSATION),
    )


@handler(GetVideoConversation)
def get_video_conversation(context: RequestContext, request: GetVideoConversation) -> Result:
    """Return one video conversation card."""
    account, card, deleted = request.account_id, request.card_id, request.with_deleted
    return Result(require_card(context, account, card, VIDEO_CONVERSATION, with_deleted=deleted))


@handler(CreateVideoConversation)
def create_video_conversation(context: RequestContext, request: CreateVideoConversation) -> Result:
    """Create a video conversation card."""
    with context.store.transaction():
        require_account(context, request.account_id)
        fields = conversation_fields(context.store, context.user, request)
        return Result(add_card(context.store, request.account_id, fields))


@handler(UpdateVideoConversation)
def update_video_conversation(context: RequestContext, request: UpdateVideoConversation) -> Result:
    """Update a card; the result must satisfy the rules of a new one."""
    account, card = request.account_id, request.card_id
    with context.store.transaction():
        before = require_card(context, account, card, VIDEO_CONVERSATION)
        fields = _fields(context.store, context.user, request)
        after = before | fields | {"account_id": account}
        convert(CreateVideoConversation, {name: after[name] for name in FIELDS if name in after})
        return Result(context.store.update(CARD, card, fields, owner=account))


@handler(DeleteVideoConversation)
def delete_video_conversation(context: RequestContext, request: DeleteVideoConversation) -> Result:
    """Delete a card, permanently."""
    account, card = request.account_id, request.card_id
    return delete_of_type(context, account, card, VIDEO_CONVERSATION, permanently=True)
