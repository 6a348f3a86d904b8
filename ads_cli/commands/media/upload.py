"""Upload files of media, and put them into the library."""

from contextlib import ExitStack
from typing import Annotated, Any, NamedTuple

import typer

from ...api.media_uploads import MAX_ALT_TEXT
from ...config.atomic_files import atomic
from ...console.invocation import Invocation
from ...console.progress import ProgressReport, progress
from ...errors import (
    AdsctlError,
    ContentError,
    IncompleteError,
    RateLimitedError,
    UnavailableError,
    UsageError,
)
from ...feeds.locations.locate import parse_location
from ...media.inspection import MediaInfo
from ...media.rules import Category, Use, default_category
from ...media.upload import COLUMNS, Details, Observer, Uploader, record_of
from ...output.text import counted, listed, safe
from ..uploads.options import FeedOptions, RejectedOptions, with_options
from .check import CategoryOption, CheckedMedia, Uses, check_files, raise_unopened
from .files import Files, MediaFile, Table, media_files

LANGUAGE = r"^[A-Z]{2}$"
ROW_DETAILS = ("name", "title", "description", "alt_text")  # columns of a table of files
NAMED_FILES = 3
# Errors after which the other files would fail too.
STOPPING = (RateLimitedError, UnavailableError)


class Refused(NamedTuple):
    """A file that was not uploaded, and why."""

    file: MediaFile
    reason: str


def make_uploader(
    call: Invocation,
    *,
    owners: tuple[str, ...] = (),
    to_library: bool = True,
    resume: bool = False,
    concurrency: int = 4,
) -> Uploader:
    """Return what uploads files for the account of an invocation."""
    call.concurrency = max(call.concurrency, concurrency)
    return Uploader(
        client=call.client,
        service=call.service,
        account=call.account if to_library else "",
        state_dir=call.settings.state_dir,
        owners=owners,
        to_library=to_library,
        resume=resume,
        concurrency=concurrency,
        observer=Observer(say=lambda message: call.messages.say(safe(message))),
    )


def upload_file(
    call: Invocation, uploader: Uploader, checked: CheckedMedia, category: Category, details: Details
) -> dict[str, Any]:
    """Upload a checked file, with a bar; return its record."""
    label = checked.file.label
    with ExitStack() as bars:
        shown: dict[str, ProgressReport] = {}

        def on_segments(done: int, total: int) -> None:
            if "segments" not in shown:
                bar = progress(call.messages, f"Uploading {label}", total, noun="segment")
                shown["segments"] = bars.enter_context(bar)
            shown["segments"](done)

        def on_processing(percent: int) -> None:
            if "processing" not in shown:
                bars.close()
                bar = progress(call.messages, f"Processing {label}", 100, noun="percent")
                shown["processing"] = bars.enter_context(bar)
            shown["processing"](percent)

        uploader.observer.on_segments, uploader.observer.on_processing = on_segments, on_processing
        with checked.file.location.open() as stream:
            return uploader.upload(stream, label, checked.info, category, details)


def category_of(info: MediaInfo, uses: list[Use], category: Category | None) -> Category:
    """Return the category of a file that was checked."""
    chosen = category or default_category(info, uses)
    assert chosen
    return chosen


