"""Uploads of media to the platform: at once or in segments, processing, alternative text, subtitles.

Categories are those of the upload, in lower case; the library shows them in capitals.
"""

import re
from collections.abc import Collection, Iterable
from enum import StrEnum
from functools import partial
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from .endpoint import Request, endpoint
from .rates import QUARTER_HOUR_SECONDS, Rate
from .types import Id

MAX_ALT_TEXT = 1000  # characters
MAX_LOOKUP = 100  # media keys of a request
MAX_SEGMENTS = 1000
MAX_TOTAL_BYTES = 17_179_869_184
MEDIA_TYPES = (
    *("video/mp4", "video/webm", "video/mp2t", "video/quicktime", "text/srt", "text/vtt", "image/jpeg"),
    *("image/gif", "image/bmp", "image/png", "image/webp", "image/pjpeg", "image/tiff"),
    *("model/gltf-binary", "model/vnd.usdz+zip"),
)


class Category(StrEnum):
    """What the service prepares a file for."""

    amplify_video = "amplify_video"
    tweet_gif = "tweet_gif"
    tweet_image = "tweet_image"
    tweet_video = "tweet_video"
    dm_gif = "dm_gif"
    dm_image = "dm_image"
    dm_video = "dm_video"
    subtitles = "subtitles"


# An upload in one request takes all but this one.
SIMPLE_CATEGORIES = tuple(name for name in Category if name is not Category.amplify_video)
SUBTITLED: dict[str, str] = {Category.amplify_video: "AmplifyVideo", Category.tweet_video: "TweetVideo"}
OF_SERVICE, NEUTRAL = "tweet_", "post_"  # how categories of posts begin
LookupField = Literal[
    "alt_text",
    "duration_ms",
    "height",
    "media_key",
    "preview_image_url",
    "public_metrics",
    "type",
    "url",
    "variants",
    "width",
]
LOOKUP_FIELDS = get_args(LookupField)
LookupFields = Annotated[list[LookupField], Meta(min_length=1, description="Only these fields")]
UPLOAD_COLUMNS = "id media_key size expires_after_secs processing_info"

MediaId = Annotated[Id, Meta(description="The number of the media, after the underscore of its key")]
MediaContent = Annotated[bytes, Meta(description="The bytes", extra={"argument": "FILE..."})]
OfMedia = Annotated[MediaId, Meta(extra={"argument": "MEDIA_KEY"})]


def _one_of(values: Collection[str], also: Iterable[str] = (), option: str = "") -> Meta:
    """Require one of some values by a pattern.

    Those of a Literal are translated by the tables of names.py, which has them in capitals, as the library.
    """
    pattern = "|".join(map(re.escape, (*values, *also)))
    extra = {"expected": f"one of {', '.join(values)}"} | ({"option": option} if option else {})
    return Meta(pattern=rf"^(?:{pattern})\Z", extra=extra)


def _category_of(values: Collection[Category]) -> Meta:
    """Require one of some categories; the neutral service also takes post_image for tweet_image."""
    neutral = (NEUTRAL + name.removeprefix(OF_SERVICE) for name in values if name.startswith(OF_SERVICE))
    return _one_of(values, neutral, "category")


UploadCategory = Annotated[str, _category_of(tuple(Category))]
SimpleCategory = Annotated[str, _category_of(SIMPLE_CATEGORIES)]
SubtitledCategory = Annotated[str, _one_of([*SUBTITLED.values()])]
OF_OWNERS = Meta(description="Users who may use it too", extra={"option": "as_user_id"})
MediaType = Annotated[str, _one_of(MEDIA_TYPES)]
LanguageCode = Annotated[
    str,
    Meta(
        pattern=r"^[A-Z]{2}\Z",
        description="The language of the subtitles",
        extra={"expected": "two capital letters, as in EN", "option": "language"},
    ),
]


def service_category(category: str) -> str:
    """Return a category of uploads by the name that the service has for it: post_image is tweet_image."""
    return OF_SERVICE + category.removeprefix(NEUTRAL) if category.startswith(NEUTRAL) else category


def _rate(name: str, requests: int) -> Rate:
    return Rate(name, requests, QUARTER_HOUR_SECONDS)


