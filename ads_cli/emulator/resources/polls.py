"""Poll cards: they start when they are created, and cannot be updated; a deletion is permanent."""

from datetime import datetime, timedelta

from ...api.conversations import CreatePoll, DeletePoll, GetPoll, ListPolls
from ...api.time import Time
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.responses import Result, invalid_parameter
from ..storage import Record, Store, utc_now
from .account_access import require_feature
from .accounts import require_account
from .cards import CARD, SORTABLE, add_card, delete_of_type, require_card
from .media import find_media, require_fit_for_card, video_fields

TEXT_POLLS = "TEXT_POLLS"
POLLS = (TEXT_POLLS, "VIDEO_POLLS", "IMAGE_POLLS", "GIF_POLLS")
MEDIA_POLLS = "PROMOTED_MEDIA_POLLS"  # the feature of polls with media
IMAGE_ASPECT_RATIO = "1.91:1"


def poll_fields(store: Store, request: CreatePoll, start: str) -> Record:
    """Return the fields of a poll that starts at a time; the media key is write-only."""
    end = datetime.fromisoformat(start) + timedelta(minutes=request.duration_in_minutes)
    return {
        "name": request.name,
        "first_choice": request.first_choice,
        "second_choice": request.second_choice,
        "third_choice": request.third_choice,
        "fourth_choice": request.fourth_choice,
        "duration_in_minutes": request.duration_in_minutes,
        "start_time": start,
        "end_time": Time.parse(end.isoformat()),
        **_media_fields(store, request),
    }


def _media_fields(store: Store, request: CreatePoll) -> Record:
    """Return the type of a poll, and the fields of its video."""
    if request.media_key is None:
        return {"card_type": TEXT_POLLS}
    (media,) = find_media(store, request.account_id, "media_key", [request.media_key])
    if media["media_type"] == "IMAGE" and media["aspect_ratio"] != IMAGE_ASPECT_RATIO:
        reason = f"the aspect ratio of the image is {media['aspect_ratio']}, not {IMAGE_ASPECT_RATIO}"
        raise invalid_parameter("media_key", reason)
    require_fit_for_card(media, "media_key", IMAGE_ASPECT_RATIO, "16:9")
    fields: Record = {"card_type": f"{media['media_type']}_POLLS"}
    if media["media_type"] == "VIDEO":
        fields |= video_fields(media)
    return fields


@handler(ListPolls)
def list_polls(context: RequestContext, request: ListPolls) -> Result:
    """List the poll cards of an account."""
    require_account(context, request.account_id)
    return list_page(
        context.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "start_time", "end_time"),
        where=field_in("card_type", POLLS),
    )


@handler(GetPoll)
def get_poll(context: RequestContext, request: GetPoll) -> Result:
    """Return one poll card."""
    account, card, deleted = request.account_id, request.card_id, request.with_deleted
    return Result(require_card(context, account, card, POLLS, with_deleted=deleted))


@handler(CreatePoll)
def create_poll(context: RequestContext, request: CreatePoll) -> Result:
    """Create a poll card."""
    with context.store.transaction():
        require_account(context, request.account_id)
        if request.media_key is not None:
            require_feature(context, request.account_id, MEDIA_POLLS, "media_key")
        fields = poll_fields(context.store, request, utc_now())
        return Result(add_card(context.store, request.account_id, fields))


@handler(DeletePoll)
def delete_poll(context: RequestContext, request: DeletePoll) -> Result:
    """Delete a poll card."""
    return delete_of_type(context, request.account_id, request.card_id, POLLS, permanently=True)