@with_options(feed=FeedOptions, rejected=RejectedOptions)
def upload(
    ctx: typer.Context,
    files: Files = None,
    table: Table = None,
    uses: Uses = None,
    category: CategoryOption = None,
    as_user_id: Annotated[
        list[str] | None,
        typer.Option("--as-user-id", metavar="ID", help="A user who may post it too; may be repeated"),
    ] = None,
    library: Annotated[
        bool, typer.Option("--library/--no-library", help="Add it to the library of the account")
    ] = True,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="TEXT", help="Its name in the library (default: the file's)"),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Of a video")] = None,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="Of a video")
    ] = None,
    alt_text: Annotated[
        str | None, typer.Option("--alt-text", metavar="TEXT", help="What it shows, for who cannot see it")
    ] = None,
    poster: Annotated[
        str | None, typer.Option("--poster", metavar="FILE", help="An image, shown before a video plays")
    ] = None,
    subtitles: Annotated[
        str | None, typer.Option("--subtitles", metavar="FILE", help="SubRip (.srt) or WebVTT, of a video")
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help="Of the subtitles, as in EN")
    ] = None,
    skip_invalid: Annotated[
        bool, typer.Option("--skip-invalid", help="Upload the valid files, and end with 9")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue unfinished uploads where they were interrupted")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(metavar="N", min=1, max=32, help="Segments at once, at most")
    ] = 4,
    *,
    feed: FeedOptions,
    rejected: RejectedOptions,
) -> None:
    """Upload images, GIFs and videos, and add them to the library of the account.

    Every file is checked first, as `media check` does: where one breaks a rule, nothing is sent. A video
    is one for ads (amplify_video) unless --category or --for post says otherwise. The same file is uploaded
    once: where its media is still in the library, the record says `unchanged`.

    For example: adsctl media upload hero.png clip.mp4 --for website-card
    """
    call = Invocation.of(ctx)
    named = media_files(call, files, table, feed, ("file", *ROW_DETAILS))
    given = {"name": name, "title": title, "description": description, "alt_text": alt_text}
    _require_one(named, given | {"poster": poster, "subtitles": subtitles})
    _check_details(given, subtitles, language)
    meant = [*(uses or ())]
    access = feed.access(call)
    extras = {
        "poster": [MediaFile(parse_location(poster, access))] if poster else [],
        "subtitles": [MediaFile(parse_location(subtitles, access))] if subtitles else [],
    }
    result = check_files(call, named, meant, category)
    beside = {
        "poster": check_files(call, extras["poster"], [Use.poster], None) if poster else None,
        "subtitles": check_files(call, extras["subtitles"], [], Category.subtitles) if subtitles else None,
    }
    everything = [result, *(each for each in beside.values() if each)]
    for one in everything:
        for checked in one.checked:
            for record in checked.records():
                words = f"{record['file']}: {record['words']} ({record['rule']}); {record['hint']}"
                call.messages.warn(safe(words))
    raise_unopened([error for one in everything for error in one.unopened])
    invalid = [checked for one in everything for checked in one.invalid]
    is_skipped = skip_invalid and not any(each and each.invalid for each in beside.values())
    if invalid and not (is_skipped and len(result.invalid) < len(result.checked)):
        names = listed([safe(checked.file.label) for checked in invalid], NAMED_FILES)
        rules = sorted({finding.rule for checked in invalid for finding in checked.findings})
        message = f"{names}: {', '.join(rules)}; nothing was sent"
        raise ContentError(message, hint="correct the files, or send the others with --skip-invalid")
    valid = [checked for checked in result.checked if checked.is_valid]
    categories = [category_of(checked.info, meant, category) for checked in valid]
    if subtitles and any(not each.endswith("_video") for each in categories):
        raise UsageError("--subtitles: is for videos")
    if poster and any(not each.endswith("_video") for each in categories):
        raise UsageError("--poster: is for videos")
    refused = [Refused(each.file, "; ".join(f.words for f in each.findings)) for each in result.invalid]
    if call.dry_run:
        _show_dry_run(call, [*zip(valid, categories, strict=True)])
        return
    uploader = make_uploader(
        call, owners=(*(as_user_id or ()),), to_library=library, resume=resume, concurrency=concurrency
    )
    details = Details(**given, language=language)
    for what, extra in beside.items():
        for checked in extra.checked if extra else ():
            details = _with_extra(call, uploader, details, what, checked)
    records: list[dict[str, Any]] = []
    stopped: AdsctlError | None = None
    for checked, chosen in zip(valid, categories, strict=True):
        if stopped:
            refused.append(Refused(checked.file, "not sent"))
            continue
        try:
            own = _own_details(details, checked.file)
            records.append(upload_file(call, uploader, checked, chosen, own))
        except AdsctlError as error:
            if len(valid) == 1 and not refused:
                raise
            call.messages.warn(safe(f"{checked.file.label}: {error.message}"))
            refused.append(Refused(checked.file, error.message))
            records.append(record_of(checked.file.label, checked.info, chosen, "failed"))
            stopped = error if isinstance(error, STOPPING) else None
    call.printer.show(records, COLUMNS, "media_key")
    _end(call, records, refused, rejected, stopped)


