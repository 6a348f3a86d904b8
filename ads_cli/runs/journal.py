"""The journal of a run of a job: what the service acknowledged is on disk before it is counted."""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..client.rate_limiter import StoppedError
from ..config.file_locks import how_to_unlock, try_lock
from ..errors import STATE_HINT, AdsctlError, StateError
from ..http.retry import CLOCK
from ..store import as_json, store_in
from ..store.epochs import NO_EPOCH, UploadTarget, WriteEpochs
from .job import FAILED, Acknowledgement, Job
from .jobs import (
    begin_job,
    check_named,
    find_equal,
    forget_job,
    is_other_job_running,
    job_lock,
    remove_expired_jobs,
    restart_reason,
    use_job,
)
from .sends import ACKNOWLEDGE, ATTEMPT, DISCARD, PLAN, WITHDRAW, Sends, acknowledgements, read_sends

if TYPE_CHECKING:
    import sqlite3

    from filelock import FileLock

# The write epoch of a job that began while another, of no common group, was changing the same target: it
# cannot be resumed, since the other one may have changed what this one sent.
NOT_ALONE = "not alone"
GROUP_COMMIT_SECONDS = 0.02  # an acknowledgement waits so long for others, to share a transaction
MOST_QUEUED = 16  # acknowledgements that wait for a slow disk: then no further batch is sent


class InUseError(StateError):
    """Another process runs the job."""


class Statement(NamedTuple):
    """What is to be written of a job."""

    query: str
    values: tuple[str | float, ...]
    counts: Mapping[str, int]  # acknowledged rows by status, which count once this is written


