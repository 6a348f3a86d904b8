"""Earlier runs that create records once: found by their file or its records, and what they have sent.

No record is created twice, by runs one after another or at the same time, since each run begins so:
1. `begin_creation` reads the write epoch of the file, and only then looks for earlier runs.
2. A run that is not resumed opens its journal for this epoch only: a run with the same file that has begun
   since step 1 has begun another epoch, even if it has ended.
3. `RestOfRun.begin` notes in the journal what is to be created, on disk, and only then looks for
   other runs with the same records: of two at the same time at least one finds the other, and sends nothing.
4. Each request is noted before it is sent, so that a lost answer is known to the next run.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ..errors import NotConfirmedError, StateError
from ..feeds.locations import Location
from ..output.text import listed, safe
from ..store.epochs import WriteEpochs
from .batch_upload import UNCERTAIN, BatchUpload, ids_of, lines_between
from .created import CreationRun, SentRecord, read_run
from .job import ENDED, FAILED, UNFINISHED, Acknowledgement, Job, JobKey
from .jobs import list_jobs
from .look_up import Look

if TYPE_CHECKING:
    from .journal import Journal


UNNAMED = ("/dev/", "/proc/")  # pipes: another one has the same name


class Creation(NamedTuple):
    """What a run creates once."""

    key: JobKey
    file: str | None  # path or address; None for standard input
    folder: str  # that the path starts from
    contents: Sequence[str]  # of its records
    is_listed: bool = False  # whether a list tells what a lost answer has created


def begin_creation(
    state_dir: Path, creation: Creation, warn: Callable[[str], None], *, resume: bool, is_task: bool = False
) -> tuple[JobKey | None, str | None]:
    """Return the key of the run to be resumed, or else the write epoch that a new one requires.

    It is step 1 of what the module says.

    Warn where a run with the file has ended, since all of it is sent again.
    A task of a fleet that had begun need not have come as far as a run: it begins one where there was none.
    Raise StateError where a run that has not ended may have created some of the records and this one does
    not resume it, and where there is none to resume.
    """
    expected_epoch = WriteEpochs(state_dir).current(creation.key.target)  # before it looks for runs
    known = _jobs_of(state_dir, creation)
    related = _related(state_dir, known, creation)
    if not related:
        over = [job for job in known if job.is_over and _is_sent_again(job, creation)]
        ended = [job for job in over if job.state == ENDED]
        if resume and (ended or not is_task):
            raise _nothing_to_resume(ended)
        if over:
            last = over[-1]
            part = "" if last.state == ENDED else ", at least in part"
            warn(
                f"{last.file} was sent before{part}, at {last.started} (job {last.job}): "
                f"all its {_noun_of(creation.key)} are sent again"
            )
        return None, expected_epoch
    run = related[-1]
    if not resume:
        raise unfinished(run.job, "created", _how_to_resume(run, creation))
    if not _begins_alike(run.job.key, creation.key):
        how = "with its own options and version of adsctl it can be resumed"
        raise unfinished(run.job, "created", f"{how}: {run.job.resume}")
    if run.job.state != UNFINISHED:
        how = "it cannot be resumed, since the state folder may be a copy: look which records exist"
        raise unfinished(run.job, "created", how)
    for other in related[:-1]:
        if not {record.content for record in other.sent}.isdisjoint(creation.contents):
            raise unfinished(other.job, "created", f"resume it first, with its own file: {other.job.resume}")
    return run.job.key, None


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
        run = related[-1]
        raise unfinished(run.job, "created", _how_to_resume(run, creation))


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

    runs = [read_run(state_dir, job) for job in known if not job.is_over]
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


def _how_to_resume(run: CreationRun, creation: Creation) -> str:
    looks = ", which looks up what a lost answer has created" if run.has_lost and creation.is_listed else ""
    if _has_name(run.job, creation):
        return f"resume it with: {run.job.resume}{looks}"
    return f"resume it: add --resume{looks}"


def unfinished(job: Job, done: str, how: str) -> StateError:
    """Return the error about a run that has not ended, so that another one would do some of it twice."""
    return StateError(
        f"an earlier run with {job.file} has not ended, and may have {done} some of its records",
        hint=f"{how}; adsctl jobs show {job.job} says what it did; adsctl jobs discard {job.job} gives it up",
    )


PlaceOf = Callable[[int], tuple[int, int]]  # returns record number and line, by the index of the record
# Looks for what requests have created: when each was sent, and the indexes of its records.
LookUpIndexes = Callable[[Sequence[tuple[float, list[int]]]], Sequence[Look]]


class _Match(NamedTuple):
    """A record that a run has sent, and its index in the file; None where it is no longer in it."""

    sent: SentRecord
    at: int | None


class RestOfRun:
    """Compares the records of a file with those that its run has sent, each as often as it stands there.

    Every record of the file is either matched or pending: one whose match is removed is pending again.
    """

    def __init__(
        self,
        journal: "Journal",
        label: str,
        upload: BatchUpload,
        creation: Creation,
        place_of: PlaceOf,
        look_up: LookUpIndexes | None = None,
    ) -> None:
        self._journal, self._label, self._upload, self._place_of = journal, label, upload, place_of
        self._creation, self._contents, self._look_up = creation, creation.contents, look_up
        job = journal.job
        self._run = read_run(journal.state_dir, job) if journal.resumed else CreationRun(job, set(), [], {})
        at = {record.content: list[int]() for record in self._run.sent}
        for index in reversed(range(len(self._contents))):
            at.get(self._contents[index], []).append(index)
        # In the order of their batches.
        self._matches = [
            _Match(record, at[record.content].pop() if at[record.content] else None)
            for record in self._run.sent
        ]
        self.next_batch = max((record.batch + 1 for record in self._run.sent), default=0)

    @property
    def pending(self) -> list[int]:
        """Return the indexes of the records to be sent."""
        matched = {match.at for match in self._matches}
        return [index for index in range(len(self._contents)) if index not in matched]

    @property
    def due(self) -> int:
        """Count what is to be sent, and what the run has sent already."""
        return len(self._matches) + len(self.pending)

    def begin(self) -> None:
        """Note what is to be sent; raise where it is not clear what the run has sent.

        Raise StateError where another run has begun with the same records: step 3 of what the module says.
        """
        journal = self._journal
        self._require_unchanged()
        self._upload.used_ids.add(self._run.answers)
        self._settle_lost()
        kept = [match for match in self._matches if match.at is not None or not match.sent.is_rejected]
        journal.uncount({FAILED: len(self._matches) - len(kept)})  # those that were corrected
        self._matches = kept
        journal.plan(key for key in dict.fromkeys(self._contents) if key not in self._run.planned)
        journal.flush()
        if not journal.resumed:
            require_no_other_run(journal, self._creation)

    def acknowledged(self) -> Iterator[tuple[int, list[int], Acknowledgement]]:
        """Yield each batch that was answered: its number, indexes of its records, and what became of them."""
        answered = (match for match in self._matches if match.at is not None and not match.sent.is_lost)
        for batch, matches in groupby(answered, lambda match: match.sent.batch):
            sent_matches = [(match, match.at) for match in matches if match.at is not None]
            failed = [
                (self._place_of(at)[0], sent_match.sent.reason)
                for sent_match, at in sent_matches
                if sent_match.sent.is_rejected
            ]
            yield batch, [at for _, at in sent_matches], Acknowledgement(batch, {}, failed)

    def _require_unchanged(self) -> None:
        """Raise StateError where a record may be one that was created, and was changed since."""
        created = [match.sent for match in self._matches if match.at is None and not match.sent.is_rejected]
        news = [index for index in self.pending if self._contents[index] not in self._run.planned]
        if not (created and news):
            return
        noun, job = self._upload.noun, self._run.job
        ids = ids_of(record.answer for record in created)
        named = f" ({listed(ids, 5)})" if ids else ""
        raise StateError(
            f"{self._label}: {self._lines(news)}: an earlier run has sent other {noun}: {len(created):,} "
            f"that it has {self._upload.done}, or may have, are no longer in the file{named}",
            hint="put them back as they were: they are not sent again; what is new goes into another file"
            f"; resume it as it was begun: {job.resume}",
        )

    def _settle_lost(self) -> None:
        """Skip what may have been created, or send it again: as is said, or as the service lists it."""
        lost: dict[int, list[_Match]] = {}
        for match in self._matches:
            if match.sent.is_lost:
                lost.setdefault(match.sent.batch, []).append(match)
        decided = self._upload.uncertain
        looks = self._looked_up(lost) if lost and not decided else [Look() for _ in lost]
        for (batch, matches), look in zip(lost.items(), looks, strict=True):
            if look.found or decided == "skip":
                self._note_created(batch, matches, look.found)
            else:
                self._journal.attempts.pop(batch, None)
                self._journal.withdraw_attempt(batch)
                self._matches = [match for match in self._matches if match not in matches]

    def _note_created(self, batch: int, matches: Sequence[_Match], found: Sequence[Any]) -> None:
        """Note the records that a request has created; without them, that it may have created some."""
        self._upload.used_ids.add(found)
        ack = Acknowledgement(batch, {self._upload.done if found else UNCERTAIN: len(matches)})
        ack.records = [0 for _ in matches]
        ack.answer, ack.contents = [*found], [match.sent.content for match in matches]
        self._journal.append(ack)

    def _looked_up(self, lost: Mapping[int, Sequence[_Match]]) -> Sequence[Look]:
        """Return what requests have created; raise NotConfirmedError where no list tells for certain."""
        indexes = {
            batch: [match.at for match in matches if match.at is not None] for batch, matches in lost.items()
        }
        if self._look_up is None or any(len(indexes[batch]) < len(lost[batch]) for batch in lost):
            raise self._not_decided([match.at for matches in lost.values() for match in matches])
        looks = self._look_up([(self._run.sent_at[batch], indexes[batch]) for batch in lost])
        for batch, look in zip(lost, looks, strict=True):
            if look.doubt:
                raise self._not_decided(indexes[batch], look.doubt)
        return looks

    def _not_decided(self, indexes: Sequence[int | None], doubt: str = "") -> NotConfirmedError:
        """Return the error about records whose answers were lost, None for each that is not in the file."""
        present = [index for index in indexes if index is not None]
        where = f"{self._lines(present)}: " if present else ""
        gone = len(indexes) - len(present)
        besides = f", of which {gone:,} are no longer in the file" if gone else ""
        return NotConfirmedError(
            f"{self._label}: {where}{self._upload.counted(len(indexes))} may have been {self._upload.done} "
            f"by a request whose answer was lost{besides}{f': {doubt}' * bool(doubt)}",
            hint=self._upload.how_to_decide(len(indexes)),
        )

    def _lines(self, indexes: Sequence[int]) -> str:
        """Name the lines of records, in their order, those of neighbours together."""
        runs: list[list[int]] = []
        for index in sorted(indexes):
            if runs and index == runs[-1][-1] + 1:
                runs[-1].append(index)
            else:
                runs.append([index])
        return listed([lines_between(self._place_of(run[0]), self._place_of(run[-1])) for run in runs], 5)
