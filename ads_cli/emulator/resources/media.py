"""Media: the library of what was uploaded, and the media that ads of an account show.

The specification has no upload. Here any key that begins as an upload's does may be added to the
library: 3_ for an image, 13_ for a video, 16_ for a GIF.
"""

from collections.abc import Sequence

from ...api.media import (
    AddLibraryMedia,
    DeleteAccountMedia,
    DeleteLibraryMedia,
    Described,
    GetAccountMedia,
    GetLibraryMedia,
    ListAccountMedia,
    ListLibraryMedia,
    UpdateLibraryMedia,
)
from ...api.parts import params_of
from ..core import ids
from ..core.paging import among, listed
from ..core.responses import Result, invalid
from ..core.routing import Call, handles
from ..core.store import Record, Store
from .accounts import held, known

LIBRARY, ACCOUNT_MEDIA = "library_media", "account_media"
KINDS = {  # by the beginning of the key: type, category, ending of its file, aspect ratio, seconds
    "3": ("IMAGE", "POST_IMAGE", "jpg", "1.91:1", None),
    "13": ("VIDEO", "AMPLIFY_VIDEO", "mp4", "16:9", 15.0),
    "16": ("GIF", "POST_GIF", "mp4", "1:1", 3.0),
}
TEXTS = ("name", "file_name", "title", "description")
OF_VIDEOS = ("title", "description", "poster_media_key")
HOST = "https://media.example"


def in_library(store: Store, account: str, parameter: str, keys: Sequence[str], *types: str) -> list[Record]:
    """Give media of the library; refuse a parameter that names other media, or other types than `types`."""
    found = []
    for key in dict.fromkeys(keys):
        media = store.find(LIBRARY, key, owner=account)
        if media is None:
            raise invalid(parameter, f"the media library has no {key}")
        if types and media["media_type"] not in types:
            raise invalid(parameter, f"{key} is of type {media['media_type']}, not {' or '.join(types)}")
        found.append(media)
    return found


def new(key: str) -> Record | None:
    """Give what an upload of this key is known as, or None where no upload has such a key."""
    prefix, _, number = key.partition("_")
    if prefix not in KINDS or not number:
        return None
    media_type, category, ending, aspect_ratio, duration = KINDS[prefix]
    return {
        "media_key": key,
        "media_type": media_type,
        "media_category": category,
        "media_status": "TRANSCODE_COMPLETED",
        **dict.fromkeys(TEXTS),
        "posted": False,
        "media_url": f"{HOST}/{key}.{ending}",
        "poster_media_key": None,
        "poster_media_url": f"{HOST}/{key}-first-frame.jpg" if media_type == "VIDEO" else None,
        "duration": duration,
        "aspect_ratio": aspect_ratio,
    }


def add(store: Store, account: str, media: Record, created_at: str | None = None) -> Record:
    """Put media into the library; a video for ads is account media too."""
    added = store.add(LIBRARY, media["media_key"], media, owner=account, created_at=created_at)
    if media["media_category"] == "AMPLIFY_VIDEO":
        fields = {"creative_type": "PREROLL", "video_id": media["media_key"], "media_url": media["media_url"]}
        store.add(ACCOUNT_MEDIA, ids.word(), fields, owner=account, created_at=created_at)
    return added


def size(media: Record) -> tuple[str, str]:
    """Give width and height of a video, which has 720 lines."""
    across, down = map(float, media["aspect_ratio"].split(":"))
    return str(round(720 * across / down)), "720"


def _told(call: Call, request: Described, media_type: str) -> Record:
    """Give what a request tells of media; refuse of others what is for videos only."""
    fields = {name: value for name, value in params_of(request).items() if name != "media_key"}
    if media_type != "VIDEO" and (misplaced := [name for name in OF_VIDEOS if name in fields]):
        raise invalid(misplaced[0], f"is for videos only, and this is of type {media_type}")
    if poster := fields.get("poster_media_key"):
        (image,) = in_library(call.store, request.account_id, "poster_media_key", [poster], "IMAGE")
        fields["poster_media_url"] = image["media_url"]
    return fields


def _shown(record: Record) -> Record:
    """Show media of the library, which has a key in the place of an id."""
    return {name: value for name, value in record.items() if name != "id"}


@handles(ListLibraryMedia)
def list_library_media(call: Call, request: ListLibraryMedia) -> Result:
    """List the media library; deleted media is not shown any more."""
    known(call, request.account_id)
    types = None if request.media_type is None else [request.media_type]
    answer = listed(
        call.store,
        request,
        LIBRARY,
        owner=request.account_id,
        searched=TEXTS,
        also=among("media_type", types),
    )
    return answer._replace(data=[_shown(record) for record in answer.data])


@handles(GetLibraryMedia)
def get_library_media(call: Call, request: GetLibraryMedia) -> Result:
    """Show one thing of the media library."""
    return Result(_shown(held(call, request.account_id, LIBRARY, request.media_key)))


@handles(AddLibraryMedia)
def add_library_media(call: Call, request: AddLibraryMedia) -> Result:
    """Add media to the library; what was deleted may be added again."""
    account, key = request.account_id, request.media_key
    with call.store.writing():
        known(call, account)
        media = new(key)
        if media is None:
            raise invalid("media_key", f"{key} is no upload; here keys begin with {'_, '.join(KINDS)}_")
        if call.store.find(LIBRARY, key, owner=account):
            raise invalid("media_key", f"{key} is in the media library already")
        fields = media | _told(call, request, media["media_type"])
        call.store.erase(LIBRARY, account, key)
        return Result(_shown(add(call.store, account, fields)))


@handles(UpdateLibraryMedia)
def update_library_media(call: Call, request: UpdateLibraryMedia) -> Result:
    """Change what is told of media in the library."""
    account, key = request.account_id, request.media_key
    with call.store.writing():
        before = held(call, account, LIBRARY, key)
        fields = _told(call, request, before["media_type"])
        return Result(_shown(call.store.change(LIBRARY, key, fields, owner=account)))


@handles(DeleteLibraryMedia)
def delete_library_media(call: Call, request: DeleteLibraryMedia) -> Result:
    """Delete media from the library; the cards and posts that show it keep it."""
    account, key = request.account_id, request.media_key
    with call.store.writing():
        held(call, account, LIBRARY, key)
        return Result(_shown(call.store.delete(LIBRARY, key, owner=account)))


@handles(ListAccountMedia)
def list_account_media(call: Call, request: ListAccountMedia) -> Result:
    """List the media that ads of the account show."""
    known(call, request.account_id)
    return listed(
        call.store,
        request,
        ACCOUNT_MEDIA,
        owner=request.account_id,
        ids=request.account_media_ids,
        sortable=("creative_type", "video_id"),
        also=among("creative_type", request.creative_types),
    )


@handles(GetAccountMedia)
def get_account_media(call: Call, request: GetAccountMedia) -> Result:
    """Show one of the media that ads of the account show."""
    deleted_too = bool(request.with_deleted)
    account, wanted = request.account_id, request.account_media_id
    return Result(held(call, account, ACCOUNT_MEDIA, wanted, with_deleted=deleted_too))


@handles(DeleteAccountMedia)
def delete_account_media(call: Call, request: DeleteAccountMedia) -> Result:
    """Delete one of the media that ads of the account show."""
    account, wanted = request.account_id, request.account_media_id
    with call.store.writing():
        held(call, account, ACCOUNT_MEDIA, wanted)
        return Result(call.store.delete(ACCOUNT_MEDIA, wanted, owner=account))
