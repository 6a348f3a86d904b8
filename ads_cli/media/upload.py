"""Upload a file of media: segments, processing, and its entry in the library, once for a file."""

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zlib import crc32

import msgspec

from ..api.media import AddLibraryMedia, GetLibraryMedia
from ..api.media_uploads import (
    MAX_SEGMENTS,
    SUBTITLED,
    AddSubtitles,
    AltText,
    AppendSegment,
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
from ..errors import AdsctlError, ContentError, NotFoundError, RefusedError, UnavailableError
from ..parallel.ordered_map import map_ordered
from .inspection import MediaInfo
from .journal import Added, Begun, Finalized, Forgotten, Sent, UploadJournal, UploadKey, open_journal
from .rules import Category

SEGMENT_BYTES, LEAST_SEGMENT_BYTES = 1024 * 1024, 64 * 1024
TOO_LARGE = 413  # what proxies answer too, whose limits no documentation names
SIMPLE = (Category.tweet_image, Category.dm_image, Category.subtitles)  # sent in one request
KEY_PREFIXES = {
    Category.amplify_video: "13",
    Category.tweet_video: "7",
    Category.tweet_gif: "16",
    Category.tweet_image: "3",
    **dict.fromkeys((Category.dm_gif, Category.dm_image, Category.dm_video, Category.subtitles), "3"),
}
CHECK_AFTER_SECONDS = 1.0  # where the service states no time
COLUMNS = (
    *("file", "media_key", "media_id", "media_category", "media_type", "status"),
    *("bytes", "width", "height", "seconds", "sha256"),
)
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


class Observer(msgspec.Struct):
    """Receives the progress of an upload."""

    on_segments: Callable[[int, int], None] = lambda done, total: None
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

    def upload(
        self, stream: BinaryIO, label: str, info: MediaInfo, category: Category, details: Details
    ) -> dict[str, Any]:
        """Upload a file unless its media is still there; return its record."""
        account = self.account if self.to_library else ""
        key = UploadKey(self.service, account, info.sha256, category.value, self.owners)
        with open_journal(self.state_dir, key, label) as journal:
            status = "unchanged" if self._is_known(journal) else "uploaded"
            if status == "uploaded":
                ended = self._send(journal, stream, label, info, category)
                self._await_processing(journal, label, ended)
                if self.to_library:
                    self._add_to_library(journal, label, details)
            begun = journal.begun
            assert begun
            if status == "uploaded" or details.alt_text or details.subtitles_id:
                self._tell(begun.media_id, category, details)
        return record_of(label, info, category, status, begun)

    # --- once ---

    def _is_known(self, journal: UploadJournal) -> bool:
        """Tell whether what was uploaded earlier can still be used as it is."""
        begun = journal.begun
        if begun is None or not journal.is_finalized:
            return False
        if self.to_library:
            if self._is_in_library(begun.media_key):
                return True
            if journal.is_added or journal.has_expired:
                journal.note(Forgotten())  # it was deleted, or is gone
            return False
        if not journal.has_expired:
            with suppress(RefusedError, NotFoundError):
                state = _state(self._status(begun.media_id))
                if state in (None, "succeeded"):
                    return True
                if state != "failed":
                    return False
        journal.note(Forgotten())
        return False

    def _is_in_library(self, media_key: str) -> bool:
        try:
            found = self.client.call(GetLibraryMedia(account_id=self.account, media_key=media_key))
        except NotFoundError:
            return False
        data = found.data
        return not (isinstance(data, dict) and data.get("deleted"))

    # --- the bytes ---

    def _send(
        self, journal: UploadJournal, stream: BinaryIO, label: str, info: MediaInfo, category: Category
    ) -> Response:
        """Send what of a file the service has not acknowledged; return what it says of the whole."""
        if journal.is_finalized and journal.begun:
            try:
                return self._status(journal.begun.media_id)
            except (RefusedError, NotFoundError):
                journal.note(Forgotten())
                self.observer.say(f"{label}: what was uploaded is gone; it begins again")
        is_resumed = self.resume and journal.begun is not None
        if category in SIMPLE and not is_resumed:
            try:
                return self._send_at_once(journal, stream, label, info, category)
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
                return self._send_segments(journal, stream, label, info, category, is_resumed=is_resumed)
            except _SegmentTooLargeError as error:
                self._use_smaller_segments(journal, label, info, error)
            except (RefusedError, NotFoundError):
                if not is_resumed:
                    raise
                self.observer.say(f"{label}: the unfinished upload is gone; it begins again")
            is_resumed = False

    def _use_smaller_segments(
        self, journal: UploadJournal, label: str, info: MediaInfo, error: _SegmentTooLargeError
    ) -> None:
        """Halve the segments of the next upload; raise RefusedError where they are as small as can be."""
        begun, cause = journal.begun, error.__cause__
        assert begun and isinstance(cause, RefusedError)
        journal.note(Forgotten())  # an upload has segments of one size
        least = max(LEAST_SEGMENT_BYTES, _least_segment(info.bytes))
        if begun.segment_bytes <= least:
            cause.message = (
                f"{label}: segments of {begun.segment_bytes:,} bytes are too large: {cause.message}"
            )
            cause.hint = "smaller ones are not sent; ask whoever runs the service, or a proxy before it"
            raise cause
        self.segment_bytes = max(least, begun.segment_bytes // 2)
        smaller = f"segments of {self.segment_bytes:,} bytes"
        self.observer.say(
            f"{label}: the service takes smaller segments only; it begins again, with {smaller}"
        )

    def _send_segments(
        self,
        journal: UploadJournal,
        stream: BinaryIO,
        label: str,
        info: MediaInfo,
        category: Category,
        *,
        is_resumed: bool,
    ) -> Response:
        if not is_resumed:
            journal.note(self._begin(label, info, category))
        begun = journal.begun
        assert begun
        total, seen = -(-info.bytes // begun.segment_bytes), 0
        self.observer.on_segments(len(journal.sent), total)

        def due() -> Iterator[tuple[int, bytes]]:
            nonlocal seen
            stream.seek(0)
            for number in range(total):
                content = stream.read(begun.segment_bytes)
                seen = crc32(content, seen)
                if content and number not in journal.sent:
                    yield number, content
            seen = crc32(stream.read(1), seen)  # a file that has grown differs too

        def send(segment: tuple[int, bytes]) -> int:
            number, content = segment
            request = AppendSegment(media_id=begun.media_id, media=content, segment_index=number)
            self.client.call(request, parse=_parse_any)
            journal.note(Sent(number, begun.media_id))
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
        _require_same(label, seen == info.crc32, journal)
        ended = self._finalize(begun.media_id)
        journal.note(Finalized(begun.media_key or _media_key(ended, begun.media_id, category)))
        return ended

    def _begin(self, label: str, info: MediaInfo, category: Category) -> Begun:
        request = InitializeUpload(
            media_type=info.type,
            media_category=category.value,
            total_bytes=info.bytes,
            additional_owners=[*self.owners] or None,
        )
        response = self._again_if_lost(lambda: self.client.call(request))
        return _begun(response, label, max(self.segment_bytes, _least_segment(info.bytes)))

    def _send_at_once(
        self, journal: UploadJournal, stream: BinaryIO, label: str, info: MediaInfo, category: Category
    ) -> Response:
        stream.seek(0)
        content = stream.read(info.bytes + 1)
        _require_same(label, hashlib.sha256(content).hexdigest() == info.sha256, journal)
        owners = ",".join(self.owners) or None
        request = UploadMedia(media=content, media_category=category.value, additional_owners=owners)
        ended = self._again_if_lost(lambda: self.client.call(request))
        begun = _begun(ended, label, info.bytes)
        journal.note(begun)
        journal.note(Finalized(begun.media_key or _media_key(ended, begun.media_id, category)))
        return ended

    def _again_if_lost(self, send: Callable[[], Response]) -> Response:
        """Begin an upload again where its answer was lost: the one that may have begun stays unused."""
        for attempt in range(self.client.max_attempts):
            try:
                return send()
            except UnavailableError as error:
                error.hint = RESUME_HINT
                if not error.may_be_applied or attempt == self.client.max_attempts - 1:
                    raise
        raise AssertionError("there is at least one attempt")

    def _finalize(self, media_id: str) -> Response:
        """End an upload; where the answer was lost, its status tells whether it has ended."""
        for attempt in range(self.client.max_attempts):
            try:
                return self.client.call(FinalizeUpload(media_id=media_id))
            except UnavailableError as error:
                error.hint = RESUME_HINT
                if not error.may_be_applied or attempt == self.client.max_attempts - 1:
                    raise
            if _state(response := self._status(media_id)):
                return response
        raise AssertionError("there is at least one attempt")

    # --- what follows ---

    def _status(self, media_id: str) -> Response:
        return self.client.call(GetUploadStatus(media_id=media_id, command="STATUS"))

    def _await_processing(self, journal: UploadJournal, label: str, response: Response) -> None:
        """Wait until the media is processed, at most for --max-wait."""
        begun = journal.begun
        assert begun
        ends_at = time.monotonic() + self.client.max_wait
        while True:
            info = _processing(response)
            state = _state(response)
            if state in (None, "succeeded"):
                self.observer.on_processing(100)
                return
            if state == "failed":
                journal.note(Forgotten())
                raise RefusedError(
                    f"{label}: the service could not process it: {_reason(info)}",
                    hint="export it again, as in: adsctl media check FILE; then upload it",
                )
            percent = info.get("progress_percent")
            self.observer.on_processing(percent if isinstance(percent, int) else 0)
            delay = info.get("check_after_secs")
            delay = float(delay) if isinstance(delay, int | float) and delay > 0 else CHECK_AFTER_SECONDS
            if time.monotonic() + delay > ends_at:
                raise UnavailableError(
                    f"{label}: it is still {state} after --max-wait",
                    hint=f"{RESUME_HINT}; --max-wait waits longer",
                )
            time.sleep(delay)
            response = self._status(begun.media_id)

    def _add_to_library(self, journal: UploadJournal, label: str, details: Details) -> None:
        begun = journal.begun
        assert begun
        request = AddLibraryMedia(
            account_id=self.account,
            media_key=begun.media_key,
            name=details.name or Path(label).stem[:100] or None,
            file_name=Path(label).name[:255] or None,
            title=details.title,
            description=details.description,
            poster_media_key=details.poster_media_key,
        )
        try:
            self.client.call(request)
        except (RefusedError, UnavailableError) as error:
            error.hint = error.hint or RESUME_HINT
            may_be_there = isinstance(error, RefusedError) or error.may_be_applied
            if not (may_be_there and self._is_in_library(begun.media_key)):
                raise
        journal.note(Added())

    def _tell(self, media_id: str, category: Category, details: Details) -> None:
        """Set the alternative text, and attach subtitles."""
        if details.alt_text:
            metadata = Metadata(AltText(details.alt_text))
            self.client.call(SetMetadata(id=media_id, metadata=metadata))
        if details.subtitles_id and details.language:
            track = SubtitleTrack(details.subtitles_id, details.language)
            of_video = SUBTITLED[category.value]
            self.client.call(AddSubtitles(id=media_id, media_category=of_video, subtitles=track))


def record_of(
    label: str, info: MediaInfo, category: Category | None, status: str, begun: Begun | None = None
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


def _begun(response: Response, label: str, segment_bytes: int) -> Begun:
    """Read the answer that begins an upload; raise UnavailableError where it names no media."""
    data = response.data
    id = data.get("id") if isinstance(data, dict) else None
    if not isinstance(id, str | int):
        raise UnavailableError("the answer to the upload names no media id", http_status=response.status)
    seconds = data.get("expires_after_secs")
    expires_at = time.time() + seconds if isinstance(seconds, int | float) else None
    media_key = data.get("media_key")
    return Begun(
        media_id=str(id),
        media_key=str(media_key) if media_key else "",
        segment_bytes=segment_bytes,
        expires_at=expires_at,
        file=label,
    )


def _require_same(label: str, is_same: bool, journal: UploadJournal) -> None:
    if not is_same:
        journal.note(Forgotten())
        hint = "run the command again once nothing writes the file"
        raise ContentError(f"{label} has changed while it was uploaded; it was not finalized", hint=hint)


def _media_key(ended: Response, media_id: str, category: Category) -> str:
    """Return the media key of the last answer, or else the one that the category gives."""
    key = ended.data.get("media_key") if isinstance(ended.data, dict) else None
    return str(key or f"{KEY_PREFIXES[category]}_{media_id}")


def _processing(response: Response) -> dict[str, Any]:
    data = response.data
    info = data.get("processing_info") if isinstance(data, dict) else None
    return info if isinstance(info, dict) else {}


def _state(response: Response) -> str | None:
    """Return the state of processing; None where nothing is left to wait for."""
    state = _processing(response).get("state")
    return state if isinstance(state, str) else None


def _reason(info: dict[str, Any]) -> str:
    """Return what is said of a failure, in whatever form."""
    error = info.get("error")
    if isinstance(error, dict):
        words = [str(error[name]) for name in ("name", "message", "detail", "title") if error.get(name)]
        return ": ".join(words) or msgspec.json.encode(error).decode()
    return str(error) if error else "no reason given"


def _parse_any(content: bytes) -> Any:
    """Read the answer to a segment, which may be empty."""
    from ..http.response_body import parse_json

    return parse_json(content) if content else {}
