"""What is said of uploaded media: alternative text, subtitles, and a look-up by key."""

from typing import Annotated, Any

import typer

from ...api.media_uploads import (
    LOOKUP_FIELDS,
    SUBTITLED,
    AddSubtitles,
    Category,
    DeleteSubtitles,
    LookUpMedia,
    SetMetadata,
)
from ...console.invocation import Invocation
from ...console.parameters import argument, option
from ...console.request_input import built, request_from_input
from ...console.results import show, show_request
from ...console.shown import Result, shows
from ...errors import ContentError, NotFoundError, UsageError
from ...media.library import Details
from ...spelling import comma_list
from .check import check_files, raise_unopened
from .files import MediaFile
from .upload import make_uploader, upload_file

# The category of subtitles, by the prefix of the key of their video.
CATEGORIES = {"13": SUBTITLED[Category.amplify_video], "7": SUBTITLED[Category.tweet_video]}
# What fields of a request are called on the command line.
OPTIONS = {
    "id": "MEDIA_KEY",
    "metadata.alt_text.text": "TEXT",
    "subtitles.language_code": "--language",
    "language_code": "--language",
    "subtitles.display_name": "--display-name",
    "media_category": "--media-category",
}
Key = Annotated[str, argument("MEDIA_KEY", "The media key, as in 13_1790413002217308160, or its number")]
Language = Annotated[str, option("CODE", "Two capital letters, as in EN")]
OfVideo = Annotated[
    str | None,
    option(
        f"[{'|'.join(CATEGORIES.values())}]",
        "Of the video (default: by its key)",
        "--media-category",
        offers=tuple(CATEGORIES.values()),
    ),
]


def _send(call: Invocation, request: Any) -> None:
    if call.dry_run:
        show_request(call, request)
        return
    show(call, request, call.client.call(request).data)


def _id_of(key: str) -> str:
    """Return the number of media, which the platform knows it by."""
    return key.partition("_")[2] or key


def _category_of(key: str) -> str:
    """Return the category of the subtitles of a video; of a number, that of a video for ads."""
    prefix, underscore, _ = key.partition("_")
    if not underscore:
        return SUBTITLED[Category.amplify_video]
    if prefix not in CATEGORIES:
        raise UsageError(f"{key} is not a video: its key begins with neither 13_ nor 7_")
    return CATEGORIES[prefix]


@shows(Result(LookUpMedia, "media_key"))
def look_up(
    ctx: typer.Context,
    media_keys: Annotated[list[str], argument("MEDIA_KEYS...", "1 to 100 media keys")],
    fields: Annotated[
        str | None, option("NAME,...", "Only these fields (default: all)", "--media-fields")
    ] = None,
) -> None:
    """Show media by their keys, whatever account they are of.

    For example: adsctl media lookup 3_1790412874512007168 13_1790413002217308160
    """
    call = Invocation.of(ctx, mutates=False)
    keys = [*dict.fromkeys(comma_list(",".join(media_keys)))]
    wanted = fields or ",".join(LOOKUP_FIELDS)
    request = request_from_input(LookUpMedia, {"media_keys": ",".join(keys), "media_fields": wanted})
    response = call.client.call(request)
    data = response.body.get("data") if isinstance(response.body, dict) else None
    records = data if isinstance(data, list) else []
    show(call, request, records)
    known_keys = {record.get("media_key") for record in records if isinstance(record, dict)}
    if missing := [key for key in keys if key not in known_keys]:
        message = f"no media with the key {', '.join(missing)}"
        if not records:
            raise NotFoundError(message, hint="adsctl media library list shows the media of the account")
        call.messages.warn(message)


@shows(Result(SetMetadata, is_list=False))
def alt_text(
    ctx: typer.Context,
    media_key: Key,
    text: Annotated[str, argument("TEXT", "At most 1000 characters")],
) -> None:
    """Set the alternative text of media: what it shows, for who cannot see it.

    For example: adsctl media alt-text 3_1790412874512007168 'A blue mug on a table'
    """
    call = Invocation.of(ctx)
    metadata = {"alt_text": {"text": text}}
    _send(call, built(SetMetadata, {"id": _id_of(media_key), "metadata": metadata}, OPTIONS))


@shows(Result(AddSubtitles, is_list=False))
def add_subtitles(
    ctx: typer.Context,
    media_key: Key,
    file: Annotated[str, argument("FILE", "SubRip (.srt) or WebVTT (.vtt)")],
    language: Language,
    display_name: Annotated[str | None, option("TEXT", "The name that players show")] = None,
    category: OfVideo = None,
) -> None:
    """Upload subtitles and attach them to a video.

    For example: adsctl media subtitles add 13_1790413002217308160 workshop.srt --language EN
    """
    call = Invocation.of(ctx)
    track: dict[str, Any] = {"id": "1", "language_code": language}
    if display_name:
        track["display_name"] = display_name
    values = {"id": _id_of(media_key), "media_category": category or _category_of(media_key)}
    request = built(AddSubtitles, values | {"subtitles": track}, OPTIONS)
    result = check_files(call, [MediaFile.of(file)], [], Category.subtitles)
    raise_unopened(result.unopened)
    (checked,) = result.checked
    if not checked.is_valid:
        finding = checked.errors[0]
        raise ContentError(f"{checked.file.label}: {finding.words} ({finding.rule})", hint=finding.hint)
    if call.dry_run:
        request.subtitles.id = f"<media of {checked.file.label}>"
        show_request(call, request)
        return
    uploader = make_uploader(call, to_library=False)
    record = upload_file(call, uploader, checked, Category.subtitles, Details())
    request.subtitles.id = str(record["media_id"])
    _send(call, request)


@shows(Result(DeleteSubtitles, is_list=False))
def delete_subtitles(
    ctx: typer.Context, media_key: Key, language: Language, category: OfVideo = None
) -> None:
    """Remove the subtitles of a video in a language.

    For example: adsctl media subtitles delete 13_1790413002217308160 --language EN
    """
    call = Invocation.of(ctx)
    values = {"id": _id_of(media_key), "media_category": category or _category_of(media_key)}
    request = built(DeleteSubtitles, values | {"language_code": language}, OPTIONS)
    if not call.dry_run:
        call.confirm(f"Remove the subtitles of {media_key} in {language}")
    _send(call, request)
