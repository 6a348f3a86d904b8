"""The jobs of a state folder: which ran, which are unfinished, and which one a push resumes."""

import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import STATE_HINT, NotFoundError, StateError, UsageError
from .job_file import Job, acknowledgements, read_job
from .locks import lock_folder, try_lock

JOB_RETENTION_SECONDS = 30 * 24 * 3600.0


def list_jobs(folder: Path) -> Iterator[tuple[Path, Job, bool]]:
    """Yield journal, job and whether it has ended, oldest first; skip files that are not journals."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except FileNotFoundError:
        return  # no job has run yet
    except OSError as error:
        raise StateError(f"{folder} cannot be read: {error.strerror}", hint=STATE_HINT) from error
    for path in paths:
        try:
            yield path, *read_job(path)
        except StateError:
            continue


def remove_job(path: Path, job: Job) -> bool:
    """Remove a journal and its lock; return False where the job is running."""
    with lock_folder(path.parent):
        lock = try_lock(path.parent, job.key.digest)
        if lock is None:
            return False
        lock.release()
        path.unlink(missing_ok=True)
        Path(lock.lock_file).unlink(missing_ok=True)
        return True


def remove_expired_jobs(folder: Path, own: Job) -> None:
    """Remove journals that ended long ago, which cron would otherwise fill the disk with."""
    for path, job, ended in list_jobs(folder):
        if ended and time.time() - path.stat().st_mtime > JOB_RETENTION_SECONDS:
            if job.key == own.key:  # its lock is held by this process
                path.unlink(missing_ok=True)
            else:
                remove_job(path, job)


def is_other_job_running(folder: Path, own: Job) -> bool:
    """Tell whether another job is changing the same place."""
    with lock_folder(folder):
        for _, job, ended in list_jobs(folder):
            if not ended and job.key != own.key and job.key.place == own.key.place:
                lock = try_lock(folder, job.key.digest)
                if lock is None:
                    return True
                lock.release()
    return False


def find_unfinished(folder: Path, job: Job) -> Path | None:
    """Find the last unfinished journal of an equal job.

    Where something else was sent to the same place since, what it acknowledged may have been overwritten.
    """
    found = None
    for path, earlier, ended in list_jobs(folder):
        if earlier.key.place == job.key.place:
            if earlier.key == job.key and not ended:
                found = path
            elif next(acknowledgements(path), None):
                found = None
    return found


def find_named(folder: Path, name: str, job: Job) -> Path:
    """Find the journal that `--job` names; raise where it is not one of an equal, unfinished job."""
    path = folder / f"{name}.jsonl"
    if "/" in name or not path.is_file():
        raise NotFoundError(f"--job: job {name!r} does not exist", hint="adsctl jobs list shows them")
    known, ended = read_job(path)
    if ended:
        raise UsageError(f"--job: job {name} has ended; there is nothing to resume")
    if not known.can_be_resumed:
        raise UsageError(f"--job: job {name} {OLDER_VERSION}")
    if known.key != job.key:
        raise UsageError(f"--job: job {name} was started with another file, target or options")
    return path


OLDER_VERSION = "was started by an earlier version of adsctl and cannot be resumed"


def restart_reason(folder: Path, job: Job) -> str:
    """Say why no job can be resumed, from the jobs with the same file name."""
    known = list(list_jobs(folder))
    if same := [earlier for _, earlier, ended in known if earlier.key == job.key and not ended]:
        return (
            "something else was sent to the same place after the unfinished push; "
            f"to resume it anyway: --job {same[-1].job}"
        )
    of_file = [(earlier, ended) for _, earlier, ended in known if earlier.file == job.file]
    if not of_file:
        return "no earlier push of this file is known"
    earlier, ended = of_file[-1]
    if ended:
        return "the last push of this file has ended"
    if not earlier.can_be_resumed:
        return f"the unfinished push {OLDER_VERSION}"
    if earlier.key.content != job.key.content:
        return "the file has changed since the unfinished push"
    return "the unfinished push had another target or other options"
