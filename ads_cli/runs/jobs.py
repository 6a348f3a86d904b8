"""The jobs of a state folder: which are unfinished, which one a push resumes, which ones a task had begun."""

import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..config.file_locks import is_locked, state_lock
from ..errors import NotFoundError, StateError, UsageError
from ..http.retry import CLOCK
from ..store import as_json, store_in
from ..store.epochs import UploadTarget, WriteEpochs
from ..stored_times import TOLERANCE_SECONDS, utc_text
from .job import DISCARDED, ENDED, SUPERSEDED, UNFINISHED, Job, JobKey, JobOptions

if TYPE_CHECKING:
    import sqlite3

JOB_RETENTION_SECONDS = 30 * 24 * 3600

_FIELDS = ("noun", "file", "rows", "batches", "started", "resume", "profile", "folder", "epoch")
_COLUMNS = f"id, service, kind, target, upload, content, options, {', '.join(_FIELDS)}, job_group"
_OF_TARGET = "(service, kind, target) = (?, ?, ?)"
_decode_options = msgspec.json.Decoder(JobOptions).decode


def job_lock(state_dir: Path, digest: str) -> Path:
    """Return the lock that a run of a job holds, by the digest of its key."""
    return state_lock(state_dir, "job", digest)


def is_running(state_dir: Path, job: Job) -> bool:
    """Tell whether a process runs a job; in a transaction, so that no other one takes its lock meanwhile."""
    return is_locked(job_lock(state_dir, job.key.digest))


def list_jobs(state_dir: Path, condition: str = "1", values: Iterable[Any] = ()) -> list[Job]:
    """List the jobs that fulfil a condition on their row, oldest first."""
    # With the plus, SQLite finds few rows by an index and sorts them, and reads no others.
    query = f"SELECT {_COLUMNS}, ended FROM runs WHERE {condition} ORDER BY +started, +id"
    rows = store_in(state_dir).rows(query, (*values,))
    current = cache(WriteEpochs(state_dir).current)
    jobs = []
    for id, service, kind, target_id, upload, content, options, *fields, group, ended in rows:
        target = UploadTarget(service, kind, target_id)
        key = JobKey(target, upload, content, _decode_options(options))
        job = Job(job=id, key=key, group=group, **dict(zip(_FIELDS, fields, strict=True)))
        is_current = not ended and job.epoch and job.epoch == current(target)
        job.state = UNFINISHED if is_current else SUPERSEDED
        if ended:
            job.state = DISCARDED if ended.startswith(DISCARDED) else ENDED
        jobs.append(job)
    return jobs


def unfinished_jobs(state_dir: Path, target: UploadTarget) -> list[Job]:
    """List the jobs of a target that have not ended, resumable or not, oldest first."""
    return list_jobs(state_dir, f"{_OF_TARGET} AND ended IS NULL", target)


def resumable_jobs(state_dir: Path, target: UploadTarget) -> list[Job]:
    """List the jobs that can be resumed for a target: the one that began its epoch, or a group of them."""
    return [job for job in unfinished_jobs(state_dir, target) if job.state == UNFINISHED]


def count_writes(state_dir: Path, target: UploadTarget) -> int:
    """Count the writes of the jobs of a target's epoch: there are more once one of them was resumed."""
    epoch = WriteEpochs(state_dir).current(target)
    query = f"SELECT writes FROM runs WHERE {_OF_TARGET} AND epoch = ?"
    return sum(writes for (writes,) in store_in(state_dir).rows(query, (*target, epoch)))


def last_write(state_dir: Path, target: UploadTarget) -> float:
    """Return when a job has last written to a target, in Unix seconds; 0 where none is known."""
    rows = store_in(state_dir).rows(f"SELECT used FROM runs WHERE {_OF_TARGET} AND writes > 0", target)
    return max((float(seconds) for (seconds,) in rows), default=0.0)


def begin_job(db: "sqlite3.Connection", job: Job) -> None:
    """Note a job, in a transaction."""
    key, options = job.key, as_json(job.key.options)
    fields = [getattr(job, name) for name in _FIELDS]
    row = (job.job, *key.target, key.upload, key.content, options, *fields, job.group)
    places = ", ".join("?" for _ in row)
    db.execute(f"INSERT INTO runs ({_COLUMNS}, used) VALUES ({places}, ?)", (*row, int(CLOCK.time())))


def use_job(db: "sqlite3.Connection", job: Job, *, writes: int = 0, ended: bool = False) -> None:
    """Note that a job is resumed, has written, or has ended, in a transaction."""
    values = int(CLOCK.time()), writes, utc_text() if ended else None, job.job
    query = "UPDATE runs SET used = ?, writes = writes + ?, ended = coalesce(?, ended) WHERE id = ?"
    db.execute(query, values)


def discard_job(state_dir: Path, job: Job) -> bool:
    """Let nothing resume a job, unless it is running. What it may have created stays known."""
    if not job.may_have_created:
        return not remove_jobs(state_dir, [job])
    with store_in(state_dir).writing() as db:
        if is_running(state_dir, job):
            return False
        db.execute("UPDATE runs SET ended = ? WHERE id = ?", (f"{DISCARDED} {utc_text()}", job.job))
    return True


def remove_jobs(state_dir: Path, jobs: Iterable[Job]) -> list[Job]:
    """Remove jobs, but for those that are running; return these."""
    running = list[Job]()
    with store_in(state_dir).writing():
        for job in jobs:
            if is_running(state_dir, job):
                running.append(job)
            else:
                forget_job(state_dir, job)
                job_lock(state_dir, job.key.digest).unlink(missing_ok=True)
    return running


