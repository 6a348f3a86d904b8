"""What is left of a run that creates records: those of its file that it has not sent."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ..errors import NotConfirmedError, StateError
from ..output.text import listed
from ..uploads.job_file import Acknowledgement, Job, Planned, read_journal, unreadable
from ..uploads.upload import FAILED
from .upload import UNCERTAIN, BatchUpload, how_to_decide, ids_of, lines_between

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
    """A run, as its journal tells."""

    path: Path
    job: Job
    planned: set[str]  # contents
    sent: list[SentRecord]  # in the order of their batches

    @property
    def answers(self) -> list[Any]:
        """Return the records that the service made."""
        return [record.answer for record in self.sent if record.answer is not None]


def read_run(path: Path, job: Job) -> CreationRun:
    """Read the journal of a run that creates; raise StateError where it is damaged."""
    journal = read_journal(path, strict=True)
    acknowledged = journal.acknowledged
    sent: list[SentRecord] = []
    for number in sorted(journal.uncertain | acknowledged):
        attempt, ack = journal.attempts.get(number), acknowledged.get(number)
        if not (attempt and attempt.keys) or (ack and len(ack.records) != len(attempt.keys)):
            raise unreadable(path, f"it does not name the records of batch {number}")
        sent += _answered(attempt.keys, ack) if ack else [SentRecord(number, key) for key in attempt.keys]
    return CreationRun(path, job, journal.planned, sent)


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


Place = tuple[int, int]  # record number and line
PlaceOf = Callable[[int], Place]  # by the index of the record


class RestOfRun:
    """Compares the records of a file with those that its run has sent, each as often as it stands there."""

    def __init__(
        self, label: str, upload: BatchUpload, contents: Sequence[str], place_of: PlaceOf, run: CreationRun
    ) -> None:
        self._label, self._upload, self._contents, self._place_of = label, upload, contents, place_of
        self._run = run
        self._found: list[tuple[SentRecord, int]] = []  # what was sent, and its index in the file
        self._gone: list[SentRecord] = []  # what was sent and is no longer in the file
        at: dict[str, list[int]] = {record.content: [] for record in run.sent}
        for index in reversed(range(len(contents))):
            if contents[index] in at:
                at[contents[index]].append(index)
        for record in run.sent:
            if indexes := at[record.content]:
                self._found.append((record, indexes.pop()))
            else:
                self._gone.append(record)
        found = {index for _, index in self._found}
        self.pending: list[int] = [index for index in range(len(contents)) if index not in found]
        self.next_batch = max((record.batch + 1 for record in run.sent), default=0)

    @property
    def due(self) -> int:
        """Count what is to be sent, and what the run has sent already."""
        return len(self._found) + len(self._gone) + len(self.pending)

    def begin(self, journal: "Journal") -> None:
        """Note what is to be sent; raise where it is not clear what the run has sent."""
        self._require_unchanged()
        self._decide(journal)
        corrected = [record for record in self._gone if record.status == FAILED]
        journal.uncount({FAILED: len(corrected)})
        self._gone = [record for record in self._gone if record.status != FAILED]
        self._upload.used_ids.add(self._run.answers)
        if news := [key for key in dict.fromkeys(self._contents) if key not in self._run.planned]:
            journal.append(Planned(news))
        journal.flush()

    def acknowledged(self) -> Iterator[tuple[int, list[int], Acknowledgement]]:
        """Yield each batch that was answered: its number, indexes of its records, and what became of them."""
        answered = [(record, index) for record, index in self._found if record.status != LOST]
        for batch, found in groupby(answered, lambda each: each[0].batch):
            records = list(found)
            failed = [(self._place_of(at)[0], each.reason) for each, at in records if each.status == FAILED]
            yield batch, [at for _, at in records], Acknowledgement(batch, {}, failed)

    def _require_unchanged(self) -> None:
        """Raise StateError where a record may be one that was created, and was changed since."""
        created = [record for record in self._gone if record.status != FAILED]
        news = [index for index in self.pending if self._contents[index] not in self._run.planned]
        if not (created and news):
            return
        noun, job = self._upload.noun, self._run.job
        ids = ids_of(each.answer for each in created)
        named = f" ({listed(ids, 5)})" if ids else ""
        raise StateError(
            f"{self._label}: {self._lines(news)}: an earlier run has sent other {noun}: {len(created):,} "
            f"that it has {self._upload.done}, or may have, are no longer in the file{named}",
            hint="put them back as they were: they are not sent again; what is new goes into another file"
            f"; resume it as it was begun: {job.resume}",
        )

    def _decide(self, journal: "Journal") -> None:
        """Skip what may have been created, or send it again, as is said; raise where it is not."""
        lost = [(record, index) for record, index in self._found if record.status == LOST]
        gone = [record for record in self._gone if record.status == LOST]
        if not (lost or gone):
            return
        if not self._upload.uncertain:
            raise self._not_decided([index for _, index in lost], len(gone))
        for batch in dict.fromkeys(record.batch for record in [*(each for each, _ in lost), *gone]):
            records = [record for record in self._run.sent if record.batch == batch]
            if self._upload.uncertain == "skip":
                numbers = [0] * len(records)
                journal.append(Acknowledgement(batch, {UNCERTAIN: len(records)}, records=numbers))
            else:
                journal.attempts.pop(batch, None)
                journal.withdraw_attempt(batch)
        if self._upload.uncertain == "resend":
            self.pending = sorted([*self.pending, *(index for _, index in lost)])
            self._found = [each for each in self._found if each[0].status != LOST]
            self._gone = [each for each in self._gone if each.status != LOST]

    def _not_decided(self, indexes: Sequence[int], gone: int) -> NotConfirmedError:
        count = len(indexes) + gone
        where = f"{self._lines(indexes)}: " if indexes else ""
        besides = f", of which {gone:,} are no longer in the file" if gone else ""
        return NotConfirmedError(
            f"{self._label}: {where}{self._upload.counted(count)} may have been {self._upload.done} by an "
            f"earlier run, whose answer was lost{besides}",
            hint=f"look whether they exist; {how_to_decide(count)}",
        )

    def _lines(self, indexes: Iterable[int]) -> str:
        """Name the lines of records, those of neighbours together."""
        runs: list[list[int]] = []
        for index in sorted(indexes):
            if runs and index == runs[-1][-1] + 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return listed([lines_between(self._place_of(run[0]), self._place_of(run[-1])) for run in runs], 5)


def rest_of(
    journal: "Journal", label: str, upload: BatchUpload, contents: Sequence[str], place_of: PlaceOf
) -> RestOfRun:
    """Compare the records of a file with those that the run of a journal has sent."""
    path, job = journal.path, journal.job
    run = read_run(path, job) if journal.resumed else CreationRun(path, job, set(), [])
    rest = RestOfRun(label, upload, contents, place_of, run)
    rest.begin(journal)
    return rest
