"""Upload a file of media once: send it, wait until it is processed, and put it into the library."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypedDict

import msgspec

from ..api.media_uploads import Category
from ..client.response import Response
from ..errors import NotFoundError, RateLimitedError, RefusedError, UnavailableError
from ..runs.job import Job, JobKey, JobOptions
from ..store.epochs import UploadTarget
from .inspection import MediaInfo
from .journal import Begun, UploadJournal, open_upload
from .library import Details, Library, set_details
from .responses import StillProcessedError, processing, progress_of, reason_of, state_of
from .sender import GONE, SIMPLE, OpenMedia, Sender

HOW_TO_RESUME = "run the same command with --resume: what was acknowledged is not sent again"
HOW_TO_REPEAT = "run the command again: what was acknowledged is not uploaded again"
LONGER_HINT = "; --max-wait waits longer"
Status = Literal["valid", "invalid", "not sent", "failed", "uploaded", "unchanged"]  # of a file in a run


class MediaRecord(TypedDict):
    """A file, and what became of it."""

    file: str
    media_key: str | None
    media_id: str | None
    media_category: str | None
    media_type: str | None
    status: Status
    bytes: int
    width: int | None
    height: int | None
    seconds: float | None
    sha256: str


class Uploader(msgspec.Struct, kw_only=True):
    """Uploads files for an account; raises AdsctlError."""

    sender: Sender
    service: str  # its identity
    library: Library | None  # that the media go to
    state_dir: Path
    describe_job: Callable[[JobKey, str, int], Job]  # by the label of a file and the number of its segments

    def upload(self, media: OpenMedia, details: Details) -> MediaRecord:
        """Upload a file unless its media is still there; return its record."""
        segments = 1 if media.category in SIMPLE else self.sender.segments(media.info)
        job = self.describe_job(self._key(media), media.label, segments)
        try:
            return self._upload(job, media, details)
        except (RateLimitedError, UnavailableError) as error:
            is_processed = isinstance(error, StillProcessedError)
            error.hint = f"{HOW_TO_RESUME if job.resume else HOW_TO_REPEAT}{LONGER_HINT * is_processed}"
            raise

    def _upload(self, job: Job, media: OpenMedia, details: Details) -> MediaRecord:
        with open_upload(self.state_dir, job) as journal:
            status: Status = "unchanged" if self._is_known(journal, details) else "uploaded"
            if status == "uploaded":
                self._send_and_await(journal, media)
            begun = journal.begun
            assert begun
            if status == "uploaded" and self.library:
                self.library.add(begun.media_key, media.file_name, details)
            journal.end()
            if status == "uploaded" or details.alt_text or details.subtitles_id:
                set_details(self.sender.client, begun.media_id, media.category, details)
        return record_of(media.label, media.info, media.category, status, begun)

    def _key(self, media: OpenMedia) -> JobKey:
        """Return what makes an upload the same."""
        content, category = media.info.sha256, media.category.value
        account = self.library.account if self.library else ""
        target = UploadTarget(self.service, f"{category} of {content[:16]}", account)
        owners: dict[str, str | int | bool | None] = {"owners": ",".join(self.sender.owners)}
        how = JobOptions(format=category, upload=owners)
        return JobKey(target, "upload", content, how)

    def _is_known(self, journal: UploadJournal, details: Details) -> bool:
        """Tell whether what was uploaded earlier can still be used; the library says `details` of it then."""
        begun = journal.begun
        if begun is None or not journal.is_finalized:
            return False
        if self.library:
            if self.library.holds(begun.media_key, details):
                return True
            is_gone = journal.is_ended or journal.has_expired  # it was deleted, or has expired
        else:
            response = None if journal.has_expired else self.sender.earlier(begun.media_id)
            state = state_of(response) if response else "failed"
            if state in (None, "succeeded"):
                return True
            is_gone = state == "failed"
        if is_gone:
            journal.forget()
        return False

    def _send_and_await(self, journal: UploadJournal, media: OpenMedia) -> None:
        """Upload a file until it is processed, and again if the service loses the upload meanwhile."""
        for is_last in (False, True):
            try:
                self._await_processing(journal, media.label, self.sender.send(journal, media))
                return
            except NotFoundError as error:
                if not journal.begun:
                    raise
                journal.forget()
                error.hint = "the service has lost the upload; run the same command again"
                if is_last:
                    raise
            self.sender.observer.say(f"{media.label}: {GONE}")

    def _await_processing(self, journal: UploadJournal, label: str, response: Response) -> None:
        """Wait until the media is processed, at most for --max-wait."""
        begun, sender = journal.begun, self.sender
        assert begun
        ends_at = time.monotonic() + sender.client.max_wait
        while (state := state_of(response)) not in (None, "succeeded"):
            info = processing(response)
            if state == "failed":
                journal.forget()
                raise RefusedError(
                    f"{label}: the service could not process it: {reason_of(info)}",
                    hint="export it again, as in: adsctl media check FILE; then upload it",
                )
            percent, delay = progress_of(info)
            sender.observer.on_processing(percent)
            if time.monotonic() + delay > ends_at:
                raise StillProcessedError(f"{label}: it is still {state} after --max-wait")
            time.sleep(delay)
            response = sender.status(begun.media_id)
        sender.observer.on_processing(100)


def record_of(
    label: str, info: MediaInfo, category: Category | None, status: Status, begun: Begun | None = None
) -> MediaRecord:
    """Return the record of a file."""
    return {
        "file": label,
        "media_key": begun.media_key if begun else None,
        "media_id": begun.media_id if begun else None,
        "media_category": category.value if category else None,
        "media_type": info.type or None,
        "status": status,
        "bytes": info.bytes,
        "width": info.width,
        "height": info.height,
        "seconds": info.seconds,
        "sha256": info.sha256,
    }
