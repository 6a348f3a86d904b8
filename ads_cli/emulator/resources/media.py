"""Media: the library of uploads, the media that an account's ads use, and details by number or key.

An upload is added with what its bytes say. A few keys are uploads without bytes, for examples and tests. Any
other key is refused, as that of no upload.
"""

import time
from collections.abc import Sequence
from math import gcd
from typing import NamedTuple

import msgspec

from ...api import media, media_uploads
from ..core.handlers import AccountContext, RequestContext, handler
from ..core.responses import HttpResponse, ProblemError, invalid_parameter
from ..storage import Record, Store, random_base36, without
from .collection import Collection

LIBRARY, ACCOUNT_MEDIA, UPLOAD = "library_media", "account_media", "media_upload"
UPLOADS = {  # by prefix of the key: type, category, file extension, aspect ratio, seconds
    "3": ("IMAGE", "POST_IMAGE", "jpg", "1.91:1", None),
    "7": ("VIDEO", "POST_VIDEO", "mp4", "16:9", 15.0),
    "13": ("VIDEO", "AMPLIFY_VIDEO", "mp4", "16:9", 15.0),
    "16": ("GIF", "POST_GIF", "mp4", "1:1", 3.0),
}
# Uploads that were made elsewhere, with any prefix.
EARLIER_UPLOADS = ("1790413999000000000", *(f"179042000000000000{digit}" for digit in range(1, 5)))
TEXT_FIELDS = ("name", "file_name", "title", "description")
VIDEO_FIELDS = ("title", "description", "poster_media_key")
HOST = "https://media.example"
IMAGE_WIDTH = 800  # pixels, of all images; the least that a card takes
MAX_CARD_IMAGE_BYTES = 3 * 1024 * 1024
RATIO_SLACK = 0.01  # pixels are whole
VIDEO_HEIGHT = 720  # pixels, of all videos


def find_media(context: AccountContext, parameter: str, keys: Sequence[str], *types: str) -> list[Record]:
    """Return media of the library; raise ApiError for unknown keys and for types not in `types`."""
    records = []
    for key in dict.fromkeys(keys):
        media = context.find(LIBRARY, key)
        if media is None:
            raise invalid_parameter(parameter, f"the media library has no {key}")
        if types and media["media_type"] not in types:
            reason = f"{key} is of type {media['media_type']}, not {' or '.join(types)}"
            raise invalid_parameter(parameter, reason)
        records.append(media)
    return records


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


def _upload_of(store: Store, key: str) -> Record | None:
    """Return the upload with a key. A number alone, or with another prefix, is not its key."""
    upload = store.find(UPLOAD, key.partition("_")[2])
    return upload if upload and upload["media_key"] == key else None


def _checked_upload(store: Store, key: str) -> Record | None:
    """Return an upload as the library shows it; None where no upload of this emulator has the key.

    Raise ApiError for one that is not whole, not processed, or has expired.
    """
    media, upload = uploaded_media(key), _upload_of(store, key)
    if upload is None or media is None:
        return None
    if upload["state"] == "open":
        raise invalid_parameter("media_key", f"the upload of {key} is not finalized")
    if upload["ready_at"] > time.time():
        raise invalid_parameter("media_key", f"{key} is still processed")
    if upload["problem"]:
        raise invalid_parameter("media_key", f"the processing of {key} has failed")
    if upload["expires_at"] < time.time():
        raise invalid_parameter("media_key", f"the upload of {key} has expired")
    facts = {name: upload[name] for name in ("width", "height", "bytes")}
    seconds = upload["seconds"] if media["media_type"] != "IMAGE" else None
    ratio = aspect_ratio(upload["width"], upload["height"])
    return media | facts | {"duration": seconds, "aspect_ratio": ratio}


def aspect_ratio(width: int | None, height: int | None) -> str | None:
    """Return the ratio of pixels as the library writes it: whole numbers, or 1.91:1."""
    if not (width and height):
        return None
    ratios = ((1.91, "1.91:1"), (16 / 9, "16:9"), (1.0, "1:1"), (9 / 16, "9:16"))
    for ratio, name in ratios:
        if abs(width / height / ratio - 1) <= RATIO_SLACK:
            return name
    divisor = gcd(width, height)
    return f"{width // divisor}:{height // divisor}"


