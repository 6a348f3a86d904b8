"""Records of a file are created once: a run that created some of them is resumed, never repeated."""

from pathlib import Path

from ..errors import StateError
from ..uploads.job_file import Job
from ..uploads.job_key import JobKey
from ..uploads.jobs import job_state, list_jobs


def require_first_or_resumed(folder: Path, key: JobKey, *, resume: bool) -> Job | None:
    """Raise StateError where an earlier run with the file has not ended, and this one does not resume it.

    Also where there is none to resume: what has ended would be created a second time. Return the last run
    that has ended with the file, where this one sends it again.
    """
    known = [(job, ended) for _, job, ended in list_jobs(folder) if job.key.place == key.place]
    unfinished = [job for job, ended in known if not ended]
    if not resume and not unfinished:
        return known[-1][0] if known else None
    if not unfinished:
        raise _nothing_to_resume([job for job, _ in known])
    job = unfinished[-1]
    if not resume:
        raise _unfinished(job, f"resume it with: {job.resume}")
    if not any(_can_be_resumed(folder, each, key) for each in unfinished):
        how = f"with its own options and version of adsctl it can be resumed: {job.resume}"
        if any(each.key == key for each in unfinished):
            how = "it cannot be resumed, since its journal may be a copy: look which records exist"
        raise _unfinished(job, how)
    return None


def _nothing_to_resume(ended: list[Job]) -> StateError:
    hint = "run it without --resume; it creates every record of the file"
    if not ended:
        return StateError("there is no unfinished run with this file to resume", hint=hint)
    last = ended[-1]
    return StateError(
        f"the last run with {last.file}, of {last.started}, has ended",
        hint=f"adsctl jobs show {last.job} says what it did; without --resume, every record is sent again",
    )


def _can_be_resumed(folder: Path, job: Job, key: JobKey) -> bool:
    return job.key == key and job_state(folder, job, ended=False) == "unfinished"


def _unfinished(job: Job, how: str) -> StateError:
    return StateError(
        f"an earlier run with {job.file} has not ended, and may have created some of its records",
        hint=f"{how}; to create all of them again, forget it: adsctl jobs clean {job.job}",
    )
