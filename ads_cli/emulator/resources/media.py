"""Media: the library of uploads, and the media that an account's ads use.

The specification has no upload. Here any key with the prefix of an upload can be added to the library:
3_ for an image, 13_ for a video, 16_ for a GIF.
"""

from collections.abc import Sequence

from ...api import media
from ...api.media import (
    AddLibraryMedia,
    DeleteLibraryMedia,
    GetLibraryMedia,
    ListLibraryMedia,
    MediaDetails,
    UpdateLibraryMedia,
)
from ..core.handlers import RequestContext, handler
from ..core.paging import field_in, list_page
from ..core.request import changes_of
from ..core.responses import Result, invalid_parameter
from ..storage import Record, Store, random_base36
from .accounts import delete_record, require_account, require_record
from .collection import Collection

LIBRARY, ACCOUNT_MEDIA = "library_media", "account_media"
UPLOADS = {  # by prefix of the key: type, category, file extension, aspect ratio, seconds
    "3": ("IMAGE", "POST_IMAGE", "jpg", "1.91:1", None),
    "13": ("VIDEO", "AMPLIFY_VIDEO", "mp4", "16:9", 15.0),
    "16": ("GIF", "POST_GIF", "mp4", "1:1", 3.0),
}
TEXT_FIELDS = ("name", "file_name", "title", "description")
VIDEO_FIELDS = ("title", "description", "poster_media_key")
HOST = "https://media.example"
IMAGE_WIDTH = 800  # pixels, of all images
VIDEO_HEIGHT = 720  # pixels, of all videos


def find_media(store: Store, account: str, parameter: str, keys: Sequence[str], *types: str) -> list[Record]:
    """Return media of the library; raise ApiError for unknown keys and for types not in `types`."""
    found = []
    for key in dict.fromkeys(keys):
        media = store.find(LIBRARY, key, owner=account)
        if media is None:
            raise invalid_parameter(parameter, f"the media library has no {key}")
        if types and media["media_type"] not in types:
            reason = f"{key} is of type {media['media_type']}, not {' or '.join(types)}"
            raise invalid_parameter(parameter, reason)
        found.append(media)
    return found


def uploaded_media(key: str) -> Record | None:
    """Return the fields of the upload with a key, or None if no upload has such a key."""
    prefix, _, number = key.partition("_")
    if prefix not in UPLOADS or not number:
        return None
    media_type, category, extension, aspect_ratio, duration = UPLOADS[prefix]
    return {
        "media_key": key,
        "media_type": media_type,
        "media_category": category,
        "media_status": "TRANSCODE_COMPLETED",
        **dict.fromkeys(TEXT_FIELDS),
        "posted": False,
        "media_url": f"{HOST}/{key}.{extension}",
        "poster_media_key": None,
        "poster_media_url": f"{HOST}/{key}-first-frame.jpg" if media_type == "VIDEO" else None,
        "duration": duration,
        "aspect_ratio": aspect_ratio,
    }


def add_media(store: Store, account: str, media: Record, created_at: str | None = None) -> Record:
    """Add media to the library; videos for ads also become account media."""
    added = store.add(LIBRARY, media["media_key"], media, owner=account, created_at=created_at)
    if media["media_category"] == "AMPLIFY_VIDEO":
        fields = {"creative_type": "PREROLL", "video_id": media["media_key"], "media_url": media["media_url"]}
        store.add(ACCOUNT_MEDIA, random_base36(), fields, owner=account, created_at=created_at)
    return added


def video_size(media: Record) -> tuple[str, str]:
    """Return width and height of a video in pixels."""
    horizontal, vertical = map(float, media["aspect_ratio"].split(":"))
    return str(round(VIDEO_HEIGHT * horizontal / vertical)), str(VIDEO_HEIGHT)


