"""The run of an upload: what of a file the service has acknowledged, and the media that it has made of it.

The run has a request for each segment, so that it is resumed by segment. What it has made is known from then
on, so that a file is not uploaded twice.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from ..runs.job import Acknowledgement, Job
from ..runs.journal import Journal
from ..store import as_json, store_in
from ..stored_times import is_believable

EXPIRY_MARGIN_SECONDS = 60.0
INITIALIZED = 0  # the number of the request that begins an upload; its segments follow


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """An upload that the service has acknowledged."""

    media_id: str
    media_key: str
    segment_bytes: int
    expires_at: float | None  # Unix seconds
    at: float = 0.0  # when it began


class UploadJournal:
    """What is known of an upload. Raises StateError where that cannot be noted."""

    def __init__(self, run: Journal) -> None:
        self._run, self._store, self._noting = run, store_in(run.state_dir), threading.Lock()
        target = run.job.key.target
        self._identity = f"media of {target.id} at {target.service}", run.job.key.digest
        query = "SELECT service_key FROM known WHERE (target, identity) = (?, ?)"
        known = [msgspec.json.decode(text, type=Begun) for (text,) in self._store.rows(query, self._identity)]
        begun = [msgspec.convert(ack.answer[0], Begun) for ack in run.acknowledged.values() if ack.answer]
        self.begun: Begun | None = next(iter([*known, *begun]), None)
        self.sent = {batch - 1 for batch in run.acknowledged if batch != INITIALIZED}  # numbers of segments
        self.is_finalized = bool(known)  # the service has the whole file
        self.is_ended = self.is_finalized and not run.resumed  # nothing was left to do

    @property
    def has_expired(self) -> bool:
        """Tell whether the service may have forgotten the upload."""
        if not self.begun or self.begun.expires_at is None:
            return False
        is_over = self.begun.expires_at < time.time() + EXPIRY_MARGIN_SECONDS
        return is_over or not is_believable(self.begun.at)

    def begin(self, begun: Begun) -> None:
        """Note an upload that the service has acknowledged."""
        self.forget()
        self._append(INITIALIZED, {}, [msgspec.to_builtins(begun)])
        self.begun = begun

    def note_sent(self, segment: int, media_id: str) -> None:
        """Note a segment that the service has acknowledged, of an upload that need not be the latest."""
        with self._noting:
            if self.begun and self.begun.media_id == media_id:
                self._append(segment + 1, {"sent": 1})
                self.sent.add(segment)

    def _append(self, batch: int, counts: dict[str, int], answer: list[Any] | None = None) -> None:
        """Note what was acknowledged, on disk before this returns."""
        ack = Acknowledgement(batch, counts, answer=answer or [])
        self._run.append(ack)
        self._run.flush()
        self._run.acknowledged[batch] = ack

    def finalize(self, media_key: str) -> None:
        """Note that the service has the whole file."""
        assert self.begun
        self.begun = msgspec.structs.replace(self.begun, media_key=media_key)
        with self._store.writing() as db:
            db.execute("REPLACE INTO known VALUES (?, ?, ?)", (*self._identity, as_json(self.begun)))
        self.is_finalized = True

    def end(self) -> None:
        """Note that the media can be used, and is in the library where it is to be."""
        self._run.finish()

    def forget(self) -> None:
        """Forget the upload: it has expired, or its processing has failed."""
        with self._noting:
            with self._store.writing() as db:
                db.execute("DELETE FROM known WHERE (target, identity) = (?, ?)", self._identity)
            self._run.discard([*self._run.acknowledged.values()])
            self.begun, self.sent, self.is_finalized, self.is_ended = None, set(), False, False


@contextmanager
def open_upload(state_dir: Path, job: Job) -> Iterator[UploadJournal]:
    """Resume the run of an upload, or begin one; raise InUseError where another process has it.

    A run of which nothing was acknowledged is removed.
    """
    with closing(Journal(state_dir, job, resume=True)) as run:
        try:
            yield UploadJournal(run)
        finally:
            if not run.acknowledged:
                run.remove()