def forget_job(state_dir: Path, job: Job) -> None:
    """Remove a job, running or not."""
    with store_in(state_dir).writing() as db:
        db.execute("DELETE FROM runs WHERE id = ?", (job.job,))


def remove_expired_jobs(state_dir: Path, own: Job) -> None:
    """Remove jobs that cannot be resumed, which cron would otherwise fill the disk with.

    The caller holds the lock of its own job, in a transaction.
    """
    seconds = int(time.time())
    with store_in(state_dir).writing() as db:
        # A time of the future is not believed, and ages from now on.
        db.execute("UPDATE runs SET used = ? WHERE used > ?", (seconds, seconds + TOLERANCE_SECONDS))
        for job in list_jobs(state_dir, "used < ?", [seconds - JOB_RETENTION_SECONDS]):
            if job.may_be_removed and job.key == own.key:
                forget_job(state_dir, job)
            elif job.may_be_removed:
                remove_jobs(state_dir, [job])


def is_other_job_running(state_dir: Path, own: Job) -> bool:
    """Tell whether a job of no common group is changing the same target; in a transaction."""
    running = _running_jobs(state_dir, own.key.target, but=own.key)
    return any(not own.group or job.group != own.group for job in running)


def require_idle(state_dir: Path, target: UploadTarget) -> None:
    """Raise StateError where a job is changing a target."""
    if not unfinished_jobs(state_dir, target):
        return
    with store_in(state_dir).writing():
        running = next(_running_jobs(state_dir, target), None)
    if running:
        raise StateError(
            f"{target.id} is being changed by job {running.job}, a {running.action} of {running.file}",
            hint="run this again once that has ended; 'adsctl jobs list' shows it",
        )


def _running_jobs(state_dir: Path, target: UploadTarget, *, but: JobKey | None = None) -> Iterator[Job]:
    """Yield the jobs that are changing a target, but for the one with a key."""
    for job in unfinished_jobs(state_dir, target):
        if job.key != but and is_running(state_dir, job):
            yield job


def find_equal(state_dir: Path, key: JobKey, name: str | None) -> Job | None:
    """Find the last job that can be resumed and has a key, and a name if one is given."""
    equal = [job for job in resumable_jobs(state_dir, key.target) if job.key == key]
    return next((job for job in reversed(equal) if name in (None, job.job)), None)


def check_named(state_dir: Path, name: str, job: Job) -> None:
    """Raise where the job that `--job` names is not an equal, unfinished one."""
    named = next(iter(list_jobs(state_dir, "id = ?", [name])), None)
    if named is None:
        raise NotFoundError(f"--job: job {name!r} does not exist", hint="adsctl jobs list shows them")
    if named.is_over:
        raise UsageError(f"--job: job {name} has ended; there is nothing to resume")
    if named.key != job.key:
        raise UsageError(f"--job: job {name} was started with another file, target or options")


def restart_reason(state_dir: Path, job: Job) -> str:
    """Say why no job can be resumed, from the jobs with the same file name."""
    of_file = list_jobs(state_dir, "file = ?", [job.file])
    if not of_file:
        return f"no earlier {job.action} of this file is known"
    if any(not other.is_over and other.key == job.key for other in of_file):
        return f"something else may have been sent to the same place since the unfinished {job.action}"
    earlier = of_file[-1]
    if earlier.state == ENDED:
        return f"the last {earlier.action} of this file has ended"
    if earlier.key.content != job.key.content:
        return f"the file has changed since the unfinished {earlier.action}"
    return f"the unfinished {earlier.action} had another target or other options"


class TaskJobs:
    """The jobs that were begun or resumed since a task was first about to send something.

    Those that had ended before are noted, on disk before anything is sent: no clock tells which they were.
    Whether the fleet or a person has resumed a job makes no difference. `task` is that of `EARLIER_VARIABLE`.
    """

    def __init__(self, state_dir: Path, key: JobKey, command: str, task: str) -> None:
        self._key, self._command = key, command
        known = list_jobs(state_dir, f"{_OF_TARGET} OR resume = ?", (*key.target, command))
        known = [job for job in known if job.state != DISCARDED]
        place = msgspec.json.decode(task, type=tuple[str, str, str])
        ended = as_json([job.job for job in known if job.state == ENDED])
        with store_in(state_dir).writing() as db:
            db.execute("INSERT OR IGNORE INTO fleet_earlier_jobs VALUES (?, ?, ?, ?)", (*place, ended))
            query = "SELECT jobs FROM fleet_earlier_jobs WHERE (fleet, run, stem) = (?, ?, ?)"
            (earlier,) = db.execute(query, place).fetchone()
        self._jobs = [job for job in known if job.job not in msgspec.json.decode(earlier)]

    @property
    def can_be_resumed(self) -> bool:
        """Whether a job has begun and not ended."""
        return not all(job.state == ENDED for job in self._jobs)

    def ended(self) -> Job | None:
        """Return the job that has sent everything; raise StateError where it has sent another content."""
        if self.can_be_resumed:
            return None
        for job in reversed(self._jobs):
            if _without_version(job.key) == _without_version(self._key):
                return job
        other = next((job for job in self._jobs if job.resume == self._command), None)
        if other:
            raise StateError(
                f"{other.file} has changed since this task sent it (job {other.job})",
                hint=f"adsctl jobs show {other.job} says what it did; send what is left as a file of its own",
            )
        return None


def _without_version(key: JobKey) -> JobKey:
    """Return a key as every version of adsctl would write it: what was sent was sent."""
    upload = {name: value for name, value in key.options.upload.items() if name != "version"}
    return msgspec.structs.replace(key, options=msgspec.structs.replace(key.options, upload=upload))
