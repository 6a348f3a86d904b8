"""Media of an account's ads, and the library of uploaded images, GIFs and videos."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import endpoint
from .types import Cursor, Id, Ids, InAccount, PageInAccount, WithDeleted

ACCOUNT_COLUMNS = "id creative_type video_id media_url deleted"
LIBRARY_COLUMNS = "media_key media_type name file_name media_status aspect_ratio deleted"
LIBRARY_FIELDS = (
    *("media_category", "title", "description", "media_url", "poster_media_key", "poster_media_url"),
    *("duration", "posted", "created_at", "updated_at"),
)

CreativeType = Literal[
    "BANNER",
    "BANNER_TABLET",
    "INTERSTITIAL",
    "INTERSTITIAL_LANDSCAPE",
    "INTERSTITIAL_LANDSCAPE_TABLET",
    "INTERSTITIAL_TABLET",
    "MEDIUM_RECTANGLE",
    "PREROLL",
    "VAST_PREROLL",
]
MediaType = Literal["GIF", "IMAGE", "VIDEO"]


@endpoint(
    "GET /12/accounts/{account_id}/account_media",
    "media account list",
    columns=ACCOUNT_COLUMNS,
    example="--creative-types BANNER,PREROLL",
)
class ListAccountMedia(PageInAccount):
    """List the media of the account's ads."""

    account_media_ids: Ids | None = None
    creative_types: (
        Annotated[list[CreativeType], Meta(min_length=1, description="Only these types")] | None
    ) = None


@endpoint(
    "GET /12/accounts/{account_id}/account_media/{account_media_id}",
    "media account get",
    columns=ACCOUNT_COLUMNS,
    example="4k2b1",
)
class GetAccountMedia(InAccount):
    """Show one of the account's media."""

    account_media_id: Id
    with_deleted: WithDeleted | None = None


@endpoint(
    "DELETE /12/accounts/{account_id}/account_media/{account_media_id}",
    "media account delete",
    columns=ACCOUNT_COLUMNS,
    confirm_prompt="Delete the account media {account_media_id}",
    example="4k2b1",
)
class DeleteAccountMedia(InAccount):
    """Delete one of the account's media."""

    account_media_id: Id


LibraryPageSize = Annotated[int, Meta(ge=1, le=50, description="Records per page", extra={"default": 20})]
LibraryQuery = Annotated[
    str,
    Meta(min_length=1, max_length=255, description="Words in name, title, file_name and description"),
]


@endpoint(
    "GET /12/accounts/{account_id}/media_library",
    "media library list",
    columns=LIBRARY_COLUMNS,
    extra_fields=LIBRARY_FIELDS,
    record_id="media_key",
    example="--media-type VIDEO --q workshop",
)
class ListLibraryMedia(InAccount):
    """List the media library."""

    media_type: MediaType | None = None
    q: LibraryQuery | None = None
    count: LibraryPageSize | None = None
    cursor: Cursor | None = None


@endpoint(
    "GET /12/accounts/{account_id}/media_library/{media_key}",
    "media library get",
    columns=LIBRARY_COLUMNS,
    extra_fields=LIBRARY_FIELDS,
    record_id="media_key",
    example="13_1790413002217308160",
)
class GetLibraryMedia(InAccount):
    """Show one item of the media library."""

    media_key: Id


class MediaDetails(InAccount):
    """The editable fields of media in the library."""

    name: Annotated[str, Meta(max_length=100)] | None = None
    file_name: Annotated[str, Meta(max_length=255)] | None = None
    title: Annotated[str, Meta(max_length=70, description="For videos only")] | None = None
    description: Annotated[str, Meta(max_length=200, description="For videos only")] | None = None
    poster_media_key: (
        Annotated[Id, Meta(description="An image, for videos only", extra={"default": "the first frame"})]
        | None
    ) = None


@endpoint(
    "POST /12/accounts/{account_id}/media_library",
    "media library add",
    columns=LIBRARY_COLUMNS,
    extra_fields=LIBRARY_FIELDS,
    record_id="media_key",
    example="--media-key 3_1790413999000000000 --name 'Blue mugs'",
)
class AddLibraryMedia(MediaDetails, kw_only=True):
    """Add uploaded media to the media library."""

    media_key: Annotated[Id, Meta(description="The media key that the upload returned")]


@endpoint(
    "PUT /12/accounts/{account_id}/media_library/{media_key}",
    "media library update",
    columns=LIBRARY_COLUMNS,
    extra_fields=LIBRARY_FIELDS,
    record_id="media_key",
    example="13_1790413002217308160 --title 'How a mug is made'",
)
class UpdateLibraryMedia(MediaDetails, kw_only=True):
    """Change fields of media in the library."""

    media_key: Id


@endpoint(
    "DELETE /12/accounts/{account_id}/media_library/{media_key}",
    "media library delete",
    columns=LIBRARY_COLUMNS,
    extra_fields=LIBRARY_FIELDS,
    record_id="media_key",
    confirm_prompt="Delete {media_key} from the media library",
    example="16_1790413120555520000",
)
class DeleteLibraryMedia(InAccount):
    """Delete media from the media library."""

    media_key: Id
