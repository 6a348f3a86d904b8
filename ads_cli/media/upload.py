"""Upload a file of media: segments, processing, and its entry in the library, once for a file."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from ..api.media import AddLibraryMedia, GetLibraryMedia, UpdateLibraryMedia
from ..api.media_uploads import (
    MAX_SEGMENTS,
    SUBTITLED,
    AddSubtitles,
    AltText,
    AppendSegment,
    Category,
    FinalizeUpload,
    GetUploadStatus,
    InitializeUpload,
    Metadata,
    SetMetadata,
    SubtitleTrack,
    UploadMedia,
)
from ..client.client import Client
from ..client.response import Response
from ..errors import AccessError, AdsctlError, ContentError, NotFoundError, RefusedError, UnavailableError
from ..parallel.ordered_map import map_ordered
from .inspection import MediaInfo
from .journal import (
    Begun,
    UploadJournal,
    UploadKey,
)
from .responses import (
    StillProcessedError,
    parse_segment_response,
    processing,
    progress_of,
    read_begun,
    read_media_key,
    reason_of,
    state_of,
)

SEGMENT_BYTES, LEAST_SEGMENT_BYTES = 1024 * 1024, 64 * 1024
FORBIDDEN = 403
TOO_LARGE = 413  # what proxies answer too, whose limits no documentation names
SIMPLE = (Category.tweet_image, Category.dm_image, Category.subtitles)  # sent in one request
COLUMNS = (
    *("file", "media_key", "media_id", "media_category", "media_type", "status"),
    *("bytes", "width", "height", "seconds", "sha256"),
)
GONE = "what was uploaded is gone; it begins again"
RESUME_HINT = "run the same command with --resume: what was acknowledged is not sent again"


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
Status = Literal["valid", "invalid", "not sent", "failed", "uploaded", "unchanged"]  # of a file in a run


class OpenMedia(NamedTuple):
    """An open file of media, and what it is uploaded as."""

    stream: BinaryIO
    label: str  # names it in messages
    file_name: str  # names it in the library; with or without folders
    info: MediaInfo
    category: Category


class Observer(msgspec.Struct):
    """Receives the progress of an upload."""

    on_segments: Callable[[int, int], None] = lambda count, total: None
    on_processing: Callable[[int], None] = lambda percent: None
    say: Callable[[str], None] = lambda message: None


class _SegmentTooLargeError(Exception):
    """The service takes smaller segments only."""


class Uploader(msgspec.Struct, kw_only=True):
    """Uploads files for an account; raises AdsctlError."""

    client: Client
    service: str  # its identity
    account: str  # "" where nothing goes to a library
    state_dir: Path
    owners: tuple[str, ...] = ()
    to_library: bool = True
    resume: bool = False
    concurrency: int = 8
    segment_bytes: int = SEGMENT_BYTES  # fewer once the service has refused as many
    observer: Observer = msgspec.field(default_factory=Observer)

    def upload(self, media: OpenMedia, details: Details) -> dict[str, Any]:
        """Upload a file unless its media is still there; return its record."""
        label, info, category = media.label, media.info, media.category
        account = self.account if self.to_library else ""
        key = UploadKey(self.service, account, info.bytes, info.sha256, category.value, self.owners)
        with closing(UploadJournal(self.state_dir, key, label)) as journal:
            status: Status = "unchanged" if self._is_known(journal, details) else "uploaded"
            if status == "uploaded":
                self._send_and_await(journal, media)
                if self.to_library:
                    self._add_to_library(journal, media.file_name, details)
            begun = journal.begun
            assert begun
            if status == "uploaded" or details.alt_text or details.subtitles_id:
                self._set_details(begun.media_id, category, details)
        return record_of(label, info, category, status, begun)

    # --- once ---

    def _is_known(self, journal: UploadJournal, details: Details) -> bool:
        """Tell whether what was uploaded earlier can still be used; the library says `details` of it then."""
        begun = journal.begun
        if begun is None or not journal.is_finalized:
            return False
        if self.to_library:
            if record := self._find_in_library(begun.media_key):
                self._update_in_library(record, details)
                return True
            if journal.is_added or journal.has_expired:
                journal.forget()  # it was deleted, or is gone
            return False
        if not journal.has_expired and (response := self._earlier(begun.media_id)):
            state = state_of(response)
            if state in (None, "succeeded"):
                return True
            if state != "failed":
                return False
        journal.forget()
        return False

    def _find_in_library(self, media_key: str) -> dict[str, Any] | None:
        """Return media of the library that are not deleted."""
        try:
            response = self.client.call(GetLibraryMedia(account_id=self.account, media_key=media_key))
        except NotFoundError:
            return None
        data = response.neutral_data
        if not (isinstance(data, dict) and data.get("media_key") == media_key):
            message = f"the library answered with other media than {media_key}"
            raise UnavailableError(message, http_status=response.status)
        return None if data.get("deleted") else data

    def _update_in_library(self, record: dict[str, Any], details: Details) -> None:
        """Change what the library says of media where that differs from the details that are given."""
        values = {name: getattr(details, name) for name in IN_LIBRARY}
        changed = {name: value for name, value in values.items() if value and value != record.get(name)}
        if changed:
            key = record["media_key"]
            self.client.call(UpdateLibraryMedia(account_id=self.account, media_key=key, **changed))

    # --- the bytes ---

    def _send_and_await(self, journal: UploadJournal, media: OpenMedia) -> None:
        """Upload a file until it is processed, and again if the service loses the upload meanwhile."""
        for is_last in (False, True):
            try:
                ended = self._send(journal, media)
                self._await_processing(journal, media.label, ended)
                return
            except NotFoundError as error:
                if not journal.begun:
                    raise
                journal.forget()
                error.hint = "the service has lost the upload; run the same command again"
                if is_last:
                    raise
            self.observer.say(f"{media.label}: {GONE}")

    def _send(self, journal: UploadJournal, media: OpenMedia) -> Response:
        """Send what of a file the service has not acknowledged; return what it says of the whole."""
        label = media.label
        if journal.is_finalized and journal.begun:
            if response := self._earlier(journal.begun.media_id):
                return response
            journal.forget()
            self.observer.say(f"{label}: {GONE}")
        is_resumed = self.resume and journal.begun is not None
        if media.category in SIMPLE and not is_resumed:
            try:
                return self._send_at_once(journal, media)
            except RefusedError as error:
                if error.http_status != TOO_LARGE:
                    raise
            self.observer.say(f"{label}: the service takes no request as large; it is sent in segments")
        if is_resumed and journal.has_expired:
            self.observer.say(f"{label}: the unfinished upload has expired; it begins again")
            is_resumed = False
        elif journal.begun and not is_resumed:
            self.observer.say(f"{label}: an earlier upload is unfinished; --resume would continue it")
        while True:
            try:
                if not is_resumed:
                    journal.begin(self._begin(media))
                return self._send_segments(journal, media)
            except _SegmentTooLargeError as error:
                self._use_smaller_segments(journal, media, error)
            except (RefusedError, NotFoundError, AccessError) as error:
                if not (is_resumed and _is_lost(error)):
                    raise
                self.observer.say(f"{label}: {GONE}")
            is_resumed = False

    def _use_smaller_segments(
        self, journal: UploadJournal, media: OpenMedia, error: _SegmentTooLargeError
    ) -> None:
        """Halve the segments of the next upload; raise RefusedError where they are as small as can be."""
        begun, cause = journal.begun, error.__cause__
        assert begun and isinstance(cause, RefusedError)
        journal.forget()  # an upload has segments of one size
        least = max(LEAST_SEGMENT_BYTES, _least_segment(media.info.bytes))
        if begun.segment_bytes <= least:
            size = f"segments of {begun.segment_bytes:,} bytes"
            cause.message = f"{media.label}: {size} are too large: {cause.message}"
            cause.hint = "smaller ones are not sent; ask whoever runs the service, or a proxy before it"
            raise cause
        self.segment_bytes = max(least, begun.segment_bytes // 2)
        smaller = f"segments of {self.segment_bytes:,} bytes"
        self.observer.say(
            f"{media.label}: the service takes smaller segments only; it begins again, with {smaller}"
        )

    def _send_segments(self, journal: UploadJournal, media: OpenMedia) -> Response:
        stream, label, info, category = media.stream, media.label, media.info, media.category
        begun = journal.begun
        assert begun
        total, seen = -(-info.bytes // begun.segment_bytes), hashlib.sha256()
        self.observer.on_segments(len(journal.sent), total)

        def due() -> Iterator[tuple[int, bytes]]:
            stream.seek(0)
            for number in range(total):
                content = stream.read(begun.segment_bytes)
                seen.update(content)
                if content and number not in journal.sent:
                    yield number, content
            stream.read(1)  # so that the position differs in a file that has grown

        def send(segment: tuple[int, bytes]) -> int:
            number, content = segment
            request = AppendSegment(media_id=begun.media_id, media=content, segment_index=number)
            self.client.call(request, parse=parse_segment_response)
            journal.note_sent(number, begun.media_id)
            return number

        try:
            for _ in map_ordered(send, due(), self.concurrency, 2 * self.concurrency):
                self.observer.on_segments(len(journal.sent), total)
        except AdsctlError as error:
            if isinstance(error, RefusedError) and error.http_status == TOO_LARGE:
                raise _SegmentTooLargeError from error
            if error.retryable:
                error.hint = RESUME_HINT
            raise
        is_same = (stream.tell(), seen.hexdigest()) == (info.bytes, info.sha256)
        _require_same(label, is_same, journal)
        ended = self._finalize(begun.media_id)
        journal.finalize(read_media_key(begun, ended, category))
        return ended

    def _begin(self, media: OpenMedia) -> Begun:
        info, category = media.info, media.category
        request = InitializeUpload(
            media_type=info.type,
            media_category=category.value,
            total_bytes=info.bytes,
            additional_owners=[*self.owners] or None,
        )
        response = self._again_if_lost(lambda: self.client.call(request))
        return read_begun(response, max(self.segment_bytes, _least_segment(info.bytes)))

    def _send_at_once(self, journal: UploadJournal, media: OpenMedia) -> Response:
        stream, label, info, category = media.stream, media.label, media.info, media.category
        stream.seek(0)
        content = stream.read(info.bytes + 1)
        _require_same(label, hashlib.sha256(content).hexdigest() == info.sha256, journal)
        owners = ",".join(self.owners) or None
        request = UploadMedia(media=content, media_category=category.value, additional_owners=owners)
        ended = self._again_if_lost(lambda: self.client.call(request))
        begun = read_begun(ended, info.bytes)
        journal.begin(begun)
        journal.finalize(read_media_key(begun, ended, category))
        return ended

    def _again_if_lost(
        self, send: Callable[[], Response], answered: Callable[[], Response | None] = lambda: None
    ) -> Response:
        """Send a request again where its answer was lost, unless `answered` returns another one for it.

        An upload that a lost answer may have begun stays unused.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                return send()
            except UnavailableError as error:
                error.hint = RESUME_HINT
                if not error.may_be_applied or attempts >= self.client.max_attempts:
                    raise
            if response := answered():
                return response

    def _finalize(self, media_id: str) -> Response:
        """End an upload; where the answer was lost, its status tells whether it has ended."""

        def status_if_ended() -> Response | None:
            response = self._status(media_id)
            return response if state_of(response) else None

        request = FinalizeUpload(media_id=media_id)
        return self._again_if_lost(lambda: self.client.call(request), status_if_ended)

    # --- what follows ---

    def _status(self, media_id: str) -> Response:
        try:
            return self.client.call(GetUploadStatus(media_id=media_id, command="STATUS"))
        except UnavailableError as error:
            error.hint = error.hint or RESUME_HINT
            raise

    def _earlier(self, media_id: str) -> Response | None:
        """Return the status of an upload of an earlier run; None where it is of no use."""
        try:
            return self._status(media_id)
        except (RefusedError, NotFoundError, AccessError) as error:
            if not _is_lost(error):
                raise
            return None

    def _await_processing(self, journal: UploadJournal, label: str, response: Response) -> None:
        """Wait until the media is processed, at most for --max-wait."""
        begun = journal.begun
        assert begun
        ends_at = time.monotonic() + self.client.max_wait
        while True:
            info = processing(response)
            state = state_of(response)
            if state in (None, "succeeded"):
                self.observer.on_processing(100)
                return
            if state == "failed":
                journal.forget()
                raise RefusedError(
                    f"{label}: the service could not process it: {reason_of(info)}",
                    hint="export it again, as in: adsctl media check FILE; then upload it",
                )
            percent, delay = progress_of(info)
            self.observer.on_processing(percent)
            if time.monotonic() + delay > ends_at:
                raise StillProcessedError(
                    f"{label}: it is still {state} after --max-wait",
                    hint=f"{RESUME_HINT}; --max-wait waits longer",
                )
            time.sleep(delay)
            response = self._status(begun.media_id)

    def _add_to_library(self, journal: UploadJournal, file_name: str, details: Details) -> None:
        begun = journal.begun
        assert begun
        file = Path(file_name.encode("utf-8", "replace").decode())  # a name on a disk may be any bytes
        request = AddLibraryMedia(
            account_id=self.account,
            media_key=begun.media_key,
            name=details.name or file.stem[:100] or None,
            file_name=file.name[:255] or None,
            title=details.title,
            description=details.description,
            poster_media_key=details.poster_media_key,
        )
        try:
            self.client.call(request)
        except (RefusedError, UnavailableError) as error:
            error.hint = error.hint or RESUME_HINT
            may_be_there = isinstance(error, RefusedError) or error.may_be_applied
            if not (may_be_there and (record := self._find_in_library(begun.media_key))):
                raise
            self._update_in_library(record, details)
        journal.add()

    def _set_details(self, media_id: str, category: Category, details: Details) -> None:
        """Set the alternative text, and attach subtitles."""
        if details.alt_text:
            metadata = Metadata(AltText(details.alt_text))
            self.client.call(SetMetadata(id=media_id, metadata=metadata))
        if details.subtitles_id and details.language:
            track = SubtitleTrack(details.subtitles_id, details.language)
            of_video = SUBTITLED[category.value]
            self.client.call(AddSubtitles(id=media_id, media_category=of_video, subtitles=track))


def _is_lost(error: AdsctlError) -> bool:
    """Tell whether an upload of an earlier run is gone, or another user's."""
    return not isinstance(error, AccessError) or error.http_status == FORBIDDEN


def record_of(
    label: str, info: MediaInfo, category: Category | None, status: Status, begun: Begun | None = None
) -> dict[str, Any]:
    """Return the record of a file."""
    values = (
        *(label, begun and begun.media_key, begun and begun.media_id),
        *(category and category.value, info.type or None, status),
        *(info.bytes, info.width, info.height, info.seconds, info.sha256),
    )
    return dict(zip(COLUMNS, values, strict=True))


def _least_segment(total: int) -> int:
    """Return the least size of segments of which there are not too many."""
    return -(-total // (MAX_SEGMENTS - 1))


def _require_same(label: str, is_same: bool, journal: UploadJournal) -> None:
    if not is_same:
        journal.forget()
        hint = "run the command again once nothing writes the file"
        raise ContentError(f"{label} has changed while it was uploaded; it was not finalized", hint=hint)
