"""What a task of a fleet has sent: one that is killed may have done so without a record of its end."""

from pathlib import Path
from typing import NamedTuple

import msgspec

from ..config.atomic_files import replacing
from ..errors import StateError
from ..uploads.job_file import Job, JobKey
from ..uploads.jobs import list_jobs


class EndedJob(NamedTuple):
    """A job that has sent all of a task."""

    path: Path
    job: Job


class TaskJobs:
    """The jobs that were begun or resumed since a task first came to send something.

    Those that had ended before are listed in a file, on disk before anything is sent: no clock tells which
    they were. Whether the fleet or a person has resumed a job makes no difference.
    """

    def __init__(self, folder: Path, key: JobKey, command: str, earlier: Path) -> None:
        self._key, self._command = key, command
        known = [
            (path, job, ended)
            for path, job, ended in list_jobs(folder)
            if job.key.place == key.place or job.resume == command
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
        self._found = [each for each in known if each[1].job not in names]

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