def _require_one(named: list[MediaFile], given: dict[str, str | None]) -> None:
    for option, value in given.items():
        if value is not None and len(named) > 1:
            hint = "upload it by itself, or name them in columns of a table: -f TABLE"
            raise UsageError(f"--{option.replace('_', '-')}: is for one file", hint=hint)


def _check_details(given: dict[str, str | None], subtitles: str | None, language: str | None) -> None:
    import re

    limits = {"name": 100, "title": 70, "description": 200, "alt_text": MAX_ALT_TEXT}
    for option, limit in limits.items():
        if len(given[option] or "") > limit:
            raise UsageError(f"--{option.replace('_', '-')}: has at most {limit} characters")
    if bool(subtitles) != bool(language):
        missing = "--language" if subtitles else "--subtitles"
        raise UsageError(f"{missing} is missing", hint="as in --subtitles clip.srt --language EN")
    if language and not re.match(LANGUAGE, language):
        raise UsageError(f"--language: {language!r} is not two capital letters, as in EN")


def _with_extra(
    call: Invocation, uploader: Uploader, details: Details, what: str, checked: CheckedMedia
) -> Details:
    """Upload the poster or the subtitles of a video."""
    import msgspec

    if what == "poster":
        record = upload_file(call, uploader, checked, Category.tweet_image, Details())
        return details._replace(poster_media_key=record["media_key"])
    beside = msgspec.structs.replace(uploader, to_library=False)
    record = upload_file(call, beside, checked, Category.subtitles, Details())
    return details._replace(subtitles_id=record["media_id"])


def _own_details(details: Details, file: MediaFile) -> Details:
    """Return what the row of a file says of it."""
    own = {name: str(value) for name in ROW_DETAILS if (value := file.row.get(name))}
    return details._replace(**own)


def _show_dry_run(call: Invocation, files: list[tuple[CheckedMedia, Category]]) -> None:
    """Show what would be uploaded; nothing is sent."""
    records = [record_of(each.file.label, each.info, category, "not sent") for each, category in files]
    call.printer.show(records, COLUMNS, "file")
    total = sum(each.info.bytes for each, _ in files)
    call.messages.say(f"dry run: would upload {counted(len(files), 'file')}, {total:,} bytes")


def _end(
    call: Invocation,
    records: list[dict[str, Any]],
    refused: list[Refused],
    rejected: RejectedOptions,
    stopped: AdsctlError | None,
) -> None:
    """Say what became of the files; raise where some were not uploaded."""
    from collections import Counter

    counts = Counter(record["status"] for record in records)
    call.note_summary({"files": dict(counts), "refused": len(refused)})
    if failed_out := rejected.failed_out_file:
        _write_refused(failed_out.path, refused)
    if stopped:
        stopped.message = f"{stopped.message}; {counted(len(refused), 'file')} not uploaded"
        raise stopped
    if refused:
        total = len(refused) + counts["uploaded"] + counts["unchanged"]
        raise IncompleteError(
            f"{len(refused):,} of {counted(total, 'file')} not uploaded",
            hint="correct these files and run the command again: the others are not uploaded twice",
        )
    call.messages.say(f"{counts['uploaded']:,} uploaded, {counts['unchanged']:,} unchanged")


def _write_refused(path: str, refused: list[Refused]) -> None:
    """Write the files that were not uploaded as a table, which -f takes again."""
    import csv
    from pathlib import Path

    with atomic(Path(path)) as stream:
        writer = csv.writer(stream)
        writer.writerow(("file", "_error"))
        writer.writerows((each.file.label, each.reason) for each in refused)