def require_fit_for_card(media: Record, parameter: str, *ratios: str) -> None:
    """Raise ApiError for an upload that a card does not show: too large, too narrow, or of another ratio."""
    if "bytes" not in media:  # of no upload here
        return
    key = media["media_key"]
    if media["media_type"] == "IMAGE":
        if media["bytes"] > MAX_CARD_IMAGE_BYTES:
            limit = f"a card takes at most {MAX_CARD_IMAGE_BYTES:,}"
            raise invalid_parameter(parameter, f"the image {key} has {media['bytes']:,} bytes, {limit}")
        if (media["width"] or 0) < IMAGE_WIDTH:
            reason = f"the image {key} is {media['width']} pixels wide, a card needs {IMAGE_WIDTH}"
            raise invalid_parameter(parameter, reason)
    if media["aspect_ratio"]:
        require_ratio(media, parameter, *ratios)


def require_ratio(media: Record, parameter: str, *ratios: str) -> None:
    """Raise ApiError for media of another aspect ratio."""
    if media["aspect_ratio"] not in ratios:
        noun = media["media_type"].lower()
        reason = f"the aspect ratio of the {noun} is {media['aspect_ratio']}, not {' or '.join(ratios)}"
        raise invalid_parameter(parameter, reason)


def add_preroll(context: AccountContext, media: Record, created_at: str | None = None) -> None:
    """Make media of the library account media too, where they are a video for ads."""
    if media["media_category"] == "AMPLIFY_VIDEO":
        fields = {"creative_type": "PREROLL", "video_id": media["media_key"], "media_url": media["media_url"]}
        context.store.add(
            ACCOUNT_MEDIA, random_base36(), fields, owner=context.account, created_at=created_at
        )


def media_size(media: Record) -> tuple[str, str]:
    """Return width and height of media in pixels; those of no upload here have sizes of their own."""
    if media.get("width"):
        return str(media["width"]), str(media["height"])
    horizontal, vertical = map(float, media["aspect_ratio"].split(":"))
    if media["media_type"] == "VIDEO":
        return str(round(VIDEO_HEIGHT * horizontal / vertical)), str(VIDEO_HEIGHT)
    return str(IMAGE_WIDTH), str(round(IMAGE_WIDTH * vertical / horizontal))


def video_fields(media: Record) -> Record:
    """Return the fields of a card that shows a video."""
    width, height = media_size(media)
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


def _prepared(context: RequestContext, after: Record, before: Record | None) -> Record:
    """Return media with what its upload and its poster say; raise ApiError for what it cannot be or have."""
    changed = {
        name for name, value in after.items() if value is not None and value != (before or {}).get(name)
    }
    if before is None:
        after = _added(context, after["media_key"]) | after | {"id": after["media_key"]}
    if after["media_type"] != "VIDEO" and (misplaced := [name for name in VIDEO_FIELDS if name in changed]):
        raise invalid_parameter(misplaced[0], f"is allowed for videos, not for type {after['media_type']}")
    if "poster_media_key" in changed:
        poster = after["poster_media_key"]
        (image,) = find_media(context, "poster_media_key", [poster], "IMAGE")
        after["poster_media_url"] = image["media_url"]
    return after


def _added(context: RequestContext, key: str) -> Record:
    """Return what the library shows of an upload; deleted media can be added again."""
    media = _checked_upload(context.store, key)
    stored = context.find(LIBRARY, key, with_deleted=True)
    if media is None and (stored or key.partition("_")[2] in EARLIER_UPLOADS):
        media = uploaded_media(key)
    if media is None:
        raise invalid_parameter("media_key", f"no upload has the key {key}")
    if stored and not stored["deleted"]:
        raise invalid_parameter("media_key", f"{key} is already in the media library")
    context.store.purge(LIBRARY, context.account, key)
    return media


MEDIA_LIBRARY = Collection(
    media.MEDIA_LIBRARY,
    filters={"media_type": "media_type"},
    search_fields=TEXT_FIELDS,
    prepare=_prepared,
    # The service identifies media by their keys.
    shown=lambda context, record: without(record, "id"),
    added=add_preroll,
)


Collection(
    media.ACCOUNT_MEDIA, filters={"creative_types": "creative_type"}, sortable=("creative_type", "video_id")
)


class StoredMedia(NamedTuple):
    """An upload, or media of a library, with what identifies its record."""

    kind: str
    id: str
    owner: str
    record: Record


def _stored_media(store: Store, number: str) -> list[StoredMedia]:
    """Return media by their number: an upload of this emulator, or what libraries have of others."""
    if upload := store.find(UPLOAD, number):
        return [StoredMedia(UPLOAD, number, owner_of(store, number), upload)]
    query = "SELECT id, owner FROM records WHERE kind = ? AND NOT deleted AND id LIKE ?"
    rows = store.connection.execute(query, (LIBRARY, f"%{number}")).fetchall()
    return [
        StoredMedia(LIBRARY, key, owner, record)
        for key, owner in rows
        if key.partition("_")[2] == number and (record := store.find(LIBRARY, key, owner=owner))
    ]


