"""The journal of one job: what the service acknowledged is on disk before it is counted."""

import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import msgspec

from ..client.rate_limiter import StoppedError
from ..config.atomic_files import append_whole, make_folder, sync_folder
from ..config.file_locks import how_to_unlock, lock_folder, try_lock
from ..errors import STATE_HINT, StateError
from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from .job_file import (
    END,
    MARK,
    Acknowledgement,
    Attempt,
    Entry,
    Job,
    JournalContent,
    acknowledgements,
    encode,
    read_journal,
)
from .jobs import (
    check_named,
    find_equal,
    is_other_job_running,
    lock_path,
    remove_expired_jobs,
    restart_reason,
)

if TYPE_CHECKING:
    from filelock import FileLock

# The write epoch of a job that began while another, of no common group, was changing the same target: it
# cannot be resumed, since the other one may have changed what this one sent.
NOT_ALONE = "not alone"
KEEP_FOLDER_HINT = "free space in the state folder or repair it; what is acknowledged so far is stored there"
GROUP_COMMIT_SECONDS = 0.005  # an acknowledgement waits so long for others, to share one fsync with them


class Journal:
    """The journal of a job, open for appending, and locked against a second run of the same job.

    `resume` resumes the unfinished run of an equal job, `job_id` a named one, where nothing else may have
    changed the target since; otherwise a new job begins a write epoch of the target. Raises StateError where
    the journal cannot be written, another run has the lock, or the epoch is not `expected_epoch`, in which
    the rows to be sent were selected (None: any).
    """

    def __init__(
        self,
        state_dir: Path,
        job: Job,
        *,
        resume: bool,
        job_id: str | None = None,
        expected_epoch: str | None = None,
    ) -> None:
        self.folder = state_dir / "jobs"
        try:
            make_folder(self.folder)
            with lock_folder(self.folder), _locked_job(self.folder, job) as self._job_lock:
                earlier = self._open(job, resume, job_id, expected_epoch)
        except OSError as error:
            raise _unwritable(self.folder, error, STATE_HINT) from error
        self.acknowledged = earlier.acknowledged  # by earlier runs, by batch number
        # Of earlier runs, by batch number: what this run withdraws does not undo what they have sent.
        self.attempts = earlier.uncertain
        self.totals: Counter[str] = Counter()  # rows on disk by status, those of earlier runs included
        for ack in self.acknowledged.values():
            self.totals.update(ack.counts)
        self._queue: SimpleQueue[Entry | threading.Event | None] = SimpleQueue()
        self._lock = threading.Lock()  # of the totals, and of what follows
        self._closed = False
        self._failure: Exception | None = None  # a line may be on disk in part
        self._writer = threading.Thread(target=self._write_queue, daemon=True)
        self._writer.start()

    def _open(self, job: Job, resume: bool, job_id: str | None, expected_epoch: str | None) -> JournalContent:
        """Resume a job or begin one; return what earlier runs have noted. Folder and job are locked."""
        folder, target = self.folder, job.key.target
        remove_expired_jobs(folder, job)
        if job_id:
            check_named(folder, job_id, job)
        epochs = WriteEpochs(folder.parent)
        self.previous_epoch = epochs.current(target)  # as far as it is confirmed
        if expected_epoch is not None and expected_epoch != self.previous_epoch:
            raise changed_meanwhile(target, job.file)
        if not epochs.is_confirmed(target):
            self.previous_epoch = NO_EPOCH  # what was stored in it may not be the latest
        resumed, is_resumption = find_equal(folder, job.key, job_id), resume or bool(job_id)
        self.resumed = resumed is not None and is_resumption
        self.has_unfinished_job = resumed is not None and not is_resumption  # which could be resumed
        self.restart_reason = ""  # why no job is resumed, though that was asked for
        if resumed and is_resumption:
            self.path, self.job = resumed
            self._file = _reopen(self.path)
            return read_journal(self.path)
        if is_resumption:
            self.restart_reason = restart_reason(folder, job)
        is_alone = not is_other_job_running(folder, job)
        epoch = epochs.begin(target, job.group)
        self.job = msgspec.structs.replace(job, epoch=epoch if is_alone else NOT_ALONE)
        self.path = folder / f"{job.job}.jsonl"
        self._file = _create(self.path, self.job)
        return JournalContent()

    def append(self, entry: Entry) -> None:
        """Queue an acknowledgement, which is counted once it is on disk, or an attempt; thread-safe."""
        with self._lock:
            if self._failure:
                raise self._failure  # a line that follows an incomplete line would be lost with it
            if self._closed:
                raise StoppedError
            self._queue.put(entry)

    def may_be_applied(self, batch: int) -> bool:
        """Tell whether an earlier run may have applied a batch."""
        return batch in self.attempts

    def note_attempt(self, batch: int, keys: list[str]) -> None:
        """Note, on disk before this returns, that a batch may be applied, which deletes `keys`."""
        if batch not in self.attempts:
            self.flush()  # a power failure that damages this note must not take what is acknowledged with it
            self.append(Attempt(batch, may_be_applied=True, keys=keys))
            self.flush()
            with self._lock, suppress(OSError):
                if not self._closed:
                    os.write(self._file, MARK)

    def withdraw_attempt(self, batch: int) -> None:
        """Note that nothing of a batch was applied."""
        if batch not in self.attempts:
            self.append(Attempt(batch, may_be_applied=False))

    def discard(self, acks: Iterable[Acknowledgement]) -> None:
        """Stop counting acknowledgements of earlier runs: they are not of what this run sends."""
        for ack in acks:
            del self.acknowledged[ack.batch]
            self.uncount(ack.counts)
            self.append(Acknowledgement(ack.batch, {}))
        self.flush()

    def uncount(self, counts: Mapping[str, int]) -> None:
        """Stop counting rows of earlier runs, by status."""
        with self._lock:
            self.totals.subtract(counts)

    def acknowledgements(self) -> Iterable[Acknowledgement]:
        """Read back what is on disk: the acknowledgement that counts for each batch."""
        if self.resumed:
            return read_journal(self.path).acknowledged.values()
        return acknowledgements(self.path)  # one by one: each batch has one

    def flush(self) -> None:
        """Wait until everything is on disk; raise StateError where that fails, StoppedError after `close`."""
        written = threading.Event()
        with self._lock:
            if self._closed:
                raise StoppedError
            self._queue.put(written)
        written.wait()
        if self._failure:
            raise self._failure

    @property
    def queued(self) -> int:
        """Count the acknowledgements that are not being written yet."""
        return self._queue.qsize()

    def finish(self) -> None:
        """Record that the job has ended, once everything else is on disk."""
        self.flush()
        self._write(END)

    def remove(self) -> None:
        """Remove the journal of a run of which nothing can have been applied."""
        self.path.unlink(missing_ok=True)
        sync_folder(self.folder)

    def close(self) -> None:
        """Close the file and release the lock; later acknowledgements are neither written nor counted."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._writer.join()
        os.close(self._file)
        self._job_lock.release()

    def _write_queue(self) -> None:
        """Write acknowledgements in groups until the journal is closed; runs in its own thread."""
        is_open = True
        while is_open:
            entries = [self._queue.get()]
            if isinstance(entries[0], Entry):
                time.sleep(GROUP_COMMIT_SECONDS)
            with suppress(Empty):
                while True:
                    entries.append(self._queue.get_nowait())
            if due := [entry for entry in entries if isinstance(entry, Entry)]:
                self._commit(due)
            for entry in entries:
                if isinstance(entry, threading.Event):
                    entry.set()
            is_open = None not in entries

    def _commit(self, entries: list[Entry]) -> None:
        try:
            self._write(b"".join(map(encode, entries)))
        except Exception as error:  # raised again by append and flush
            self._failure = error
            return
        with self._lock:
            for entry in entries:
                if isinstance(entry, Acknowledgement):
                    self.totals.update(entry.counts)

    def _write(self, data: bytes) -> None:
        if self._failure:
            raise self._failure
        try:
            append_whole(self._file, data, sync=True)
        except OSError as error:
            raise _unwritable(self.folder, error) from error


@contextmanager
def _locked_job(folder: Path, job: Job) -> "Iterator[FileLock]":
    """Take the lock of the job, and release it if the job cannot start."""
    path = lock_path(folder, job.key.digest)
    lock = try_lock(path)
    if lock is None:
        raise StateError(
            f"another run is pushing the same {job.file} to the same place",
            hint=how_to_unlock(path),
        )
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


def _create(path: Path, job: Job) -> int:
    """Begin a journal, which has its name once its first line is on disk; return its descriptor."""
    begun = path.parent / ".new"
    file = os.open(begun, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_TRUNC, 0o600)
    append_whole(file, encode(job), sync=True)
    begun.rename(path)
    sync_folder(path.parent)
    return file


def _reopen(path: Path) -> int:
    """Open a journal without a last line that is incomplete; return its descriptor."""
    complete = path.read_bytes().rfind(b"\n") + 1
    file = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.ftruncate(file, complete)
    return file


def changed_meanwhile(target: UploadTarget, file: str) -> StateError:
    """Return the error of a run whose target has changed before its first request."""
    message = f"something else was sent to {target.id} while {file} was validated"
    hint = "nothing of this run was sent; 'adsctl jobs list' shows the other; is this one still due?"
    return StateError(message, hint=hint)


def _unwritable(folder: Path, error: Any, hint: str = KEEP_FOLDER_HINT) -> StateError:
    reason = getattr(error, "strerror", None) or str(error)
    return StateError(f"the journal of this push cannot be written in {folder}: {reason}", hint=hint)
