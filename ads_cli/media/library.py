"""Media in the library of an account, and what is said of them there and on the platform."""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..api.media import AddLibraryMedia, GetLibraryMedia, UpdateLibraryMedia
from ..api.media_uploads import (
    SUBTITLED,
    AddSubtitles,
    AltText,
    Category,
    Metadata,
    SetMetadata,
    SubtitleTrack,
)
from ..client.client import Client
from ..errors import NotFoundError, RefusedError, UnavailableError
from .responses import require_named


class Details(NamedTuple):
    """What the library and the platform receive beside media."""

    name: str | None = None
    title: str | None = None
    description: str | None = None
    poster_media_key: str | None = None
    alt_text: str | None = None
    subtitles_id: str | None = None
    language: str | None = None


IN_LIBRARY = ("name", "title", "description", "poster_media_key")  # details of an entry


class Library(NamedTuple):
    """The library of an account."""

    client: Client
    account: str

    def find(self, media_key: str) -> dict[str, Any] | None:
        """Return media that are not deleted."""
        try:
            response = self.client.call(GetLibraryMedia(account_id=self.account, media_key=media_key))
        except NotFoundError:
            return None
        data = response.neutral_data
        if not (isinstance(data, dict) and data.get("media_key") == media_key):
            message = f"the library answered with other media than {media_key}"
            raise UnavailableError(message, http_status=response.status)
        return None if data.get("deleted") else data

    def holds(self, media_key: str, details: Details) -> bool:
        """Tell whether media are there. What the library says of them is changed where the details differ."""
        record = self.find(media_key)
        if record is None:
            return False
        values = {name: getattr(details, name) for name in IN_LIBRARY}
        changed = {name: value for name, value in values.items() if value and value != record.get(name)}
        if changed:
            self.client.call(UpdateLibraryMedia(account_id=self.account, media_key=media_key, **changed))
        return True

    def add(self, media_key: str, file_name: str, details: Details) -> None:
        """Add media, or find that a request whose answer was lost, or an earlier one, has added them."""
        file = Path(file_name.encode("utf-8", "replace").decode())  # a name on a disk may be any bytes
        request = AddLibraryMedia(
            account_id=self.account,
            media_key=media_key,
            name=details.name or file.stem[:100] or None,
            file_name=file.name[:255] or None,
            title=details.title,
            description=details.description,
            poster_media_key=details.poster_media_key,
        )
        try:
            self.client.call(request, check=partial(require_named, name="media_key", id=media_key))
        except (RefusedError, UnavailableError) as error:
            may_be_there = isinstance(error, RefusedError) or error.may_be_applied
            if not (may_be_there and self.holds(media_key, details)):
                raise


def set_details(client: Client, media_id: str, category: Category, details: Details) -> None:
    """Set the alternative text of media, and attach subtitles."""
    if details.alt_text:
        client.call(SetMetadata(id=media_id, metadata=Metadata(AltText(details.alt_text))))
    if details.subtitles_id and details.language:
        track = SubtitleTrack(details.subtitles_id, details.language)
        of_video = SUBTITLED[category.value]
        client.call(AddSubtitles(id=media_id, media_category=of_video, subtitles=track))
