"""The journal of one job: what the service acknowledged is on disk before it is counted."""

import os
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ..client.rate_limiter import StoppedError
from ..errors import STATE_HINT, StateError
from .batch import Acknowledgement
from .job_file import END, Job, acknowledgements, encode, encode_job, read_job
from .jobs import find_named, find_unfinished, remove_expired_jobs, restart_reason
from .locks import lock_folder, try_lock

if TYPE_CHECKING:
    from filelock import FileLock

GROUP_COMMIT_SECONDS = 0.005  # an acknowledgement waits so long for others, to share one fsync with them


class Journal:
    """The journal of a job, open for appending, and locked against a second run of the same job.

    `resume` resumes the last unfinished run of an equal job, `job_id` a named one. Raises StateError
    where the journal cannot be written, or another run has the lock.
    """

    def __init__(self, folder: Path, job: Job, *, resume: bool, job_id: str | None = None) -> None:
        self.folder = folder
        self._lock = _take_lock(folder, job)
        remove_expired_jobs(folder, job)
        unfinished = find_unfinished(folder, job)
        path = find_named(folder, job_id, job) if job_id else (unfinished if resume else None)
        self.has_unfinished_job = bool(unfinished) and not resume and not job_id
        self.resumed = path is not None
        self.restart_reason = restart_reason(folder, job) if resume and path is None else ""
        self.acknowledged: dict[int, Acknowledgement] = {}  # by earlier runs, by batch number
        self.totals: Counter[str] = Counter()  # rows on disk by status, those of earlier runs included
        self._queue: SimpleQueue[Acknowledgement | threading.Event | None] = SimpleQueue()
        self._append_lock = threading.Lock()
        self._closed = False
        self._failure: Exception | None = None  # a line may be on disk in part
        self.path = path or folder / f"{job.job}.jsonl"
        if path is None:
            self.job = job
            self._create(self.path)
        else:
            self.job, _ = read_job(path)
            self._reopen(path)
        self._writer = threading.Thread(target=self._write_queue, daemon=True)
        self._writer.start()

    def append(self, ack: Acknowledgement) -> None:
        """Queue an acknowledgement, which is counted once it is on disk; thread-safe."""
        with self._append_lock:
            if self._failure:
                raise self._failure  # a line that follows an incomplete line would be lost with it
            if self._closed:
                raise StoppedError
            self._queue.put(ack)

    def flush(self) -> None:
        """Wait until everything is on disk; raise StateError where that fails."""
        written = threading.Event()
        self._queue.put(written)
        written.wait()
        if self._failure:
            raise self._failure

    @property
    def queued(self) -> int:
        """Count the acknowledgements that are not being written yet."""
        return self._queue.qsize()

    def finish(self) -> None:
        """Record that the job has ended."""
        self._write(END)

    def close(self) -> None:
        """Close the file and release the lock; later acknowledgements are neither written nor counted."""
        with self._append_lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._writer.join()
        os.close(self._file)
        self._lock.release()

    def _write_queue(self) -> None:
        """Write acknowledgements in groups until the journal is closed; runs in its own thread."""
        is_open = True
        while is_open:
            entries = [self._queue.get()]
            if isinstance(entries[0], Acknowledgement):
                time.sleep(GROUP_COMMIT_SECONDS)
            with suppress(Empty):
                while True:
                    entries.append(self._queue.get_nowait())
            if acks := [entry for entry in entries if isinstance(entry, Acknowledgement)]:
                self._commit(acks)
            for entry in entries:
                if isinstance(entry, threading.Event):
                    entry.set()
            is_open = None not in entries

    def _commit(self, acks: list[Acknowledgement]) -> None:
        try:
            self._write(b"".join(map(encode, acks)))
        except Exception as error:  # raised again by append and flush
            self._failure = error
        else:
            for ack in acks:
                self.totals.update(ack.counts)

    def _write(self, data: bytes) -> None:
        if self._failure:
            raise self._failure
        try:
            if os.write(self._file, data) != len(data):
                raise OSError("the disk is full")
            os.fdatasync(self._file) if hasattr(os, "fdatasync") else os.fsync(self._file)
        except OSError as error:
            raise _unwritable(self.folder, error) from error

    def _create(self, path: Path) -> None:
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise _unwritable(self.folder, error) from error
        self._write(encode_job(self.job))

    def _reopen(self, path: Path) -> None:
        """Read what was acknowledged, and truncate a last line that is incomplete."""
        for ack in acknowledgements(path):
            self.acknowledged[ack.batch] = ack
            self.totals.update(ack.counts)
        complete = path.read_bytes().rfind(b"\n") + 1
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
            os.ftruncate(self._file, complete)
        except OSError as error:
            raise _unwritable(self.folder, error) from error


def _take_lock(folder: Path, job: Job) -> "FileLock":
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with lock_folder(folder):
            lock = try_lock(folder, job.key.digest)
    except OSError as error:
        raise _unwritable(folder, error) from error
    if lock is None:
        raise StateError(
            f"another run is pushing the same {job.file} to the same place",
            hint="wait until it ends, or stop it",
        )
    return lock


def _unwritable(folder: Path, error: Any) -> StateError:
    reason = getattr(error, "strerror", None) or str(error)
    return StateError(
        f"the journal of this push cannot be written in {folder}: {reason}",
        hint=f"{STATE_HINT}; acknowledgements up to here are stored",
    )
