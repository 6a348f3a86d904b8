"""Media of an account's ads, and the library of uploaded images, GIFs and videos."""

from typing import Annotated, Literal

from msgspec import Meta

from .endpoint import Resource
from .types import Cursor, Id, Ids, InAccount, PageInAccount, WithDeleted, delete_one

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
CreativeTypes = Annotated[list[CreativeType], Meta(min_length=1, description="Only these types")]


ACCOUNT_MEDIA = Resource(
    "/12/accounts/{account_id}/account_media",
    "account_media_id",
    group="media account",
    example="4k2b1",
    columns="id creative_type video_id media_url deleted",
)


@ACCOUNT_MEDIA.list(example="--creative-types BANNER,PREROLL")
class ListAccountMedia(PageInAccount):
    """List the media of the account's ads."""

    account_media_ids: Ids | None = None
    creative_types: CreativeTypes | None = None


@ACCOUNT_MEDIA.get()
class GetAccountMedia(InAccount):
    """Show one of the account's media."""

    account_media_id: Id
    with_deleted: WithDeleted | None = None


DeleteAccountMedia = delete_one(ACCOUNT_MEDIA, "Delete one of the account's media.")


LibraryPageSize = Annotated[int, Meta(ge=1, le=50, description="Records per page", extra={"default": 20})]
LibraryQuery = Annotated[
    str, Meta(min_length=1, max_length=255, description="Words in name, title, file_name and description")
]
PosterKey = Annotated[Id, Meta(description="An image, for videos only", extra={"default": "the first frame"})]


MEDIA_LIBRARY = Resource(
    "/12/accounts/{account_id}/media_library",
    "media_key",
    group="media library",
    record_kind="library_media",
    columns="media_key media_type name file_name media_status aspect_ratio deleted",
    extra_fields="media_category title description media_url poster_media_key poster_media_url duration "
    "posted created_at updated_at",
    record_id="media_key",
)


@MEDIA_LIBRARY.list(example="--media-type VIDEO --q workshop")
class ListLibraryMedia(InAccount):
    """List the media library."""

    media_type: MediaType | None = None
    q: LibraryQuery | None = None
    count: LibraryPageSize | None = None
    cursor: Cursor | None = None


@MEDIA_LIBRARY.get(example="13_1790413002217308160")
class GetLibraryMedia(InAccount):
    """Show one item of the media library."""

    media_key: Id


class MediaDetails(InAccount):
    """The editable fields of media in the library."""

    name: Annotated[str, Meta(max_length=100)] | None = None
    file_name: Annotated[str, Meta(max_length=255)] | None = None
    title: Annotated[str, Meta(max_length=70, description="For videos only")] | None = None
    description: Annotated[str, Meta(max_length=200, description="For videos only")] | None = None
    poster_media_key: PosterKey | None = None


@MEDIA_LIBRARY.create("media library add", example="--media-key 3_1790413999000000000 --name 'Blue mugs'")
class AddLibraryMedia(MediaDetails, kw_only=True):
    """Add uploaded media to the media library."""

    media_key: Annotated[Id, Meta(description="The media key that the upload returned")]


@MEDIA_LIBRARY.update(example="13_1790413002217308160 --title 'How a mug is made'")
class UpdateLibraryMedia(MediaDetails, kw_only=True):
    """Change fields of media in the library."""

    media_key: Id


@MEDIA_LIBRARY.delete(
    confirm_prompt="Delete {media_key} from the media library", example="16_1790413120555520000"
)
class DeleteLibraryMedia(InAccount):
    """Delete media from the media library."""

    media_key: Id
