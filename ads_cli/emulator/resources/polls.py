"""Poll cards: they begin when they are made, and cannot be changed."""

from datetime import datetime, timedelta

from ...api.cards import CreatePoll, GetPoll, ListPolls
from ...api.time import Time
from ..core.paging import among, listed
from ..core.responses import Result, invalid
from ..core.routing import Call, handles
from ..core.store import Record, Store, now
from .accounts import known
from .cards import CARD, SORTABLE, add, card_of
from .media import in_library, size

TEXT_POLLS = "TEXT_POLLS"
POLLS = (TEXT_POLLS, "VIDEO_POLLS", "IMAGE_POLLS", "GIF_POLLS")
IMAGE_RATIO = "1.91:1"


def poll(store: Store, request: CreatePoll, start: str) -> Record:
    """Give the fields of a poll that begins at a time; the key of its media is not shown."""
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
        **_illustrated(store, request),
    }


def _illustrated(store: Store, request: CreatePoll) -> Record:
    """Give the type of a poll, and what is told of its video."""
    if request.media_key is None:
        return {"card_type": TEXT_POLLS}
    (media,) = in_library(store, request.account_id, "media_key", [request.media_key])
    if media["media_type"] == "IMAGE" and media["aspect_ratio"] != IMAGE_RATIO:
        raise invalid("media_key", f"an image has to be {IMAGE_RATIO}, and this is {media['aspect_ratio']}")
    fields: Record = {"card_type": f"{media['media_type']}_POLLS"}
    if media["media_type"] == "VIDEO":
        width, height = size(media)
        fields |= {
            "video_url": media["media_url"],
            "video_hls_url": media["media_url"].replace(".mp4", ".m3u8"),
            "video_width": width,
            "video_height": height,
            "video_poster_url": media["poster_media_url"],
            "video_poster_width": width,
            "video_poster_height": height,
            "content_duration_seconds": str(media["duration"]),
        }
    return fields


@handles(ListPolls)
def list_polls(call: Call, request: ListPolls) -> Result:
    """List the poll cards of an account."""
    known(call, request.account_id)
    return listed(
        call.store,
        request,
        CARD,
        owner=request.account_id,
        ids=request.card_ids,
        sortable=(*SORTABLE, "start_time", "end_time"),
        also=among("card_type", POLLS),
    )


@handles(GetPoll)
def get_poll(call: Call, request: GetPoll) -> Result:
    """Show one poll card."""
    return Result(
        card_of(call, request.account_id, request.card_id, POLLS, with_deleted=request.with_deleted)
    )


@handles(CreatePoll)
def create_poll(call: Call, request: CreatePoll) -> Result:
    """Create a poll card."""
    with call.store.writing():
        known(call, request.account_id)
        return Result(add(call.store, request.account_id, poll(call.store, request, now())))
