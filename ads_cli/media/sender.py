"""Send the bytes of a file of media, at once or in segments.

Lost answers, as `runs/lost.py` has them: a request that begins an upload is repeated, since what it has begun
expires unused. A segment is repeated, since its number makes it the same. Whether an upload has ended is
looked up.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, NamedTuple

import msgspec

from ..api.media_uploads import (
    MAX_SEGMENTS,
    AppendSegment,
    Category,
    FinalizeUpload,
    GetUploadStatus,
    InitializeUpload,
    UploadMedia,
)
from ..client.client import Client
from ..client.response import Response
from ..errors import AccessError, AdsctlError, ContentError, NotFoundError, RefusedError, UnavailableError
from ..parallel.ordered_map import map_ordered
from .inspection import MediaInfo
from .journal import Begun, UploadJournal
from .responses import parse_segment_response, read_begun, read_media_key, require_named, state_of

SEGMENT_BYTES, LEAST_SEGMENT_BYTES = 1024 * 1024, 64 * 1024
FORBIDDEN = 403
TOO_LARGE = 413  # what proxies answer too, whose limits no documentation names
SIMPLE = (Category.tweet_image, Category.dm_image, Category.subtitles)  # sent in one request
GONE = "what was uploaded is gone; it begins again"


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


class Sender(msgspec.Struct, kw_only=True):
    """Sends files to the service; raises AdsctlError."""

    client: Client
    owners: tuple[str, ...] = ()
    resume: bool = False
    concurrency: int = 8
    segment_bytes: int = SEGMENT_BYTES  # fewer once the service has refused as many
    observer: Observer = msgspec.field(default_factory=Observer)

    def segments(self, info: MediaInfo) -> int:
        """Return the number of segments that a file is sent in."""
        return -(-info.bytes // self._size_for(info))

    def _size_for(self, info: MediaInfo) -> int:
        return max(self.segment_bytes, _least_segment(info.bytes))

    def send(self, journal: UploadJournal, media: OpenMedia) -> Response:
        """Send what of a file the service has not acknowledged; return what it says of the whole."""
        label = media.label
        if journal.is_finalized and journal.begun:
            if response := self.earlier(journal.begun.media_id):
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
                if not (is_resumed and _is_gone(error)):
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
        stream, info, begun = media.stream, media.info, journal.begun
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

        def send(segment: tuple[int, bytes]) -> None:
            number, content = segment
            request = AppendSegment(media_id=begun.media_id, media=content, segment_index=number)
            self.client.call(request, parse=parse_segment_response)
            journal.note_sent(number, begun.media_id)

        try:
            for _ in map_ordered(send, due(), self.concurrency, 2 * self.concurrency):
                self.observer.on_segments(len(journal.sent), total)
        except AdsctlError as error:
            if isinstance(error, RefusedError) and error.http_status == TOO_LARGE:
                raise _SegmentTooLargeError from error
            raise
        is_same = (stream.tell(), seen.hexdigest()) == (info.bytes, info.sha256)
        _require_same(media, is_same, journal)
        ended = self._finalize(begun.media_id)
        journal.finalize(read_media_key(begun, ended, media.category))
        return ended

    def _begin(self, media: OpenMedia) -> Begun:
        request = InitializeUpload(
            media_type=media.info.type,
            media_category=media.category.value,
            total_bytes=media.info.bytes,
            additional_owners=[*self.owners] or None,
        )
        return read_begun(self.client.call(request), self._size_for(media.info))

    def _send_at_once(self, journal: UploadJournal, media: OpenMedia) -> Response:
        info = media.info
        media.stream.seek(0)
        content = media.stream.read(info.bytes + 1)
        _require_same(media, hashlib.sha256(content).hexdigest() == info.sha256, journal)
        owners = ",".join(self.owners) or None
        request = UploadMedia(media=content, media_category=media.category.value, additional_owners=owners)
        ended = self.client.call(request)
        begun = read_begun(ended, info.bytes)
        journal.begin(begun)
        journal.note_sent(0, begun.media_id)
        journal.finalize(read_media_key(begun, ended, media.category))
        return ended

    def _finalize(self, media_id: str) -> Response:
        """End an upload; where the answer was lost, its status tells whether it has ended."""
        request, check = FinalizeUpload(media_id=media_id), partial(require_named, name="id", id=media_id)
        attempts = 0
        while True:
            attempts += 1
            try:
                return self.client.call(request, check=check)
            except UnavailableError as error:
                if not error.may_be_applied or attempts >= self.client.max_attempts:
                    raise
            if state_of(response := self.status(media_id)):
                return response

    def status(self, media_id: str) -> Response:
        """Ask what has become of an upload."""
        return self.client.call(GetUploadStatus(media_id=media_id, command="STATUS"))

    def earlier(self, media_id: str) -> Response | None:
        """Return the status of an upload of an earlier run; None where it is of no use."""
        try:
            return self.status(media_id)
        except (RefusedError, NotFoundError, AccessError) as error:
            if not _is_gone(error):
                raise
            return None


def _is_gone(error: AdsctlError) -> bool:
    """Tell whether an upload of an earlier run is gone, or another user's."""
    return not isinstance(error, AccessError) or error.http_status == FORBIDDEN


def _least_segment(total: int) -> int:
    """Return the least size of segments of which there are not too many."""
    return -(-total // (MAX_SEGMENTS - 1))


def _require_same(media: OpenMedia, is_same: bool, journal: UploadJournal) -> None:
    if not is_same:
        journal.forget()
        message = f"{media.label} has changed while it was uploaded; it was not finalized"
        raise ContentError(message, hint="run the command again once nothing writes the file")