class Journal:
    """Writes what a run of a job sends into the table `sends`, and keeps a second run of the job away.

    `resume` resumes the unfinished run of an equal job, `job_id` a named one, where nothing else may have
    changed the target since; otherwise a new job begins a write epoch of the target. Raises StateError where
    the store cannot be used, another run has the lock, or the epoch is not `expected_epoch`, in which
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
        self.state_dir, self._store = state_dir, store_in(state_dir)
        with ExitStack() as undo:
            with self._store.writing():  # no other job of the target begins, or is removed, meanwhile
                self._job_lock = _lock(state_dir, job)
                undo.callback(self._job_lock.release)
                earlier = self._open(job, resume, job_id, expected_epoch)
            undo.pop_all()  # the job has begun: `close` releases its lock
        self.acknowledged = earlier.acknowledged  # by earlier runs, by batch number
        # Of earlier runs, by batch number: what this run withdraws does not undo what they have sent.
        self.attempts = earlier.uncertain
        self.totals: Counter[str] = Counter()  # rows on disk by status, those of earlier runs included
        for ack in self.acknowledged.values():
            self.totals.update(ack.counts)
        self._queue: SimpleQueue[Statement | threading.Event | None] = SimpleQueue()
        self._is_awaited = threading.Event()  # somebody waits until all is on disk
        self._lock = threading.Lock()  # of the totals, and of what follows
        self._closed = False
        self._failure: Exception | None = None  # what follows it is not written
        self._writer = threading.Thread(target=self._write_queue, daemon=True)
        self._writer.start()

    def _open(self, job: Job, resume: bool, job_id: str | None, expected_epoch: str | None) -> Sends:
        """Resume a job or begin one; return what earlier runs have sent. The job is locked."""
        state_dir, target = self.state_dir, job.key.target
        remove_expired_jobs(state_dir, job)
        if job_id:
            check_named(state_dir, job_id, job)
        epochs = WriteEpochs(state_dir)
        self.previous_epoch = epochs.current(target)  # as far as it is confirmed
        if expected_epoch is not None and expected_epoch != self.previous_epoch:
            raise changed_meanwhile(target, job.file)
        if not epochs.is_confirmed(target):
            self.previous_epoch = NO_EPOCH  # what was stored in it may not be the latest
        resumed, is_resumption = find_equal(state_dir, job.key, job_id), resume or bool(job_id)
        self.resumed = resumed is not None and is_resumption
        self.has_unfinished_job = resumed is not None and not is_resumption  # which could be resumed
        self.restart_reason = ""  # why no job is resumed, though that was asked for
        with self._store.writing() as db:
            if resumed and is_resumption:
                self.job = resumed
                use_job(db, resumed)
                return read_sends(state_dir, resumed.job)
            if is_resumption:
                self.restart_reason = restart_reason(state_dir, job)
            is_alone = not is_other_job_running(state_dir, job)
            epoch = epochs.begin(target, job.group)
            self.job = msgspec.structs.replace(job, epoch=epoch if is_alone else NOT_ALONE)
            begin_job(db, self.job)
        return Sends({}, {}, {}, {})

    def append(self, ack: Acknowledgement) -> None:
        """Queue an acknowledgement, which is counted once it is on disk; thread-safe."""
        sent, failed = sum(ack.counts.values()), ack.counts.get(FAILED, 0)
        self._put(ACKNOWLEDGE, ack.batch, as_json(ack), sent, failed, counts=ack.counts)

    def plan(self, contents: Iterable[str]) -> None:
        """Queue digests of records that this run is to create once, whether it sends them or not."""
        for content in contents:
            self._put(PLAN, content)

    def _put(self, query: str, *values: str | float, counts: Mapping[str, int] | None = None) -> None:
        with self._lock:
            if self._failure:
                raise self._failure
            if self._closed:
                raise StoppedError
            self._queue.put(Statement(query, (self.job.job, *values), counts or {}))

    @contextmanager
    def attempt(self, batch: int, keys: list[str]) -> "Iterator[Callable[[], None]]":
        """Yield what notes, on disk before it returns, that a batch may be applied, which deletes `keys`.

        It is called as the batch is sent, and withdrawn where nothing was applied.
        """

        def note() -> None:
            if batch not in self.attempts:
                self._put(ATTEMPT, batch, as_json(keys), CLOCK.time())
                self.flush()

        try:
            yield note
        except (AdsctlError, StoppedError) as error:
            if not error.may_be_applied:
                self.withdraw_attempt(batch)
            raise

    def withdraw_attempt(self, batch: int) -> None:
        """Note that nothing of a batch was applied."""
        if batch not in self.attempts:
            self._put(WITHDRAW, batch)

    def discard(self, acks: Iterable[Acknowledgement]) -> None:
        """Stop counting acknowledgements of earlier runs: they are not of what this run sends."""
        for ack in acks:
            del self.acknowledged[ack.batch]
            self.uncount(ack.counts)
            self._put(DISCARD, ack.batch)
        self.flush()

    def uncount(self, counts: Mapping[str, int]) -> None:
        """Stop counting rows of earlier runs, by status."""
        with self._lock:
            self.totals.subtract(counts)

    def acknowledgements(self) -> Iterable[Acknowledgement]:
        """Read back what is on disk: the acknowledgement that counts for each batch, one by one."""
        return acknowledgements(self.state_dir, self.job.job)

    def flush(self) -> None:
        """Wait until everything is on disk; raise StateError where that fails, StoppedError after `close`."""
        written = threading.Event()
        with self._lock:
            if self._closed:
                raise StoppedError
            self._queue.put(written)
        self._is_awaited.set()
        written.wait()
        if self._failure:
            raise self._failure

    def keep_up(self) -> None:
        """Wait for a disk that is slower than the service."""
        if self._queue.qsize() > MOST_QUEUED:
            self.flush()

    def finish(self) -> None:
        """Record that the job has ended, once everything else is on disk."""
        self.flush()
        with self._writing() as db:
            use_job(db, self.job, ended=True)

    @property
    def has_sent(self) -> bool:
        """Whether anything of the job was acknowledged, or may be applied."""
        sends = read_sends(self.state_dir, self.job.job)
        return bool(sends.acknowledged or sends.uncertain)

    def remove(self) -> None:
        """Remove a job of which nothing can have been applied."""
        forget_job(self.state_dir, self.job)

    def close(self) -> None:
        """Release the lock; later acknowledgements are neither written nor counted."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._queue.put(None)
        self._is_awaited.set()
        self._writer.join()
        self._job_lock.release()

    def _write_queue(self) -> None:
        """Write what is queued in groups until `close`; runs in its own thread."""
        is_open = True
        while is_open:
            entries = [self._queue.get()]
            if isinstance(entries[0], Statement):
                self._is_awaited.wait(GROUP_COMMIT_SECONDS)
            self._is_awaited.clear()
            with suppress(Empty):
                while True:
                    entries.append(self._queue.get_nowait())
            if due := [entry for entry in entries if isinstance(entry, Statement)]:
                self._commit(due)
            for entry in entries:
                if isinstance(entry, threading.Event):
                    entry.set()
            is_open = None not in entries

    def _commit(self, statements: list[Statement]) -> None:
        if self._failure:
            return
        try:
            with self._writing() as db:
                for statement in statements:
                    db.execute(statement.query, statement.values)
                use_job(db, self.job, writes=1)
        except Exception as error:  # raised again by append and flush
            self._failure = error
            return
        with self._lock:
            for statement in statements:
                self.totals.update(statement.counts)

    @contextmanager
    def _writing(self) -> "Iterator[sqlite3.Connection]":
        """Make a transaction; raise StateError, which says what is kept, where that fails."""
        try:
            with self._store.writing() as db:
                yield db
        except StateError as error:
            message = f"what this push sends cannot be noted: {error.message}"
            keep = "free space in the state folder or repair it; what is acknowledged so far is stored there"
            hint = keep if error.hint == STATE_HINT else error.hint  # of what locks it
            raise StateError(message, hint=hint) from error


def _lock(state_dir: Path, job: Job) -> "FileLock":
    """Take the lock of a job; raise StateError where another run has it."""
    path = job_lock(state_dir, job.key.digest)
    if lock := try_lock(path):
        return lock
    doing = "uploading" if job.action == "upload" else "pushing"
    raise InUseError(
        f"another run is {doing} the same {job.file} to the same place", hint=how_to_unlock(path)
    )


def changed_meanwhile(target: UploadTarget, file: str) -> StateError:
    """Return the error of a run whose target has changed before its first request."""
    message = f"something else was sent to {target.id} while {file} was validated"
    hint = "nothing of this run was sent; 'adsctl jobs list' shows the other; is this one still due?"
    return StateError(message, hint=hint)
