"""The jobs of a state folder: which are unfinished, which one a push resumes, which ones a task had begun."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from ..config.atomic_files import replacing
from ..config.file_locks import is_locked, lock_folder, made_and_locked
from ..errors import STATE_HINT, NotFoundError, StateError, UsageError
from ..store.epochs import UploadTarget, WriteEpochs
from ..stored_times import is_older
from .job_file import Job, JobKey, read_job


def lock_path(folder: Path, digest: str) -> Path:
    """Return the lock that a run of a job holds, by the digest of its key."""
    return folder / f"{digest}.lock"


JOB_RETENTION_SECONDS = 30 * 24 * 3600.0


def list_jobs(
    folder: Path, on_unreadable: Callable[[Path, StateError], None] = lambda path, error: None
) -> Iterator[tuple[Path, Job, bool]]:
    """Yield journal, job and whether it has ended, oldest first, but for those that cannot be read."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except FileNotFoundError:
        return  # no job has run yet
    except OSError as error:
        raise StateError(f"{folder} cannot be read: {error.strerror}", hint=STATE_HINT) from error
    for path in paths:
        try:
            yield path, *read_job(path)
        except StateError as error:
            on_unreadable(path, error)


def job_state(folder: Path, job: Job, *, ended: bool) -> str:
    """Return "ended", "unfinished" (it can be resumed) or "superseded" (something else was sent since)."""
    if ended:
        return "ended"
    is_current = job.epoch and job.epoch == WriteEpochs(folder.parent).current(job.key.target)
    return "unfinished" if is_current else "superseded"


def remove_job(path: Path, job: Job | None) -> bool:
    """Remove a journal, and its lock where the job is known; return False where it is running."""
    with lock_folder(path.parent):
        if job:
            return _remove(path, job)
        path.unlink(missing_ok=True)
        return True


def may_be_removed(folder: Path, job: Job, *, ended: bool) -> bool:
    """Tell whether nothing depends on a journal any more: not where the same file would be created again."""
    return ended or not (job.is_once or job_state(folder, job, ended=ended) == "unfinished")


def remove_expired_jobs(folder: Path, own: Job) -> None:
    """Remove journals of jobs that cannot be resumed, which cron would otherwise fill the disk with.

    The caller has locked the folder.
    """
    for path, job, ended in list_jobs(folder):
        is_old = is_older(path, JOB_RETENTION_SECONDS)
        if is_old and may_be_removed(folder, job, ended=ended):
            if job.key == own.key:  # its lock is held by this process
                path.unlink(missing_ok=True)
            else:
                _remove(path, job)


def _remove(path: Path, job: Job) -> bool:
    lock = lock_path(path.parent, job.key.digest)
    if is_locked(lock):
        return False
    path.unlink(missing_ok=True)
    lock.unlink(missing_ok=True)
    return True


def is_other_job_running(folder: Path, own: Job) -> bool:
    """Tell whether a job of no common group is changing the same target; the caller has locked the folder."""
    running = _running_jobs(folder, own.key.target, but=own.key)
    return any(not own.group or job.group != own.group for job in running)


def resumable_bytes(folder: Path, target: UploadTarget) -> int:
    """Return the size of what can be resumed for a target, which changes where that is done."""
    return sum(path.stat().st_size for path, _ in resumable_jobs(folder, target))


def require_idle(folder: Path, target: UploadTarget) -> None:
    """Raise StateError where a job is changing a target."""
    if not folder.is_dir():
        return  # no job has run yet
    with made_and_locked(folder):
        running = next(_running_jobs(folder, target), None)
    if running:
        raise StateError(
            f"{target.id} is being changed by job {running.job}, a {running.action} of {running.file}",
            hint="run this again once that has ended; 'adsctl jobs list' shows it",
        )


