"""Earlier runs that create records once: found by their file or its records, and what they have sent.

No record is created twice, by runs one after another or at the same time, since each run begins so:
1. `begin_creation` reads the write epoch of the file, and only then looks for earlier runs.
2. A run that is not resumed opens its journal for this epoch only: a run with the same file that has begun
   since step 1 has begun another epoch, even if it has ended.
3. `plan.RestOfRun.begin` notes in the journal what is to be created, on disk, and only then looks for
   other runs with the same records: of two at the same time at least one finds the other, and sends nothing.
4. Each request is noted before it is sent, so that a lost answer is known to the next run.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ..errors import StateError
from ..feeds.locations import Location
from ..output.text import safe
from ..store.epochs import WriteEpochs
from ..uploads.job import ENDED, UNFINISHED, Acknowledgement, Job, JobKey
from ..uploads.jobs import list_jobs
from ..uploads.sends import read_planned, read_sends
from ..uploads.upload import FAILED
from .upload import UNCERTAIN

if TYPE_CHECKING:
    from ..uploads.journal import Journal


LOST = "lost"  # the status of a record of a request whose answer was lost


def content_of(body: bytes) -> str:
    """Return a digest of a record as it is sent, whatever the order of its fields."""
    canonical = msgspec.json.encode(msgspec.json.decode(body), order="sorted")
    return blake2b(canonical, digest_size=8).hexdigest()


class SentRecord(NamedTuple):
    """A record that a run has sent."""

    batch: int
    content: str
    number: int = 0  # in its file; 0 where the answer was lost
    status: str = LOST
    reason: str = ""  # where the service rejected it
    answer: Any = None  # the record that the service made of it


class CreationRun(NamedTuple):
    """A run, as far as it is stored."""

    job: Job
    planned: set[str]  # contents
    sent: list[SentRecord]  # in the order of their batches

    @property
    def answers(self) -> list[Any]:
        """Return the records that the service made."""
        return [record.answer for record in self.sent if record.answer is not None]


def read_run(state_dir: Path, job: Job) -> CreationRun:
    """Return what a run creates, and what it has sent."""
    sends = read_sends(state_dir, job.job)
    sent: list[SentRecord] = []
    for number in sorted(sends.uncertain | sends.acknowledged):
        contents, ack = sends.keys[number], sends.acknowledged.get(number)
        sent += _answered(contents, ack) if ack else [SentRecord(number, content) for content in contents]
    return CreationRun(job, read_planned(state_dir, job.job), sent)


def _answered(contents: Sequence[str], ack: Acknowledgement) -> Iterable[SentRecord]:
    """Yield what became of each record of a batch."""
    reasons = dict(ack.failed)
    done = next((name for name, count in ack.counts.items() if count and name != FAILED), FAILED)
    answers = iter(ack.answer)
    for content, number in zip(contents, ack.records, strict=True):
        if (reason := reasons.get(number)) is not None:
            yield SentRecord(ack.batch, content, number, FAILED, reason)
        else:
            answer = None if done == UNCERTAIN else next(answers, None)
            yield SentRecord(ack.batch, content, number, done, answer=answer)


UNNAMED = ("/dev/", "/proc/")  # pipes: another one has the same name


class Creation(NamedTuple):
    """What a run creates once."""

    key: JobKey
    file: str | None  # path or address; None for standard input
    folder: str  # that the path starts from
    contents: Sequence[str]  # of its records


class CreationStart(NamedTuple):
    """What a run begins with: the key of a run to be resumed, or else the write epoch that it requires."""

    resumes: JobKey | None = None
    expected_epoch: str | None = None


def begin_creation(
    state_dir: Path, creation: Creation, warn: Callable[[str], None], *, resume: bool, is_task: bool = False
) -> CreationStart:
    """Find the run to be resumed, or what a new one requires: step 1 of what the module says.

    Warn where a run with the file has ended, since all of it is sent again.
    A task of a fleet that had begun need not have come as far as a run: it begins one where there was none.
    Raise StateError where a run that has not ended may have created some of the records and this one does
    not resume it, and where there is none to resume.
    """
    expected_epoch = WriteEpochs(state_dir).current(creation.key.target)  # before it looks for runs
    known = _jobs_of(state_dir, creation)
    related = _related(state_dir, known, creation)
    if not related:
        ended = [job for job in known if job.state == ENDED and _is_sent_again(job, creation)]
        if resume and (ended or not is_task):
            raise _nothing_to_resume(ended)
        if ended:
            last = ended[-1]
            warn(
                f"{last.file} was sent before, at {last.started} (job {last.job}): "
                f"all its {_noun_of(creation.key)} are sent again"
            )
        return CreationStart(expected_epoch=expected_epoch)
    run = related[-1]
    if not resume:
        raise _unfinished(run.job, _how_to_resume(run.job, creation))
    if not _begins_alike(run.job.key, creation.key):
        how = "with its own options and version of adsctl it can be resumed"
        raise _unfinished(run.job, f"{how}: {run.job.resume}")
    if run.job.state != UNFINISHED:
        how = "it cannot be resumed, since the state folder may be a copy: look which records exist"
        raise _unfinished(run.job, how)
    for other in related[:-1]:
        if not {record.content for record in other.sent}.isdisjoint(creation.contents):
            raise _unfinished(other.job, f"resume it first, with its own file: {other.job.resume}")
    return CreationStart(resumes=run.job.key)


def named_file(location: Location) -> str | None:
    """Return the name of a file, by which it is known when its content has changed."""
    name = location.identity
    return None if location.file_name is None or name.startswith(UNNAMED) else safe(name)


def require_no_other_run(journal: "Journal", creation: Creation) -> None:
    """Raise StateError where another run with the records has begun at the same time.

    The journal already says what is to be created, and nothing was sent yet: it is removed.
    """
    known = _jobs_of(journal.state_dir, creation)
    others = [job for job in known if job.job != journal.job.job]
    if related := _related(journal.state_dir, others, creation):
        journal.remove()
        job = related[-1].job
        raise _unfinished(job, _how_to_resume(job, creation))


def _jobs_of(state_dir: Path, creation: Creation) -> list[Job]:
    """List the jobs that create records of the kind in the same place, oldest first."""
    key = creation.key
    values = (key.target.id, key.target.service, key.upload)
    jobs = list_jobs(state_dir, "(target, service, upload) = (?, ?, ?)", values)
    return [job for job in jobs if _noun_of(job.key) == _noun_of(key)]


def _noun_of(key: JobKey) -> str:
    """Return the noun of the kind of a place, which is "campaigns of DIGEST"."""
    return key.target.kind.split(" of ")[0]


def _related(state_dir: Path, known: list[Job], creation: Creation) -> list[CreationRun]:
    """Return the unfinished runs with the file or some of its records; the one most like it is the last."""
    contents = set(creation.contents)

    def likeness(run: CreationRun) -> tuple[bool, bool, int]:
        has_bytes = run.job.key.content == creation.key.content
        return has_bytes, _has_name(run.job, creation), len(contents & run.planned)

    runs = [read_run(state_dir, job) for job in known if job.state != ENDED]
    return sorted((run for run in runs if any(likeness(run))), key=likeness)


def _has_name(job: Job, creation: Creation) -> bool:
    return creation.file is not None and _path(job.folder, job.file) == _path(creation.folder, creation.file)


def _path(folder: str, file: str) -> str:
    return file if "://" in file else os.path.normpath(Path(folder, file))


def _is_sent_again(job: Job, creation: Creation) -> bool:
    """Tell whether a run that has ended has sent the file, or as many records of the file of its name."""
    as_many = job.rows == len(creation.contents)
    return job.key.content == creation.key.content or (_has_name(job, creation) and as_many)


def _begins_alike(key: JobKey, own: JobKey) -> bool:
    """Tell whether two runs make the same of a record, in whatever file it is."""
    same = {"format": own.options.format, "encoding": own.options.encoding, "reading": own.options.reading}
    return replace(key.options, **same) == own.options


def _nothing_to_resume(ended: list[Job]) -> StateError:
    if not ended:
        return StateError(
            "there is no unfinished run with this file, or with records of it, to resume",
            hint="adsctl jobs list shows the runs that are known; without --resume, every record is sent",
        )
    last = ended[-1]
    return StateError(
        f"the last run with {last.file}, of {last.started}, has ended",
        hint=f"adsctl jobs show {last.job} says what it did; without --resume, every record is sent again",
    )


def _how_to_resume(job: Job, creation: Creation) -> str:
    return f"resume it with: {job.resume}" if _has_name(job, creation) else "resume it: add --resume"


def _unfinished(job: Job, how: str) -> StateError:
    return StateError(
        f"an earlier run with {job.file} has not ended, and may have created some of its records",
        hint=f"{how}; adsctl jobs show {job.job} says what it did; adsctl jobs discard {job.job} gives it up",
    )
