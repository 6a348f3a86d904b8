"""What a run that creates records once has sent, as far as it is stored."""

from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ..store import store_in
from ..store.changes import ChangeLog
from .batch_upload import ids_of
from .job import FAILED, Acknowledgement, Job, answers
from .sends import decode_answer, read_planned, read_sends

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

    @property
    def is_lost(self) -> bool:
        """Whether its answer was lost."""
        return self.status == LOST

    @property
    def is_rejected(self) -> bool:
        """Whether the service has rejected it."""
        return self.status == FAILED


class CreationRun(NamedTuple):
    """A run, as far as it is stored."""

    job: Job
    planned: set[str]  # contents
    sent: list[SentRecord]  # in the order of their batches
    sent_at: Mapping[int, float]  # Unix seconds, by the numbers of batches

    @property
    def has_lost(self) -> bool:
        """Whether an answer was lost."""
        return any(record.is_lost for record in self.sent)

    @property
    def answers(self) -> list[Any]:
        """Return the records that the service made."""
        return [record.answer for record in self.sent if record.answer is not None]


def read_run(state_dir: Path, job: Job) -> CreationRun:
    """Return what a run creates, and what it has sent."""
    sends = read_sends(state_dir, job.job)
    sent: list[SentRecord] = []
    for number in sorted(sends.uncertain | sends.acknowledged):
        if ack := sends.acknowledged.get(number):
            sent += _answered(ack)
        else:
            sent += [SentRecord(number, content) for content in sends.keys[number]]
    return CreationRun(job, read_planned(state_dir, job.job), sent, sends.sent_at)


def created_ids(state_dir: Path) -> set[str]:
    """Return the ids of the records that an answer or an earlier look-up has named.

    Whatever else a list shows may be what a lost answer has created.
    """
    query = "SELECT answer FROM sends JOIN runs ON id = run WHERE upload = 'create' AND answer IS NOT NULL"
    acks = (decode_answer(answer) for (answer,) in store_in(state_dir).rows(query))
    return ChangeLog(state_dir).created_ids().union(ids_of(answers(acks)))


def _answered(ack: Acknowledgement) -> Iterable[SentRecord]:
    """Yield what became of each record of a batch."""
    reasons, answers = dict(ack.failed), iter(ack.answer)
    status = next((name for name, count in ack.counts.items() if count and name != FAILED), FAILED)
    for content, number in zip(ack.contents, ack.records, strict=True):
        if (reason := reasons.get(number)) is not None:
            yield SentRecord(ack.batch, content, number, FAILED, reason)
        else:
            yield SentRecord(ack.batch, content, number, status, answer=next(answers, None))