def owner_of(store: Store, upload: str) -> str:
    """Return the account or user that an upload is of."""
    query = "SELECT owner FROM records WHERE kind = ? AND id = ?"
    return str(store.value(query, UPLOAD, upload))


def _set_details(context: RequestContext, number: str, details: Record) -> None:
    """Store details of media; raise ProblemError (404) if there are none with this number."""
    stored = _stored_media(context.store, number)
    if not stored:
        raise ProblemError(f"media id {number} does not exist", 404, "Not Found")
    for record in stored:
        context.store.update(record.kind, record.id, details, owner=record.owner)


@handler(media_uploads.SetMetadata)
def _set_metadata(context: RequestContext, request: media_uploads.SetMetadata) -> HttpResponse:
    text = request.metadata.alt_text.text
    with context.store.transaction():
        _set_details(context, request.id, {"alt_text": text})
    metadata = {"alt_text": {"text": text}}
    return HttpResponse.json({"data": {"id": request.id, "associated_metadata": metadata}})


@handler(media_uploads.AddSubtitles)
def _add_subtitles(context: RequestContext, request: media_uploads.AddSubtitles) -> HttpResponse:
    track = context.store.find(UPLOAD, request.subtitles.id)
    if track is None or track["media_category"] != "subtitles":
        raise ProblemError(f"subtitles.id: {request.subtitles.id} is not an upload of subtitles")
    with context.store.transaction():
        tracks = _subtitles_of(context, request.id, request.media_category)
        tracks[request.subtitles.language_code] = msgspec.to_builtins(request.subtitles)
        _set_details(context, request.id, {"subtitles": tracks})
    shown = {"id": request.id, "media_category": request.media_category}
    return HttpResponse.json({"data": shown | {"associated_subtitles": [*tracks.values()]}})


@handler(media_uploads.DeleteSubtitles)
def _delete_subtitles(context: RequestContext, request: media_uploads.DeleteSubtitles) -> HttpResponse:
    with context.store.transaction():
        tracks = _subtitles_of(context, request.id, request.media_category)
        if tracks.pop(request.language_code, None) is None:
            detail = f"media id {request.id} has no subtitles in {request.language_code}"
            raise ProblemError(detail, 404, "Not Found")
        _set_details(context, request.id, {"subtitles": tracks})
    return HttpResponse.json({"data": {"deleted": True}})


def _subtitles_of(context: RequestContext, id: str, category: str) -> Record:
    """Return the tracks of a video by language; raise ProblemError for one of another category."""
    stored = _stored_media(context.store, id)
    if not stored:
        return {}
    video = stored[0].record
    if stored[0].kind == UPLOAD and media_uploads.SUBTITLED.get(video["media_category"]) != category:
        raise ProblemError(f"media id {id} is of the category {video['media_category']}, not {category}")
    return dict(video.get("subtitles") or {})


@handler(media_uploads.LookUpMedia)
def _look_up(context: RequestContext, request: media_uploads.LookUpMedia) -> HttpResponse:
    """Return media by their keys, and a problem for each that does not exist."""
    records: list[Record] = []
    problems: list[Record] = []
    for key in dict.fromkeys(request.media_keys):
        if record := _looked_up(context.store, key):
            names = request.media_fields or ()
            records.append({n: v for n, v in record.items() if not names or n in names or n == "media_key"})
        else:
            detail = f"Could not find media with media_keys: [{key}]."
            missing = {"type": "/problems/resource-not-found", "title": "Not Found Error", "detail": detail}
            problems.append(missing | {"status": 404, "value": key, "resource_type": "media"})
    body: Record = {"data": records} if records else {}
    return HttpResponse.json(body | ({"errors": problems} if problems else {}))


def _looked_up(store: Store, key: str) -> Record | None:
    """Return what is known of media, without what has no value; None if there are none with this key."""
    upload, library = _upload_of(store, key), store.find(LIBRARY, key)
    if upload is None and library is None:
        return None
    facts = (library or {}) | {n: v for n, v in (upload or {}).items() if v is not None}
    kind = {"3": "photo", "16": "animated_gif"}.get(key.partition("_")[0], "video")
    seconds = facts.get("seconds") or facts.get("duration")
    fields: Record = {
        "media_key": key,
        "type": kind,
        "width": facts.get("width"),
        "height": facts.get("height"),
        "alt_text": facts.get("alt_text"),
        "duration_ms": round(1000 * seconds) if seconds else None,
        "url": (library or {}).get("media_url") or f"{HOST}/{key}",
    }
    return {name: fields[name] for name in media_uploads.LOOKUP_FIELDS if fields.get(name) is not None}
