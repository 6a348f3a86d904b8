"""What an earlier run was to create, and what became of each record, which is known by its content."""

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..errors import StateError
from ..uploads.batch import FAILED, Acknowledgement, Attempt, Planned
from ..uploads.job_file import Job, entries
from .upload import UNCERTAIN

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


class Run(NamedTuple):
    """A run, as its journal tells."""

    path: Path
    job: Job
    planned: set[str]  # contents
    sent: list[SentRecord]  # in the order of their batches

    @property
    def answers(self) -> list[Any]:
        """Return the records that the service made."""
        return [record.answer for record in self.sent if record.answer is not None]


def read_run(path: Path, job: Job) -> Run:
    """Read the journal of a run that creates; raise StateError where it is damaged."""
    planned: set[str] = set()
    contents: dict[int, list[str]] = {}
    acknowledged: dict[int, Acknowledgement] = {}
    lost: set[int] = set()
    for entry in entries(path, strict=True):
        if isinstance(entry, Planned):
            planned.update(entry.planned)
        elif isinstance(entry, Attempt):
            lost.discard(entry.attempted)
            if entry.may_be_applied:
                lost.add(entry.attempted)
                contents[entry.attempted] = entry.keys
        elif isinstance(entry, Acknowledgement):
            acknowledged[entry.batch] = entry
    sent: list[SentRecord] = []
    for number in sorted(lost | acknowledged.keys()):
        keys, ack = contents.get(number, []), acknowledged.get(number)
        if not keys or (ack and len(ack.records) != len(keys)):
            raise _of_earlier_version(job)
        sent += _answered(keys, ack) if ack else [SentRecord(number, key) for key in keys]
    return Run(path, job, planned, sent)


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


def _of_earlier_version(job: Job) -> StateError:
    return StateError(
        f"job {job.job} with {job.file} has not ended, and an earlier version of adsctl began it",
        hint=f"resume it with that version: {job.resume}; or look what it has created (adsctl jobs show "
        f"{job.job}), and give it up: adsctl jobs discard {job.job}",
    )
