"""The plan of a file of records: validated whole, then cut into batches."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from msgspec.structs import replace

from .. import __version__
from ..api.batches import batch_request
from ..api.endpoint import Request
from ..errors import ContentError, StateError
from ..feeds.locations import Location
from ..feeds.rows import Row, Rows
from ..output.text import safe
from ..uploads.job_file import Job, JobKey, UploadTarget, options_of_rows
from ..uploads.jobs import job_state, list_jobs
from ..uploads.plan import OnAcknowledged, Plan, this_second
from ..uploads.upload import Batch, Batches
from ..validation import CheckedRow
from ..validation.report import ValidationReport
from . import Uncertain
from .records import RecordReader
from .resumed import CreationRun, RestOfRun, content_of, read_run, rest_of
from .upload import OPERATIONS, SINGLE, BatchUpload, Items, SingleUpload

if TYPE_CHECKING:
    from ..uploads.journal import Journal


UNNAMED = ("/dev/", "/proc/")  # pipes: another one has the same name


class Once(NamedTuple):
    """What a run creates once."""

    key: JobKey
    file: str | None  # path or address; None for standard input
    folder: str  # that the path starts from
    contents: Sequence[str]  # of its records


def require_first_or_resumed(
    jobs: Path, once: Once, *, resume: bool
) -> tuple[CreationRun | None, Job | None]:
    """Return the run to be resumed, or the last one that has ended with the file, which is sent again.

    Raise StateError where a run that has not ended may have created some of the records and this one does
    not resume it, where there is none to resume, and where a journal cannot be read.
    """
    known = _jobs_of(jobs, once)
    related = _related(known, once)
    if not related:
        ended = [job for _, job, has_ended in known if has_ended and _is_sent_again(job, once)]
        if resume:
            raise _nothing_to_resume(ended)
        return None, ended[-1] if ended else None
    run = related[-1]
    if not resume:
        raise _unfinished(run.job, _how_to_resume(run.job, once))
    if not _begins_alike(run.job.key, once.key):
        how = "with its own options and version of adsctl it can be resumed"
        raise _unfinished(run.job, f"{how}: {run.job.resume}")
    if job_state(jobs, run.job, ended=False) != "unfinished":
        how = "it cannot be resumed, since its journal may be a copy: look which records exist"
        raise _unfinished(run.job, how)
    for other in related[:-1]:
        if _has_sent(other, once):
            raise _unfinished(other.job, f"resume it first, with its own file: {other.job.resume}")
    return run, None


def named_file(location: Location) -> str | None:
    """Return the name of a file, by which it is known when its content has changed."""
    name = location.identity
    return None if location.file_name is None or name.startswith(UNNAMED) else safe(name)


def require_no_other_run(journal: "Journal", once: Once) -> None:
    """Raise StateError where another run with the records has begun at the same time.

    Nothing was sent yet: the journal is removed.
    """
    known = [each for each in _jobs_of(journal.folder, once) if each[0] != journal.path]
    if related := _related(known, once):
        journal.remove()
        raise _unfinished(related[-1].job, _how_to_resume(related[-1].job, once))


def _jobs_of(jobs: Path, once: Once) -> list[tuple[Path, Job, bool]]:
    """List the jobs that create records of the kind in the same place, oldest first."""

    def refuse(path: Path, error: StateError) -> None:
        error.message += "; what it says was created is not known, and nothing more is created"
        raise error

    return [each for each in list_jobs(jobs, refuse) if _is_of(each[1].key, once.key)]


def _is_of(key: JobKey, own: JobKey) -> bool:
    """Tell whether two jobs create records of one kind in one place."""
    kinds = key.place.kind.split(" of ")[0], own.place.kind.split(" of ")[0]
    same_place = (key.place.service, key.place.id) == (own.place.service, own.place.id)
    return same_place and kinds[0] == kinds[1] and key.upload == own.upload


def _related(known: list[tuple[Path, Job, bool]], once: Once) -> list[CreationRun]:
    """Return the unfinished runs with the file or some of its records; the one most like it is the last."""
    contents = set(once.contents)
    runs = [read_run(path, job) for path, job, has_ended in known if not has_ended]
    related = [run for run in runs if _has_file(run.job, once) or not contents.isdisjoint(run.planned)]
    shared = {run.job.job: len(contents & run.planned) for run in related}
    return sorted(
        related,
        key=lambda run: (
            run.job.key.content == once.key.content,
            _has_name(run.job, once),
            shared[run.job.job],
        ),
    )


def _has_sent(run: CreationRun, once: Once) -> bool:
    contents = set(once.contents)
    return any(record.content in contents for record in run.sent)


def _has_file(job: Job, once: Once) -> bool:
    """Tell whether a job is of the same bytes, or of the file of the same name."""
    return job.key.content == once.key.content or _has_name(job, once)


def _has_name(job: Job, once: Once) -> bool:
    return once.file is not None and _path(job.folder, job.file) == _path(once.folder, once.file)


def _path(folder: str, file: str) -> str:
    return file if "://" in file else os.path.normpath(Path(folder, file))


def _is_sent_again(job: Job, once: Once) -> bool:
    """Tell whether a run that has ended has sent the file, or as many records of the file of its name."""
    as_many = job.rows == len(once.contents)
    return job.key.content == once.key.content or (_has_name(job, once) and as_many)


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


def _how_to_resume(job: Job, once: Once) -> str:
    return f"resume it with: {job.resume}" if _has_name(job, once) else "resume it: add --resume"


def _unfinished(job: Job, how: str) -> StateError:
    return StateError(
        f"an earlier run with {job.file} has not ended, and may have created some of its records",
        hint=f"{how}; adsctl jobs show {job.job} says what it did; adsctl jobs discard {job.job} gives it up",
    )


class Reader(Protocol):
    """Reads records, and encodes what they become."""

    @property
    def options(self) -> Mapping[str, Any]:
        """Return the options that decide what is sent."""

    def read(self, row: Row) -> CheckedRow:
        """Return the item of a record, and everything that is wrong with it."""

    def encode(self, item: Any) -> bytes:
        """Return an item as JSON, by the names on the wire."""

    def id_of(self, item: Any) -> str:
        """Return the id of the record that an item changes; nothing where it creates one."""


class BatchPlan(Plan):
    """Send the records of a file, `size` in a request; they are kept in memory."""

    rows: Rows
    upload: BatchUpload

    def __init__(self, rows: Rows, reader: Reader, upload: BatchUpload, size: int, target: str) -> None:
        self.rows = rows
        self.upload = upload
        self.noun = upload.noun
        self.started = this_second()
        self._report = ValidationReport()
        self._reader, self._size = reader, size
        self._target = target  # id of what the records are in
        self._checked: list[CheckedRow] = []
        self._valid: list[CheckedRow] = []
        self._contents: list[str] = []
        self.resumes: JobKey | None = None  # the key of an unfinished run, maybe of the file as it was before
        self._rest: RestOfRun | None = None  # of such a run

    @property
    def items(self) -> list[Any]:
        """Return the items of the valid records."""
        return [checked.item for checked in self._valid]

    def reduce(self, items: Iterable[Any]) -> None:
        """Send other items in place of the valid ones, None of those that are not sent."""
        changed = zip(self._valid, items, strict=True)
        self._valid = [replace(checked, item=item) for checked, item in changed if item is not None]

    @property
    def pending_items(self) -> list[Any]:
        """Return the items that no run has sent."""
        return [self.items[index] for index in self._rest.pending] if self._rest else self.items

    @property
    def contents(self) -> list[str]:
        """Return digests by which valid records are known; none where they may be sent again."""
        if self.upload.creates and not self._contents:
            self._contents = [content_of(self._reader.encode(item)) for item in self.items]
        return self._contents

    def validate(self, on_progress: Callable[[int], None] = lambda rows: None) -> ValidationReport:
        """Read the whole file; raise ContentError where it cannot be read."""
        report = self._report = ValidationReport()
        self._checked, self._contents = [], []
        for row in self.rows:
            checked = self._reader.read(row)
            self._checked.append(checked)
            report.rows += 1
            if checked.problems:
                report.add(row, checked.problems)
            on_progress(report.rows)
        self._valid = [checked for checked in self._checked if checked.item is not None]
        if not report.rows:
            raise ContentError(f"{self.rows.source.label}: there is no record in it")
        report.notes, report.warnings = [*self.rows.notes], [*self.rows.warnings]
        return report

    @property
    def due(self) -> int:
        """Count the records to be sent, and those that earlier runs have sent."""
        return self._rest.due if self._rest else len(self._valid)

    @property
    def batch_count(self) -> int:
        """Count the requests."""
        return -(-self.due // self._size)

    def batches(self) -> Batches:
        """Cut the valid records into batches."""
        return self._cut(range(len(self._valid)))

    def _cut(self, indexes: Sequence[int], first: int = 0) -> Batches:
        """Cut valid records into batches, which are numbered from the first on."""
        for number, begin in enumerate(range(0, len(indexes), self._size), first):
            yield self._batch(number, indexes[begin : begin + self._size])

    def _batch(self, number: int, indexes: Sequence[int]) -> Batch:
        records, contents = [self._valid[index] for index in indexes], self.contents
        bodies = [self._reader.encode(checked.item) for checked in records]
        if contents:
            ids = [contents[index] for index in indexes]
        else:
            ids = [id for checked in records if (id := self._reader.id_of(checked.item))]
        items = Items(bodies, ids, [checked.item for checked in records])
        return Batch(number, items, [*map(self._place_of, indexes)])

    def _place_of(self, index: int) -> tuple[int, int]:
        """Return the number and the line of a valid record."""
        row = self._valid[index].row
        return row.record, row.line

    def phases(self, journal: "Journal", on_acknowledged: OnAcknowledged) -> Iterable[Batches]:
        """Return the batches that are not acknowledged, as the only phase."""
        if not self._rest:
            return super().phases(journal, on_acknowledged)
        for number, indexes, ack in self._rest.acknowledged():
            on_acknowledged(self._batch(number, indexes), ack)
        return [self._cut(self._rest.pending, self._rest.next_batch)]

    def max_pending(self, threads: int) -> int:
        """Allow one batch for each thread: none follows one that has failed."""
        return threads

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield each record with its problems."""
        return iter(self._checked)

    def place(self, service: str) -> UploadTarget:
        """Return the place that is changed: nothing else than the same file changes what is sent of it."""
        return UploadTarget(service, f"{self.noun} of {self.rows.source.digest}", self._target)

    def key(self, service: str, *, skip_invalid: bool) -> JobKey:
        """Return what identifies the job."""
        if self.resumes:
            return self.resumes
        upload: dict[str, str | int | bool | None] = {}
        upload |= {name: str(value) for name, value in sorted(self._reader.options.items())}
        upload["version"] = __version__  # another one may cut other batches, and create records again
        options = replace(options_of_rows(self.rows, skip_invalid=skip_invalid), upload=upload)
        return JobKey(self.place(service), self.upload.action, self.rows.source.digest, options)

    def begin(self, journal: "Journal") -> None:
        """Find out what the run has created; refuse to create it again, unless it is said what to do."""
        if self.upload.creates:
            label = self.rows.source.label
            self._rest = rest_of(journal, label, self.upload, self.contents, self._place_of)
            if not journal.resumed:
                require_no_other_run(journal, self.once(journal.job.key, journal.job.folder))

    def once(self, key: JobKey, folder: str) -> Once:
        """Return what is created once, by a command in a folder."""
        return Once(key, named_file(self.rows.source.locations[0]), folder, self.contents)


def record_plan(
    rows: Rows, reader: RecordReader, uncertain: Uncertain | None, complete: Callable[[Request], Request]
) -> BatchPlan:
    """Plan to send the records of a file to an account or a catalog.

    `complete` is for those that are sent one by one.
    """
    endpoint, many = reader.kind.endpoint, batch_request(reader.kind)
    place = {name: reader.options[name] for name in many.endpoint.path_fields}
    request = many(**place)
    if endpoint.batch:
        upload = BatchUpload(request, endpoint.action, endpoint.noun, OPERATIONS, uncertain)
        return BatchPlan(rows, reader, upload, endpoint.batch.size, *place.values())
    single = SingleUpload(request, endpoint.action, endpoint.noun, SINGLE, uncertain, complete=complete)
    return BatchPlan(rows, reader, single, 1, *place.values())