def _running_jobs(folder: Path, target: UploadTarget, *, but: JobKey | None = None) -> Iterator[Job]:
    """Yield the jobs that are changing a target, but for the one with a key."""
    for _, job, ended in list_jobs(folder):
        is_of_target = not ended and job.key.target == target and job.key != but
        if is_of_target and is_locked(lock_path(folder, job.key.digest)):
            yield job


def resumable_jobs(folder: Path, target: UploadTarget) -> list[tuple[Path, Job]]:
    """List the jobs that can be resumed for a target: the one that began its epoch, or a group of them."""
    epoch = WriteEpochs(folder.parent).current(target)
    return [
        (path, job) for path, job, ended in list_jobs(folder) if not ended and epoch and job.epoch == epoch
    ]


def find_equal(folder: Path, key: JobKey, name: str | None) -> tuple[Path, Job] | None:
    """Find the last job that can be resumed and has a key, and a name if one is given."""
    equal = [job for job in resumable_jobs(folder, key.target) if job[1].key == key]
    return next((candidate for candidate in reversed(equal) if name in (None, candidate[1].job)), None)


def check_named(folder: Path, name: str, job: Job) -> None:
    """Raise where the job that `--job` names is not an equal, unfinished one."""
    path = folder / f"{name}.jsonl"
    if "/" in name or not path.is_file():
        raise NotFoundError(f"--job: job {name!r} does not exist", hint="adsctl jobs list shows them")
    known, ended = read_job(path)
    if ended:
        raise UsageError(f"--job: job {name} has ended; there is nothing to resume")
    if known.key != job.key:
        raise UsageError(f"--job: job {name} was started with another file, target or options")


def restart_reason(folder: Path, job: Job) -> str:
    """Say why no job can be resumed, from the jobs with the same file name."""
    of_file = [(other, ended) for _, other, ended in list_jobs(folder) if other.file == job.file]
    if not of_file:
        return f"no earlier {job.action} of this file is known"
    if any(not ended and other.key == job.key for other, ended in of_file):
        return f"something else may have been sent to the same place since the unfinished {job.action}"
    earlier, ended = of_file[-1]
    if ended:
        return f"the last {earlier.action} of this file has ended"
    if earlier.key.content != job.key.content:
        return f"the file has changed since the unfinished {earlier.action}"
    return f"the unfinished {earlier.action} had another target or other options"


class EndedJob(NamedTuple):
    """A job that has sent all of a task."""

    path: Path
    job: Job


class TaskJobs:
    """The jobs that were begun or resumed since a task was first about to send something.

    Those that had ended before are listed in a file, on disk before anything is sent: no clock tells which
    they were. Whether the fleet or a person has resumed a job makes no difference.
    """

    def __init__(self, folder: Path, key: JobKey, command: str, earlier: Path) -> None:
        self._key, self._command = key, command
        known = [
            (path, job, ended)
            for path, job, ended in list_jobs(folder)
            if job.key.target == key.target or job.resume == command
        ]
        if not earlier.exists():
            with replacing(earlier) as file:
                file.write(msgspec.json.encode([job.job for _, job, ended in known if ended]))
        try:
            names = set(msgspec.json.decode(earlier.read_bytes(), type=list[str]))
        except msgspec.DecodeError as error:
            raise StateError(
                f"{earlier} is damaged: {error}, so that it is not known what this task has sent",
                hint="'adsctl jobs list' shows what was sent",
            ) from None
        self._found = [known_job for known_job in known if known_job[1].job not in names]

    @property
    def can_be_resumed(self) -> bool:
        """Whether a job has begun and not ended."""
        return any(not ended for _, _, ended in self._found)

    def ended(self) -> EndedJob | None:
        """Return the job that has sent everything; raise StateError where it has sent another content."""
        if self.can_be_resumed:
            return None
        for path, job, _ in reversed(self._found):
            if _without_version(job.key) == _without_version(self._key):
                return EndedJob(path, job)
        other = next((job for _, job, _ in self._found if job.resume == self._command), None)
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