uploads = partial(endpoint, base="platform", columns=UPLOAD_COLUMNS)


@uploads(
    "POST /2/media/upload",
    "media upload",
    params_in="multipart",
    retry=True,  # what an earlier attempt has uploaded expires unused
    rate=_rate("media-upload", 500),
)
class UploadMedia(Request, kw_only=True):
    """Upload an image, a GIF, a video or subtitles in one request."""

    media: MediaContent
    media_category: SimpleCategory
    additional_owners: Annotated[str, OF_OWNERS] | None = None


@uploads(
    "POST /2/media/upload/initialize",
    "media upload",
    params_in="json",
    retry=True,  # what an earlier attempt has begun expires unused
    rate=_rate("media-initialize", 1875),
)
class InitializeUpload(Request, kw_only=True):
    """Begin an upload in segments."""

    media_type: MediaType
    media_category: UploadCategory | None = None
    total_bytes: Annotated[int, Meta(ge=1, le=MAX_TOTAL_BYTES)]
    additional_owners: Annotated[list[Id], OF_OWNERS] | None = None
    shared: bool | None = None


@uploads(
    "POST /2/media/upload/{media_id}/append",
    "media upload",
    params_in="multipart",
    retry=True,  # a segment is known by its number
    rate=_rate("media-append", 1875),
)
class AppendSegment(Request, kw_only=True):
    """Send a segment."""

    media_id: Id
    media: MediaContent
    segment_index: Annotated[int, Meta(ge=0, le=MAX_SEGMENTS - 1)]


@uploads("POST /2/media/upload/{media_id}/finalize", "media upload", rate=_rate("media-finalize", 1875))
class FinalizeUpload(Request):
    """End an upload in segments; its processing begins."""

    media_id: Id


@uploads("GET /2/media/upload", "media upload", rate=_rate("media-status", 1000))
class GetUploadStatus(Request, kw_only=True):
    """Ask how far the processing of an upload is."""

    media_id: MediaId
    command: Literal["STATUS"]


class AltText(msgspec.Struct, forbid_unknown_fields=True):
    """What an image shows, in words."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_ALT_TEXT)]


class Metadata(msgspec.Struct, forbid_unknown_fields=True):
    """What is said of media."""

    alt_text: AltText


@uploads(
    "POST /2/media/metadata",
    "media alt-text",
    params_in="json",
    columns="id associated_metadata",
    retry=True,
    rate=_rate("media-metadata", 500),
)
class SetMetadata(Request, kw_only=True):
    """Set the alternative text of media."""

    id: OfMedia
    metadata: Metadata


class SubtitleTrack(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """An uploaded track of subtitles."""

    id: Id
    language_code: LanguageCode
    display_name: Annotated[str, Meta(min_length=1)] | None = None


class Subtitled(Request, kw_only=True):
    """A video with subtitles."""

    id: OfMedia
    media_category: SubtitledCategory


@uploads(
    "POST /2/media/subtitles",
    "media subtitles add",
    params_in="json",
    columns="id media_category associated_subtitles",
    retry=True,
    rate=_rate("media-subtitles", 100),
)
class AddSubtitles(Subtitled, kw_only=True):
    """Attach an uploaded track of subtitles to a video."""

    subtitles: SubtitleTrack


@uploads(
    "DELETE /2/media/subtitles",
    "media subtitles delete",
    params_in="json",
    columns="deleted",
    rate=_rate("media-subtitles-delete", 100),
)
class DeleteSubtitles(Subtitled, kw_only=True):
    """Remove the subtitles of a video in a language."""

    language_code: LanguageCode


@endpoint(
    "GET /2/media",
    "media lookup",
    base="platform",
    columns="media_key type width height duration_ms alt_text url",
    extra_fields="preview_image_url public_metrics variants",
    record_id="media_key",
    wire_names={"media_fields": "media.fields"},
)
class LookUpMedia(Request):
    """Show media by their keys."""

    media_keys: Annotated[
        list[Id], Meta(min_length=1, max_length=MAX_LOOKUP, extra={"argument": "MEDIA_KEYS..."})
    ]
    media_fields: LookupFields | None = None