def video_fields(media: Record) -> Record:
    """Return the fields of a card that shows a video."""
    width, height = video_size(media)
    return {
        "video_url": media["media_url"],
        "video_hls_url": media["media_url"].replace(".mp4", ".m3u8"),
        "video_width": width,
        "video_height": height,
        "video_poster_url": media["poster_media_url"],
        "video_poster_width": width,
        "video_poster_height": height,
        "content_duration_seconds": str(round(media["duration"])),
    }


def image_size(media: Record) -> tuple[str, str]:
    """Return width and height of an image in pixels."""
    horizontal, vertical = map(float, media["aspect_ratio"].split(":"))
    return str(IMAGE_WIDTH), str(round(IMAGE_WIDTH * vertical / horizontal))


def _fields(context: RequestContext, request: MediaDetails, media_type: str) -> Record:
    """Return the fields that a request sets; raise ApiError for fields of videos in other media."""
    fields = {name: value for name, value in changes_of(request).items() if name != "media_key"}
    if media_type != "VIDEO" and (misplaced := [name for name in VIDEO_FIELDS if name in fields]):
        raise invalid_parameter(misplaced[0], f"is allowed for videos, not for type {media_type}")
    if poster := fields.get("poster_media_key"):
        (image,) = find_media(context.store, request.account_id, "poster_media_key", [poster], "IMAGE")
        fields["poster_media_url"] = image["media_url"]
    return fields


def _without_id(record: Record) -> Record:
    """Return library media as the service does, which identifies it by its media key."""
    return {name: value for name, value in record.items() if name != "id"}


@handler(ListLibraryMedia)
def list_library_media(context: RequestContext, request: ListLibraryMedia) -> Result:
    """List the media library; deleted media is never included."""
    require_account(context, request.account_id)
    page = list_page(
        context.store,
        request,
        LIBRARY,
        owner=request.account_id,
        search_fields=TEXT_FIELDS,
        where=field_in("media_type", None if request.media_type is None else [request.media_type]),
    )
    return page._replace(data=[_without_id(record) for record in page.data])


@handler(GetLibraryMedia)
def get_library_media(context: RequestContext, request: GetLibraryMedia) -> Result:
    """Return one item of the media library."""
    return Result(_without_id(require_record(context, request.account_id, LIBRARY, request.media_key)))


@handler(AddLibraryMedia)
def add_library_media(context: RequestContext, request: AddLibraryMedia) -> Result:
    """Add media to the library; deleted media can be added again."""
    account, key = request.account_id, request.media_key
    with context.store.transaction():
        require_account(context, account)
        media = uploaded_media(key)
        if media is None:
            reason = f"{key} is not an upload; here its key starts with {'_, '.join(UPLOADS)}_"
            raise invalid_parameter("media_key", reason)
        if context.store.find(LIBRARY, key, owner=account):
            raise invalid_parameter("media_key", f"{key} is already in the media library")
        fields = media | _fields(context, request, media["media_type"])
        context.store.purge(LIBRARY, account, key)
        return Result(_without_id(add_media(context.store, account, fields)))


@handler(UpdateLibraryMedia)
def update_library_media(context: RequestContext, request: UpdateLibraryMedia) -> Result:
    """Set the fields that were sent."""
    account, key = request.account_id, request.media_key
    with context.store.transaction():
        before = require_record(context, account, LIBRARY, key)
        fields = _fields(context, request, before["media_type"])
        return Result(_without_id(context.store.update(LIBRARY, key, fields, owner=account)))


@handler(DeleteLibraryMedia)
def delete_library_media(context: RequestContext, request: DeleteLibraryMedia) -> Result:
    """Mark media of the library as deleted; cards and posts keep it."""
    deleted = delete_record(context, request.account_id, LIBRARY, request.media_key)
    return deleted._replace(data=_without_id(deleted.data))


Collection(
    media.ACCOUNT_MEDIA,
    filters={"creative_types": "creative_type"},
    sortable=("creative_type", "video_id"),
)
