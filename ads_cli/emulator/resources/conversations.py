"""Video conversation cards: a video, and hashtags that a post takes up."""

from ...api.cards import (
    CreateVideoConversation,
    GetVideoConversation,
    ListVideoConversations,
    UpdateVideoConversation,
)
from ...api.parts import params_of
from ...api.validation import convert
from ..core.paging import among, listed
from ..core.responses import Result, invalid
from ..core.routing import Call, handles
from ..core.store import Record, Store
from .accounts import known
from .cards import CARD, SORTABLE, add, card_of
from .media import in_library, size

VIDEO_CONVERSATION = ("VIDEO_CONVERSATION",)
VIDEO_RATIO = "16:9"
FIELDS = CreateVideoConversation.__struct_fields__
# Media that is not shown again under these names, and the type it has to have.
HIDDEN = {
    "poster_media_key": "IMAGE",
    "unlocked_image_media_key": "IMAGE",
    "unlocked_video_media_key": "VIDEO",
}
UNSET_FIELDS: Record = dict.fromkeys(name for name in FIELDS if name not in ("account_id", *HIDDEN))


def given(store: Store, user: str, request: CreateVideoConversation | UpdateVideoConversation) -> Record:
    """Give the fields that a request sets, and those that follow from its media."""
    account = request.account_id
    fields = {name: value for name, value in params_of(request).items() if name not in HIDDEN}
    if request.media_key:
        (video,) = in_library(store, account, "media_key", [request.media_key], "VIDEO")
        if video["aspect_ratio"] != VIDEO_RATIO:
            raise invalid(
                "media_key", f"a video has to be {VIDEO_RATIO}, and this is {video['aspect_ratio']}"
            )
        width, height = size(video)
        fields |= {
            "media_url": video["media_url"],
            "poster_media_url": video["poster_media_url"],
            "video_owner_id": user,
            "video_width": width,
            "video_height": height,
        }
    for name, media_type in HIDDEN.items():
        if key := getattr(request, name):
            (media,) = in_library(store, account, name, [key], media_type)
            if name == "poster_media_key":
                fields["poster_media_url"] = media["media_url"]
    return fields


def conversation(store: Store, user: str, request: CreateVideoConversation) -> Record:
    """Give the fields of a new card."""
    return UNSET_FIELDS | given(store, user, request) | {"card_type": VIDEO_CONVERSATION[0]}


@handles(ListVideoConversations)
def list_video_conversations(call: Call, request: ListVideoConversations) -> Result:
    """List the video conversation cards of an account."""
    known(call, request.account_id)
    return listed(
        call.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "title"),
        also=among("card_type", VIDEO_CONVERSATION),
    )


@handles(GetVideoConversation)
def get_video_conversation(call: Call, request: GetVideoConversation) -> Result:
    """Show one video conversation card."""
    account, card = request.account_id, request.card_id
    return Result(card_of(call, account, card, VIDEO_CONVERSATION, with_deleted=request.with_deleted))


@handles(CreateVideoConversation)
def create_video_conversation(call: Call, request: CreateVideoConversation) -> Result:
    """Create a video conversation card."""
    with call.store.writing():
        known(call, request.account_id)
        fields = conversation(call.store, call.user, request)
        return Result(add(call.store, request.account_id, fields))


@handles(UpdateVideoConversation)
def update_video_conversation(call: Call, request: UpdateVideoConversation) -> Result:
    """Change a card; what comes of it has to keep the rules of a new one."""
    account, card = request.account_id, request.card_id
    with call.store.writing():
        before = card_of(call, account, card, VIDEO_CONVERSATION)
        fields = given(call.store, call.user, request)
        after = before | fields | {"account_id": account}
        convert(CreateVideoConversation, {name: after[name] for name in FIELDS if name in after})
        return Result(call.store.change(CARD, card, fields, owner=account))
