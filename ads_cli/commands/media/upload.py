"""Upload files of media, and put them into the library."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from typing import Annotated, Any

import msgspec
import typer

from ...api.media_uploads import MAX_ALT_TEXT, Category
from ...console.invocation import Invocation
from ...console.parameters import flag, option
from ...console.progress import ProgressReport, progress
from ...console.shown import Result, shows
from ...errors import (
    AccessError,
    AdsctlError,
    ContentError,
    GuardError,
    IncompleteError,
    RateLimitedError,
    StateError,
    UnavailableError,
    UsageError,
)
from ...media.inspection import MediaInfo
from ...media.library import Details, Library
from ...media.responses import StillProcessedError
from ...media.rules import Breach, Use, default_category
from ...media.sender import FORBIDDEN, Observer, OpenMedia, Sender
from ...media.upload import MediaRecord, Uploader
from ...output.text import Lines, counted, safe
from ...own_ids import new_job_id
from ...runs.job import Job, JobKey
from ...runs.journal import InUseError
from ...runs.rejected_rows import check_failed_out
from ...spelling import as_option
from ..runs.journal import new_job
from ..runs.options import FeedOptions, RejectedOptions, with_options
from .check import CategoryOption, Uses, check_files, raise_unopened
from .files import (
    FINDINGS,
    CheckedMedia,
    CheckResult,
    Files,
    MediaFile,
    Table,
    media_files,
    refused_written,
)

LANGUAGE = r"[A-Z]{2}"
# What is said of a file: columns of a table of files, and the most characters of each.
# A new one is also named in `DetailOptions`, and in `Details` of media/upload.py, which sends it.
ROW_DETAILS = {"name": 100, "title": 70, "description": 200, "alt_text": MAX_ALT_TEXT}
# Options that name files beside a video: the uses and the category that these are checked for.
BESIDE: dict[str, tuple[list[Use], Category | None]] = {
    "poster": ([Use.poster], None),
    "subtitles": ([], Category.subtitles),
}
OF_VIDEO = (*BESIDE, "title", "description")
# On a terminal of 80 columns: what a person asks first.
FIRST_ON_TERMINAL = ("file", "status", "media_key", "media_category", "width", "height")
NAMED_FINDINGS = 20  # the most that an error names
STOPPING = (RateLimitedError, UnavailableError)  # errors after which the same command may go on later


def stops(error: AdsctlError) -> bool:
    """Tell whether other files would fail too.

    A file that is in use, not allowed or processed for too long fails alone.
    """
    if isinstance(error, AccessError):
        return error.http_status != FORBIDDEN
    is_of_file = isinstance(error, InUseError | StillProcessedError)
    return isinstance(error, (*STOPPING, StateError, GuardError)) and not is_of_file


def make_uploader(
    call: Invocation,
    *,
    owners: tuple[str, ...] = (),
    to_library: bool = True,
    resume: bool | None = None,
    concurrency: int = 8,
) -> Uploader:
    """Return what uploads files for the account of an invocation.

    A command that has no option --resume, None, resumes by itself what is unfinished.
    """
    call.concurrency = max(call.concurrency, concurrency)  # before the client is made, which takes it

    def describe_job(key: JobKey, label: str, segments: int) -> Job:
        job = new_job(call, key, "segments", label, segments, segments + 1)
        how = "" if resume is None else job.resume
        return msgspec.structs.replace(job, job=new_job_id(datetime.now(UTC)), resume=how)

    sender = Sender(
        client=call.client,
        owners=owners,
        resume=resume is not False,
        concurrency=concurrency,
        observer=Observer(say=lambda message: call.messages.say(safe(message))),
    )
    return Uploader(
        sender=sender,
        service=call.service,
        library=Library(call.client, call.account) if to_library else None,
        state_dir=call.settings.state_dir,
        describe_job=describe_job,
    )


def upload_file(
    call: Invocation, uploader: Uploader, checked: CheckedMedia, category: Category, details: Details
) -> MediaRecord:
    """Upload a checked file, with a bar; return its record."""
    label = checked.file.label
    with ExitStack() as bars:
        shown: dict[str, ProgressReport] = {}

        def on_segments(count: int, total: int) -> None:
            if "segments" not in shown:
                bar = progress(call.messages, f"Uploading {label}", total, noun="segments")
                shown["segments"] = bars.enter_context(bar)
            shown["segments"](count)

        def on_processing(percent: int) -> None:
            if "processing" not in shown:
                bars.close()
                bar = progress(call.messages, f"Processing {label}", 100, noun="percent")
                shown["processing"] = bars.enter_context(bar)
            shown["processing"](percent)

        observer = uploader.sender.observer
        observer.on_segments, observer.on_processing = on_segments, on_processing
        location = checked.file.location
        with location.open() as stream:
            file_name = location.file_name or label
            return uploader.upload(OpenMedia(stream, label, file_name, checked.info, category), details)


def category_of(info: MediaInfo, uses: list[Use], category: Category | None) -> Category:
    """Return the category of a file that was checked."""
    chosen = category or default_category(info, uses)
    assert chosen
    return chosen


def too_long(texts: Mapping[str, str | None]) -> Iterator[tuple[str, int]]:
    """Yield each detail that is too long, and the characters that it may have."""
    return ((name, limit) for name, limit in ROW_DETAILS.items() if len(texts.get(name) or "") > limit)


def texts_of_row(file: MediaFile) -> dict[str, str]:
    """Return the details that a table has of a file: texts, and numbers as texts."""
    texts = {name: file.row[name] for name in ROW_DETAILS if file.row.get(name) not in (None, "")}
    return {name: str(value) for name, value in texts.items() if _is_text(value)}


def _is_text(value: Any) -> bool:
    return isinstance(value, str | int | float | Decimal) and not isinstance(value, bool)


def with_row_findings(result: CheckResult) -> CheckResult:
    """Add a finding to each file whose row has a detail that is no text, or too long."""
    for file in result.checked:
        row, of_row = file.file.row, f"of row {file.file.position}"
        wrong = [
            Breach("text_type", f"{name} {of_row} is no text", "write a text")
            for name in ROW_DETAILS
            if row.get(name) is not None and not _is_text(row[name])
        ]
        wrong += [
            Breach("text_length", f"{name} {of_row} has more than {limit} characters", "shorten it")
            for name, limit in too_long(texts_of_row(file.file))
        ]
        if wrong:
            file.findings += wrong
            file.status = "invalid"
    return result


class DetailOptions(msgspec.Struct, frozen=True):
    """What is said of a file, and the files beside it."""

    name: Annotated[str | None, option("TEXT", "Its name in the library (default: the file's)")] = None
    title: Annotated[str | None, option("TEXT", "Of a video")] = None
    description: Annotated[str | None, option("TEXT", "Of a video")] = None
    alt_text: Annotated[str | None, option("TEXT", "What it shows, for who cannot see it")] = None
    poster: Annotated[str | None, option("FILE", "An image, shown before a video plays")] = None
    subtitles: Annotated[str | None, option("FILE", "SubRip (.srt) or WebVTT, of a video")] = None
    language: Annotated[str | None, option("CODE", "Of the subtitles, as in EN")] = None

    @property
    def texts(self) -> dict[str, str | None]:
        """Return what the library says of the file."""
        return {name: getattr(self, name) for name in ROW_DETAILS}

    def check(self, files: int) -> None:
        """Raise UsageError for what only one file can have, a text that is too long, and a wrong language."""
        for name in (*ROW_DETAILS, *BESIDE):
            if files > 1 and getattr(self, name) is not None:
                hint = "upload it by itself, or name them in columns of a table: -f TABLE"
                raise UsageError(f"{as_option(name)}: is for one file", hint=hint)
        for name, limit in too_long(self.texts):
            raise UsageError(f"{as_option(name)}: has at most {limit} characters")
        if bool(self.subtitles) != bool(self.language):
            missing = "--language" if self.subtitles else "--subtitles"
            raise UsageError(f"{missing} is missing", hint="as in --subtitles clip.srt --language EN")
        if self.language and not re.fullmatch(LANGUAGE, self.language):
            raise UsageError(f"--language: {self.language!r} is not two capital letters, as in EN")


UPLOADS = Result(MediaRecord, "media_key")


@shows(UPLOADS, FINDINGS)
@with_options(details=DetailOptions, feed=FeedOptions, rejected=RejectedOptions)
def upload(
    ctx: typer.Context,
    files: Files = None,
    table: Table = None,
    uses: Uses = None,
    category: CategoryOption = None,
    as_user_id: Annotated[
        list[str] | None, option("ID", "A user who may post it too; may be repeated")
    ] = None,
    library: Annotated[bool, flag("Add it to the library of the account", "--library/--no-library")] = True,
    skip_invalid: Annotated[bool, flag("Upload the valid files, and end with 9")] = False,
    resume: Annotated[bool, flag("Continue unfinished uploads where they were interrupted")] = False,
    concurrency: Annotated[int, option("N", "Segments at once, at most", min=1, max=32)] = 8,
    *,
    details: DetailOptions,
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
    details.check(len(named))
    check_failed_out(rejected.failed_out_file, [file.location for file in named])
    media_uses = uses or []
    beside = {
        what: MediaFile.of(name, feed.access(call)) for what in BESIDE if (name := getattr(details, what))
    }
    result = with_row_findings(check_files(call, named, media_uses, category, valid="not sent"))
    extras = {
        what: check_files(call, [file], *BESIDE[what], valid="not sent") for what, file in beside.items()
    }
    due = [(file, category_of(file.info, media_uses, category)) for file in result.checked if file.is_valid]
    of_video = [name for name in OF_VIDEO if getattr(details, name)]
    if of_video and any(not chosen.endswith("_video") for _, chosen in due):
        raise UsageError(f"--{of_video[0]}: is for videos")
    if library and any(chosen is Category.subtitles for _, chosen in due):
        hint = "name them beside their video: --subtitles FILE --language EN, or with --no-library"
        raise UsageError("subtitles: the library takes none", hint=hint)
    with refused_written(rejected.failed_out_file, result):
        _require_valid(call, result, [*extras.values()], skip_invalid=skip_invalid)
        if call.dry_run:
            _show_dry_run(call, due)
            return
        for file in result.checked:
            file.refusal = file.reason or "not sent"
        uploader = make_uploader(
            call,
            owners=tuple(as_user_id or ()),
            to_library=library,
            resume=resume,
            concurrency=concurrency,
        )
        media_details = Details(**details.texts, language=details.language)
        run = UploadRun(call, uploader, media_details, result.checked)
        for what, extra in extras.items():
            run.upload_beside(what, extra.checked[0])
        run.upload_all(due)
        is_ids = call.printer.format == "ids"  # what was not uploaded has none
        records = [file.record for file in result.checked]
        _show(call, [record for record in records if record["media_key"] or not is_ids], "media_key")
    run.end()


def _require_valid(
    call: Invocation, result: CheckResult, beside: list[CheckResult], *, skip_invalid: bool
) -> None:
    """Print what is wrong with files; raise where nothing may be sent."""
    everything = [result, *beside]
    raise_unopened([error for files in everything for error in files.unopened])
    invalid = [checked for files in everything for checked in files.invalid]
    is_skipped = skip_invalid and not any(file.invalid for file in beside)
    is_refused = bool(invalid) and not (is_skipped and len(result.invalid) < len(result.checked))
    wrong = []
    for file in chain.from_iterable(files.checked for files in everything):
        for finding in file.findings:
            if is_refused and finding.severity == "error":
                wrong.append(file.line(finding))
            else:
                call.messages.warn(file.line(finding))
    if is_refused:
        if left := wrong[NAMED_FINDINGS:]:
            wrong[NAMED_FINDINGS:] = [f"{counted(len(left), 'more finding')}: adsctl media check lists all"]
        hint = "nothing was sent; correct what is named"
        if len(result.checked) > 1:
            hint += ", or send the others with --skip-invalid"
        raise ContentError(Lines(wrong), hint=hint)


class UploadRun:
    """Uploads files one after the other. Notes what became of each, and why it was not uploaded."""

    def __init__(
        self, call: Invocation, uploader: Uploader, details: Details, files: list[CheckedMedia]
    ) -> None:
        self._call, self._uploader, self._details = call, uploader, details
        self._files = files
        self._stopped: AdsctlError | None = None  # what ended it early
        self._unfinished: AdsctlError | None = None  # of the first file that is processed still

    def upload_beside(self, what: str, file: CheckedMedia) -> None:
        """Upload the poster or the subtitles of a video, which its details name from then on."""
        if what == "poster":
            media = self._upload(self._uploader, file, Category.tweet_image, Details())
            self._details = self._details._replace(poster_media_key=media["media_key"])
        else:
            uploader = msgspec.structs.replace(self._uploader, library=None)
            media = self._upload(uploader, file, Category.subtitles, Details())
            self._details = self._details._replace(subtitles_id=media["media_id"])

    def upload_all(self, due: list[tuple[CheckedMedia, Category]]) -> None:
        """Upload the valid files; the only one raises its error."""
        for file, category in due:
            if self._stopped:
                return
            details = self._details._replace(**texts_of_row(file.file))
            try:
                self._upload(self._uploader, file, category, details)
            except AdsctlError as error:
                if len(self._files) == 1:
                    raise
                self._call.messages.warn(safe(f"{file.file.label}: {file.refusal}"))
                self._stopped = error if stops(error) else None
                if isinstance(error, StillProcessedError):
                    self._unfinished = self._unfinished or error

    def _upload(
        self, uploader: Uploader, file: CheckedMedia, category: Category, details: Details
    ) -> MediaRecord:
        """Upload a file, and note what became of it; return its record."""
        try:
            media = upload_file(self._call, uploader, file, category, details)
        except AdsctlError as error:
            file.status, file.category = "failed", category
            file.refusal = error.message.removeprefix(f"{file.file.label}: ")
            raise
        file.status, file.media, file.refusal = media["status"], media, ""
        return media

    def end(self) -> None:
        """Say what became of the files; raise where some were not uploaded."""
        counts = Counter(file.status for file in self._files)
        left = sum(bool(file.refusal) for file in self._files)
        self._call.note_summary({"files": dict(counts), "refused": left})
        if error := self._stopped or self._unfinished:
            error.message += f"; {counted(left, 'file')} not uploaded"
            raise error
        if left:
            raise IncompleteError(
                f"{left:,} of {counted(len(self._files), 'file')} not uploaded",
                hint="correct these files and run the command again: the others are not uploaded twice",
            )
        self._call.messages.say(f"{counts['uploaded']:,} uploaded, {counts['unchanged']:,} unchanged")


def _show_dry_run(call: Invocation, due: list[tuple[CheckedMedia, Category]]) -> None:
    """Show what would be uploaded; nothing is sent."""
    for file, category in due:
        file.category = category
    _show(call, [file.record for file, _ in due], "file")
    total = sum(file.info.bytes for file, _ in due)
    call.messages.say(f"dry run: would upload {counted(len(due), 'file')}, {total:,} bytes")


def _show(call: Invocation, records: Sequence[Mapping[str, Any]], key: str) -> None:
    first = FIRST_ON_TERMINAL if call.printer.draws else ()
    columns = [*dict.fromkeys((*first, *UPLOADS.columns))]
    call.printer.show(records, columns, key)
